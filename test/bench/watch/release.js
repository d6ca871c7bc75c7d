// @ts-check
import { setTimeout as sleep } from 'node:timers/promises'
import { ratio } from '../aim.js'
import { openFilesLimit } from '../machine.js'
import { startServer } from '../server-process.js'
import { figure } from '../table.js'
import { openWatchers } from './watchers.js'

/** Files that a process has open besides its sockets. */
const otherFiles = 200

/** What makes a server tell of its requests and its memory. */
export const probed = ['--expose-gc', '--import', new URL('../probe.js', import.meta.url).href]

/** Fewer connections than this take less memory than the noise. */
const weighable = 100

/**
 * Connections that block on a server, and what releases all of them.
 *
 * @typedef {object} Blocking
 * @property {import('../server-process.js').ServerOptions} options
 * @property {number} count
 * @property {(server: import('../server-process.js').ServerProcess) => Promise<(index: number) => string>} pathOf Where each connection blocks.
 * @property {(server: import('../server-process.js').ServerProcess) => Promise<number>} release Answers for how many ms it has written.
 *
 * @typedef {object} Figures
 * @property {number} deliveredMs From the release to the last byte of the last answer.
 * @property {number} writtenMs What of it was writing.
 * @property {number} [cpuMs]
 * @property {number} heap Bytes for each connection.
 * @property {number} resident
 *
 * @typedef {Figures & { readonly name: string }} Result
 */

/**
 * As many connections as a process of this machine may have.
 *
 * @param {number} count
 */
export const possible = count => Math.min(count, openFilesLimit() - otherFiles)

/**
 * Starts a server, blocks connections on it, releases them, and ends it. Throws where one is not told of the completion.
 *
 * @param {Blocking} blocking
 * @returns {Promise<Figures>}
 */
export async function releaseAll({ options, count, pathOf, release }) {
  const server = await startServer(options)
  try {
    const path = await pathOf(server)
    const idle = await server.memory()
    const { answers, close } = await block(server, { count, path })
    const blocked = await server.memory()
    const cpuBefore = server.cpuMs() ?? Number.NaN
    const releasedAt = performance.now()
    const writing = release(server)
    const delivered = await answers
    const deliveredMs = performance.now() - releasedAt
    const writtenMs = await writing
    const cpuMs = (server.cpuMs() ?? Number.NaN) - cpuBefore
    close()
    if (!delivered.every(isComplete)) throw new Error(`${options.name}: a watch was not told of the completion`)
    const each = (/** @type {'heap' | 'resident'} */ kind) => (blocked[kind] - idle[kind]) / count
    return { deliveredMs, writtenMs, cpuMs, heap: each('heap'), resident: each('resident') }
  } finally {
    await server.end()
  }
}

/**
 * Opens connections that block on a server, and waits until all of them do: a watch is blocked in the tick in which it comes.
 *
 * @param {import('../server-process.js').ServerProcess} server
 * @param {{ readonly count: number, path(index: number): string }} watches
 */
export async function block(server, { count, path }) {
  const before = await server.requests()
  const arrived = async (/** @type {number} */ requests) => {
    while ((await server.requests()) < before + requests) await sleep(1)
  }
  return openWatchers({ port: server.port, path, count, arrived })
}

/**
 * The columns of a result.
 *
 * @param {Result} result
 * @param {{ readonly count: number, readonly bare: Result | undefined }} among
 */
export function releaseRow({ name, deliveredMs, cpuMs, heap, resident }, { count, bare }) {
  const isWeighable = count >= weighable
  return {
    server: name,
    watches: count.toLocaleString('en'),
    'ms to the last': deliveredMs,
    '× bare': ratio(deliveredMs, bare?.deliveredMs),
    'CPU ms': cpuMs,
    'heap KB each': isWeighable ? heap / 1024 : undefined,
    'heap × bare': isWeighable ? ratio(heap, bare?.heap) : undefined,
    'RSS KB each': isWeighable ? resident / 1024 : undefined,
  }
}

/**
 * What to say beside a ratio of times: on a busy machine, that of the processor times is the one to trust.
 *
 * @param {Result | undefined} ours
 * @param {Result | undefined} bare
 */
export function cpuBeside(ours, bare) {
  const cpu = ratio(ours?.cpuMs, bare?.cpuMs)
  return cpu === undefined ? {} : { beside: `CPU ${figure(cpu)} ×` }
}

/** @param {string} answer */
export function isComplete(answer) {
  return answer.startsWith('HTTP/1.1 200 ') && answer.includes('"cloud_token":"cloud.')
}
