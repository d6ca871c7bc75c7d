// @ts-check
import { atLeast } from '../aim.js'
import { toOtherCommit } from '../program.js'
import { gameId, scenarioOf, tokens, withFiles } from '../scenario.js'
import { commandTargets, onPort, serving, withServers } from '../servers.js'
import { answerOf, loadRow, loadText, measureLoad, speed } from './load.js'

const ready = '/matchmaker/lobbies/list'
const request = {
  path: `/cloud/games/${gameId}/namespaces/validate`,
  token: tokens.cloud,
  body: { display_name: 'Production', name_id: 'production' },
}
const yardstick = new URL('../yardsticks/post-server.js', import.meta.url)

/**
 * validateGameNamespace: a body of JSON is read, checked and answered, by the command and by bare node:http.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureValidate() {
  return withFiles(write =>
    withServers(async start => {
      const args = serving(write('scenario.json', scenarioOf({ lobbies: 1 })))
      const targets = await commandTargets(start, { args, path: ready }, request)
      const file = write('answer.json', JSON.parse(await answerOf(targets[0])))
      const name = 'bare node:http, JSON.parse and JSON.stringify'
      const bare = await start({ name, program: yardstick, args: onPort(file), path: ready })
      const results = await measureLoad([{ name, server: bare, ...request }, ...targets])
      const [http, posted, other] = results
      return {
        title: `validateGameNamespace, POST of ${JSON.stringify(request.body).length} bytes; ${loadText}`,
        rows: results.map(result => loadRow(result, { 'node:http': http })),
        aims: [
          atLeast('a POST to the command, to bare node:http', { least: 0.7, ...speed(posted, http) }),
          ...toOtherCommit('CPU of a POST to the command', { ours: posted?.cpuUs, other: other?.cpuUs }),
        ],
      }
    }),
  )
}
