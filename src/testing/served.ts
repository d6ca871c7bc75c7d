import * as z from 'zod'
import { parseInput } from '../core/lib/issues.js'
import { exactValue } from '../core/lib/json.js'
import { counted, quoted, UsageError } from '../core/lib/messages.js'
import { differingText } from '../core/pipeline/journal-mismatch.js'
import { compareJson } from '../core/pipeline/match.js'
import type { ServedLobby, ServedPlayer } from '../core/simulation/servers.js'

/** The calls that the game server of a lobby must have made. Keys that you leave out are not compared. Default: `ready: true`. */
export interface ServedExpectation {
  /** True if it has called ready. */
  readonly ready?: boolean | undefined
  /** The number of players that it has connected. */
  readonly connected?: number | undefined
  /** The number of players that it has disconnected. */
  readonly disconnected?: number | undefined
  /** True if it has closed the lobby, and not opened it again. */
  readonly closed?: boolean | undefined
  /** The number of its calls that were refused. */
  readonly refused?: number | undefined
  /** A part of the state that it has set. The state may have more keys, but no more list elements. */
  readonly state?: unknown
}

const count = z.int().min(0).optional()
const Expected = z.strictObject({
  ready: z.boolean().optional(),
  connected: count,
  disconnected: count,
  closed: z.boolean().optional(),
  refused: count,
  state: z.unknown().optional(),
}) satisfies z.ZodType<ServedExpectation>

/** Checks the arguments of `toHaveServed`. Throws `UsageError`. */
export function servedExpectationOf(lobbyId: unknown, expected: unknown = {}): ServedExpectation {
  if (typeof lobbyId !== 'string' || lobbyId === '')
    throw new UsageError(`toHaveServed: the lobby is ${quoted(lobbyId)}: expected the id of a lobby`)
  const given = parseInput(Expected, expected, 'toHaveServed')
  return Object.keys(given).length === 0 ? { ready: true } : given
}

/** Lists what differs, a sentence for each. Lines that begin with spaces belong to the sentence above. */
export function servedDifferences(served: ServedLobby, expected: ServedExpectation): string[] {
  const { ready, connected, disconnected, closed, refused, state } = expected
  const { players } = served
  const lines: string[] = []
  const isReady = served.ready_at !== undefined
  if (ready !== undefined && ready !== isReady)
    lines.push(isReady ? `it called ready at ${served.ready_at}` : 'it has not called ready')
  const count = (name: 'connected' | 'disconnected', wanted: number | undefined) => {
    if (wanted === undefined) return
    const found = players.filter(player => player[name])
    if (found.length === wanted) return
    const others = found.length < wanted ? players.filter(player => !player[name]) : found
    lines.push(`${name}: expected ${counted(wanted, 'player', 'players')}, and found ${found.length}`)
    lines.push(...storyLines(others))
    if (players.length < wanted)
      lines.push(`  only ${counted(players.length, 'player has', 'players have')} had a seat in the lobby`)
  }
  count('connected', connected)
  count('disconnected', disconnected)
  if (closed !== undefined && closed !== (served.closed ?? false))
    lines.push(
      closed
        ? `it has ${served.closed === false ? 'opened the lobby again' : 'not closed the lobby'}`
        : 'it has closed the lobby',
    )
  if (refused !== undefined && refused !== served.refused.length) {
    lines.push(`refused: expected ${counted(refused, 'call', 'calls')}, and found ${served.refused.length}`)
    for (const { method, path, status, code, message } of served.refused)
      lines.push(`  ${method} ${path} → ${status} ${code}: ${message}`)
  }
  if (state !== undefined) {
    const [one] = compareJson('state', state, exactValue(served, 'state'))
    if (one)
      lines.push(`${one.field}: expected ${differingText(one, 'expected')}, and it is ${differingText(one, 'actual')}`)
  }
  return lines
}

export function servedText(served: ServedLobby, expected: ServedExpectation): string {
  const list = Object.entries(expected).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return `the server of lobby ${served.lobby_id} has served so: ${list.join(', ')}`
}

const mostShown = 10

function storyLines(players: readonly ServedPlayer[]): string[] {
  const lines = players.slice(0, mostShown).map(({ name, token, sentence }) => `  ${name} ${token}: ${sentence}`)
  const more = players.length - mostShown
  return more > 0 ? [...lines, `  … and ${counted(more, 'player', 'players')} more`] : lines
}
