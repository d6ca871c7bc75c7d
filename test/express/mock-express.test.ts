import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { delay, type HttpHandler, HttpResponse, http, passthrough } from 'msw'
import { it as base, describe, expect, vi } from 'vitest'
import { type MockExpressOptions, mockExpress } from '../../src/express.js'
import { ApiError, createMockmaker, type Mockmaker, type MockmakerOptions } from '../../src/index.js'
import { json, type Sent, sendTo } from '../doors.js'
import { gate } from '../server/gate.js'
import { answersIn, talk } from '../server/talk.js'
import { bearer, ids, tanks, tokens } from '../tanks.js'

interface Served {
  readonly url: string
  send(sent: Partial<Sent>): ReturnType<typeof sendTo>
}

/** Serves Express apps, and ends them after the test. */
const it = base.extend<{ serve: (app: Express) => Promise<Served> }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  serve: async ({}, use) => {
    const ends: (() => Promise<unknown>)[] = []
    await use(async app => {
      const server = createServer(app.use(lost, broken))
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      ends.push(() => {
        server.closeAllConnections()
        return new Promise(resolve => server.close(resolve))
      })
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      return { url, send: sent => sendTo(url, { method: 'GET', path: list, ...sent }) }
    })
    await Promise.all(ends.map(end => end()))
  },
})

const list = '/matchmaker/lobbies/list'
const validate = {
  method: 'POST',
  path: `/cloud/games/${ids.tanks}/namespaces/validate`,
  headers: bearer(tokens.cloud),
}
const right = JSON.stringify({ display_name: 'Beta', name_id: 'beta' })

/** What stands behind the mock in a user's app. */
const lost: express.RequestHandler = (request, response) => {
  response.status(404).json({ next: `${request.method} ${request.originalUrl}`, body: request.body?.length })
}
const broken: ErrorRequestHandler = (error: Error, _request, response, _next) => {
  response.status(500).json({ error: error.message })
}

const mockOf = (options: MockmakerOptions = {}) => createMockmaker({ scenario: tanks, ...options })
const app = (handlers: readonly HttpHandler[], options?: MockExpressOptions) =>
  express().use(mockExpress(handlers, options))
const ours = (mock: Mockmaker) => mock.handlers
const theirList = (answer: Parameters<typeof http.get>[1]) => http.get(`*${list}`, answer)
const mine = () => HttpResponse.json({ mine: true })

