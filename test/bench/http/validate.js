// @ts-check
import { atLeast } from '../aim.js'
import { gameId, scenarioOf, tokens, withFiles } from '../scenario.js'
import { command, onPort, serving, withServers } from '../servers.js'
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
      const ours = await start({ name: 'the command', program: command, args, path: ready })
      const target = { name: ours.name, server: ours, ...request }
      const file = write('answer.json', JSON.parse(await answerOf(target)))
      const name = 'bare node:http, JSON.parse and JSON.stringify'
      const bare = await start({ name, program: yardstick, args: onPort(file), path: ready })
      const results = await measureLoad([{ name, server: bare, ...request }, target])
      const [http, posted] = results
      return {
        title: `validateGameNamespace, POST of ${JSON.stringify(request.body).length} bytes; ${loadText}`,
        rows: results.map(result => loadRow(result, { 'node:http': http })),
        aims: [atLeast('a POST to the command, to bare node:http', { least: 0.7, ...speed(posted, http) })],
      }
    }),
  )
}
