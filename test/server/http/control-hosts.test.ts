import { describe, expect, it } from 'vitest'
import type { AppOptions } from '../../../src/core/mock/options.js'
import { createMockmaker } from '../../../src/index.js'
import { createApp, listen } from '../../../src/server/http/index.js'
import { failure, json, sendTo, serveDuringTest, type TestResponse } from '../../support/http.js'
import { jsonHeaders } from '../../support/served-mock.js'
import { bearer, tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest, stateOf } from '../../support/worlds.js'

/** Serves a mock whose clients all seem to come from one address. */
async function serveTo(remoteAddress: string, options: AppOptions = {}) {
  const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
  return { mock, url: await serveDuringTest(createApp(mock, options), remoteAddress) }
}

const reset = { method: 'POST', path: '/__mock/reset', headers: jsonHeaders, body: '{}' }
const health = { method: 'GET', path: '/__mock/health' }

describe('the control API', () => {
  it.for([
    ['192.168.1.20', reset],
    ['192.168.1.20', health],
    ['::ffff:192.168.1.20', health],
    ['fe80::1', { ...health, path: '/w/other/__mock/health' }],
    ['192.168.1.20', { method: 'OPTIONS', path: '/__mock/reset' }],
    // Only the connection counts: any client can write this header.
    ['192.168.1.20', { ...health, headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ] as const)('refuses a client at %s: %j', async ([address, request]) => {
    const { mock, url } = await serveTo(address)

    const got = await sendTo(url, request)

    expect(failure(got)).toBe('403 API_FORBIDDEN')
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
  })

  it.for([{}, { host: '192.168.1.5:4100' }])('says how to allow the client: %j', async headers => {
    const { url } = await serveTo('::ffff:192.168.1.20')

    expect(json(await sendTo(url, { ...health, headers }))).toMatchObject({
      message:
        "the control API does not take this call, because 192.168.1.20 is not the loopback address of the mock's machine: call http://127.0.0.1 there, or allow this client (--control-host 192.168.1.20, controlHosts of createApp, listen and the Vite plugin)",
    })
  })

  it.for([
    ['127.0.0.1', []],
    ['127.8.9.1', []],
    ['::1', []],
    ['::ffff:127.0.0.1', []],
    ['192.168.1.20', ['10.0.0.1', '192.168.1.20']],
    ['::ffff:192.168.1.20', ['192.168.1.20']],
    ['192.168.1.20', ['*']],
    ['192.168.1.20', ['10.0.0.0/8', '192.168.1.0/24']],
    ['::ffff:10.1.2.3', ['10.0.0.0/8']],
    ['192.168.1.20', ['::ffff:192.168.1.20']],
    ['fd00::17', ['fd00::/8']],
    ['fe80::1%eth0', ['fe80::1']],
    ['2001:DB8::1', ['2001:db8:0::1']],
  ] as const)('answers a client at %s with controlHosts %j', async ([address, controlHosts]) => {
    const { url } = await serveTo(address, { controlHosts })

    expect((await sendTo(url, health)).status).toBe(200)
    expect((await sendTo(url, reset)).status).toBe(200)
  })

  it.for([
    ['192.168.2.20', ['192.168.1.0/24']],
    ['192.168.1.20', ['fd00::/8']],
    ['fe00::1', ['fd00::/8', '10.0.0.0/8']],
    ['192.168.1.21', ['192.168.1.20/32']],
  ] as const)('refuses a client at %s with controlHosts %j', async ([address, controlHosts]) => {
    const { url } = await serveTo(address, { controlHosts })

    expect(failure(await sendTo(url, health))).toBe('403 API_FORBIDDEN')
  })

  it.for([
    'localhost',
    'game.example',
    '',
    ' ',
    '192.168.1',
    '192.168.1.0/33',
    '10.0.0.0/',
    'fd00::/129',
    '10.0.0.0/8/8',
    '**',
  ])('takes neither names nor other texts: %j', async host => {
    const mock = closedAfterTest(createMockmaker())
    const message = `options.controlHosts[1] is ${JSON.stringify(host)}: expected an IP address`

    expect(() => createApp(mock, { controlHosts: ['::1', host] })).toThrow(message)
    await expect(listen(mock, { port: 0, controlHosts: ['::1', host] })).rejects.toThrow(message)
  })

  it.for(['/', '/openapi.json', '/devices/link/device.mock.pending', '/matchmaker/lobbies/list'])(
    'leaves %s to all clients',
    async path => {
      const { url } = await serveTo('192.168.1.20')

      expect((await sendTo(url, { method: 'GET', path })).status).toBe(200)
    },
  )
})

const headersOfProxies = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const

describe('a request through a proxy on the same machine', () => {
  it.for(
    headersOfProxies.flatMap(name => ['127.0.0.1', '::1', '203.0.113.9', ''].map(value => [name, value] as const)),
  )('is not of this machine: %s: %s', async ([name, value]) => {
    const { mock, url } = await serveTo('127.0.0.1')
    const headers = { ...jsonHeaders, [name]: value }
    const before = stateOf(mock.world)

    const got = [await sendTo(url, { ...health, headers }), await sendTo(url, { ...reset, headers })]

    expect(got.map(failure)).toEqual(['403 API_FORBIDDEN', '403 API_FORBIDDEN'])
    expect(json(got[0] as TestResponse)).toMatchObject({
      message: `the control API does not take this call, because it came through a proxy, as its header ${name} shows: call http://127.0.0.1 on the mock's machine without the proxy`,
    })
    expect(stateOf(mock.world)).toBe(before)
  })

  it.for(headersOfProxies)('does not see the dashboard, and still sees the operations: %s', async name => {
    const { url } = await serveTo('::1')
    const headers = { [name]: '127.0.0.1', accept: 'text/html' }

    const home = await sendTo(url, { method: 'GET', path: '/', headers })
    const list = await sendTo(url, { method: 'GET', path: '/matchmaker/lobbies/list', headers })

    expect(home.body).toContain('There is no dashboard here.')
    expect(list.status).toBe(200)
  })

  it.for(['*', '127.0.0.1'])('may control the mock if its address is listed: %s', async listed => {
    const { url } = await serveTo('127.0.0.1', { controlHosts: [listed] })

    expect((await sendTo(url, { ...health, headers: { via: '1.1 proxy' } })).status).toBe(200)
  })
})

describe('a request through a tunnel that adds no header', () => {
  it.for(['203.0.113.9', '192.168.1.5:4100', '[2001:db8::1]:4100', '10.0.0.7:80'])(
    'is not of this machine: %s',
    async host => {
      const { mock, url } = await serveTo('127.0.0.1')
      const before = stateOf(mock.world)

      const got = await sendTo(url, { ...reset, headers: { ...jsonHeaders, host } })
      const home = await sendTo(url, { method: 'GET', path: '/', headers: { host, accept: 'text/html' } })
      const list = await sendTo(url, { method: 'GET', path: '/matchmaker/lobbies/list', headers: { host } })

      expect([failure(got), list.status]).toEqual(['403 API_FORBIDDEN', 200])
      expect(json(got)).toMatchObject({ message: expect.stringContaining('as through a tunnel') })
      expect(home.body).toContain('There is no dashboard here.')
      expect(stateOf(mock.world)).toBe(before)
    },
  )

  it.for([
    'localhost:4100',
    'game.localhost',
    '127.0.0.1:1',
    '127.8.9.1',
    '[::1]:4100',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0:4100',
    '[::]:4100',
    'host.docker.internal',
  ])('is not one to this machine: %s', async host => {
    const { url } = await serveTo('127.0.0.1')

    expect((await sendTo(url, { ...health, headers: { host } })).status).toBe(200)
  })

  it('may control the mock with the control token, or if its address is listed', async () => {
    const controlToken = 'a-control-token-of-24'
    const [listed, secret] = [
      await serveTo('127.0.0.1', { controlHosts: ['127.0.0.1'] }),
      await serveTo('127.0.0.1', { controlToken }),
    ]
    const host = '203.0.113.9'
    const headers = { host, authorization: `Bearer ${controlToken}` }

    expect((await sendTo(listed.url, { ...health, headers: { host } })).status).toBe(200)
    expect((await sendTo(secret.url, { ...health, headers })).status).toBe(200)
  })
})

describe('trustProxy', () => {
  const lan = { controlHosts: ['192.168.1.0/24'] }
  const through = (hops: string) => ({ ...health, headers: { 'x-forwarded-for': hops } })

  it.for([
    ['10.0.0.5', '192.168.1.20'],
    ['::ffff:10.0.0.5', '::ffff:192.168.1.20'],
    ['10.0.0.5', ' 192.168.1.20 , 10.0.0.6 '],
    ['10.0.0.5', '203.0.113.9, 192.168.1.20'],
    ['10.0.0.5', '127.0.0.1, 192.168.1.20:4711'],
    ['127.0.0.1', '192.168.1.20'],
    ['fd00::5', '192.168.1.20, [fd00::6]:80'],
  ] as const)('lets the client count that proxies report: %s after %s', async ([connection, hops]) => {
    const { url } = await serveTo(connection, { ...lan, trustProxy: ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'] })

    expect((await sendTo(url, through(hops))).status).toBe(200)
  })

  it.for([
    ['the client wrote the first addresses', '10.0.0.5', '192.168.1.20, 203.0.113.9'],
    ['the client is not behind a trusted proxy', '203.0.113.9', '192.168.1.20'],
    ['a loopback address is in the header', '10.0.0.5', '127.0.0.1'],
    ['all addresses are trusted', '10.0.0.5', '127.0.0.1, 10.0.0.6'],
    ['the client wrote loopback before its own', '10.0.0.5', '127.0.0.1, 203.0.113.9'],
    ['a proxy does not know its client', '10.0.0.5', '192.168.1.20, unknown'],
    ['a proxy hides its client', '10.0.0.5', '192.168.1.20, _hidden'],
    ['the address is no address', '10.0.0.5', '192.168.1.20, 192.168.1.999'],
    ['the address is a network', '10.0.0.5', '192.168.1.0/24'],
    ['the list is empty', '127.0.0.1', ' , '],
  ] as const)('refuses: %s', async ([, connection, hops]) => {
    const { url } = await serveTo(connection, { ...lan, trustProxy: ['10.0.0.0/8', '127.0.0.1'] })

    expect(failure(await sendTo(url, through(hops)))).toBe('403 API_FORBIDDEN')
  })

  const options = { ...lan, trustProxy: ['10.0.0.0/8', 'fd00::/8'] }

  it.for([
    'for=192.168.1.20',
    'For="192.168.1.20:4711";proto=https;by=10.0.0.5',
    'for=203.0.113.9;proto=http, for=192.168.1.20',
    'for=127.0.0.1 , for=192.168.1.20 ; proto=https, for="[fd00::6]:80"',
    'host="a,b;for=127.0.0.1";for="192.168.1.2\\0"',
    'for="[::ffff:192.168.1.20]"',
  ])('reads Forwarded too (RFC 7239): %s', async forwarded => {
    const { url } = await serveTo('10.0.0.5', options)

    expect((await sendTo(url, { ...health, headers: { forwarded } })).status).toBe(200)
    expect((await sendTo(url, { ...health, headers: { forwarded, 'x-forwarded-for': '192.168.1.20' } })).status).toBe(
      200,
    )
  })

  it.for([
    ['a proxy names no client', { forwarded: 'for=192.168.1.20, proto=https' }],
    ['a proxy hides its client', { forwarded: 'for=192.168.1.20, for=_hidden' }],
    ['a proxy does not know its client', { forwarded: 'for=unknown' }],
    ['the client is named twice', { forwarded: 'for=203.0.113.9;for=192.168.1.20' }],
    ['the header is malformed', { forwarded: 'for=203.0.113.9", for=192.168.1.20' }],
    ['a loopback address is in the header', { forwarded: 'for=127.0.0.1' }],
    ['the header is empty', { forwarded: '' }],
    ['the proxy passes a forged Forwarded on', { forwarded: 'for=192.168.1.20', 'x-forwarded-for': '203.0.113.9' }],
    ['the proxy passes a forged list on', { forwarded: 'for=203.0.113.9', 'x-forwarded-for': '192.168.1.20' }],
  ] as const)('refuses: %s', async ([, headers]) => {
    const { url } = await serveTo('10.0.0.5', options)

    expect(failure(await sendTo(url, { ...health, headers }))).toBe('403 API_FORBIDDEN')
  })

  it('says what a proxy has to change if nobody knows the client', async () => {
    const { url } = await serveTo('10.0.0.5', options)
    const headers = { forwarded: 'for=192.168.1.20', 'x-forwarded-for': '203.0.113.9' }

    expect(json(await sendTo(url, { ...health, headers }))).toMatchObject({
      message:
        'the control API does not take this call, because it came through a proxy, and its headers do not tell the address of its client (unknown): let the proxy set x-forwarded-for or forwarded, and remove the other one',
    })
  })

  it.for([
    [{ trustProxy: ['127.0.0.1'] }, '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    [{ trustProxy: ['127.0.0.1', '198.51.100.0/24'] }, '203.0.113.9, 198.51.100.7', '203.0.113.9'],
    [{ trustProxy: ['10.0.0.5'] }, '203.0.113.9', '127.0.0.1'],
    [{}, '203.0.113.9, 198.51.100.7', '203.0.113.9'],
  ] as const)('with %j, limits the players of the client in %s: %s', async ([options, hops, address]) => {
    const { mock, url } = await serveTo('127.0.0.1', options)
    const find = { method: 'POST', path: '/w/default/matchmaker/lobbies/find', body: '{"game_modes":["duel"]}' }

    await sendTo(url, { ...find, headers: { ...bearer(tokens.public), 'x-forwarded-for': hops } })

    expect(mock.world.players.all().at(-1)).toMatchObject({ address })
  })

  it.for(['localhost', '', '*', '192.168.1', '10.0.0.0/33', '10.0.0.0/8/8'])('refuses %j', async proxy => {
    const mock = closedAfterTest(createMockmaker())
    const message = `options.trustProxy[1] is ${JSON.stringify(proxy)}: expected an IP address (192.168.1.20) or a network`

    expect(() => createApp(mock, { trustProxy: ['::1', proxy] })).toThrow(message)
    await expect(listen(mock, { port: 0, trustProxy: ['::1', proxy] })).rejects.toThrow(message)
  })
})