describe('mockExpress', () => {
  it('lets a handler of the user before ours win', async ({ serve }) => {
    const { send } = await serve(app([theirList(mine), ...ours(mockOf())]))

    expect((await send({})).body).toBe('{"mine":true}')
  })

  it('lets ours before a handler of the user win', async ({ serve }) => {
    const { send } = await serve(app([...ours(mockOf()), theirList(mine)]))

    expect(json(await send({}))).toHaveProperty('lobbies')
  })

  it('runs handlers in between in their place', async ({ serve }) => {
    const mock = mockOf()
    const [first, ...others] = ours(mock)
    const both = http.all('*', ({ request }) => HttpResponse.text(`between ${new URL(request.url).pathname}`))
    const { send } = await serve(app([first as HttpHandler, both, ...others]))

    expect(json(await send({}))).toHaveProperty('lobbies')
    expect((await send({ path: '/cloud/devices/links' })).body).toBe('between /cloud/devices/links')
  })

  it('goes on to ours where a resolver answers nothing', async ({ serve }) => {
    const resolver = vi.fn()
    const { send } = await serve(app([theirList(resolver), ...ours(mockOf())]))

    expect(json(await send({}))).toHaveProperty('lobbies')
    expect(resolver).toHaveBeenCalledOnce()
  })

  it('goes on to the next middleware where a resolver passes through, and asks no other handler', async ({ serve }) => {
    const { send } = await serve(
      app([theirList(() => passthrough()), ...ours(mockOf())], { onUnhandledRequest: 'error' }),
    )

    expect(json(await send({}))).toEqual({ next: `GET ${list}` })
  })

  it('hands the app what a resolver throws', async ({ serve }) => {
    const thrown = () => {
      throw new Error('boom')
    }
    const { send } = await serve(app([theirList(thrown), ...ours(mockOf())]))

    expect([(await send({})).status, json(await send({}))]).toEqual([500, { error: 'boom' }])
  })

  it('answers with a response that a resolver throws', async ({ serve }) => {
    const thrown = () => {
      throw HttpResponse.json({ thrown: true }, { status: 418 })
    }
    const { send } = await serve(app([theirList(thrown), ...ours(mockOf())]))

    expect(await send({})).toMatchObject({ status: 418, body: '{"thrown":true}' })
  })

  it('tears the socket down for HttpResponse.error(), and goes on serving', async ({ serve }) => {
    const { send } = await serve(app([http.get('*/torn', () => HttpResponse.error()), ...ours(mockOf())]))

    await expect(send({ path: '/torn' })).rejects.toThrow(/socket hang up|ECONNRESET/)
    expect((await send({})).status).toBe(200)
  })

  it('streams a body as it comes', async ({ serve }) => {
    const second = gate()
    const encoder = new TextEncoder()
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue(encoder.encode('first'))
        await second.promise
        controller.enqueue(encoder.encode(' second'))
        controller.close()
      },
    })
    const { url } = await serve(app([http.get('*/stream', () => new HttpResponse(stream)), ...ours(mockOf())]))

    const response = await fetch(`${url}/stream`)
    const reader = response.body?.getReader()
    const first = await reader?.read()
    second.resolve()
    const rest = await reader?.read()

    const text = (chunk: typeof first) => new TextDecoder().decode(chunk?.value)
    expect([text(first), text(rest)]).toEqual(['first', ' second'])
  })

  it('ends a stream whose client goes away', async ({ serve }) => {
    const cancelled = gate()
    const stream = new ReadableStream({
      pull: controller => controller.enqueue(new Uint8Array(65_536)),
      cancel: cancelled.resolve,
    })
    const { url, send } = await serve(app([http.get('*/stream', () => new HttpResponse(stream)), ...ours(mockOf())]))
    const client = new AbortController()
    await fetch(`${url}/stream`, { signal: client.signal })

    client.abort()
    await cancelled.promise

    expect((await send({})).status).toBe(200)
  })

  it('sends every set-cookie header', async ({ serve }) => {
    const cookies = [
      ['set-cookie', 'a=1; Path=/'],
      ['set-cookie', 'b=2, 3'],
      ['x-more', '1'],
      ['x-more', '2'],
    ] as [string, string][]
    const { send } = await serve(app([http.get('*/cookies', () => new HttpResponse(null, { headers: cookies }))]))

    const { headers } = await send({ path: '/cookies' })

    expect([headers['set-cookie'], headers['x-more']]).toEqual([['a=1; Path=/', 'b=2, 3'], '1, 2'])
  })

  it('keeps the cookies of one client from another', async ({ serve }) => {
    const seen = http.get('*/cookies', ({ cookies }) =>
      HttpResponse.json(cookies, { headers: { 'set-cookie': 'a=1' } }),
    )
    const { send } = await serve(app([seen]))
    await send({ path: '/cookies' })

    expect((await send({ path: '/cookies' })).body).toBe('{}')
    expect((await send({ path: '/cookies', headers: { cookie: 'b=2' } })).body).toBe('{"b":"2"}')
  })

  it('sends a status, its text, and no body of HEAD', async ({ serve }) => {
    const teapot = http.all('*/tea', () => new HttpResponse('short', { status: 418, statusText: 'Stout' }))
    const { url, send } = await serve(app([teapot]))

    expect((await fetch(`${url}/tea`)).statusText).toBe('Stout')
    expect(await send({ path: '/tea', method: 'HEAD' })).toMatchObject({ status: 418, body: '' })
  })

  it('aborts the signal of a request whose client goes away', async ({ serve }) => {
    const [asked, aborted] = [gate(), gate()]
    const slow = http.get('*/slow', async ({ request }) => {
      request.signal.addEventListener('abort', aborted.resolve)
      asked.resolve()
      await delay('infinite')
    })
    const { url } = await serve(app([slow]))
    const client = new AbortController()
    const answer = fetch(`${url}/slow`, { signal: client.signal }).catch((error: Error) => error.name)
    await asked.promise

    client.abort()
    await aborted.promise

    expect(await answer).toBe('AbortError')
  })

  it('gives handlers the URL, the headers and the body as the client sent them', async ({ serve }) => {
    const echo = http.post('*/echo/:id', async ({ request, params }) => {
      const { pathname, search } = new URL(request.url)
      return HttpResponse.json({
        pathname,
        search,
        id: params.id,
        x: request.headers.get('x'),
        body: await request.text(),
      })
    })
    const { send } = await serve(app([echo, ...ours(mockOf())]))

    const got = await send({ method: 'POST', path: '/echo/a%2Fb', query: 'q=%20', headers: { x: 'y, z' }, body: 'é' })

    expect(json(got)).toEqual({
      pathname: '/echo/a%2Fb',
      search: '?q=%20',
      id: 'a/b',
      x: 'y, z',
      body: 'é',
    })
  })

  it('does not cut big uploads to handlers of the user', async ({ serve }) => {
    const size = http.put('*/upload', async ({ request }) =>
      HttpResponse.json({ bytes: (await request.arrayBuffer()).byteLength }),
    )
    const { send } = await serve(app([size, ...ours(mockOf())]))

    const got = await send({ method: 'PUT', path: '/upload', body: new Uint8Array(5_000_000) })

    expect(json(got)).toEqual({ bytes: 5_000_000 })
  })

  it('refuses a body of ours that is too large, also behind a handler that has read it', async ({ serve }) => {
    const reads = http.all('*', async ({ request }) => void (await request.text()))
    const { send } = await serve(app([reads, ...ours(mockOf())]))

    expect(json(await send({ ...validate, body: 'x'.repeat(2_000_000) }))).toMatchObject({ code: 'API_BODY_TOO_LARGE' })
  })

  it('hands ours a body that a handler of the user has read', async ({ serve }) => {
    const reads = http.post('*', async ({ request }) => void (await request.json()))
    const { send } = await serve(app([reads, ...ours(mockOf())]))

    expect((await send({ ...validate, body: right })).body).toBe('{"errors":[]}')
  })

  it.for([
    ['express.json()', express.json(), 'application/json'],
    ['express.text()', express.text({ type: '*/*' }), 'text/plain'],
    ['express.raw()', express.raw({ type: '*/*' }), 'application/json'],
    ['express.json(), which left it alone', express.json(), 'text/plain'],
    ['express.json({ strict: false })', express.json({ strict: false, type: '*/*' }), 'text/plain'],
  ] as const)('uses a body that has been read by %s', async ([, parser, type], { serve }) => {
    const { send } = await serve(
      express()
        .use(parser)
        .use(mockExpress(ours(mockOf()))),
    )
    const headers = { ...validate.headers, 'content-type': type }

    const [good, bad, empty] = [
      await send({ ...validate, headers, body: right }),
      await send({ ...validate, headers, body: '{"display_name":1}' }),
      await send({ ...validate, headers, body: '' }),
    ]

    expect(good.body).toBe('{"errors":[]}')
    expect(json(bad)).toMatchObject({ code: 'API_BAD_BODY' })
    expect(json(empty)).toMatchObject({ code: 'API_BAD_BODY' })
  })

  it('refuses a body that has been parsed and is too deep to be written again', async ({ serve }) => {
    const { send } = await serve(
      express()
        .use(express.json({ limit: '1mb' }))
        .use(mockExpress(ours(mockOf()))),
    )
    const headers = { ...validate.headers, 'content-type': 'application/json' }

    const got = await send({ ...validate, headers, body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` })

    expect([got.status, json(got)]).toMatchObject([400, { code: 'API_BAD_BODY' }])
  })

  it('does not wait for a body that something in front has swallowed', async ({ serve }) => {
    const swallows: express.RequestHandler = (request, _response, next) =>
      void request.resume().once('end', () => next())
    const { send } = await serve(
      express()
        .use(swallows)
        .use(mockExpress(ours(mockOf()))),
    )

    expect(json(await send({ ...validate, body: right }))).toMatchObject({ code: 'API_BAD_BODY' })
  })

  it('leaves a body that it has read to the middleware behind', async ({ serve }) => {
    const { send } = await serve(app([http.get('*/nothing', mine), ...ours(mockOf())]))

    const got = await send({ method: 'POST', path: '/elsewhere', body: 'x'.repeat(3_000_000) })

    expect(json(got)).toEqual({ next: 'POST /elsewhere', body: 3_000_000 })
  })

  it('does not read a body that no handler could want', async ({ serve }) => {
    const behind = express().use(mockExpress(ours(mockOf())))
    behind.use(express.text(), (request, response) => void response.send(`behind: ${request.body}`))
    const { send } = await serve(behind)
    const headers = { 'content-type': 'text/plain' }

    expect((await send({ method: 'POST', path: '/elsewhere', headers, body: 'hello' })).body).toBe('behind: hello')
  })

  it('leaves other methods and paths to the middleware behind', async ({ serve }) => {
    const { send } = await serve(app(ours(mockOf())))

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
  ] as const)('leaves what Fetch cannot express to the middleware behind: %s', async ([, bytes], { serve }) => {
    const { url } = await serve(app([http.all('*', mine)]))

    expect(answersIn(await talk(url, bytes))[0]?.status).toBe(404)
  })

  it('answers the preflights of our paths, and leaves others alone', async ({ serve }) => {
    const { send } = await serve(app(ours(mockOf())))
    const headers = { origin: 'http://localhost:3000', 'access-control-request-headers': 'authorization' }

    const got = await send({ method: 'OPTIONS', headers })

    expect([got.status, got.headers['access-control-allow-headers']]).toEqual([204, 'authorization'])
    expect((await send({ method: 'OPTIONS', path: '/elsewhere', headers })).status).toBe(404)
  })

  it('answers where it is mounted', async ({ serve }) => {
    const theirs = http.get('*/api/theirs', ({ request }) => HttpResponse.text(new URL(request.url).pathname))
    const { send } = await serve(express().use('/api', mockExpress([theirs, ...ours(mockOf())])))

    expect((await send({ path: `/api${list}` })).status).toBe(200)
    expect((await send({ path: '/api/theirs' })).body).toBe('/api/theirs')
    expect((await send({})).status).toBe(404)
  })

  it.for(['http://mock.test/v1', 'http://mock.test/v1/', 'https://mock.test:8443/v1'])(
    'answers under the path of the base URL %s',
    async (baseUrl, { serve }) => {
      const { send } = await serve(app(ours(mockOf({ baseUrl }))))

      expect((await send({ path: `/v1${list}` })).status).toBe(200)
      expect((await send({})).status).toBe(404)
      expect((await send({ path: `/v12${list}` })).status).toBe(404)
    },
  )

  it('asks two mocks in their order', async ({ serve }) => {
    const [first, second] = [mockOf({ baseUrl: 'http://a/first' }), mockOf({ baseUrl: 'http://a/second' })]
    await second.world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
    const { send } = await serve(app([...ours(first), ...ours(second)]))
    const count = async (path: string) => (json(await send({ path })) as { lobbies: unknown[] }).lobbies.length

    expect([await count(`/first${list}`), await count(`/second${list}`)]).toEqual([2, 1])
  })

  it('lets an override before ours win, for its operation alone', async ({ serve }) => {
    const mock = mockOf()
    const override = mock.override('lobbies.list', () => ({ game_modes: [], lobbies: [], regions: [] }))
    const { send } = await serve(app([override, ...ours(mock)]))

    expect(json(await send({}))).toEqual({ game_modes: [], lobbies: [], regions: [] })
    expect((await send({ ...validate, body: right })).status).toBe(200)
  })

  it('answers an override that throws a header of two lines, and goes on', async ({ serve }) => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {})
    const mock = mockOf()
    const override = mock.override('lobbies.list', () => {
      throw new ApiError('API_RATE_LIMIT', 'x', { headers: { 'retry-after': '1\r\nx: y' } })
    })
    const { send } = await serve(app([override, ...ours(mock)]))

    expect(json(await send({}))).toMatchObject({ code: 'ERROR' })
    expect((await send({ ...validate, body: right })).status).toBe(200)
    told.mockRestore()
  })

  it('runs a handler with { once: true } once', async ({ serve }) => {
    const { send } = await serve(app([http.get(`*${list}`, mine, { once: true }), ...ours(mockOf())]))

    expect((await send({})).body).toBe('{"mine":true}')
    expect(json(await send({}))).toHaveProperty('lobbies')
  })

  it('answers many at once', async ({ serve }) => {
    const { send } = await serve(app([http.get('*/theirs', mine), ...ours(mockOf())]))

    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => send(i % 2 ? { path: '/theirs' } : {})))

    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]))
    expect(answers.filter(answer => answer.body === '{"mine":true}')).toHaveLength(50)
  })
})

describe('what no handler of mockExpress answers', () => {
  it.for(['bypass', 'warn', 'error', undefined] as const)('is treated as %s says', async (strategy, { serve }) => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { send } = await serve(app(ours(mockOf()), strategy && { onUnhandledRequest: strategy }))

    const got = json(await send({ path: '/nothing', query: 'a=1' }))

    const message = 'mockmaker: no handler answers GET /nothing?a=1'
    expect(got).toEqual(strategy === 'error' ? { error: message } : { next: 'GET /nothing?a=1' })
    expect(warned.mock.calls).toEqual(strategy === 'warn' ? [[message]] : [])
    warned.mockRestore()
  })
})
