import { describe, expect, it, vi } from 'vitest'
import { ClientError, createClient } from '../../../src/client/index.js'
import type { AppOptions } from '../../../src/core/mock/options.js'
import { createMockmaker } from '../../../src/index.js'
import { createApp, listen } from '../../../src/server/http/index.js'
import { failure, json, ok, sendTo, serveDuringTest, type TestRequest } from '../../support/http.js'
import { jsonHeaders } from '../../support/served-mock.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest, stateOf } from '../../support/worlds.js'

const secret = 'Secret-control-token-0123456789'
const withToken = bearer(secret)

/** Serves a mock with a control token. All clients seem to come from `remoteAddress`. */
async function serve(options: AppOptions = {}, remoteAddress = '127.0.0.1') {
  const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
  const url = await serveDuringTest(createApp(mock, { controlToken: secret, ...options }), remoteAddress)
  return { mock, url, send: (request: TestRequest) => sendTo(url, request) }
}

const health = { method: 'GET', path: '/__mock/health' }
const reset = { method: 'POST', path: '/__mock/reset', body: '{}' }

describe('a control token', () => {
  it.for([
    ['no token', {}],
    ['an empty token', { authorization: 'Bearer ' }],
    ['the scheme alone', { authorization: 'Bearer' }],
    ['another token', bearer('Secret-control-token-0123456780')],
    ['the token in another case', bearer(secret.toLowerCase())],
    ['the beginning of the token', bearer(secret.slice(0, -1))],
    ['more than the token', bearer(`${secret}0`)],
    ['the token twice', bearer(`${secret}, Bearer ${secret}`)],
    ['two spaces', { authorization: `Bearer  ${secret}` }],
    ['another scheme', { authorization: `Basic ${secret}` }],
    ['another scheme of the same length', { authorization: `Digest ${secret}` }],
    ['no scheme', { authorization: secret }],
    ['another header', { 'x-control-token': secret, cookie: `token=${secret}` }],
    ['a token of the world', bearer(tokens.cloud)],
  ] as const)('refuses a call of this machine with %s', async ([, headers]) => {
    const { mock, send } = await serve()
    const before = stateOf(mock.world)

    const got = await Promise.all([
      send({ ...health, headers }),
      send({ ...health, method: 'HEAD', headers }),
      send({ ...reset, headers: { ...jsonHeaders, ...headers } }),
      send({ method: 'GET', path: '/__mock/changes', headers: { ...headers, accept: 'text/event-stream' } }),
      send({ method: 'GET', path: '/w/new/__mock/worlds', headers: { ...headers, accept: 'text/event-stream' } }),
      send({ method: 'GET', path: '/__mock/nonsense', headers }),
    ])

    expect(got.map(({ status }) => status)).toEqual(got.map(() => 401))
    expect(failure(got[0] as never)).toBe('401 API_UNAUTHORIZED')
    expect(got.map(({ body }) => body).join()).not.toContain(secret)
    expect(stateOf(mock.world)).toBe(before)
    expect(mock.worlds.list()).toHaveLength(1)
  })

  it.for(['Bearer', 'bearer', 'BEARER'])('is taken with the scheme %s', async scheme => {
    const { mock, send } = await serve()
    const headers = { authorization: `${scheme} ${secret}` }
    const logged: boolean[] = []
    mock.log.subscribe(({ authorizationIgnored }) => void logged.push(authorizationIgnored))

    expect((await send({ ...health, headers })).status).toBe(200)
    expect(failure(await send({ method: 'GET', path: '/matchmaker/lobbies/list', headers }))).toBe('400 TOKEN_INVALID')
    expect(logged[0]).toBe(false)
  })

  it.for(['token', 'access_token', 'control_token'])('is not taken from the query: %s', async name => {
    const { send } = await serve()

    expect(failure(await send({ ...health, query: `${name}=${secret}` }))).toBe('401 API_UNAUTHORIZED')
  })

  it('says how to send it', async () => {
    const { send } = await serve()
    const how =
      'send it as "authorization: Bearer <token>". The command takes it as --control-token or MOCKMAKER_CONTROL_TOKEN, the client as controlToken. More in the package: docs/something-is-wrong.md'

    expect(json(await send(health))).toMatchObject({
      message: `the control API needs the control token, and the request has none: ${how}`,
    })
    expect(json(await send({ ...health, headers: bearer('x') }))).toMatchObject({
      message: `the control API needs the control token, and this is not it: ${how}`,
    })
  })

  it.for(['127.0.0.1', '192.168.1.20', '2001:db8::1'])('lets a client at %s call', async address => {
    const { send } = await serve({}, address)
    const proxied = { ...withToken, 'x-forwarded-for': '203.0.113.9', via: '1.1 tunnel' }

    expect((await send({ ...health, headers: withToken })).status).toBe(200)
    expect((await send({ ...health, headers: proxied })).status).toBe(200)
    expect((await send({ ...reset, headers: { ...jsonHeaders, ...proxied } })).status).toBe(200)
  })

  it('is needed by addresses of controlHosts too', async () => {
    const { send } = await serve({ controlHosts: ['*'] }, '192.168.1.20')

    expect(failure(await send(health))).toBe('401 API_UNAUTHORIZED')
  })

  it('is not needed for a preflight, which lets only pages of this machine go on', async () => {
    const { send } = await serve({}, '192.168.1.20')
    const preflight = (origin: string) =>
      send({
        method: 'OPTIONS',
        path: '/__mock/reset',
        headers: { origin, 'access-control-request-headers': 'authorization' },
      })

    const [local, other] = [await preflight('http://localhost:5173'), await preflight('https://evil.example')]

    expect([local.status, local.headers['access-control-allow-headers']]).toEqual([204, 'authorization'])
    expect([other.status, other.headers]).toEqual([
      204,
      expect.not.objectContaining({ 'access-control-allow-origin': expect.anything() }),
    ])
  })

  it.for([
    ['a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a form', { 'content-type': 'text/plain' }],
  ] as const)('does not help %s', async ([, headers]) => {
    const { send } = await serve()

    expect(failure(await send({ ...reset, headers: { ...jsonHeaders, ...withToken, ...headers } }))).toBe(
      '403 API_FORBIDDEN',
    )
  })

  it.for([
    ['http://192.168.1.5:4100', '192.168.1.5:4100'],
    ['https://mock.example', 'mock.example'],
    ['https://mock.example', 'mock.example:443'],
  ] as const)('lets the page at %s control the mock as %s', async ([origin, host]) => {
    const { send } = await serve({ allowedHosts: ['mock.example'] }, '192.168.1.20')

    expect((await send({ ...reset, headers: { ...jsonHeaders, ...withToken, origin, host } })).status).toBe(200)
  })

  it('lets a page without sec-fetch-site read a past request, as over HTTP from another machine', async () => {
    const { mock, send } = await serve()
    await send({ method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) })
    const [entry] = mock.journal.find()

    const got = await send({ method: 'GET', path: `/__mock/journal/${entry?.id}/request`, headers: withToken })

    expect(got.status).toBe(200)
  })

  it('is refused as a token of an operation, and comes into no journal', async () => {
    const { mock, send } = await serve()

    const got = await send({ method: 'GET', path: '/matchmaker/lobbies/list', headers: withToken })

    expect(failure(got)).toBe('400 TOKEN_INVALID')
    expect(mock.journal.find()).toEqual([])
    expect(got.body).not.toContain(secret)
    await send({ method: 'GET', path: `/${secret}`, query: `note=${secret}`, headers: { 'x-note': secret } })
    expect(mock.journal.find()).toMatchObject([{ path: '/…', query: { note: '…' }, headers: { 'x-note': '…' } }])
  })

  it.for([
    '',
    'short',
    'fifteen-letters',
    'with a space in the middle',
    'two\nlines-0123456789',
    'x'.repeat(513),
    'auto',
  ])('refuses the form %j, and does not show it', async controlToken => {
    const mock = closedAfterTest(createMockmaker())
    const create = () => createApp(mock, { controlToken })

    expect(create).toThrow('expected 16 to 512 letters, digits or . _ ~ + / = -')
    if (controlToken !== '') expect(create).not.toThrow(controlToken)
    await expect(listen(mock, { port: 0, controlToken })).rejects.toThrow('options.controlToken')
  })
})

