import type { ExplainedCandidate } from '../../core/contract/journal.js'
import { grouped } from '../../core/lib/messages.js'
import type { RowMaps } from '../world/followed-world.js'
import { regionName } from '../world/lobby-rows.js'
import { kilometersText } from '../world/outcome.js'

// The words of the invitation, and the lobbies that it shows.

const numbers = ['no', 'one', 'two', 'three']

/** The rows of the invitation. */
const mostShown = 3

const away = ({ kilometers = 0 }: ExplainedCandidate) => kilometers

/** Returns the lobbies that the invitation shows, the nearest first. The winner, which comes first, is one of them. */
export function candidatesShown([winner, ...others]: readonly ExplainedCandidate[]): readonly ExplainedCandidate[] {
  if (!winner) return []
  const nearest = others.sort((one, other) => away(one) - away(other)).slice(0, mostShown - 1)
  return [winner, ...nearest].sort((one, other) => away(one) - away(other))
}

/** Asks where a find in a mode gets a seat. `fitting`: the lobbies with a free seat. */
export function question(
  mode: string,
  fitting: readonly ExplainedCandidate[],
  tables: Pick<RowMaps, 'regions'>,
): string {
  const [nearest] = candidatesShown(fitting)
  if (!nearest) return `No lobby of ${mode} has a free seat. A find makes one.`
  const count = numbers[fitting.length] ?? grouped(fitting.length)
  const lobbies = `${count} ${fitting.length === 1 ? 'lobby' : 'lobbies'} of ${mode} ${fitting.length === 1 ? 'has' : 'have'} a seat.`
  const which = fitting.length === 1 ? '' : ' Which one will you get?'
  const { kilometers, region_id } = nearest
  if (kilometers === undefined) return `${lobbies.charAt(0).toUpperCase()}${lobbies.slice(1)}${which}`
  return `You are ${kilometersText(kilometers)} from ${regionName(region_id, tables as RowMaps)}, and ${lobbies}${which}`
}
