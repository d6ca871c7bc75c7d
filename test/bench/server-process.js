// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onServerCore } from './machine.js'

/**
 * A server that is to be measured.
 *
 * @typedef {object} ServerOptions
 * @property {string} name
 * @property {URL} program The file that Node runs.
 * @property {(port: number) => readonly string[]} args
 * @property {string} path Where its first 200 comes from.
 * @property {readonly string[]} [nodeFlags] Default: none.
 *
 * @typedef {Awaited<ReturnType<typeof startServer>>} ServerProcess
 */

/** How long a server may take to its first 200, and an attempt to get it, in ms. */
const patienceMs = 20_000
const attemptMs = 2_000

/**
 * Starts a server on its own core and waits for its first 200. What it prints goes to a file: a pipe would have to be read
 * on the load's core, and a server that waits for its reader would be measured at the reader's speed.
 *
 * @param {ServerOptions} options
 */
export async function startServer({ name, program, args, path, nodeFlags = [] }) {
  const port = await freePort()
  const { file, args: words } = onServerCore([...nodeFlags, fileURLToPath(program), ...args(port)])
  const printed = join(tmpdir(), `mockmaker-bench-${process.pid}-${port}.log`)
  const stdout = openSync(printed, 'w')
  const startedAt = performance.now()
  const child = spawn(file, words, { stdio: ['ignore', stdout, 'inherit', 'ipc'] })
  closeSync(stdout)
  const exited = once(child, 'exit')
  const kill = () => {
    child.kill('SIGKILL')
    rmSync(printed, { force: true })
  }
  // A bench that fails leaves no server behind.
  process.once('exit', kill)
  const url = `http://127.0.0.1:${port}`
  const readyMs = await firstAnswer(`${url}${path}`, { child, startedAt }).catch(error => {
    throw new Error(`${name} did not answer: ${error.message}`)
  })
  /** One question at a time. @returns {Promise<any>} */
  const ask = async (/** @type {string} */ question) => {
    child.send(question)
    const [answer] = await once(child, 'message')
    return answer
  }
  return {
    name,
    url,
    port,
    /** From its spawn to its first 200. */
    readyMs,
    /** Processor time so far, in ms; where the system does not tell, `undefined`. */
    cpuMs: () => cpuMs(child.pid),
    /** Where the probe is loaded: how many requests have come. @returns {Promise<number>} */
    requests: () => ask('requests'),
    /** Where the probe is loaded. @returns {Promise<import('./probe.js').Memory>} */
    memory: () => ask('memory'),
    /** Where the program knows it: releases all that are blocked, and answers for how many ms it has written. @returns {Promise<number>} */
    release: () => ask('release'),
    /** Sends a signal. `end` still follows. @param {NodeJS.Signals} name */
    signal: name => void child.kill(name),
    async end() {
      process.off('exit', kill)
      child.kill('SIGTERM')
      await exited
      rmSync(printed)
    },
  }
}

/**
 * @param {string} url
 * @param {{ readonly child: import('node:child_process').ChildProcess, readonly startedAt: number }} server
 */
async function firstAnswer(url, { child, startedAt }) {
  for (;;) {
    const problem = await attempt(url)
    const ms = performance.now() - startedAt
    if (problem === undefined) return ms
    if (child.exitCode !== null || ms > patienceMs) throw new Error(problem)
    await sleep(1)
  }
}

/**
 * Why there is no 200, if there is none.
 *
 * @param {string} url
 * @returns {Promise<string | undefined>}
 */
function attempt(url) {
  return new Promise(resolve => {
    const request = get(url, { agent: false, timeout: attemptMs }, response => {
      response.resume()
      response.once('end', () => resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`))
    })
    request.once('timeout', () => request.destroy(new Error(`nothing came in ${attemptMs} ms`)))
    request.once('error', error => resolve(error.message))
  })
}

/** A port of this machine that nobody uses. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/** Ticks of /proc in a second: the same on all Linux systems that Node runs on. */
const ticksPerSecond = 100

/** @param {number | undefined} pid */
function cpuMs(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in brackets, may hold spaces; after it come the fields from the third on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
  } catch {
    return undefined
  }
}
