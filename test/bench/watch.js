// @ts-check
import { setTimeout as sleep } from 'node:timers/promises'
import { openFilesLimit } from './machine.js'
import { alternate, medians } from './rounds.js'
import { gameId, scenarioOf, tokens, withFiles } from './scenario.js'
import { startServer } from './server-process.js'
import { openWatchers } from './watchers.js'

/** Files that a process has open besides its sockets. */
const otherFiles = 200
const sizes = [
  { count: 1_000, rounds: 3 },
  { count: 10_000, rounds: 3 },
]
const path = `/cloud/devices/links?device_link_token=${tokens.link}`
const nodeFlags = ['--expose-gc', '--import', new URL('probe.js', import.meta.url).href]
const yardstick = {
  name: 'bare node:http, parked promises',
  program: new URL('yardsticks/watch-server.js', import.meta.url),
  args: (/** @type {number} */ port) => [String(port)],
  path,
  nodeFlags,
}

/**
 * Watches that are blocked on one device link and released at once by its completion, and the memory that each takes.
 *
 * @returns {Promise<import('./table.js').Table>}
 */
export function measureWatch() {
  return withFiles(async write => {
    const scenario = write('scenario.json', scenarioOf(0))
    const command = {
      name: 'the command',
      program: new URL('../../dist/cli.js', import.meta.url),
      // On a busy machine, 10,000 connections may take longer to open than a watch lasts by default.
      args: (/** @type {number} */ port) => [scenario, '--port', String(port), '--watch-timeout', '10m'],
      path,
      nodeFlags,
    }
    const rows = []
    for (const { count, rounds } of sizes) {
      const watchers = Math.min(count, openFilesLimit() - otherFiles)
      const runs = await alternate([yardstick, command], { rounds, run: server => releaseOnce(server, watchers) })
      rows.push(...rowsOf(runs, watchers))
    }
    return { title: 'watch: blocked on one link, released at once; a fresh server each time; medians', rows, aims: [] }
  })
}

/** @typedef {{ deliveredMs: number, cpuMs: number | undefined, heap: number, resident: number }} Figures Bytes are for each watch. */

/**
 * @param {import('./server-process.js').ServerOptions} options
 * @param {number} count
 * @returns {Promise<Figures>}
 */
async function releaseOnce(options, count) {
  const server = await startServer(options)
  try {
    const index = await indexOf(server.url)
    const idle = await server.memory()
    const before = await server.requests()
    const watchers = await openWatchers({
      port: server.port,
      path: `${path}&watch_index=${index}`,
      count,
      arrived: requests => untilArrived(server, before + requests),
    })
    const blocked = await server.memory()
    const cpuBefore = server.cpuMs()
    const releasedAt = performance.now()
    const completion = complete(server.url)
    const answers = await watchers.answers
    const deliveredMs = performance.now() - releasedAt
    await completion
    const cpuMs = difference(server.cpuMs(), cpuBefore)
    watchers.close()
    if (!answers.every(isComplete)) throw new Error(`${options.name}: a watch was not told of the completion`)
    const each = (/** @type {'heap' | 'resident'} */ kind) => (blocked[kind] - idle[kind]) / count
    return { deliveredMs, cpuMs, heap: each('heap'), resident: each('resident') }
  } finally {
    await server.end()
  }
}

/** @param {string} url */
async function indexOf(url) {
  const response = await fetch(`${url}${path}`)
  return (await response.json()).watch.index
}

/** @param {string} url */
async function complete(url) {
  const response = await fetch(`${url}/cloud/devices/links/complete`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.cloud}` },
    body: JSON.stringify({ device_link_token: tokens.link, game_id: gameId }),
  })
  if (!response.ok) throw new Error(`the link was not completed: ${await response.text()}`)
}

/**
 * Waits until so many requests have come to the server: a watch is blocked in the tick in which it comes.
 *
 * @param {import('./server-process.js').ServerProcess} server
 * @param {number} requests
 */
async function untilArrived(server, requests) {
  while ((await server.requests()) < requests) await sleep(1)
}

/** @param {string} answer */
function isComplete(answer) {
  return answer.startsWith('HTTP/1.1 200 ') && answer.includes('"cloud_token":"cloud.')
}

/**
 * @param {number | undefined} after
 * @param {number | undefined} before
 */
function difference(after, before) {
  return after === undefined || before === undefined ? undefined : after - before
}

/**
 * @param {Map<import('./server-process.js').ServerOptions, Figures[]>} runs
 * @param {number} watchers
 */
function rowsOf(runs, watchers) {
  const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
  const bare = results[0]?.deliveredMs ?? 0
  return results.map(({ name, deliveredMs, cpuMs, heap, resident }) => ({
    server: name,
    watches: watchers.toLocaleString('en'),
    'ms until all are delivered': deliveredMs,
    'to bare': deliveredMs / bare,
    'server CPU ms': cpuMs,
    'heap KB each': heap / 1024,
    'resident KB each': resident / 1024,
  }))
}
