import { withoutServer } from '../store/lobby-rules.js'
import type { LiveWorld } from '../store/world.js'

/** A simulation that missed more than this does not catch up, in ms. */
const longestCatchUpMs = 3_600_000

/** The stop of a world that its storage has loaded. */
export interface Stop {
  /** The time of its newest change set, in ms of the world's clock. */
  readonly at: number
  /** The time that has passed since then, in ms of the world's clock. */
  readonly missedMs: number
}

/** Lets a world go on that was not in memory. A simulation that missed more than an hour goes on where it stopped. */
export function resumeWorld(world: LiveWorld, { at, missedMs }: Stop): void {
  const { tables } = world
  const served = [...tables.lobbies.state.entriesByRank('served')]
  const shiftsPlayers = missedMs > longestCatchUpMs && tables.simulations.state.size > 0
  if (served.length === 0 && !shiftsPlayers) return
  const resume = () => {
    for (const { entry } of served) tables.lobbies.put(withoutServer(entry.row))
    if (shiftsPlayers) shiftSimulation(world, missedMs)
  }
  world.write(resume, { cause: { kind: 'restart' }, at })
}

const playerTimes = ['connects_at', 'expires_at', 'leaves_at', 'removes_at']

/** Moves the jobs of simulated players, so that they are as far ahead as before the stop. */
function shiftSimulation({ tables: { players, simulations } }: LiveWorld, ms: number): void {
  const shifted = <Row extends object>(row: Row, names: readonly string[]): Row => {
    const times = Object.entries(row).filter(([name, value]) => names.includes(name) && typeof value === 'number')
    return Object.freeze({ ...row, ...Object.fromEntries(times.map(([name, at]) => [name, at + ms])) })
  }
  for (const simulation of simulations.state.all()) simulations.put(shifted(simulation, ['began_at', 'next_step_at']))
  for (const player of players.state.all())
    if (player.session_ms !== undefined) players.put(shifted(player, playerTimes))
}
