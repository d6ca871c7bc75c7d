import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client/index.js'
import { createMock } from '../../../src/core/mock/mock.js'
import type { ScenarioInput } from '../../../src/index.js'
import { createListener } from '../../../src/server/http/server.js'
import { json, ok, sendTo, serveDuringTest } from '../../support/http.js'
import { closedAfterTest } from '../../support/worlds.js'

const scenario: ScenarioInput = {
  game_modes: ['duel'],
  lobbies: [{ game_mode_id: 'duel', ports: [{ label: 'default', target_port: 7777, proxy_protocol: 'udp' }] }],
}

/** Serves a mock as the command does. */
async function serve(publicUrl: string, serverHost?: string) {
  const allowedHosts = ['mock.example']
  const mock = closedAfterTest(createMock({ scenario, publicUrl: 'http://127.0.0.1:4100' }))
  const url = await serveDuringTest(createListener(mock, { allowedHosts }, { publicUrl, serverHost }))
  const linkUrl = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const got = ok(await sendTo(url, { method: 'POST', path: `${path}/cloud/devices/links`, headers }))
    return (got as { device_link_url: string }).device_link_url.replace(/device\.mock\..*/, '…')
  }
  const hostOfServer = async (headers: Readonly<Record<string, string>> = {}) => {
    const find = { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["duel"]}', headers }
    const { ports } = json(await sendTo(url, find)) as { ports: { default: { hostname: string } } }
    return ports.default.hostname
  }
  return { url, linkUrl, hostOfServer }
}

describe('without --public-url', () => {
  it.for([
    ['192.168.1.5:4100', 'http://192.168.1.5:4100'],
    ['[fd00::5]:4100', 'http://[fd00::5]:4100'],
    ['mock.example', 'http://mock.example'],
    ['localhost:4100', 'http://localhost:4100'],
  ] as const)('a link of a device that asked %s leads there', async ([host, base]) => {
    const { linkUrl } = await serve('asked')

    expect(await linkUrl('', { host })).toBe(`${base}/devices/link/…`)
    expect(await linkUrl('/w/test-42', { host })).toBe(`${base}/w/test-42/devices/link/…`)
    expect(await linkUrl('', { host, 'x-mock-world': 'header' })).toBe(`${base}/w/header/devices/link/…`)
  })

  it('a game server is where the client asked', async () => {
    const { hostOfServer } = await serve('asked')

    expect(await hostOfServer({ host: '192.168.1.5:4100' })).toBe('192.168.1.5')
    expect(await hostOfServer({ host: 'localhost:4100' })).toBe('localhost')
  })

  it('a mock in code keeps its own option', async () => {
    const mock = closedAfterTest(createMock({ scenario, publicUrl: 'https://hub.example' }))
    const url = await serveDuringTest(createListener(mock))

    const got = ok(await sendTo(url, { method: 'POST', path: '/cloud/devices/links' }))

    expect(got).toMatchObject({ device_link_url: expect.stringContaining('https://hub.example/devices/link/') })
  })
})

describe('--public-url', () => {
  it('is the beginning of links, whatever the device asked', async () => {
    const { linkUrl } = await serve('https://mock.example/mm')

    expect(await linkUrl('', { host: '127.0.0.1:4100' })).toBe('https://mock.example/mm/devices/link/…')
    expect(await linkUrl('/w/a', { host: 'mock.example' })).toBe('https://mock.example/mm/w/a/devices/link/…')
  })

  it.for([
    ['https://mock.example:8443', 'mock.example'],
    ['http://[fd00::5]:4100', 'fd00::5'],
  ] as const)('%s names the host of game servers', async ([publicUrl, hostname]) => {
    const { hostOfServer } = await serve(publicUrl)

    expect(await hostOfServer({ host: '127.0.0.1:4100' })).toBe(hostname)
  })

  it('wins over the address of a replica, which wins over what the client asked', async () => {
    const [told, asked] = [await serve('https://mock.example', '10.0.0.5'), await serve('asked', '[fd00::5]')]

    expect(await told.hostOfServer()).toBe('mock.example')
    expect(await asked.hostOfServer({ host: '127.0.0.1:4100' })).toBe('fd00::5')
  })

  it('reaches the page, for its QR codes', async () => {
    const [told, asked] = [await serve('https://mock.example'), await serve('asked')]
    const worldOf = async (url: string) => {
      const events = await createClient(url).changes({ with: ['world'] })
      for await (const event of events) if (event.type === 'world') return event.data
      return undefined
    }

    expect(await worldOf(told.url)).toMatchObject({ id: 'default', public_url: 'https://mock.example' })
    expect(await worldOf(asked.url)).not.toHaveProperty('public_url')
  })
})
