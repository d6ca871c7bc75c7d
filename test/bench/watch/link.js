// @ts-check
import { gameId, linkToken, tokens } from '../scenario.js'

/** On a busy machine, 10,000 connections may take longer to open than a watch lasts by default. */
export const watchTimeoutMs = 600_000

/** @param {readonly string[]} args Of the command. */
export const blocksLong = args => [...args, '--watch-timeout', `${watchTimeoutMs}ms`]

/**
 * The path of a device link, by its place in the scenario.
 *
 * @param {number} link
 */
export const linkPath = link => `/cloud/devices/links?device_link_token=${linkToken(link)}`

/**
 * The path on which a device link blocks.
 *
 * @param {import('../server-process.js').ServerProcess} server
 * @param {number} link
 */
export async function blockingPath({ url }, link) {
  const response = await fetch(url + linkPath(link))
  const { watch } = await response.json()
  return `${linkPath(link)}&watch_index=${watch.index}`
}

/**
 * A request that completes a device link.
 *
 * @param {number} link
 */
export const completion = link => ({
  method: 'POST',
  path: '/cloud/devices/links/complete',
  headers: { authorization: `Bearer ${tokens.cloud}`, 'content-type': 'application/json' },
  body: JSON.stringify({ device_link_token: linkToken(link), game_id: gameId }),
})
