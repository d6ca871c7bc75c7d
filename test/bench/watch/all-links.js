// @ts-check
import { atMost, ratio } from '../aim.js'
import { inEachCommit, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { scenarioOf, withFiles } from '../scenario.js'
import { onPort } from '../servers.js'
import { figure } from '../table.js'
import { blockingPath, linkPath } from './link.js'
import { cpuBeside, possible, probed, releaseAll, releaseRow } from './release.js'

const wanted = 10_000
const rounds = 3
const path = linkPath(0)
const own = new URL('links-server.js', import.meta.url)
const servers = () => [
  {
    name: 'bare node:http, a promise for each',
    program: new URL('../yardsticks/links-server.js', import.meta.url),
  },
  ...inEachCommit(own).map(({ commit, program }) => ({ name: `listen of mockmaker/express, ${commit}`, program })),
]

/**
 * Watches of as many device links, each blocked on its own, and one transaction that completes all of them.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureAllLinks() {
  return withFiles(async write => {
    const count = possible(wanted)
    const args = onPort(write('scenario.json', scenarioOf({ links: count })))
    const runs = await alternate(servers(), {
      rounds,
      run: server =>
        releaseAll({
          options: { ...server, args, path, nodeFlags: probed },
          count,
          pathOf,
          release: ({ release }) => release(),
        }),
    })
    const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures.map(withRest)) }))
    const [bare, ours, other] = results
    const rows = results.map(result => ({
      ...releaseRow(result, { count, bare }),
      'ms of writing': result.writtenMs,
      'ms after it': result.restMs,
    }))
    const links = `${count.toLocaleString('en')} watches of as many links, to bare node:http`
    const rest = `without the writing of ${figure(ours?.writtenMs ?? Number.NaN)} ms ${figure(ratio(ours?.restMs, bare?.deliveredMs) ?? Number.NaN)} ×`
    const aims = [
      atMost(`${links}: time`, {
        most: 2,
        value: ratio(ours?.deliveredMs, bare?.deliveredMs),
        beside: [rest, ...Object.values(cpuBeside(ours, bare))].join('; '),
      }),
      atMost(`${links}: heap each`, { most: 1.3, value: ratio(ours?.heap, bare?.heap) }),
      ...toOtherCommit(`${links}: CPU`, { ours: ours?.cpuMs, other: other?.cpuMs }),
    ]
    return {
      title: 'one transaction completes all links, each with one watch; a fresh server each time; medians',
      rows,
      aims,
    }
  })
}

/** All links of a world that has just begun have one index. @param {import('../server-process.js').ServerProcess} server */
async function pathOf(server) {
  const first = await blockingPath(server, 0)
  return (/** @type {number} */ link) => first.replace(path, linkPath(link))
}

/** @param {import('./release.js').Figures} figures */
function withRest(figures) {
  return { ...figures, restMs: figures.deliveredMs - figures.writtenMs }
}
