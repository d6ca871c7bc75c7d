// @ts-check
import { atMost, ratio } from '../aim.js'
import { inEachCommit, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { scenarioOf, withFiles } from '../scenario.js'
import { command, onPort, serving } from '../servers.js'
import { blockingPath, blocksLong, completion, linkPath } from './link.js'
import { cpuBeside, possible, probed, releaseAll, releaseRow } from './release.js'

const sizes = [
  { count: 1, rounds: 5 },
  { count: 1_000, rounds: 5 },
  { count: 10_000, rounds: 3 },
]
/** From so many watches on a time is promised. */
const promised = 10_000
const link = 0
const path = linkPath(link)
const yardstick = {
  name: 'bare node:http, parked promises',
  program: new URL('../yardsticks/watch-server.js', import.meta.url),
  args: onPort(),
  path,
  nodeFlags: probed,
}

/**
 * Watches that are blocked on one device link and released at once by its completion, and the memory that each takes.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureOneLink() {
  return withFiles(async write => {
    const serve = serving(write('scenario.json', scenarioOf({ links: 1 })))
    const args = (/** @type {number} */ port) => blocksLong(serve(port))
    const commands = inEachCommit(command).map(({ commit, program }) => ({
      name: `the command, ${commit}`,
      program,
      args,
      path,
      nodeFlags: probed,
    }))
    const rows = []
    const aims = []
    for (const { count: wanted, rounds } of sizes) {
      const count = possible(wanted)
      const run = (/** @type {import('../server-process.js').ServerOptions} */ options) =>
        releaseAll({ options, count, pathOf, release })
      const runs = await alternate([yardstick, ...commands], { rounds, run })
      const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
      rows.push(...results.map(result => releaseRow(result, { count, bare: results[0] })))
      aims.push(...aimsOf(results, count))
    }
    return {
      title: 'one link is completed, and all its watches delivered; a fresh server each time; medians',
      rows,
      aims,
    }
  })
}

/** @param {import('../server-process.js').ServerProcess} server */
async function pathOf(server) {
  const blocking = await blockingPath(server, link)
  return () => blocking
}

/** @param {import('../server-process.js').ServerProcess} server */
async function release({ url }) {
  const { path, ...request } = completion(link)
  const response = await fetch(url + path, request)
  if (!response.ok) throw new Error(`the link was not completed: ${await response.text()}`)
  return 0
}

/**
 * Of few watches nothing is promised but their memory: their time is mostly that of the first POST of a fresh process.
 *
 * @param {readonly import('./release.js').Result[]} results
 * @param {number} count
 */
function aimsOf([bare, ours, other], count) {
  if (count === 1) return []
  const watches = `${count.toLocaleString('en')} watches of one link, to bare node:http`
  const heap = atMost(`${watches}: heap each`, { most: 1.3, value: ratio(ours?.heap, bare?.heap) })
  if (count < promised) return [heap]
  return [
    atMost(`${watches}: time`, {
      most: 1.5,
      value: ratio(ours?.deliveredMs, bare?.deliveredMs),
      ...cpuBeside(ours, bare),
    }),
    heap,
    ...toOtherCommit(`${watches}: CPU`, { ours: ours?.cpuMs, other: other?.cpuMs }),
  ]
}
