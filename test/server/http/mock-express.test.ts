import express from 'express'
import { delay, type HttpHandler, HttpResponse, http, passthrough } from 'msw'
import { describe, expect, vi } from 'vitest'
import { ApiError } from '../../../src/index.js'
import { mockExpress } from '../../../src/server/http/index.js'
import { json, parseResponses, responseTo, sendBytes } from '../../support/http.js'
import { ids } from '../../support/tanks.js'
import { deferred } from '../../support/worlds.js'
import { appWith, createTanksMock, it, list, userResolver, validate, validBody } from './express-app.js'

const theirList = (answer: Parameters<typeof http.get>[1]) => http.get(`*${list}`, answer)

const nothing = { game_modes: [], lobbies: [], regions: [] }

describe('mockExpress', () => {
  it('asks a handler of the user before the mock, if it comes first', async ({ serve }) => {
    const { send } = await serve(appWith([theirList(userResolver), ...createTanksMock().handlers]))

    expect((await send({})).body).toBe('{"mine":true}')
  })

  it('asks the mock before a handler of the user, if it comes first', async ({ serve }) => {
    const { send } = await serve(appWith([...createTanksMock().handlers, theirList(userResolver)]))

    expect(json(await send({}))).toHaveProperty('lobbies')
  })

  it('runs handlers of the user between those of the mock', async ({ serve }) => {
    const mock = createTanksMock()
    const [first, ...others] = mock.handlers
    const both = http.all('*', ({ request }) => HttpResponse.text(`between ${new URL(request.url).pathname}`))
    const { send } = await serve(appWith([first as HttpHandler, both, ...others]))

    expect(json(await send({}))).toHaveProperty('lobbies')
    expect((await send({ path: '/cloud/devices/links' })).body).toBe('between /cloud/devices/links')
  })

  it('asks the mock if a resolver returns nothing', async ({ serve }) => {
    const resolver = vi.fn()
    const { send } = await serve(appWith([theirList(resolver), ...createTanksMock().handlers]))

    expect(json(await send({}))).toHaveProperty('lobbies')
    expect(resolver).toHaveBeenCalledOnce()
  })

  it('calls the next middleware if a resolver passes through, and asks no other handler', async ({ serve }) => {
    const { send } = await serve(
      appWith([theirList(() => passthrough()), ...createTanksMock().handlers], { onUnhandledRequest: 'error' }),
    )

    expect(json(await send({}))).toEqual({ next: `GET ${list}` })
  })

  it('passes the error of a resolver to the app', async ({ serve }) => {
    const thrown = () => {
      throw new Error('boom')
    }
    const { send } = await serve(appWith([theirList(thrown), ...createTanksMock().handlers]))

    expect([(await send({})).status, json(await send({}))]).toEqual([500, { error: 'boom' }])
  })

  it('answers with a response that a resolver throws', async ({ serve }) => {
    const thrown = () => {
      throw HttpResponse.json({ thrown: true }, { status: 418 })
    }
    const { send } = await serve(appWith([theirList(thrown), ...createTanksMock().handlers]))

    expect(await send({})).toMatchObject({ status: 418, body: '{"thrown":true}' })
  })

  it('destroys the socket for HttpResponse.error(), and goes on serving', async ({ serve }) => {
    const { send } = await serve(
      appWith([http.get('*/torn', () => HttpResponse.error()), ...createTanksMock().handlers]),
    )

    await expect(send({ path: '/torn' })).rejects.toThrow(/socket hang up|ECONNRESET/)
    expect((await send({})).status).toBe(200)
  })

  it('sends all set-cookie headers', async ({ serve }) => {
    const cookies = [
      ['set-cookie', 'a=1; Path=/'],
      ['set-cookie', 'b=2, 3'],
      ['x-more', '1'],
      ['x-more', '2'],
    ] as [string, string][]
    const { send } = await serve(appWith([http.get('*/cookies', () => new HttpResponse(null, { headers: cookies }))]))

    const { headers } = await send({ path: '/cookies' })

    expect([headers['set-cookie'], headers['x-more']]).toEqual([['a=1; Path=/', 'b=2, 3'], '1, 2'])
  })

  it('does not share the cookies of clients', async ({ serve }) => {
    const seen = http.get('*/cookies', ({ cookies }) =>
      HttpResponse.json(cookies, { headers: { 'set-cookie': 'a=1' } }),
    )
    const { send } = await serve(appWith([seen]))
    await send({ path: '/cookies' })

    expect((await send({ path: '/cookies' })).body).toBe('{}')
    expect((await send({ path: '/cookies', headers: { cookie: 'b=2' } })).body).toBe('{"b":"2"}')
  })

  it('sends the status and its text, and no body for HEAD', async ({ serve }) => {
    const teapot = http.all('*/tea', () => new HttpResponse('short', { status: 418, statusText: 'Stout' }))
    const { url, send } = await serve(appWith([teapot]))

    expect((await fetch(`${url}/tea`)).statusText).toBe('Stout')
    expect(await send({ path: '/tea', method: 'HEAD' })).toMatchObject({ status: 418, body: '' })
  })

  it('aborts the signal of a request when its client disconnects', async ({ serve }) => {
    const [asked, aborted] = [deferred(), deferred()]
    const slow = http.get('*/slow', async ({ request }) => {
      request.signal.addEventListener('abort', () => aborted.resolve())
      asked.resolve()
      await delay('infinite')
    })
    const { url } = await serve(appWith([slow]))
    const client = new AbortController()
    const answer = fetch(`${url}/slow`, { signal: client.signal }).catch((error: Error) => error.name)
    await asked.promise

    client.abort()
    await aborted.promise

    expect(await answer).toBe('AbortError')
  })

  it('passes other methods and paths to later middleware', async ({ serve }) => {
    const { send } = await serve(appWith(createTanksMock().handlers))

    for (const sent of [
      { method: 'DELETE' },
      { path: `${list}/` },
      { path: '/' },
      { path: '//x' },
      { method: 'OPTIONS', path: '/x' },
    ]) {
      expect((await send(sent)).status).toBe(404)
    }
  })

  it.for([
    ['TRACE', `TRACE ${list} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`],
    ['a Host that is none', `GET /x HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n`],
    ['a URL with its host', 'GET http://[/x HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'],
  ] as const)('passes a request that Fetch cannot express to later middleware: %s', async ([, bytes], { serve }) => {
    const { url } = await serve(appWith([http.all('*', userResolver)]))

    expect(parseResponses(await sendBytes(url, bytes))[0]?.status).toBe(404)
  })

  it('answers preflights for operations, and no others', async ({ serve }) => {
    const { send } = await serve(appWith(createTanksMock().handlers))
    const headers = { origin: 'http://localhost:3000', 'access-control-request-headers': 'authorization' }

    const got = await send({ method: 'OPTIONS', headers })

    expect([got.status, got.headers['access-control-allow-headers']]).toEqual([204, 'authorization'])
    expect((await send({ method: 'OPTIONS', path: '/elsewhere', headers })).status).toBe(404)
  })

  it('answers below its mount path', async ({ serve }) => {
    const theirs = http.get('*/api/theirs', ({ request }) => HttpResponse.text(new URL(request.url).pathname))
    const { send } = await serve(express().use('/api', mockExpress([theirs, ...createTanksMock().handlers])))

    expect((await send({ path: `/api${list}` })).status).toBe(200)
    expect((await send({ path: '/api/theirs' })).body).toBe('/api/theirs')
    expect((await send({})).status).toBe(404)
  })

  it('answers an absolute URL like its path, with all handlers', async ({ serve }) => {
    const theirs = http.get('http://proxied.test/api/theirs', ({ request }) => HttpResponse.text(request.url))
    const { url } = await serve(express().use('/api', mockExpress([theirs, ...createTanksMock().handlers])))
    const ask = async (path: string, credentials = '') => {
      const target = `http://${credentials}proxied.test/api${path}`
      const head = `GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`
      return parseResponses(await sendBytes(url, head))[0]
    }

    const seen = 'http://proxied.test/api/theirs'
    expect([(await ask(list))?.status, (await ask('/theirs'))?.body]).toEqual([200, seen])
    // A request of the Fetch API cannot have them.
    expect((await ask('/theirs', 'joe:s3cret@'))?.body).toBe(seen)
  })

  it.for(['http://mock.test/v1', 'http://mock.test/v1/', 'https://mock.test:8443/v1'])(
    'answers under the path of the base URL %s',
    async (baseUrl, { serve }) => {
      const { send } = await serve(appWith(createTanksMock({ baseUrl }).handlers))

      expect((await send({ path: `/v1${list}` })).status).toBe(200)
      expect((await send({})).status).toBe(404)
      expect((await send({ path: `/v12${list}` })).status).toBe(404)
    },
  )

  it('asks two mocks in their order', async ({ serve }) => {
    const [first, second] = [
      createTanksMock({ baseUrl: 'http://a/first' }),
      createTanksMock({ baseUrl: 'http://a/second' }),
    ]
    await second.world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
    const { send } = await serve(appWith([...first.handlers, ...second.handlers]))
    const count = async (path: string) => (json(await send({ path })) as { lobbies: unknown[] }).lobbies.length

    expect([await count(`/first${list}`), await count(`/second${list}`)]).toEqual([2, 1])
  })

  it("uses an override before the mock's handlers, for its operation only", async ({ serve }) => {
    const mock = createTanksMock()
    const override = mock.override('lobbies.list', () => nothing)
    const { send } = await serve(appWith([override, ...mock.handlers]))

    expect(json(await send({}))).toEqual({ game_modes: [], lobbies: [], regions: [] })
    expect((await send({ ...validate, body: validBody })).status).toBe(200)
  })

  it('uses overrides with `once` for one request each, in their order', async ({ serve }) => {
    const mock = createTanksMock()
    const onces = ['one', 'two'].map(name =>
      mock.override('lobbies.list', () => ({ ...nothing, game_modes: [{ game_mode_id: name }] }), { once: true }),
    )
    const { send } = await serve(appWith([...onces, ...mock.handlers]))
    await send({ method: 'OPTIONS' })

    const firsts = []
    for (let i = 0; i < 3; i++) firsts.push(json(await send({})) as { game_modes: { game_mode_id: string }[] })

    expect(firsts.map(({ game_modes }) => game_modes[0]?.game_mode_id)).toEqual(['one', 'two', 'duel'])
  })

  it('answers an override with an invalid header, and continues', async ({ serve }) => {
    const consoleSpy = vi.spyOn(console, 'error').mockImplementation(() => {})
    const mock = createTanksMock()
    const override = mock.override('lobbies.list', () => {
      throw new ApiError('API_RATE_LIMIT', 'x', { headers: { 'retry-after': '1\r\nx: y' } })
    })
    const { send } = await serve(appWith([override, ...mock.handlers]))

    expect(json(await send({}))).toMatchObject({ code: 'ERROR' })
    expect((await send({ ...validate, body: validBody })).status).toBe(200)
    consoleSpy.mockRestore()
  })
})

