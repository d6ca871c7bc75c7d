// @ts-check
import { atLeast, atMost, ratio } from '../aim.js'
import { loadRow, loadText, measureLoad, speed } from '../http/load.js'
import { scenarioOf, tokens, withFiles } from '../scenario.js'
import { command, serving, withServers } from '../servers.js'
import { openDashboard, withBrowser } from './browser.js'

const lobbies = 20
const path = '/matchmaker/lobbies/list'

/**
 * The list of lobbies under load, with a dashboard open and without.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureWatchedList() {
  return withFiles(write =>
    withServers(async start => {
      const args = serving(write('scenario.json', scenarioOf({ lobbies })))
      const names = ['without a dashboard', 'with a dashboard open']
      const targets = []
      for (const name of names)
        targets.push({ name, server: await start({ name, program: command, args, path }), path, token: tokens.public })
      const results = await withBrowser(async browser => {
        await openDashboard(browser, targets[1]?.server.url ?? '')
        return measureLoad(targets)
      })
      const [alone, watched] = results
      return {
        title: `lobbies.list of ${lobbies} lobbies, with a dashboard open; ${loadText}`,
        rows: results.map(result => loadRow(result, { alone })),
        aims: [
          atLeast('with a dashboard open to without', { least: 0.9, ...speed(watched, alone) }),
          atMost('CPU of a request with a dashboard open to without', {
            most: 1.05,
            value: ratio(watched?.cpuUs, alone?.cpuUs),
          }),
        ],
      }
    }),
  )
}
