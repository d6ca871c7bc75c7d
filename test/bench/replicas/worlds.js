// @ts-check
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atMost, ratio } from '../aim.js'
import { crowdOf } from '../life/crowd.js'
import { alternate, medians } from '../rounds.js'
import { withFiles } from '../scenario.js'
import { command, withServers } from '../servers.js'
import { readyPath, sharing, withRedis } from './redis.js'

const replicas = 3
const worldsEach = 100
const rounds = 3
const secondsEach = 1
const warmUpSeconds = 2
const program = fileURLToPath(new URL('worlds-load.js', import.meta.url))

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {'list' | 'find'} kind
 * @property {number} [seconds] For each part.
 * @property {readonly import('../server-process.js').ServerProcess[]} servers The one at index `i` gets the requests for the `i`th part of the worlds.
 */

/**
 * Requests for many worlds: to three replicas, each of which owns a third of them, and to one replica that owns all.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureManyWorlds() {
  return withRedis(url =>
    withFiles(write =>
      withServers(async start => {
        const scenario = write('scenario.json', { ...crowdOf(20), clock: 'frozen' })
        const startReplica = (/** @type {string} */ prefix) =>
          start({ name: prefix, program: command, args: sharing(scenario, { url, prefix }), path: readyPath })
        const alone = await startReplica('alone')
        const three = []
        for (let i = 0; i < replicas; i++) three.push(await startReplica('three'))
        const one = three.map(() => alone)
        const subjects = /** @type {const} */ (['list', 'find']).flatMap(kind => [
          { name: `${kind}, one replica`, kind, servers: one },
          { name: `${kind}, ${replicas} replicas`, kind, servers: three },
        ])
        // The first requests create the worlds.
        for (const subject of subjects) await loadAll({ ...subject, seconds: warmUpSeconds })
        const runs = await alternate(subjects, { rounds, run: loadAll })
        const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
        const [list, lists, find, finds] = results
        const most = 1.1
        return {
          title: `${replicas * worldsEach} worlds in Redis; medians of ${rounds} rounds of ${replicas} × ${secondsEach} s`,
          rows: results.map(({ name, perSecond, cpuUs }) => ({
            server: name,
            'requests/s': perSecond,
            'CPU µs/request': cpuUs,
          })),
          aims: [
            atMost('CPU of a list by three replicas, to one', { most, value: ratio(lists?.cpuUs, list?.cpuUs) }),
            atMost('CPU of a find by three replicas, to one', { most, value: ratio(finds?.cpuUs, find?.cpuUs) }),
          ],
        }
      }),
    ),
  )
}

/**
 * Loads the parts of the worlds one after the other, so that the replicas do not compete for the core.
 *
 * @param {Subject} subject
 * @returns {Promise<{ readonly perSecond: number, readonly cpuUs: number }>}
 */
async function loadAll({ kind, servers, seconds = secondsEach }) {
  const before = cpuMs(servers)
  let requests = 0
  for (const [i, { url }] of servers.entries()) {
    const args = [program, url, String(i * worldsEach), String(worldsEach), String(seconds), kind]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    requests += Number(stdout)
  }
  return { perSecond: requests / seconds / servers.length, cpuUs: ((cpuMs(servers) - before) * 1000) / requests }
}

/**
 * The processor time of all.
 *
 * @param {Subject['servers']} servers
 */
function cpuMs(servers) {
  return [...new Set(servers)].reduce((sum, server) => sum + (server.cpuMs() ?? Number.NaN), 0)
}
