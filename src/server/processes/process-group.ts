import { type ChildProcess, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { real } from '../../core/lib/real-globals.js'
import { processStat } from './process-stat.js'

// A process in a group of its own, with its children. It is started with `detached: !isWindows`.

export const isWindows = process.platform === 'win32'

/** The output of a process that has exited may arrive for this time, in ms. Its children may hold the pipe open. */
export const lateOutputMs = 200
const pollMs = 25
const killedMs = 1_000

/** Asks a group to end, and kills it after a grace period, in ms. Resolves when it is gone. */
export async function endGroup(group: ChildProcess, graceMs: number): Promise<void> {
  signalGroup(group, 'SIGTERM')
  await untilGone(group, graceMs)
  signalGroup(group, 'SIGKILL')
  await untilGone(group, killedMs)
}

async function untilGone(child: ChildProcess, longestMs: number): Promise<void> {
  const until = real.now() + longestMs
  while (isGroupAlive(child) && real.now() < until) await delay(pollMs)
}

export function isGroupAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined) return false
  // Windows has no groups.
  if (isWindows) return exitCode === null && signalCode === null
  try {
    process.kill(-pid, 0)
  } catch {
    return false
  }
  // A container often has no process that reaps orphans, and then a group keeps its dead ones for ever.
  const hasExited = exitCode !== null || signalCode !== null
  return !hasExited || process.platform !== 'linux' || isRunning(pid)
}

/** The groups that run are looked up again after this time, in ms. */
const lookupMs = 20

let lookup: { readonly at: number; readonly groups: ReadonlySet<number> } | undefined

function isRunning(group: number): boolean {
  const now = real.now()
  // A group may have begun after an earlier lookup.
  if (lookup && now - lookup.at < lookupMs && lookup.groups.has(group)) return true
  try {
    const all = readdirSync('/proc').map(name => (/^\d+$/.test(name) ? processStat(name) : undefined))
    lookup = { at: now, groups: new Set(all.flatMap(stat => (stat && !stat.isDead ? [stat.group] : []))) }
    return lookup.groups.has(group)
  } catch {
    return true
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
