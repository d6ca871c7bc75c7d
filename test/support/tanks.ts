import type { ScenarioInput } from '../../src/core/scenario/schema.js'

/** The time at which the clocks of test worlds start. */
export const startAt = Date.UTC(2026, 10, 20, 20)

/** Ids and tokens of the world `tanks`. */
export const ids = {
  tanks: '11111111-1111-4111-8111-111111111111',
  boats: '99999999-9999-4999-8999-999999999999',
  prod: '22222222-2222-4222-8222-222222222222',
  closed: '33333333-3333-4333-8333-333333333333',
  boatsProd: '88888888-8888-4888-8888-888888888888',
  lobby: '44444444-4444-4444-8444-444444444444',
} as const

export const tokens = {
  public: 'pub_prod.mock.tanks',
  development: 'dev_prod.mock.tanks',
  publicClosed: 'pub_closed.mock.tanks',
  cloud: 'cloud.mock.tanks',
  cloudBoats: 'cloud.mock.boats',
  pending: 'device.mock.pending',
  expired: 'device.mock.expired',
  complete: 'device.mock.complete',
  /** Tokens of the lobby `arena`, and of its players. */
  arena: 'lobby.mock.arena',
  connected: 'player.mock.connected',
  late: 'player.mock.late',
  gone: 'player.mock.gone',
} as const

/** A frozen world with all records that the specification of the operations needs. */
export const tanks: ScenarioInput = {
  title: 'Tanks',
  seed: 7,
  now: new Date(startAt).toISOString(),
  clock: 'frozen',
  default_namespace: 'tanks/prod',
  regions: ['lnd-fra', 'lnd-atl', 'lnd-syd'],
  games: [
    {
      name_id: 'tanks',
      game_id: ids.tanks,
      tokens: { cloud: tokens.cloud },
      namespaces: [
        {
          name_id: 'prod',
          namespace_id: ids.prod,
          domains: ['tanks.example'],
          development: {
            hostname: '127.0.0.1',
            lobby_ports: [
              { label: 'default', target_port: 7777, proxy_protocol: 'https' },
              { label: 'voice', port_range: { min: 26_000, max: 26_010 }, proxy_protocol: 'udp' },
            ],
          },
          tokens: { public: tokens.public, development: tokens.development },
          game_modes: [
            { game_mode_id: 'duel', max_players: 2, regions: ['lnd-fra'] },
            { game_mode_id: 'ffa', max_players: { normal: 8, direct: 10, party: 12 }, regions: ['lnd-syd', 'lnd-fra'] },
            { game_mode_id: 'secret', regions: ['lnd-fra'], listable: false },
          ],
          lobbies: [
            {
              lobby_id: ids.lobby,
              game_mode_id: 'duel',
              region_id: 'lnd-fra',
              total_player_count: 1,
              state: { map: 'dust' },
            },
            { lobby_id: 'closed', game_mode_id: 'duel', region_id: 'lnd-fra', is_closed: true },
            { lobby_id: 'private', game_mode_id: 'duel', region_id: 'lnd-fra', publicity: 'private' },
            { lobby_id: 'unlisted', game_mode_id: 'secret', region_id: 'lnd-fra' },
            { lobby_id: 'empty', game_mode_id: 'ffa', region_id: 'lnd-syd', state: [1] },
          ],
        },
        {
          name_id: 'closed',
          namespace_id: ids.closed,
          tokenless: false,
          tokens: { public: tokens.publicClosed },
          game_modes: [
            { game_mode_id: 'solo', dynamic_max_players: false, taggable: false },
            { game_mode_id: 'walled', disabled: ['find', 'join', 'create'] },
          ],
          lobbies: [
            {
              lobby_id: 'arena',
              run_by: 'server',
              players: [
                { token: tokens.connected },
                { token: tokens.late, status: 'expired' },
                { token: tokens.gone, status: 'removed' },
              ],
            },
            { lobby_id: 'stopped', status: 'stopped' },
            { lobby_id: 'walled', game_mode_id: 'walled' },
          ],
        },
      ],
    },
    {
      name_id: 'boats',
      game_id: ids.boats,
      tokens: { cloud: tokens.cloudBoats },
      namespaces: [{ name_id: 'prod', namespace_id: ids.boatsProd, game_modes: ['race'] }],
    },
  ],
  device_links: [
    { token: tokens.pending },
    { token: tokens.expired, expires_after: '0s' },
    { token: tokens.complete, status: 'complete', game: 'tanks' },
  ],
}

/** Returns the header with a token. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The request of a person who completes the pending device link, for tanks. */
export const completion = {
  method: 'POST',
  path: '/cloud/devices/links/complete',
  headers: bearer(tokens.cloud),
  body: JSON.stringify({ device_link_token: tokens.pending, game_id: ids.tanks }),
} as const