describe('the pages of a mock with a control token', () => {
  it('show no token in the JSON at /', async () => {
    const { send } = await serve()

    const home = ok(await send({ method: 'GET', path: '/', headers: { ...withToken, accept: 'application/json' } }))

    expect(home).toEqual(expect.not.objectContaining({ tokens: expect.anything() }))
    expect(home).toMatchObject({ name: 'mockmaker' })
  })

  it('have the dashboard for everybody, because it asks for the token', async () => {
    const { send } = await serve({}, '192.168.1.20')

    const { body } = await send({ method: 'GET', path: '/', headers: { accept: 'text/html' } })

    expect(body).toContain('<script')
    expect(body).not.toContain(secret)
  })
})

describe('the page of a device link', () => {
  const path = `/devices/link/${tokens.pending}`
  const choose = { method: 'POST', path, headers: jsonHeaders, body: JSON.stringify({ game_id: ids.tanks }) }

  it('has no token of the world', async () => {
    const { send } = await serve()

    const { body } = await send({ method: 'GET', path })

    expect(body).toContain('<button')
    expect(body).not.toContain(tokens.cloud)
  })

  it('completes its link by POST to its own path, from any machine', async () => {
    const { mock, send } = await serve({}, '192.168.1.20')

    expect(ok(await send({ ...choose, headers: { ...jsonHeaders, 'x-forwarded-for': '203.0.113.9' } }))).toEqual({})
    expect(mock.world.deviceLinks.get(tokens.pending)).toMatchObject({ status: 'complete', game_id: ids.tanks })
    expect(mock.journal.find()).toMatchObject([{ operation: 'devices.links.complete', status: 200 }])
  })

  it('works in the world of its path', async () => {
    const { mock, send } = await serve()
    await mock.worlds.put('other')

    expect((await send({ ...choose, path: `/w/other${path}` })).status).toBe(200)
    expect(mock.world.deviceLinks.get(tokens.pending)?.status).toBe('pending')
  })

  it('gets the errors of the operation, and those of faults', async () => {
    const { mock, send } = await serve()
    const statuses = async () => failure(await send(choose))
    mock.fail('devices.links.complete', 503, { times: 1 })

    expect([await statuses(), (await send(choose)).status, await statuses()]).toEqual([
      '503 ERROR',
      200,
      '400 CLOUD_DEVICE_LINK_ALREADY_COMPLETE',
    ])
    expect(failure(await send({ ...choose, path: '/devices/link/device.mock.unknown' }))).toBe('400 TOKEN_INVALID')
  })

  it.for([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, '403 API_FORBIDDEN'],
    ['no content-type', {}, '403 API_FORBIDDEN'],
    ['a page of another origin', { ...jsonHeaders, origin: 'https://evil.example' }, '403 API_FORBIDDEN'],
    ['a page of a namespace', { ...jsonHeaders, origin: 'https://tanks.example' }, '403 API_FORBIDDEN'],
    ['a sandboxed frame', { ...jsonHeaders, origin: 'null' }, '403 API_FORBIDDEN'],
    ['a page of another site', { ...jsonHeaders, 'sec-fetch-site': 'cross-site' }, '403 API_FORBIDDEN'],
    ['another Host', { ...jsonHeaders, host: 'evil.example' }, '403 API_FORBIDDEN'],
  ] as const)('is not completed by %s', async ([, headers, expected]) => {
    const { mock, send } = await serve()

    expect(failure(await send({ ...choose, headers }))).toBe(expected)
    expect(mock.world.deviceLinks.get(tokens.pending)?.status).toBe('pending')
  })

  it.for(['{}', '[]', '{"game_id":1}', '{"game_id":"nobody"}', 'nonsense'])('refuses the body %s', async body => {
    const { mock, send } = await serve()

    expect(failure(await send({ ...choose, body }))).toBe('400 API_BAD_BODY')
    expect(mock.world.deviceLinks.get(tokens.pending)?.status).toBe('pending')
  })

  it('creates no world', async () => {
    const { mock, send } = await serve()

    expect((await send({ ...choose, path: `/w/nobody${path}` })).status).toBe(404)
    expect(mock.worlds.list()).toHaveLength(1)
  })
})

