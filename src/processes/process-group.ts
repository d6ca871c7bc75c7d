import { type ChildProcess, spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

// A process in a group of its own, with its children. It is started with `detached: !isWindows`.

export const isWindows = process.platform === 'win32'

/** A group of processes is checked at this interval, in ms. */
const pollMs = 25
/** The system has this time to end a killed group, in ms. */
const killedMs = 1_000

/** Asks a group to end, and kills it after a grace period, in ms. Resolves when it is gone. */
export async function endGroup(group: ChildProcess, graceMs: number): Promise<void> {
  signalGroup(group, 'SIGTERM')
  await untilGone(group, graceMs)
  signalGroup(group, 'SIGKILL')
  await untilGone(group, killedMs)
}

async function untilGone(child: ChildProcess, longestMs: number): Promise<void> {
  const until = performance.now() + longestMs
  while (isGroupAlive(child) && performance.now() < until) await delay(pollMs)
}

export function isGroupAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
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

export function signalGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
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
