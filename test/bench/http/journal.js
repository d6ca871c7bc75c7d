// @ts-check
import { atLeast } from '../aim.js'
import { medians } from '../rounds.js'
import { scenarioOf, tokens, withFiles } from '../scenario.js'
import { command, serving, withServers } from '../servers.js'
import { loadRow, loadText, measureLoad, speed } from './load.js'

const lobbies = 20
const path = '/matchmaker/lobbies/list'
const token = tokens.public
const subjects = [
  { name: 'the command without a journal', flags: ['--journal', '0'], path },
  { name: 'the command', flags: [], path },
  { name: 'the command, a world by its path', flags: [], path: `/w/bench${path}` },
]
/** Two processes of one program may differ by more than what is looked for here. */
const processes = 3
/** What the journal, and the look-up of a world, may leave of the speed. */
const least = 0.95

/**
 * The list with a journal and without one, and from a world that its path names.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureJournal() {
  /** @type {import('./load.js').Result[][]} */
  const runs = []
  while (runs.length < processes) runs.push(await measureOnce())
  const results = subjects.map(({ name }) => {
    const own = runs.flat().filter(result => result.name === name)
    return { ...medians(own), name }
  })
  const [without, ours, inWorld] = results
  return {
    title: `lobbies.list of ${lobbies} lobbies, with a journal and in a world; ${loadText}, of ${processes} processes`,
    rows: results.map(result => loadRow(result, { 'no journal': without })),
    aims: [
      atLeast('with a journal to without', { least, ...speed(ours, without) }),
      atLeast('in a world by its path to the default one', { least, ...speed(inWorld, ours) }),
    ],
  }
}

function measureOnce() {
  return withFiles(write =>
    withServers(async start => {
      const serves = serving(write('scenario.json', scenarioOf({ lobbies })))
      const targets = []
      for (const { name, flags, path } of subjects) {
        const args = (/** @type {number} */ port) => [...serves(port), ...flags]
        targets.push({ name, server: await start({ name, program: command, args, path }), path, token })
      }
      return measureLoad(targets)
    }),
  )
}
