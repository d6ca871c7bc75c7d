import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Environment } from '../control/environment.js'
import { counted } from '../lib/text.js'
import { systemReason, UsageError } from '../lib/usage-error.js'
import type { LobbyPort } from '../store/columns.js'

/** The end of a process: its exit code, the signal that ended it, or the reason why it did not start. */
export interface Exit {
  readonly code?: number | undefined
  readonly signal?: string | undefined
  readonly error?: string | undefined
}

/** A process with its children. */
export interface ServerProcess {
  readonly pid: number | undefined
  /** Resolves when the command has exited and its output is read. */
  readonly exited: Promise<Exit>
  /** Resolves when its children have ended, too. */
  readonly gone: Promise<void>
  /** Asks it to end, and kills it after a grace period. */
  stop(): void
  /** Kills it and its children at once. */
  kill(): void
}

/** Starts a command of the shell. Calls `onLine` with each line of its output, within limits. */
export type StartProcess = (command: string, env: Environment, onLine: (line: string) => void) => ServerProcess

/** A process has this time to end after SIGTERM, in ms. */
const graceMs = 5_000
/** The output of a process that has exited may arrive for this time, in ms. Its children may hold the pipe open. */
const lateOutputMs = 200
/** A group of processes is checked at this interval, in ms. */
const pollMs = 25
/** The system has this time to end a killed group, in ms. */
const killedMs = 1_000

const isWindows = process.platform === 'win32'

/** Starts a process in a group of its own, so that signals reach its children. */
export const startProcess: StartProcess = (command, env, onLine) => {
  const child = spawn(command, {
    shell: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !isWindows,
    windowsHide: true,
  })
  if (child.pid !== undefined) watchdog.add(child.pid)
  const lines = new LineLimit(onLine)
  for (const stream of [child.stdout, child.stderr]) readLines(stream, lines)
  const exited = new Promise<Exit>(resolve => {
    child.once('error', error => resolve({ error: systemReason(error) }))
    child.once('exit', (code, signal) => {
      const end = () => resolve({ code: code ?? undefined, signal: signal ?? undefined })
      child.once('close', end)
      setTimeout(end, lateOutputMs)
    })
  })
  let stopped: Promise<void> | undefined
  const stopGroup = () => {
    stopped ??= endGroup(child)
    return stopped
  }
  const gone = exited.then(async () => {
    lines.end()
    // Children that outlive the command still hold its ports.
    if (isGroupAlive(child)) await stopGroup()
    if (child.pid !== undefined) watchdog.remove(child.pid)
  })
  return { pid: child.pid, exited, gone, stop: () => void stopGroup(), kill: () => signalGroup(child, 'SIGKILL') }
}

async function endGroup(group: ChildProcess): Promise<void> {
  signalGroup(group, 'SIGTERM')
  await untilGone(group, graceMs)
  signalGroup(group, 'SIGKILL')
  await untilGone(group, killedMs)
}

async function untilGone(child: ChildProcess, longestMs: number): Promise<void> {
  const until = performance.now() + longestMs
  while (isGroupAlive(child) && performance.now() < until) await delay(pollMs)
}

function isGroupAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined) return false
  // Windows has no groups.
  if (isWindows) return exitCode === null && signalCode === null
  try {
    process.kill(-pid, 0)
    return true
  } catch {
    return false
  }
}

function signalGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  if (isWindows) {
    spawnSync('taskkill', ['/pid', String(pid), '/T', ...(signal === 'SIGKILL' ? ['/F'] : [])], { windowsHide: true })
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // All of the group have ended.
  }
}

/**
 * Reads the groups that run from its input, as `+ 12` and `- 12`. Its input ends with the mock, in whatever way that ends. Then
 * it ends the groups that are left.
 */
const watchdogScript = `trap '' INT TERM HUP
groups=
while read -r sign group; do
  kept=
  for one in $groups; do [ "$one" = "$group" ] || kept="$kept $one"; done
  groups=$kept
  [ "$sign" = - ] || groups="$groups $group"
done
[ -n "$groups" ] || exit 0
for one in $groups; do kill -TERM "-$one"; done 2>/dev/null
sleep ${graceMs / 1000}
for one in $groups; do kill -KILL "-$one"; done 2>/dev/null`

/** Ends the game servers if the mock is killed. Windows has no such shell. */
class Watchdog {
  #shell: ChildProcess | undefined

