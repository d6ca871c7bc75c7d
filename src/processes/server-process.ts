import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { type Environment, withoutSecrets } from '../control/environment.js'
import { systemReason } from '../lib/usage-error.js'
import { ServerOutput } from './server-output.js'
import { graceMs as defaultGraceMs, watchdog } from './watchdog.js'

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
  /** The newest lines of its output, the oldest first. */
  lastLines(): readonly string[]
  /** Resolves when its children have ended, too. */
  readonly gone: Promise<void>
  /** Asks it to end, and kills it after a grace period. */
  stop(): void
  /** Kills it and its children at once. */
  kill(): void
}

/**
 * Starts a command of the shell. Calls `onLine` with each line of its output, within limits. `graceMs` is the time between
 * SIGTERM and SIGKILL. Default: 5 s.
 */
export type StartProcess = (
  command: string,
  env: Environment,
  onLine: (line: string) => void,
  graceMs?: number,
) => ServerProcess

/** The output of a process that has exited may arrive for this time, in ms. Its children may hold the pipe open. */
const lateOutputMs = 200
/** A group of processes is checked at this interval, in ms. */
const pollMs = 25
/** The system has this time to end a killed group, in ms. */
const killedMs = 1_000

const isWindows = process.platform === 'win32'

/** Starts a process in a group of its own, so that signals reach its children. */
export const startProcess: StartProcess = (command, env, onLine, graceMs = defaultGraceMs) => {
  const child = spawn(command, {
    shell: true,
    env: { ...withoutSecrets(process.env), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !isWindows,
    windowsHide: true,
  })
  if (child.pid !== undefined) watchdog.add(-child.pid)
  const output = new ServerOutput([child.stdout, child.stderr], onLine)
  const exited = new Promise<Exit>(resolve => {
    child.once('error', error => resolve({ error: systemReason(error) }))
    child.once('exit', (code, signal) => {
      output.readRest()
      const end = () => resolve({ code: code ?? undefined, signal: signal ?? undefined })
      child.once('close', end)
      setTimeout(end, lateOutputMs)
    })
  })
  let stopped: Promise<void> | undefined
  const stopGroup = () => {
    stopped ??= endGroup(child, graceMs)
    return stopped
  }
  const gone = exited.then(async () => {
    output.end()
    // Children that outlive the command still hold its ports.
    if (isGroupAlive(child)) await stopGroup()
    if (child.pid !== undefined) watchdog.remove(-child.pid)
  })
  return {
    pid: child.pid,
    exited,
    gone,
    lastLines: () => output.lastLines,
    stop: () => void stopGroup(),
    kill: () => signalGroup(child, 'SIGKILL'),
  }
}

async function endGroup(group: ChildProcess, graceMs: number): Promise<void> {
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
