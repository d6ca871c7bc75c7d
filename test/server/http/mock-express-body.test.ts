import express from 'express'
import { HttpResponse, http } from 'msw'
import { describe, expect } from 'vitest'
import { mockExpress } from '../../../src/server/http/index.js'
import { json } from '../../support/http.js'
import { deferred } from '../../support/worlds.js'
import { appWith, createTanksMock, it, userResolver, validate, validBody } from './express-app.js'

describe('a body in mockExpress', () => {
  it('is streamed to a handler as it arrives', async ({ serve }) => {
    const second = deferred()
    const encoder = new TextEncoder()
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue(encoder.encode('first'))
        await second.promise
        controller.enqueue(encoder.encode(' second'))
        controller.close()
      },
    })
    const { url } = await serve(
      appWith([http.get('*/stream', () => new HttpResponse(stream)), ...createTanksMock().handlers]),
    )

    const response = await fetch(`${url}/stream`)
    const reader = response.body?.getReader()
    const first = await reader?.read()
    second.resolve()
    const rest = await reader?.read()

    const text = (chunk: typeof first) => new TextDecoder().decode(chunk?.value)
    expect([text(first), text(rest)]).toEqual(['first', ' second'])
  })

  it('ends its stream when the client disconnects', async ({ serve }) => {
    const cancelled = deferred()
    const stream = new ReadableStream({
      pull: controller => controller.enqueue(new Uint8Array(65_536)),
      cancel: cancelled.resolve,
    })
    const { url, send } = await serve(
      appWith([http.get('*/stream', () => new HttpResponse(stream)), ...createTanksMock().handlers]),
    )
    const client = new AbortController()
    await fetch(`${url}/stream`, { signal: client.signal })

    client.abort()
    await cancelled.promise

    expect((await send({})).status).toBe(200)
  })

  it('reaches a handler as sent, with the URL and the headers', async ({ serve }) => {
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
    const { send } = await serve(appWith([echo, ...createTanksMock().handlers]))

    const got = await send({ method: 'POST', path: '/echo/a%2Fb', query: 'q=%20', headers: { x: 'y, z' }, body: 'é' })

    expect(json(got)).toEqual({
      pathname: '/echo/a%2Fb',
      search: '?q=%20',
      id: 'a/b',
      x: 'y, z',
      body: 'é',
    })
  })

  it('may be larger than 1 MiB for a handler of the user', async ({ serve }) => {
    const size = http.put('*/upload', async ({ request }) =>
      HttpResponse.json({ bytes: (await request.arrayBuffer()).byteLength }),
    )
    const { send } = await serve(appWith([size, ...createTanksMock().handlers]))

    const got = await send({ method: 'PUT', path: '/upload', body: new Uint8Array(5_000_000) })

    expect(json(got)).toEqual({ bytes: 5_000_000 })
  })

  it('is refused above 1 MiB by an operation, even if a handler has read it before', async ({ serve }) => {
    const reads = http.all('*', async ({ request }) => void (await request.text()))
    const { send } = await serve(appWith([reads, ...createTanksMock().handlers]))

    expect(json(await send({ ...validate, body: 'x'.repeat(2_000_000) }))).toMatchObject({ code: 'API_BODY_TOO_LARGE' })
  })

  it('reaches an operation if a handler of the user has read it before', async ({ serve }) => {
    const reads = http.post('*', async ({ request }) => void (await request.json()))
    const { send } = await serve(appWith([reads, ...createTanksMock().handlers]))

    expect((await send({ ...validate, body: validBody })).body).toBe('{"errors":[]}')
  })

  it.for([
    ['express.json()', express.json(), 'application/json'],
    ['express.text()', express.text({ type: '*/*' }), 'text/plain'],
    ['express.raw()', express.raw({ type: '*/*' }), 'application/json'],
    ['express.json(), which left it alone', express.json(), 'text/plain'],
    ['express.json({ strict: false })', express.json({ strict: false, type: '*/*' }), 'text/plain'],
  ] as const)('reaches an operation if %s has read it before', async ([, parser, type], { serve }) => {
    const { send } = await serve(express().use(parser).use(mockExpress(createTanksMock().handlers)))
    const headers = { ...validate.headers, 'content-type': type }

    const [good, bad, empty] = [
      await send({ ...validate, headers, body: validBody }),
      await send({ ...validate, headers, body: '{"display_name":1}' }),
      await send({ ...validate, headers, body: '' }),
    ]

    expect(good.body).toBe('{"errors":[]}')
    expect(json(bad)).toMatchObject({ code: 'API_BAD_BODY' })
    expect(json(empty)).toMatchObject({ code: 'API_BAD_BODY' })
  })

  it('reaches an operation and later middleware past the placeholder of Express 4', async ({ serve }) => {
    const placeholder: express.RequestHandler = (request, _, next) => {
      request.body = {}
      next()
    }
    const reads = http.post('*', async ({ request }) => void (await request.json()))
    const app = express()
      .use(placeholder)
      .use(mockExpress([reads, ...createTanksMock().handlers]))
    const { send } = await serve(app)

    const [answered, passedOn] = [
      await send({ ...validate, body: validBody }),
      await send({ method: 'POST', path: '/elsewhere', body: '[1,2]' }),
    ]

    expect(answered.body).toBe('{"errors":[]}')
    expect(json(passedOn)).toEqual({ next: 'POST /elsewhere', body: 5 })
  })

  it('is refused if it was parsed and is too deep to be encoded again', async ({ serve }) => {
    const { send } = await serve(
      express()
        .use(express.json({ limit: '1mb' }))
        .use(mockExpress(createTanksMock().handlers)),
    )
    const headers = { ...validate.headers, 'content-type': 'application/json' }

    const got = await send({ ...validate, headers, body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` })

    expect([got.status, json(got)]).toMatchObject([400, { code: 'API_BAD_BODY' }])
  })

  it('is not awaited if a middleware has consumed it', async ({ serve }) => {
    const swallows: express.RequestHandler = (request, _response, next) =>
      void request.resume().once('end', () => next())
    const { send } = await serve(express().use(swallows).use(mockExpress(createTanksMock().handlers)))

    expect(json(await send({ ...validate, body: validBody }))).toMatchObject({ code: 'API_BAD_BODY' })
  })

  it('reaches later middleware if an operation has read it', async ({ serve }) => {
    const { send } = await serve(appWith([http.get('*/nothing', userResolver), ...createTanksMock().handlers]))

    const got = await send({ method: 'POST', path: '/elsewhere', body: 'x'.repeat(3_000_000) })

    expect(json(got)).toEqual({ next: 'POST /elsewhere', body: 3_000_000 })
  })

  it('is not read if no handler could match', async ({ serve }) => {
    const behind = express().use(mockExpress(createTanksMock().handlers))
    behind.use(express.text(), (request, response) => void response.send(`behind: ${request.body}`))
    const { send } = await serve(behind)
    const headers = { 'content-type': 'text/plain' }

    expect((await send({ method: 'POST', path: '/elsewhere', headers, body: 'hello' })).body).toBe('behind: hello')
  })
})
