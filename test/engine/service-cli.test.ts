import { describe, expect } from 'vitest'
import { scenarios } from '../../src/scenarios.js'
import { it } from '../support/served-mock.js'
import { callAsCli, reads } from './service-cli.js'

const token = 'cloud.mock.tanks'

/** What every command asks first, with the token that the project has. */
async function context(url: string, cloudToken: string): Promise<string> {
  const inspect = { method: 'GET', path: '/cloud/auth/inspect', token: cloudToken, read: reads.inspect } as const
  const bootstrap = { method: 'GET', path: '/cloud/bootstrap', token: cloudToken, read: reads.bootstrap } as const
  const [{ agent }] = await Promise.all([callAsCli(url, inspect), callAsCli(url, bootstrap)])
  return agent.game_cloud.game_id
}

const gameOf = (url: string, cloudToken: string, gameId: string) =>
  callAsCli(url, { method: 'GET', path: `/cloud/games/${gameId}`, token: cloudToken, read: reads.game })

describe("the service's command line tool", () => {
  it('signs in: device link, bootstrap, inspect, game', async ({ serve }) => {
    const { url, mock } = await serve({ scenario: scenarios.default })
    const prepared = await callAsCli(url, { method: 'POST', path: '/cloud/devices/links', read: reads.prepare })
    const path = `/cloud/devices/links?device_link_token=${prepared.device_link_token}`
    const { watch, cloud_token } = await callAsCli(url, { method: 'GET', path, read: reads.link })

    const waiting = callAsCli(url, { method: 'GET', path: `${path}&watch_index=${watch.index}`, read: reads.link })
    await mock.completeDeviceLink(prepared.device_link_token, { game: 'tanks' })
    const linked = (await waiting).cloud_token ?? ''

    expect(cloud_token).toBeUndefined()
    const { game } = await gameOf(url, linked, await context(url, linked))
    expect(game).toMatchObject({ name_id: 'tanks', namespaces: [{ name_id: 'prod' }] })
  })

  it.for([
    ['http://127.0.0.1:4100', 'http://127.0.0.1:4100'],
    [undefined, 'https://hub.mock.localhost'],
  ] as const)(
    'tells the hub, which is where the device link is completed: publicUrl %s',
    async ([publicUrl, hub], { serve }) => {
      const { url } = await serve({ scenario: scenarios.default, publicUrl })

      const { origins } = await callAsCli(url, {
        method: 'GET',
        path: '/cloud/bootstrap',
        token,
        read: reads.bootstrap,
      })
      const { device_link_url } = await callAsCli(url, {
        method: 'POST',
        path: '/cloud/devices/links',
        read: reads.prepare,
      })

      expect(origins).toEqual({ hub })
      expect(device_link_url.startsWith(`${hub}/devices/link/`)).toBe(true)
    },
  )

  it('makes a development token of the ports of its configuration, and a public one', async ({ serve }) => {
    const { url } = await serve({ scenario: scenarios.default })
    const gameId = await context(url, token)
    const { game } = await gameOf(url, token, gameId)
    const tokens = `/cloud/games/${gameId}/namespaces/${game.namespaces[0]?.namespace_id}/tokens`
    const body = { hostname: '127.0.0.1', ports: { default: { port: 10_567, protocol: 'udp' } } }

    const made = { method: 'POST', path: `${tokens}/development`, token, body, read: reads.token } as const
    const development = await callAsCli(url, made)
    const open = await callAsCli(url, { method: 'POST', path: `${tokens}/public`, token, read: reads.token })

    const find = { method: 'POST', path: '/matchmaker/lobbies/find', body: { game_modes: ['duel'] } } as const
    const canned = await callAsCli(url, { ...find, token: development.token, read: reads.join })
    const real = await callAsCli(url, { ...find, token: open.token, read: reads.join })
    expect(canned.ports).toEqual({
      default: { hostname: '127.0.0.1', host: '127.0.0.1:10567', port: 10_567, is_tls: false },
    })
    expect(real.lobby.region.region_id).toBe('lnd-fra')
  })

  it('deploys a version to a namespace, and makes a cloud token', async ({ serve }) => {
    const { url } = await serve({ scenario: scenarios.default })
    const gameId = await context(url, token)
    const { game } = await gameOf(url, token, gameId)
    const namespace = `/cloud/games/${gameId}/namespaces/${game.namespaces[0]?.namespace_id}`
    const body = { version_id: '5d1c9b3e-8a60-4c55-9f0e-2b7c1f7d9a10' }

    await callAsCli(url, { method: 'PUT', path: `${namespace}/version`, token, body, read: reads.nothing })
    const path = `/cloud/games/${gameId}/tokens/cloud`
    const made = await callAsCli(url, { method: 'POST', path, token, body: {}, read: reads.token })

    const after = (await gameOf(url, made.token, gameId)).game
    expect(after.namespaces[0]?.version_id).toBe(body.version_id)
    expect(after.versions.map(({ version_id }) => version_id)).toContain(body.version_id)
  })

  it('reads the lobbies, whose ids are UUIDs', async ({ serve }) => {
    const { url } = await serve({ scenario: scenarios.default })

    const list = { method: 'GET', path: '/matchmaker/lobbies/list', read: reads.lobbies } as const

    expect((await callAsCli(url, list)).lobbies).toHaveLength(6)
  })
})
