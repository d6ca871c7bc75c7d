import type { ExplainedCandidate } from '../../core/contract/journal.js'
import { grouped } from '../../core/lib/messages.js'
import { regionName } from '../world/lobby-rows.js'
import { kilometersText, sentence } from '../world/outcome.js'

// The words of the invitation, and the lobbies that it shows.

const numbers: { readonly [count: number]: string } = { 2: 'two', 3: 'three' }

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
  tables: Parameters<typeof regionName>[1],
): string {
  const [nearest] = candidatesShown(fitting)
  if (!nearest) return `No lobby of ${mode} has a free seat. A find makes one.`
  const count = numbers[fitting.length] ?? grouped(fitting.length)
  const lobbies =
    fitting.length === 1
      ? `one lobby of ${mode} has a seat.`
      : `${count} lobbies of ${mode} have a seat. Which one will you get?`
  const { kilometers, region_id } = nearest
  if (kilometers === undefined) return sentence(lobbies)
  return `You are ${kilometersText(kilometers)} from ${regionName(region_id, tables)}, and ${lobbies}`
}