  add(pid: number): void {
    if (isWindows) return
    if (!this.#shell) {
      this.#shell = spawn('/bin/sh', ['-c', watchdogScript], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
      // Without a shell, processes may outlive a killed mock.
      this.#shell.on('error', () => {}).unref()
      // The mock does not wait for it.
      ;(this.#shell.stdin as Socket | null)?.on('error', () => {}).unref()
    }
    this.#shell.stdin?.write(`+ ${pid}\n`)
  }

  remove(pid: number): void {
    this.#shell?.stdin?.write(`- ${pid}\n`)
  }
}

const watchdog = new Watchdog()

/** The longest shown line of a game server, in characters. */
const longestLine = 2_000
/** The most lines of a game server in a second. */
const linesPerSecond = 100

function readLines(stream: NodeJS.ReadableStream, lines: LineLimit): void {
  let rest = ''
  let isCut = false
  const end = () => {
    lines.add(isCut ? `${rest}…` : rest)
    rest = ''
    isCut = false
  }
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const [first = '', ...others] = text.split(/\r?\n/)
    const add = (part: string) => {
      if (rest.length + part.length > longestLine) isCut = true
      if (rest.length < longestLine) rest += part.slice(0, longestLine - rest.length)
    }
    add(first)
    for (const part of others) {
      end()
      add(part)
    }
  })
  stream.on('end', () => {
    if (rest !== '') end()
  })
}

/** Passes lines on, but only so many a second. Says how many it has dropped. */
class LineLimit {
  readonly #onLine: (line: string) => void
  #second = 0
  #count = 0
  #dropped = 0

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  add(line: string): void {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) {
      this.end()
      this.#second = second
      this.#count = 0
    }
    this.#count += 1
    if (this.#count > linesPerSecond) this.#dropped += 1
    else this.#onLine(line)
  }

  /** Says how many lines were dropped since the last one. */
  end(): void {
    const dropped = this.#dropped
    this.#dropped = 0
    if (dropped > 0) this.#onLine(`… ${counted(dropped, 'line', 'lines')} dropped`)
  }
}

/** The most attempts to find free ports. */
const maxAttempts = 50
/** The most ports of a range. */
const longestRange = 100

const withoutTls = { http: 'http', https: 'http', tcp: 'tcp', tcp_tls: 'tcp', udp: 'udp' } as const

/** Finds free ports of this machine. */
export type FindPorts = (wanted: readonly LobbyPort[]) => Promise<LobbyPort[]>

/**
 * Finds ports that are free for TCP and UDP, with the labels of other ports. No proxy ends TLS before them. Rejects with
 * `UsageError`.
 */
export const findPorts: FindPorts = async wanted => {
  const found: LobbyPort[] = []
  const isTaken = (port: number) =>
    found.some(({ target_port, port_range }) =>
      port_range ? port_range.min <= port && port <= port_range.max : target_port === port,
    )
  for (const { label, port_range, proxy_protocol } of wanted) {
    const count = port_range ? port_range.max - port_range.min + 1 : 1
    if (count > longestRange)
      throw new UsageError(`the range of ports "${label}" has ${count} ports: the mock finds at most ${longestRange}`)
    const min = await findFree(count, isTaken)
    found.push({
      label,
      ...(port_range ? { port_range: { min, max: min + count - 1 } } : { target_port: min }),
      proxy_protocol: withoutTls[proxy_protocol],
    })
  }
  return found
}

async function findFree(count: number, isTaken: (port: number) => boolean): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const first = await tcpPort(0)
    if (first === undefined) continue
    const all = Array.from({ length: count }, (_, i) => first + i)
    if (all.some(isTaken)) continue
    const free = await Promise.all(
      all.map(async port => (await tcpPort(port)) !== undefined && (await isUdpFree(port))),
    )
    if (free.every(Boolean)) return first
  }
  throw new UsageError(`this machine has no ${count === 1 ? 'free port' : `${count} free ports in a row`}`)
}

/** Listens on a port for a moment. 0 picks a free one. Returns `undefined` if it is taken. */
function tcpPort(port: number): Promise<number | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}

function isUdpFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createSocket('udp4')
    socket.once('error', () => {
      socket.close()
      resolve(false)
    })
    socket.bind(port, () => socket.close(() => resolve(true)))
  })
}
