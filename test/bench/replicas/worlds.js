// @ts-check
import autocannon from 'autocannon'
import { atMost } from '../aim.js'
import { crowdOf, seatBody, seatPath } from '../life/crowd.js'
import { alternate, medians } from '../rounds.js'
import { tokens, withFiles } from '../scenario.js'
import { command, withServers } from '../servers.js'
import { readyPath, sharing, withRedis } from './redis.js'

const replicas = 3
const worldsEach = 100
const rounds = 5
const connections = 50
/** The number of requests to each part of the worlds: each connection asks each world once. */
const requestsEach = connections * worldsEach
const warmUpRounds = 1

const kinds = /** @type {const} */ ({
  list: { method: 'GET', path: '/matchmaker/lobbies/list' },
  find: { method: 'POST', path: seatPath, body: JSON.stringify(seatBody) },
})
const headers = { authorization: `Bearer ${tokens.public}`, 'content-type': 'application/json' }

/**
 * @typedef {import('../server-process.js').ServerProcess} Server
 * @typedef {keyof typeof kinds} Kind
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
        const compare = (/** @type {Kind} */ kind) => comparison(kind, { alone, three })
        const subjects = /** @type {Kind[]} */ (Object.keys(kinds))
        // The first requests create the worlds.
        await alternate(subjects, { rounds: warmUpRounds, run: compare })
        const runs = await alternate(subjects, { rounds, run: compare })
        const results = [...runs].map(([kind, figures]) => ({ kind, ...medians(figures) }))
        return {
          title: `${replicas * worldsEach} worlds in Redis, ${replicas * requestsEach} requests a round; medians of ${rounds} rounds`,
          rows: results.map(({ kind, oneUs, threeUs, ratio }) => ({
            'CPU µs/request': kind,
            'one replica': oneUs,
            'three replicas': threeUs,
            ratio,
          })),
          aims: results.map(({ kind, ratio }) =>
            atMost(`CPU of a ${kind} by three replicas, to one`, { most: 1.1, value: ratio }),
          ),
        }
      }),
    ),
  )
}

/**
 * The processor time of a request: the replicas' own, without load, Redis and the creation of worlds. The parts come one after the
 * other, so that the replicas do not compete for the core, but those without requests renew their leases meanwhile. One replica and
 * three take turns at each part: a machine that slows down for a second slows down both.
 *
 * @param {Kind} kind
 * @param {{ readonly alone: Server, readonly three: readonly Server[] }} servers
 */
async function comparison(kind, { alone, three }) {
  let [oneUs, threeUs] = [0, 0]
  for (const [part, owner] of three.entries()) {
    oneUs += (await cpuUs([alone], () => load(alone, part, kind))) / three.length
    threeUs += (await cpuUs(three, () => load(owner, part, kind))) / three.length
  }
  return { oneUs, threeUs, ratio: threeUs / oneUs }
}

/**
 * @param {readonly Server[]} servers
 * @param {() => Promise<void>} work
 */
async function cpuUs(servers, work) {
  const cpuMs = () => servers.reduce((sum, server) => sum + (server.cpuMs() ?? Number.NaN), 0)
  const before = cpuMs()
  await work()
  return ((cpuMs() - before) * 1000) / requestsEach
}

/**
 * Asks the worlds of a part in turn. Throws where an answer is an error.
 *
 * @param {Server} server
 * @param {number} part
 * @param {Kind} kind
 */
async function load({ url }, part, kind) {
  const call = kinds[kind]
  const requests = Array.from({ length: worldsEach }, (_, i) => ({
    ...call,
    headers,
    path: `/w/world-${part * worldsEach + i}${call.path}`,
  }))
  const { non2xx, errors } = await autocannon({ url, connections, amount: requestsEach, requests })
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} answers are no 2xx, ${errors} errors`)
}
