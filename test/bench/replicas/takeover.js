// @ts-check

import { atMost } from '../aim.js'
import { answerOf } from '../http/load.js'
import { medians } from '../rounds.js'
import { scenarioOf, tokens, withFiles } from '../scenario.js'
import { command, withServers } from '../servers.js'
import { readyPath, sharing, withRedis } from './redis.js'

const rounds = 3
const worlds = 20
const path = '/matchmaker/lobbies/list'

/**
 * From a signal to the owner of some worlds until another replica has answered for all of them.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureTakeover() {
  const [killed, closed] = [await takeover('SIGKILL'), await takeover('SIGTERM')]
  const row = (/** @type {string} */ signal, /** @type {Takeover} */ { ms, worstMs }) => ({
    'the owner gets': signal,
    'ms until all answer': ms,
    'the longest': worstMs,
  })
  return {
    title: `${worlds} worlds lose their owner; medians of ${rounds} rounds`,
    rows: [row('SIGKILL', killed), row('SIGTERM', closed)],
    aims: [
      atMost('worlds answer again after kill -9', {
        most: 5,
        value: killed.worstMs / 1000,
        unit: 's',
        beside: 'the longest; a lease lasts 3 s',
      }),
      atMost('worlds answer again after SIGTERM', {
        most: 0.5,
        value: closed.worstMs / 1000,
        unit: 's',
        beside: 'the longest',
      }),
    ],
  }
}

/** @typedef {{ readonly ms: number, readonly worstMs: number }} Takeover */

/**
 * @param {'SIGKILL' | 'SIGTERM'} signal
 * @returns {Promise<Takeover>}
 */
async function takeover(signal) {
  const runs = []
  for (let round = 0; round < rounds; round++) runs.push({ ms: await takeoverOnce(signal) })
  return { ...medians(runs), worstMs: Math.max(...runs.map(({ ms }) => ms)) }
}

/** @param {'SIGKILL' | 'SIGTERM'} signal */
function takeoverOnce(signal) {
  return withRedis(url =>
    withFiles(write =>
      withServers(async start => {
        const args = sharing(write('scenario.json', scenarioOf({ lobbies: 20 })), { url, prefix: 'takeover' })
        const owner = await start({ name: 'the owner', program: command, args, path: readyPath })
        const next = await start({ name: 'the next owner', program: command, args, path: readyPath })
        for (const server of [owner, next]) await listAll(server)
        owner.signal(signal)
        const startedAt = performance.now()
        await listAll(next)
        return performance.now() - startedAt
      }),
    ),
  )
}

/**
 * Lists the lobbies of all worlds. Throws where an answer is an error.
 *
 * @param {import('../server-process.js').ServerProcess} server
 */
async function listAll(server) {
  const list = (/** @type {number} */ i) =>
    answerOf({ name: 'a list', server, path: `/w/world-${i}${path}`, token: tokens.public })
  await Promise.all(Array.from({ length: worlds }, (_, i) => list(i)))
}
