// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { withFolder } from '../scenario.js'
import { freePort } from '../server-process.js'
import { serving } from '../servers.js'

/**
 * Starts a `redis-server` of this system that keeps each change in a file, and ends it when the function is over.
 *
 * @template T
 * @param {(url: string) => Promise<T>} use
 */
export function withRedis(use) {
  return withFolder(async folder => {
    const port = await freePort()
    const kept = ['--dir', folder, '--save', '', '--appendonly', 'yes']
    const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...kept], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
    const exited = once(child, 'exit')
    try {
      await Promise.race([untilReady(child.stdout), exited.then(([code]) => Promise.reject(failure(code)))])
      return await use(`redis://127.0.0.1:${port}`)
    } finally {
      process.off('exit', kill)
      kill()
      await exited
    }
  })
}

/** @param {number} code */
function failure(code) {
  return new Error(`redis-server ended with ${code}`)
}

/** @param {import('node:stream').Readable} output */
async function untilReady(output) {
  let printed = ''
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    printed += chunk
    if (printed.includes('Ready to accept connections')) break
  }
  output.resume()
}

/**
 * The arguments of a replica. Those with the same prefix share their worlds.
 *
 * @param {string} scenario A file.
 * @param {{ readonly url: string, readonly prefix: string }} redis
 */
export const sharing =
  (scenario, { url, prefix }) =>
  (/** @type {number} */ port) => [...serving(scenario)(port), '--data', url, '--data-prefix', `${prefix}:`]

/** Answers before a replica owns a world. */
export const readyPath = '/healthz'
