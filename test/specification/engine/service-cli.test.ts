import { describe, expect } from 'vitest'
import * as z from 'zod'
import { scenarios } from '../../../src/core/scenario/index.js'
import { exchange, httpText } from '../../support/engine-clients.js'
import { itKeepsEvidence } from '../../support/evidence.js'
import { itWithoutWarnings as it } from '../../support/served-mock.js'

/** A UUID, in the form that the crate `uuid` and Go's google/uuid accept. */
const uuid = z.guid()

/** A count, in the range of the Rust client. */
const count = z.int32()

/** The fields that the Rust client and the Go SDK require. In Go, the times are `time.Time`. */
const reads = {
  prepare: z.object({ device_link_id: uuid, device_link_token: z.string(), device_link_url: z.url() }),
  link: z.object({ cloud_token: z.string().nullish(), watch: z.object({ index: z.string() }) }),
  inspect: z.object({ agent: z.object({ game_cloud: z.object({ game_id: uuid }) }) }),
  bootstrap: z.object({
    access: z.enum(['public', 'private']),
    captcha: z.object({ turnstile: z.object({ site_key: z.string() }).nullish() }),
    cluster: z.enum(['enterprise', 'oss']),
    domains: z.object({ cdn: z.string(), job: z.string(), main: z.string() }).nullish(),
    login_methods: z.object({ access_token: z.boolean(), email: z.boolean() }),
    origins: z.object({ hub: z.url() }),
  }),
  game: z.object({
    game: z.object({
      game_id: uuid,
      create_ts: z.iso.datetime(),
      name_id: z.string(),
      display_name: z.string(),
      developer_group_id: uuid,
      total_player_count: count,
      namespaces: z.array(
        z.object({
          namespace_id: uuid,
          create_ts: z.iso.datetime(),
          display_name: z.string(),
          version_id: uuid,
          name_id: z.string(),
        }),
      ),
      versions: z.array(z.object({ version_id: uuid, create_ts: z.iso.datetime(), display_name: z.string() })),
      available_regions: z.array(
        z.object({
          region_id: uuid,
          region_name_id: z.string(),
          provider: z.string(),
          universal_region: z.string(),
          provider_display_name: z.string(),
          region_display_name: z.string(),
        }),
      ),
    }),
    watch: z.object({ index: z.string() }),
  }),
  token: z.object({ token: z.string() }),
  /** The command ignores this. It checks only that the call succeeded. */
  nothing: z.unknown(),
  lobbies: z.object({
    game_modes: z.array(z.object({ game_mode_id: z.string() })),
    lobbies: z.array(
      z.object({
        lobby_id: uuid,
        region_id: z.string(),
        game_mode_id: z.string(),
        max_players_normal: count,
        max_players_direct: count,
        max_players_party: count,
        total_player_count: count,
      }),
    ),
    regions: z.array(z.object({ region_id: z.string() })),
  }),
  join: z.object({
    lobby: z.object({
      lobby_id: uuid,
      region: z.object({ region_id: z.string(), display_name: z.string() }),
      ports: z.record(z.string(), z.unknown()),
      player: z.object({ token: z.string() }),
    }),
    ports: z.record(
      z.string(),
      z.object({
        host: z.string().nullish(),
        hostname: z.string(),
        port: count.nullish(),
        port_range: z.object({ min: count, max: count }).nullish(),
        is_tls: z.boolean(),
      }),
    ),
    player: z.object({ token: z.string() }),
  }),
}

interface Call<Read extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly token?: string
  readonly body?: object
  readonly read: Read
}

/**
 * Makes a call of the service's command line tool, and reads its answer. Throws if the tool would fail.
 * Sources: rivet-gg/cli v1.3.1, core/src/ctx.rs, cli/src/commands/sidekick, sdks/rust. hyper names the headers.
 * The types agree with rivet-gg/rivet v24.1.0, sdks/go.
 */
async function callAsCli<Read extends z.ZodType>(url: string, call: Call<Read>): Promise<z.infer<Read>> {
  const { method, path, token, body, read } = call
  const text = body === undefined ? '' : JSON.stringify(body)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'user-agent: CLI/1.3.1 (6d86f3a)',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ['content-type: application/json']),
    'accept: */*',
    `host: ${new URL(url).host}`,
    ...(method === 'GET' ? [] : [`content-length: ${Buffer.byteLength(text)}`]),
  ]
  const answer = await exchange(url, httpText(head, text))
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
  return read.parse(answer.body === '' ? null : JSON.parse(answer.body))
}

const token = 'cloud.mock.tanks'

/** Sends the first calls of every command, with the token of the project. */
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
  ] as const)('gets the hub, which completes the device link: publicUrl %s', async ([publicUrl, hub], { serve }) => {
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
  })

  it('creates a development token with the ports of its configuration, and a public one', async ({ serve }) => {
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

  it('deploys a version to a namespace, and creates a cloud token', async ({ serve }) => {
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

    expect((await callAsCli(url, list)).lobbies).toHaveLength(7)
  })
})

itKeepsEvidence()
