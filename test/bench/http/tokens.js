// @ts-check
import { atMost, ratio } from '../aim.js'
import { scenarioOf, tokens, withFiles } from '../scenario.js'
import { command, serving, withServers } from '../servers.js'
import { loadRow, loadText, measureLoad, speed } from './load.js'

const lobbies = 20
const path = '/matchmaker/lobbies/list'
/** Slower than this is no longer flat. */
const slowest = 1.1

/**
 * The same list from a world of one namespace and from one of 1,000, each with its tokens.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureTokens() {
  return withFiles(write =>
    withServers(async start => {
      const targets = []
      for (const namespaces of [1, 1_000]) {
        const args = serving(write(`${namespaces}.json`, scenarioOf({ lobbies, namespaces })))
        const name = `the command, namespaces with tokens: ${namespaces.toLocaleString('en')}`
        const server = await start({ name, program: command, args, path })
        targets.push({ name, server, path, token: tokens.public })
      }
      const results = await measureLoad(targets)
      const [one, many] = results
      const value = ratio(one?.perSecond, many?.perSecond)
      const { beside } = speed(many, one)
      return {
        title: `lobbies.list of ${lobbies} lobbies among few and many tokens; ${loadText}`,
        rows: results.map(result => loadRow(result, { 'one namespace': one })),
        aims: [atMost('time a request with 1,000 namespaces, to one', { most: slowest, value, beside })],
      }
    }),
  )
}
