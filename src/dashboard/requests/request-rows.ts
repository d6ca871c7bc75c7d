import type { ShortenedEntry } from '../../core/contract/journal.js'
import { isPlainRead } from '../../core/pipeline/outcome.js'

// Repeated requests are one row, so that the others stay in sight.

/** A row of the requests: one request, or several of the same operation, status and result. */
export interface RequestRow {
  /** Stays while more requests of the same kind come. */
  readonly key: string
  /** The newest one. */
  readonly entry: ShortenedEntry
  readonly entries: readonly ShortenedEntry[]
  /** True for a request that is listed by itself below the row of all. */
  readonly isPart?: true
}

/**
 * Folds requests, the newest first. Reads that succeed are one row for each operation, because clients poll. Others are one row
 * if they follow each other with the same operation, status and result. The requests of the rows in `unfolded` follow their row.
 */
export function foldRequests(
  entries: readonly ShortenedEntry[],
  { unfolded, resultOf }: { readonly unfolded: ReadonlySet<string>; resultOf(entry: ShortenedEntry): string },
): RequestRow[] {
  const rows: { kind: string; entries: ShortenedEntry[] }[] = []
  const reads = new Map<string, ShortenedEntry[]>()
  for (const entry of entries) {
    const isRead = isPlainRead(entry)
    const name = `${entry.operation ?? `${entry.method} ${entry.path}`} ${entry.status}`
    const known = isRead ? reads.get(name) : undefined
    if (known) {
      known.push(entry)
      continue
    }
    const kind = isRead ? name : `${name} ${resultOf(entry)}`
    const last = rows.at(-1)
    if (!isRead && last?.kind === kind) {
      last.entries.push(entry)
      continue
    }
    const row = { kind, entries: [entry] }
    rows.push(row)
    if (isRead) reads.set(name, row.entries)
  }
  return rows.flatMap(({ entries: all }) => {
    const [entry] = all as [ShortenedEntry] // a row begins with one
    const key = `${all.at(-1)?.id}`
    const row: RequestRow = { key, entry, entries: all }
    if (all.length === 1 || !unfolded.has(key)) return [row]
    return [
      row,
      ...all.map((one): RequestRow => ({ key: `${key} ${one.id}`, entry: one, entries: [one], isPart: true })),
    ]
  })
}
