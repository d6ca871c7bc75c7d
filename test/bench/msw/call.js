// @ts-check
import { gameId, linkToken, tokens } from '../scenario.js'

/**
 * A call of an operation: one of many, which may differ.
 *
 * @typedef {object} Call
 * @property {'GET' | 'POST'} method
 * @property {string} path
 * @property {string} token
 * @property {(index: number) => object} [body]
 *
 * @typedef {keyof typeof calls} CallName
 */

/** `complete` is of the operation that comes last in the table. */
export const calls = {
  list: /** @type {Call} */ ({ method: 'GET', path: '/matchmaker/lobbies/list', token: tokens.public }),
  validate: /** @type {Call} */ ({
    method: 'POST',
    path: `/cloud/games/${gameId}/namespaces/validate`,
    token: tokens.cloud,
    body: () => ({ display_name: 'Production', name_id: 'production' }),
  }),
  complete: /** @type {Call} */ ({
    method: 'POST',
    path: '/cloud/devices/links/complete',
    token: tokens.cloud,
    body: index => ({ device_link_token: linkToken(index), game_id: gameId }),
  }),
}

/**
 * What a mock answers to the first of each call.
 *
 * @param {import('../../../src/index.js').Mockmaker} mock
 */
export async function answersOf({ answer }) {
  const answers = Object.entries(calls).map(async ([name, { method, path, token, body }]) => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = body && { body: new TextEncoder().encode(JSON.stringify(body(0))) }
    const { body: bytes } = await answer({ method, path, query: '', headers, ...sent })
    return [name, JSON.parse(new TextDecoder().decode(bytes))]
  })
  return Object.fromEntries(await Promise.all(answers))
}
