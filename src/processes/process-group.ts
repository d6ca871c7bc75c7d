import { type ChildProcess, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
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
  } catch {
    return false
  }
  // A container often has no process that reaps orphans, and then a group keeps its dead ones for ever.
  const hasExited = exitCode !== null || signalCode !== null
  return !hasExited || process.platform !== 'linux' || (runningGroups()?.has(pid) ?? true)
}

/** The groups on this machine are looked up again after this time, in ms. Many may end at once. */
const lookupMs = 20

let lookup: { readonly at: number; readonly groups: ReadonlySet<number> } | undefined

/** Returns the groups of Linux that have a process besides dead ones that nobody has reaped. `undefined` if it cannot tell. */
function runningGroups(): ReadonlySet<number> | undefined {
  const now = performance.now()
  if (lookup && now - lookup.at < lookupMs) return lookup.groups
  try {
    lookup = { at: now, groups: new Set(readdirSync('/proc').flatMap(runningGroupOf)) }
    return lookup.groups
  } catch {
    return undefined
  }
}

function runningGroupOf(name: string): number[] {
  if (!/^\d+$/.test(name)) return []
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
    // The name of the program stands in brackets, and may have any characters: `12 (a b) S 1 12 …`.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? [] : [Number(group)]
  } catch {
    return []
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
