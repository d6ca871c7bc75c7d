// @ts-check
import { atLeast, atMost, ratio } from '../aim.js'
import { toOtherCommit } from '../program.js'
import { scenarioOf, tokens, withFiles } from '../scenario.js'
import { commandTargets, onPort, serving, withServers } from '../servers.js'
import { answerOf, loadRow, loadText, measureLoad, speed } from './load.js'

const lobbies = 20
const path = '/matchmaker/lobbies/list'
const request = { path, token: tokens.public }
const yardsticks = [
  { name: 'bare node:http, JSON.stringify', program: new URL('../yardsticks/http-server.js', import.meta.url) },
  { name: 'bare node:http, constant bytes', program: new URL('../yardsticks/constant-server.js', import.meta.url) },
  { name: 'bare Express, res.json', program: new URL('../yardsticks/express-server.js', import.meta.url) },
  {
    name: 'Express over MSW, getResponse',
    program: new URL('../yardsticks/msw-express-server.js', import.meta.url),
  },
]

/**
 * The list of lobbies, the same bytes from all: the command with its default flags, its log on, and bare servers.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureList() {
  return withFiles(write =>
    withServers(async start => {
      const scenario = write('scenario.json', scenarioOf({ lobbies }))
      const [ours, ...others] = await commandTargets(start, { args: serving(scenario), path }, request)
      const list = await answerOf(ours)
      const args = onPort(write('list.json', JSON.parse(list)))
      const targets = [ours]
      for (const { name, program } of yardsticks)
        targets.push({ name, server: await start({ name, program, args, path }), ...request })
      return tableOf(await measureLoad([...targets, ...others]), Buffer.byteLength(list))
    }),
  )
}

/**
 * @param {readonly import('./load.js').Result[]} results
 * @param {number} bytes
 * @returns {import('../table.js').Table}
 */
function tableOf(results, bytes) {
  const [ours, http, constant, express, , other] = results
  return {
    title: `lobbies.list, ${lobbies} lobbies, ${bytes} bytes; ${loadText}`,
    rows: results.map(result => loadRow(result, { 'node:http': http, constant, Express: express })),
    aims: [
      atLeast('the command to bare node:http', { least: 1.5, ...speed(ours, http) }),
      atMost('CPU of a request to the command, to node:http that writes constant bytes', {
        most: 1.3,
        value: ratio(ours?.cpuUs, constant?.cpuUs),
      }),
      atLeast('the command to bare Express', { least: 4, ...speed(ours, express) }),
      ...toOtherCommit('CPU of a request to the command', { ours: ours?.cpuUs, other: other?.cpuUs }),
    ],
  }
}
