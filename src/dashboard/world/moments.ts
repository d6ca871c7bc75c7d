import type { ShortenedEntry } from '../../core/contract/journal.js'
import type { Change } from './followed-world.js'

// The moments between which the page travels. Requests and change sets of a world are counted together, so their numbers tell
// which was first.

/** The part of the history that the page knows. */
export interface KnownHistory {
  /** The oldest first. */
  readonly changes: readonly Change[]
  /** The oldest first. */
  readonly exchanges: readonly ShortenedEntry[]
  /** The oldest revision that the mock can show. */
  readonly oldest: number
  /** The revision that the page shows. The newest one is the present. */
  readonly revision: number
}

/** `now`: the present. */
export type Target = number | 'now'

/** Returns the revision before or after the one that the page shows. `undefined`: there is none. */
export function changeBeside({ changes, oldest, revision }: KnownHistory, direction: -1 | 1): Target | undefined {
  const newest = changes.at(-1)?.revision ?? oldest
  if (direction === 1) {
    if (revision >= newest) return undefined
    const next = changes.find(change => change.revision > revision)?.revision ?? newest
    return next === newest ? 'now' : next
  }
  if (revision <= oldest) return undefined
  // Before the first change that the page has, the oldest moment is the next one whose revision it knows.
  return Math.max(oldest, changes.findLast(change => change.revision < revision)?.revision ?? oldest)
}

/** Returns the revision of the world right after a request. */
export function revisionAfter(
  { id, revisions }: Pick<ShortenedEntry, 'id' | 'revisions'>,
  { changes, oldest }: Pick<KnownHistory, 'changes' | 'oldest'>,
): number {
  return revisions?.at(-1) ?? changes.findLast(({ revision }) => revision < id)?.revision ?? oldest
}

/** Returns the revision right after the request before or after the moment that the page shows. */
export function requestBeside(known: KnownHistory, direction: -1 | 1): Target | undefined {
  const { exchanges, changes, oldest, revision } = known
  const newest = changes.at(-1)?.revision ?? oldest
  if (direction === 1) {
    if (revision >= newest) return undefined
    const next = exchanges.find(entry => revisionAfter(entry, known) > revision)
    const target = next ? revisionAfter(next, known) : newest
    return target >= newest ? 'now' : target
  }
  const before = exchanges.findLast(entry => revisionAfter(entry, known) < revision)
  return before && Math.max(oldest, revisionAfter(before, known))
}
