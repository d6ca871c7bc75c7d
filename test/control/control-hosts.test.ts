import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp, listen } from '../../src/http/index.js'
import { createMockmaker } from '../../src/index.js'
import type { AppOptions } from '../../src/mock/options.js'
import { failure, json, sendTo } from '../support/http.js'
import { jsonHeaders } from '../support/served-mock.js'
import { tanks } from '../support/tanks.js'

/** Serves a mock whose clients all seem to come from one address. */
async function serveTo(remoteAddress: string, options: AppOptions = {}) {
  const mock = createMockmaker({ scenario: tanks })
  const app = createApp(mock, options)
  const server = createServer(app)
  server.on('connection', socket => Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress }))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.close()
    await mock.close()
  })
  return { mock, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
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

  it('says how to allow the client', async () => {
    const { url } = await serveTo('::ffff:192.168.1.20')

    expect(json(await sendTo(url, health))).toMatchObject({
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
    const mock = createMockmaker()
    const message = `options.controlHosts[1] is ${JSON.stringify(host)}: expected an IP address`

    expect(() => createApp(mock, { controlHosts: ['::1', host] })).toThrow(message)
    await expect(listen(mock, { port: 0, controlHosts: ['::1', host] })).rejects.toThrow(message)
    await mock.close()
  })

  it.for(['/', '/openapi.json', '/devices/link/device.mock.pending', '/matchmaker/lobbies/list'])(
    'leaves %s to all clients',
    async path => {
      const { url } = await serveTo('192.168.1.20')

      expect((await sendTo(url, { method: 'GET', path })).status).toBe(200)
    },
  )
})
