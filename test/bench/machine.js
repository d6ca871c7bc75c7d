// @ts-check
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, platform, release, totalmem } from 'node:os'

const measured = ['express', 'msw', 'zod', '@mswjs/data', '@faker-js/faker', 'autocannon']
const root = new URL('../../', import.meta.url)

/** What pins a process to a core, on Linux. */
const pinner = 'taskset'
/** The cores of server and load, where there are two of them and something that pins; else nobody is pinned. */
const cores = hasPinner() && cpus().length >= 2 ? { server: 0, load: 1 } : undefined

/** Pins this process, and what it spawns from now on, to the load's core. */
export function pinToLoadCore() {
  if (cores) execFileSync(pinner, ['-acp', String(cores.load), String(process.pid)])
}

/**
 * A command line that runs Node on the server's core.
 *
 * @param {readonly string[]} args
 * @returns {{ readonly file: string, readonly args: string[] }}
 */
export function onServerCore(args) {
  if (!cores) return { file: process.execPath, args: [...args] }
  return { file: pinner, args: ['-c', String(cores.server), process.execPath, ...args] }
}

/** What the figures depend on. */
export function machine() {
  const [cpu] = cpus()
  const versions = measured.map(name => /** @type {const} */ ([name, versionOf(`node_modules/${name}/`)]))
  return {
    machine: `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${platform()} ${release()}`,
    node: process.version,
    packages: { mockmaker: versionOf(''), ...Object.fromEntries(versions) },
    cores: cores ? `server on core ${cores.server}, load on core ${cores.load}` : 'nobody is pinned to a core',
  }
}

/** How many processes have wanted a core in the last minute, this bench's own two among them. */
export function load() {
  const [minute = 0] = loadavg()
  return Math.round(minute * 100) / 100
}

/** How many files, sockets among them, a process may have open. */
export function openFilesLimit() {
  try {
    return Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' })) || Number.POSITIVE_INFINITY
  } catch {
    return 1_024
  }
}

/** @param {string} folder */
function versionOf(folder) {
  return String(JSON.parse(readFileSync(new URL(`${folder}package.json`, root), 'utf8')).version)
}

function hasPinner() {
  if (platform() !== 'linux') return false
  try {
    execFileSync(pinner, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
