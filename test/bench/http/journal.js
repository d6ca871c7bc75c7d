// @ts-check
import { atLeast } from '../aim.js'
import { scenarioOf, tokens, withFiles } from '../scenario.js'
import { command, serving, withServers } from '../servers.js'
import { loadRow, loadText, measureLoad, speed } from './load.js'

const lobbies = 20
const path = '/matchmaker/lobbies/list'
/** What the journal, and the look-up of a world, may leave of the speed. */
const least = 0.95

/**
 * The list with a journal and without one, and from a world that its path names.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureJournal() {
  return withFiles(write =>
    withServers(async start => {
      const scenario = write('scenario.json', scenarioOf({ lobbies }))
      const argsWith =
        (/** @type {readonly string[]} */ ...flags) =>
        (/** @type {number} */ port) => [...serving(scenario)(port), ...flags]
      const servers = [
        { name: 'the command without a journal', args: argsWith('--journal', '0'), path },
        { name: 'the command', args: argsWith(), path },
        { name: 'the command, a world by its path', args: argsWith(), path: `/w/bench${path}` },
      ]
      const targets = []
      for (const { name, args, path } of servers)
        targets.push({ name, server: await start({ name, program: command, args, path }), path, token: tokens.public })
      const results = await measureLoad(targets)
      const [without, ours, inWorld] = results
      return {
        title: `lobbies.list of ${lobbies} lobbies, with a journal and in a world; ${loadText}`,
        rows: results.map(result => loadRow(result, { 'no journal': without })),
        aims: [
          atLeast('with a journal to without', { least, ...speed(ours, without) }),
          atLeast('in a world by its path to the default one', { least, ...speed(inWorld, ours) }),
        ],
      }
    }),
  )
}
