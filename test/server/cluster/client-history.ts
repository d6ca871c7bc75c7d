// Checks what the clients of several replicas saw, as one history: a world must look as if one process ran it.

/** A call of a client: when it began and ended, in one order of all calls. */
interface Timed {
  readonly world: string
  readonly began: number
  readonly ended: number
  /** `ok`: it was acknowledged. `refused`: it changed nothing. `unknown`: no answer, or one that says so. */
  readonly outcome: 'ok' | 'refused' | 'unknown'
}

/** A call, with what its answer said. */
export type ClientCall = Timed &
  (
    | { readonly kind: 'find'; readonly token?: string }
    | { readonly kind: 'leave'; readonly token: string }
    | { readonly kind: 'complete'; readonly link: string }
    | { readonly kind: 'watch'; readonly link: string; readonly index?: bigint; readonly isComplete?: boolean }
    | { readonly kind: 'list'; readonly seats?: readonly Seat[] }
    /** Without a seed, it was deleted: the next world of that id has a seed that no reset sets. */
    | { readonly kind: 'reset'; readonly seed?: number }
    | { readonly kind: 'seed'; readonly seed: number }
  )

export interface Seat {
  readonly token: string
  readonly lobby: string
}

type Of<Kind extends ClientCall['kind']> = Extract<ClientCall, { kind: Kind }>

/**
 * Returns a sentence for each contradiction: an acknowledged write that a later answer lacks, a seat that two calls got, a state
 * that is older than one seen before, a watch whose index went back, a change that a watch missed, or a reset that came undone.
 * `seatsPerLobby`: how many seats a lobby has.
 */
export function contradictions(calls: readonly ClientCall[], seatsPerLobby: number): string[] {
  const worlds = groupBy(calls, ({ world }) => world)
  return [...worlds].flatMap(([world, own]) =>
    [...seatProblems(own, seatsPerLobby), ...linkProblems(own), ...seedProblems(own)].map(text => `${world}: ${text}`),
  )
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

function ofKind<Kind extends ClientCall['kind']>(calls: readonly ClientCall[], kind: Kind): Of<Kind>[] {
  return calls.filter((call): call is Of<Kind> => call.kind === kind)
}

function* seatProblems(calls: readonly ClientCall[], seatsPerLobby: number): Generator<string> {
  const finds = ofKind(calls, 'find').filter(({ outcome }) => outcome !== 'refused')
  const taken = new Map<string, Of<'find'>>()
  for (const find of finds) {
    if (find.outcome !== 'ok' || find.token === undefined) continue
    if (taken.has(find.token)) yield `the seat ${find.token} was given twice`
    taken.set(find.token, find)
  }
  const leaves = groupBy(ofKind(calls, 'leave'), ({ token }) => token)
  /** When an answer showed a seat: the first end of such an answer. */
  const shownAt = new Map<string, number>()
  const lists = ofKind(calls, 'list').filter(({ outcome }) => outcome === 'ok')
  for (const list of lists.sort((a, b) => a.ended - b.ended))
    for (const { token } of list.seats ?? []) if (!shownAt.has(token)) shownAt.set(token, list.ended)
  for (const { began, ended, seats = [] } of lists) {
    const shown = new Set(seats.map(({ token }) => token))
    if (shown.size < seats.length) yield `an answer at ${ended} has a seat twice`
    for (const [lobby, own] of groupBy(seats, seat => seat.lobby))
      if (own.length > seatsPerLobby) yield `an answer at ${ended} has ${own.length} players in the lobby ${lobby}`
    const mayHaveLeft = (token: string) =>
      (leaves.get(token) ?? []).some(leave => leave.outcome !== 'refused' && leave.began < ended)
    for (const [token, find] of taken)
      if (find.ended < began && !shown.has(token) && !mayHaveLeft(token))
        yield `an answer of ${began} to ${ended} lacks the seat ${token}, acknowledged at ${find.ended}`
    for (const [token, at] of shownAt)
      if (at < began && !shown.has(token) && !mayHaveLeft(token))
        yield `an answer of ${began} to ${ended} lacks the seat ${token}, which an answer showed at ${at}`
    for (const token of shown) {
      const left = leaves.get(token)?.find(leave => leave.outcome === 'ok' && leave.ended < began)
      if (left) yield `an answer of ${began} to ${ended} shows the seat ${token}, left at ${left.ended}`
      const find = taken.get(token)
      if (find && find.began > ended)
        yield `an answer at ${ended} shows the seat ${token} before its find at ${find.began}`
    }
    const unasked = [...shown].filter(token => !taken.has(token)).length
    const lost = finds.filter(find => find.outcome === 'unknown' && find.began < ended).length
    if (unasked > lost) yield `an answer at ${ended} shows ${unasked} seats that nobody got, after ${lost} lost answers`
  }
}

function* linkProblems(calls: readonly ClientCall[]): Generator<string> {
  const links = groupBy(ofKind(calls, 'watch'), ({ link }) => link)
  const completions = ofKind(calls, 'complete').filter(({ outcome }) => outcome === 'ok')
  for (const [link, all] of links) {
    const watches = all.filter(({ outcome }) => outcome === 'ok')
    const completed = completions.find(call => call.link === link)
    for (const watch of watches) {
      const { began, index = 0n, isComplete = false } = watch
      if (completed && completed.ended < began && !isComplete)
        yield `a watch of ${link} at ${watch.ended} missed its completion at ${completed.ended}`
      const before = watches.filter(other => other.ended < began)
      if (before.some(other => (other.index ?? 0n) > index))
        yield `the index of ${link} went back to ${index} at ${watch.ended}`
      if (!isComplete && before.some(other => other.isComplete)) yield `${link} is open again at ${watch.ended}`
      const same = watches.find(other => other.index === index && (other.isComplete ?? false) !== isComplete)
      if (same) yield `${link} has two states with the index ${index}`
    }
    if (completions.filter(call => call.link === link).length > 1) yield `${link} was completed twice`
  }
}

function* seedProblems(calls: readonly ClientCall[]): Generator<string> {
  const resets = ofKind(calls, 'reset').filter(({ outcome }) => outcome !== 'refused')
  const isReplaced = (end: number, read: Of<'seed'>) =>
    resets.some(({ outcome, began, ended }) => outcome === 'ok' && began > end && ended < read.began)
  const known = new Set(resets.map(({ seed }) => seed))
  for (const read of ofKind(calls, 'seed')) {
    const { began, ended, seed } = read
    const at = `an answer of ${began} to ${ended} shows the seed ${seed}`
    const own = known.has(seed) ? seed : undefined
    // A reset without an answer may happen late.
    const ends = resets
      .filter(reset => reset.seed === own && reset.began < ended)
      .map(reset => (reset.outcome === 'ok' ? reset.ended : Number.POSITIVE_INFINITY))
    // The world began with another seed.
    if (own === undefined) ends.push(Number.NEGATIVE_INFINITY)
    if (ends.length === 0) yield `${at}, before its reset`
    else if (ends.every(end => isReplaced(end, read))) yield `${at}, though a later reset was acknowledged before`
  }
}
