// @ts-check
import { createMockmaker } from '../../../dist/index.js'
import { atLeast } from '../aim.js'
import { scenarioOf, tokens, withFiles } from '../scenario.js'
import { onPort, withServers } from '../servers.js'
import { loadRow, loadText, measureLoad, speed } from './load.js'

const lobbies = 20
const path = '/matchmaker/lobbies/list'
const barePath = '/bare/lobbies'
const program = new URL('user-app.js', import.meta.url)

/**
 * The list of lobbies in one Express app: `mockExpress`, and `res.json` of the same list in a route before it.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureOwnApp() {
  return withFiles(write =>
    withServers(async start => {
      const scenario = scenarioOf({ lobbies })
      const files = [write('scenario.json', scenario), barePath, write('list.json', await listOf(scenario))]
      const server = await start({ name: 'the app', program, args: onPort(...files), path: barePath })
      const results = await measureLoad([
        { name: 'res.json in an Express app', server, path: barePath, token: tokens.public },
        { name: 'mockExpress in the same app', server, path, token: tokens.public },
      ])
      const [bare, ours] = results
      return {
        title: `lobbies.list of ${lobbies} lobbies in a user's app; ${loadText}`,
        rows: results.map(result => loadRow(result, { 'res.json': bare })),
        aims: [atLeast('mockExpress to res.json in the same app', { least: 1.3, ...speed(ours, bare) })],
      }
    }),
  )
}

/** @param {import('../../../src/core/scenario/schema.js').ScenarioInput} scenario */
async function listOf(scenario) {
  const headers = { authorization: `Bearer ${tokens.public}` }
  const { body } = await createMockmaker({ scenario }).answer({ method: 'GET', path, query: '', headers })
  return JSON.parse(new TextDecoder().decode(body))
}
