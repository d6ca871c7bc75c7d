// @ts-check
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { cpus, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The command as it is installed. */
export const command = new URL('../../dist/cli.js', import.meta.url)
const yardsticks = new URL('yardsticks.js', import.meta.url)

const isPinned = platform() === 'linux' && cpus().length >= 2

/** Pins this process, and what it spawns from now on, to the second core. Servers get the first one. */
export function pinToLoadCore() {
  if (isPinned) execFileSync('taskset', ['-acp', '1', String(process.pid)])
}

/** @param {readonly string[]} args */
function onServerCore(args) {
  if (!isPinned) return { file: process.execPath, args }
  return { file: 'taskset', args: ['-c', '0', process.execPath, ...args] }
}

/**
 * Runs a program on the core of servers, and returns the JSON that it prints.
 *
 * @param {URL} program
 * @param {{ readonly args: readonly string[], readonly nodeFlags?: readonly string[] }} options
 * @returns {Promise<Record<string, number>>}
 */
export async function runProgram(program, { args: own, nodeFlags = [] }) {
  const { file, args } = onServerCore([...nodeFlags, fileURLToPath(program), ...own])
  const { stdout } = await promisify(execFile)(file, args)
  return JSON.parse(stdout)
}

/**
 * A server that is measured.
 *
 * @typedef {object} ServerOptions
 * @property {URL} program
 * @property {(port: number) => readonly string[]} args
 * @property {string} path Its first 200 comes from here.
 * @property {readonly string[]} [nodeFlags]
 *
 * @typedef {Awaited<ReturnType<typeof startServer>>} ServerProcess
 */

/** @param {readonly string[]} args */
export const serving =
  (...args) =>
  (/** @type {number} */ port) => [...args, '--port', String(port)]

/**
 * @param {string} kind
 * @param {readonly string[]} args
 */
export const yardstick = (kind, ...args) => ({
  program: yardsticks,
  args: (/** @type {number} */ port) => [kind, String(port), ...args],
})

/** How long a server may take to its first 200, in ms. */
const patienceMs = 20_000

/**
 * Starts a server, and waits for its first 200. Its output goes to a file: whoever reads a pipe would slow it down.
 *
 * @param {ServerOptions} options
 */
export async function startServer({ program, args, path, nodeFlags = [] }) {
  const port = await freePort()
  const { file, args: words } = onServerCore([...nodeFlags, fileURLToPath(program), ...args(port)])
  const printed = join(tmpdir(), `mockmaker-bench-${process.pid}-${port}.log`)
  const stdout = openSync(printed, 'w')
  const startedAt = performance.now()
  const child = spawn(file, words, { stdio: ['ignore', stdout, 'inherit', 'ipc'] })
  closeSync(stdout)
  const exited = once(child, 'exit')
  const kill = () => void child.kill('SIGKILL')
  // A bench that fails leaves no server behind.
  process.once('exit', kill)
  const url = `http://127.0.0.1:${port}`
  while ((await statusOf(url + path)) !== 200) {
    if (child.exitCode !== null || performance.now() - startedAt > patienceMs)
      throw new Error(`${words.join(' ')} does not answer`)
    await sleep(1)
  }
  return {
    url,
    port,
    /** From its spawn to its first 200. */
    readyMs: performance.now() - startedAt,
    /** Its processor time so far, in ms. NaN unless the system is Linux. */
    cpuMs: () => cpuMsOf(child.pid),
    /** With the probe: how many requests have come. */
    async requests() {
      child.send('requests')
      const [count] = await once(child, 'message')
      return Number(count)
    },
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
 * @returns {Promise<number | undefined>}
 */
function statusOf(url) {
  return new Promise(resolve => {
    get(url, { agent: false, timeout: 2_000 }, response => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
      .once('timeout', () => resolve(undefined))
      .once('error', () => resolve(undefined))
  })
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  server.close()
  await once(server, 'close')
  return port
}

/** @param {number | undefined} pid */
function cpuMsOf(pid) {
  if (platform() !== 'linux') return Number.NaN
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in brackets, may contain spaces. The fields from the third on follow it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // 100 ticks are a second.
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/**
 * Starts servers, and ends them when the function is over.
 *
 * @template T
 * @param {(start: typeof startServer) => Promise<T>} use
 */
export async function withServers(use) {
  /** @type {ServerProcess[]} */
  const started = []
  try {
    return await use(async options => {
      const server = await startServer(options)
      started.push(server)
      return server
    })
  } finally {
    await Promise.all(started.map(server => server.end()))
  }
}

/**
 * Makes a temporary folder, and removes it when the function is over. `write` writes JSON there, and returns the path.
 *
 * @template T
 * @param {(write: (name: string, value: unknown) => string, folder: string) => Promise<T>} use
 */
export async function withFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'mockmaker-bench-'))
  const write = (/** @type {string} */ name, /** @type {unknown} */ value) => {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(value))
    return file
  }
  try {
    return await use(write, folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
