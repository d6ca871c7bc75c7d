import { readFileSync } from 'node:fs'

export interface ProcessStat {
  /** True if it has ended, and its parent has not seen that yet. */
  readonly isDead: boolean
  readonly group: number
  /** When it started, in ticks of the system since its boot. */
  readonly started: string
}

/** Reads what Linux tells about a process. `undefined` if it is gone, or on another system. */
export function processStat(pid: number | string): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program stands in brackets, and may have any characters: `12 (a b) S 1 12 …`.
    const [state, , group, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { isDead: state === 'Z' || state === 'X', group: Number(group), started: fields[16] ?? '' }
  } catch {
    return undefined
  }
}