describe('a client with a control token', () => {
  it('calls, streams and waits with it', async () => {
    const { mock, url } = await serve()
    const client = createClient(url, { controlToken: secret })

    const next = client.next('lobbies.list')
    const events = await client.changes()
    await client.world.lobbies.create({ game_mode_id: 'duel' })
    const other = await client.worlds.put('other')
    const seen = (await events.next()).value
    await sendTo(url, { method: 'GET', path: '/matchmaker/lobbies/list' })

    expect(seen?.type).toBe('change')
    expect(await next).toMatchObject({ operation: 'lobbies.list' })
    expect(await other.world.lobbies.count()).toBe(mock.world.lobbies.count() - 1)
    await events.return(undefined)
  })

  it('takes it from MOCKMAKER_CONTROL_TOKEN', async () => {
    const { url } = await serve()
    vi.stubEnv('MOCKMAKER_CONTROL_TOKEN', secret)

    expect(await createClient(url).health()).toMatchObject({ status: 'ok' })
    await expect(createClient(url, { controlToken: 'another' }).health()).rejects.toThrow('this is not it')
  })

  it('is told what is missing', async () => {
    const { url } = await serve()

    await expect(createClient(url).health()).rejects.toThrow(
      'the client as controlToken. More in the package: docs/something-is-wrong.md',
    )
    await expect(createClient(url).changes()).rejects.toBeInstanceOf(ClientError)
  })

  it.for(['', 'two\nlines', 'ünï', 1])('refuses %j, and does not show it', controlToken => {
    const create = () => createClient('http://127.0.0.1:1', { controlToken } as never)

    expect(create).toThrow('the control token (options.controlToken, or the variable MOCKMAKER_CONTROL_TOKEN) is empty')
    if (controlToken) expect(create).not.toThrow(String(controlToken))
  })
})
