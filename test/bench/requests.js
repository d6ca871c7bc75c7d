// @ts-check

/** Ids, tokens, requests and scenarios of the benches. */
const gameId = '11111111-1111-4111-8111-111111111111'
const linkToken = 'device.mock.bench'
const tokens = { public: 'pub_prod.mock.bench', cloud: 'cloud.mock.bench' }
const regions = ['fra', 'lon', 'ewr', 'tor', 'dca', 'mba', 'atl', 'dfw', 'tok', 'sfo', 'sgp', 'syd'].map(
  id => `lnd-${id}`,
)

/** @typedef {{ readonly path: string, readonly token?: string, readonly body?: object }} Request Without a body it is a GET. */
export const list = { path: '/matchmaker/lobbies/list', token: tokens.public }
export const find = { path: '/matchmaker/lobbies/find', token: tokens.public, body: { game_modes: ['arena'] } }
export const validate = {
  path: `/cloud/games/${gameId}/namespaces/validate`,
  token: tokens.cloud,
  body: { display_name: 'Production', name_id: 'production' },
}
export const completeLink = {
  path: '/cloud/devices/links/complete',
  token: tokens.cloud,
  body: { device_link_token: linkToken, game_id: gameId },
}
export const linkPath = `/cloud/devices/links?device_link_token=${linkToken}`

/**
 * A request as fetch takes it.
 *
 * @param {Request} request
 */
export function initOf({ token, body }) {
  /** @type {Record<string, string>} */
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  if (body === undefined) return { headers }
  return { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/**
 * @param {number} lobbies
 * @returns {import('../../src/core/scenario/schema.js').ScenarioInput}
 */
export function scenarioOf(lobbies) {
  return {
    title: 'Bench',
    client: { latitude: 52.52, longitude: 13.4 },
    regions,
    games: [
      {
        name_id: 'bench',
        game_id: gameId,
        tokens: { cloud: tokens.cloud },
        namespaces: [
          {
            name_id: 'prod',
            tokens: { public: tokens.public },
            game_modes: [
              { game_mode_id: 'duel', max_players: 2 },
              { game_mode_id: 'free-for-all', max_players: 16 },
            ],
            generate: { lobbies },
          },
        ],
      },
    ],
    device_links: [{ token: linkToken }],
  }
}

/**
 * A scenario whose lobbies take all players that a bench sends. Its clock is frozen, so that no job writes.
 *
 * @param {number} lobbies
 * @returns {import('../../src/core/scenario/schema.js').ScenarioInput}
 */
export function crowdOf(lobbies) {
  return {
    clock: 'frozen',
    tokens: { public: tokens.public },
    game_modes: [{ game_mode_id: 'arena', max_players: 1_000_000_000 }],
    lobbies: Array.from({ length: lobbies }, (_, i) => ({
      lobby_id: `lobby-${i}`,
      region_id: regions[i % regions.length],
      total_player_count: i % 1000,
    })),
    regions,
  }
}