describe('a request that no handler of mockExpress answers', () => {
  it.for(['bypass', 'warn', 'error', undefined] as const)(
    'is handled by onUnhandledRequest: %s',
    async (strategy, { serve }) => {
      const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
      const { send } = await serve(appWith(createTanksMock().handlers, strategy && { onUnhandledRequest: strategy }))

      const got = json(await send({ path: '/nothing', query: 'a=1' }))

      const message = 'mockmaker: no handler answers GET /nothing?a=1'
      expect(got).toEqual(strategy === 'error' ? { error: message } : { next: 'GET /nothing?a=1' })
      expect(warned.mock.calls).toEqual(strategy === 'warn' ? [[message]] : [])
      warned.mockRestore()
    },
  )

  it('is named without the password of its URL', async ({ serve }) => {
    const { url } = await serve(appWith(createTanksMock().handlers, { onUnhandledRequest: 'error' }))
    const line = 'GET http://joe:s3cret@proxied.test/nothing HTTP/1.1'

    const got = await responseTo(url, [line, 'host: localhost', 'connection: close', '', ''].join('\r\n'))

    expect(json(got)).toEqual({ error: 'mockmaker: no handler answers GET http://proxied.test/nothing' })
  })
})

describe('a request that resembles an operation of mockExpress', () => {
  const wrongPath = 'did you mean GET /api/v1/matchmaker/lobbies/list?'
  const wrongMethod = 'DELETE is not allowed on /api/v1/matchmaker/lobbies/list: use GET'

  it.for([
    ['GET', '/api/v1/matchmaker/lobbies/lst', `: ${wrongPath}`],
    ['GET', '/api/lobbies/list?a=1', `: ${wrongPath}`],
    ['GET', '/api/matchmaker/lobbies/list', `: ${wrongPath}`],
    ['DELETE', '/api/v1/matchmaker/lobbies/list', `: ${wrongMethod}`],
    ['GET', '/api/v1/nothing/like/any', ''],
  ] as const)('gets a hint if it is an error: %s %s', async ([method, target, explanation], { serve }) => {
    const mock = createTanksMock({ baseUrl: 'http://mock.test/v1' })
    const middleware = mockExpress(mock.handlers, { onUnhandledRequest: 'error' })
    const { send } = await serve(express().use('/api', middleware))
    const [path = '', query] = target.split('?')

    const got = json(await send({ method, path, ...(query === undefined ? {} : { query }) }))

    expect(got).toEqual({ error: `mockmaker: no handler answers ${method} ${target}${explanation}` })
  })

  it.for([
    ['no handlers of a mock', [http.get('*/theirs', userResolver)], '/matchmaker/lobbies/lst'],
    ['only other handlers of a mock', [createTanksMock().override('lobbies.find', () => ({}) as never)], list],
  ] as const)('gets no hint if there are %s', async ([, handlers, path], { serve }) => {
    const { send } = await serve(appWith(handlers, { onUnhandledRequest: 'error' }))

    expect(json(await send({ path }))).toEqual({ error: `mockmaker: no handler answers GET ${path}` })
  })
})

describe('mockExpress with wrong arguments', () => {
  it.for([
    [
      [],
      { onUnhandledRequest: 'eror' },
      'options.onUnhandledRequest is "eror": expected "bypass" or "warn" or "error"',
    ],
    [[], { onUnhandledRequest: null }, 'options.onUnhandledRequest is null: expected "bypass" or "warn" or "error"'],
    [[], { onUnhandled: 'error' }, 'options.onUnhandled is an unknown key. Known: onUnhandledRequest.'],
    [[], null, 'options is null: expected object'],
    [undefined, {}, 'handlers is missing: expected array'],
    [{}, {}, 'handlers is {}: expected array'],
    [[{}], {}, 'handlers[0] is {}: expected an MSW handler, such as those of mock.handlers'],
    [[undefined], {}, 'handlers[0] is missing: expected an MSW handler, such as those of mock.handlers'],
  ] as const)('refuses the handlers %j with the options %j', ([handlers, options, message]) => {
    expect(() => mockExpress(handlers as never, options as never)).toThrow(message)
  })
})
