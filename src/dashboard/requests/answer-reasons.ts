import type { AnswerReasons, ExplainedCandidate, JournalEntry } from '../../core/contract/journal.js'
import { counted, grouped } from '../../core/lib/messages.js'
import type { RowMaps } from '../world/followed-world.js'
import { regionName } from '../world/lobby-rows.js'
import { errorOf, fits, isChosen, outcomeOf, sentence } from '../world/outcome.js'

// The reasons of an answer in the words of the page: one sentence first.

/** The world that the page knows, for names. */
type Known = Parameters<typeof outcomeOf>[1] & { readonly tables: RowMaps }

/** Says in one sentence why a request got its answer. For a find it names the region that won, and the rule. */
export function reasonSentence(
  entry: JournalEntry,
  { because, candidates, outages = [] }: AnswerReasons,
  known: Known,
): string {
  if (entry.edited) return 'You changed this answer when you released the request.'
  if (entry.status === 0 || entry.status >= 400) {
    const { message } = errorOf(entry.answer)
    // The reason tells more than the message. It begins with the name of a game mode.
    const hasMore = entry.fault === undefined && message && because[0] && because[0] !== message
    return hasMore ? `${because[0]}.` : outcomeOf(entry, known)
  }
  if (candidates) return outageSentence(outages, known) + findSentence(entry, candidates, known)
  return sentence(because[0] ?? '')
}

/** Begins the sentence of a find whose regions were not all up. */
function outageSentence(outages: readonly string[], { tables }: Known): string {
  const [first] = outages
  if (first === undefined) return ''
  return `${outages.length === 1 ? `${regionName(first, tables)} is` : `${grouped(outages.length)} regions are`} down. `
}

function findSentence({ answer }: JournalEntry, candidates: readonly ExplainedCandidate[], { tables }: Known): string {
  const nameOf = ({ region_id }: Pick<ExplainedCandidate, 'region_id'>) => regionName(region_id, tables)
  const winner = candidates.find(isChosen)
  if (!winner) {
    const region_id = Object(Object(Object(answer).lobby).region).region_id
    const place = typeof region_id === 'string' ? ` in ${nameOf({ region_id })}` : ''
    return `No lobby had a free seat that fits, so the find made one${place}.`
  }
  const name = nameOf(winner)
  const second = candidates.find(one => one !== winner && fits(one))
  if (!second) return `${name} won: no other lobby had a free seat that fits.`
  const { kilometers = 0 } = winner
  const nearer = candidates
    .filter(one => fits(one) && (one.kilometers ?? kilometers) < kilometers && one.region_id !== winner.region_id)
    .sort((one, other) => (one.kilometers ?? 0) - (other.kilometers ?? 0))[0]
  if (!nearer && second.lost_by === 'distance') return `${name} won: of the fullest lobbies, a find takes the nearest.`
  if (!nearer && second.lost_by !== 'seats')
    return `${name} won: of lobbies that are as full and as near, a find takes the first.`
  const although = nearer ? ` although ${nameOf(nearer)} is nearer` : ''
  const max = tables.lobbies.get(winner.lobby_id)?.max_players_normal
  const seats =
    max === undefined
      ? counted(winner.free_seats, 'free seat', 'free seats')
      : `${grouped(max - winner.free_seats)} of ${grouped(max)} seats taken`
  return `${name} won${although}: a find takes the fullest lobby that fits, and this one had ${seats}.`
}

/** Returns the regions that the map frames: that of the winner, and the nearest that lost. Without a winner, all. */
export function framedRegions(candidates: readonly ExplainedCandidate[]): readonly string[] {
  const winner = candidates.find(isChosen)
  const away = ({ kilometers = 0 }: ExplainedCandidate) => kilometers
  const [nearest] = candidates
    .filter(one => fits(one) && one.region_id !== winner?.region_id)
    .sort((one, other) => away(one) - away(other))
  if (winner) return [winner, ...(nearest ? [nearest] : [])].map(({ region_id }) => region_id)
  return [...new Set(candidates.map(({ region_id }) => region_id))]
}

const reasonWords: { readonly [key in NonNullable<ExplainedCandidate['lost_by']>]: string } = {
  stopped: 'stopped',
  closed: 'closed',
  private: 'private',
  full: 'full',
  tags: 'without the tags',
  max_players: 'of another size',
  server: 'with a real server',
  no_server: 'without a server',
  seats: 'emptier',
  distance: 'farther away',
  order: 'newer',
}

function shortReason({ lost_by, because = 'chosen' }: ExplainedCandidate): string {
  return lost_by === undefined ? because : reasonWords[lost_by]
}

/** Says why a lobby lost, in a few words. `winner` is the first of the list if one won. */
export function loserWords(one: ExplainedCandidate, [winner]: readonly ExplainedCandidate[]): string {
  const more = one.free_seats - (winner?.free_seats ?? 0)
  return one.lost_by === 'seats' ? counted(more, 'player fewer', 'players fewer') : shortReason(one)
}

/** The lobbies that are listed by themselves. */
const mostListed = 5

/**
 * Divides the compared lobbies into those that are listed, and a line for the others: `2 emptier, 8 closed`. Those that
 * lost for the same reason are one part of the line.
 */
export function foldCandidates(candidates: readonly ExplainedCandidate[]): {
  readonly listed: readonly ExplainedCandidate[]
  readonly others: string
} {
  const counts = new Map<string, number>()
  const isListed = (one: ExplainedCandidate, i: number) =>
    i < mostListed && (candidates.length < mostListed || fits(one))
  for (const one of candidates.filter((candidate, i) => !isListed(candidate, i)))
    counts.set(shortReason(one), (counts.get(shortReason(one)) ?? 0) + 1)
  return {
    listed: candidates.filter(isListed),
    others: [...counts].map(([reason, count]) => `${grouped(count)} ${reason}`).join(', '),
  }
}
