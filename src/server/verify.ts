import type { ExchangePattern, Expectation, JournalEntry } from '../contract/journal.js'
import { matchesGlob } from '../lib/glob.js'
import type { ReadTables } from '../store/table.js'
import { type Comparable, type Difference, differences } from './differences.js'
import { gameNamesOf, namespaceNamesOf, type Owner } from './owner.js'
import { routes } from './routes.js'

/** Whether the journal is as expected and, where it is not, why, and what came nearest. */
export interface Verification {
  readonly ok: boolean
  /** How many exchanges are such as are expected; of an order, how many of its steps were found. */
  readonly matched: number
  /** Absent where it is as expected. */
  readonly reason?: string
  /** The exchanges that differ least from what was not found, and in what; none where it is as expected. */
  readonly nearest: readonly Near[]
}

/** An exchange that came near, and in what it differs. */
export interface Near {
  readonly exchange: JournalEntry
  readonly differs: readonly Difference[]
}

/** How many differences of an exchange are looked for. With so many, it did not come near. */
const mostDifferences = 100

/** How many come near. */
const shown = 3

/** What is compared: exchanges, the oldest first, and the tables that name whose they are. */
interface Compared {
  readonly entries: readonly JournalEntry[]
  readonly tables: ReadTables
  /** How many older exchanges are no longer kept. */
  readonly dropped: number
}

/** Compares exchanges with what is expected of them: how many there are, and then their order. */
export function verify(expectation: Expectation, compared: Compared): Verification {
  const verification = verifyKept(expectation, compared)
  const { reason } = verification
  if (reason === undefined || compared.dropped === 0) return verification
  const dropped = compared.dropped === 1 ? '1 older exchange is' : `${compared.dropped} older exchanges are`
  return { ...verification, reason: `${reason}; ${dropped} no longer kept` }
}

function verifyKept(expectation: Expectation, compared: Compared): Verification {
  const { operation, match, count, order } = expectation
  const isCounted = operation !== undefined || match !== undefined || count !== undefined || order === undefined
  const counted = isCounted ? verifyCount(expectation, compared) : undefined
  if (counted?.ok === false || order === undefined) return counted ?? verifyOrder([], compared)
  return verifyOrder(order, compared)
}

function verifyCount({ count = {}, ...pattern }: Expectation, { entries, tables }: Compared): Verification {
  const { max = Number.POSITIVE_INFINITY } = count
  const { min = count.max === undefined ? 1 : 0 } = count
  const near = entries.map(exchange => ({ exchange, differs: differencesOf(exchange, { pattern, tables }) }))
  const such = near.filter(({ differs }) => differs.length === 0)
  const matched = such.length
  if (matched < min) {
    const reason = `expected at least ${exchanges(min)} ${textOf(pattern)}, and found ${matched}`
    return { ok: false, matched, reason, nearest: nearestOf(near.filter(({ differs }) => differs.length > 0)) }
  }
  if (matched <= max) return { ok: true, matched, nearest: [] }
  const reason = `expected at most ${exchanges(max)} ${textOf(pattern)}, and found ${matched}`
  return { ok: false, matched, reason, nearest: nearestOf(such) }
}

function verifyOrder(steps: readonly ExchangePattern[], { entries, tables }: Compared): Verification {
  let after = 0
  let next = 0
  for (const [i, pattern] of steps.entries()) {
    // Each exchange is looked at for one step only: the entries are the oldest first.
    const found = entries.findIndex((entry, at) => at >= next && differencesOf(entry, { pattern, tables }).length === 0)
    if (found === -1) {
      const near = entries.map(exchange => {
        const differs = differencesOf(exchange, { pattern, tables })
        const early = { field: 'order', expected: `after exchange ${after}`, actual: `exchange ${exchange.id}` }
        return { exchange, differs: exchange.id > after ? differs : [...differs, early] }
      })
      const where = after === 0 ? '' : ` after exchange ${after}`
      const reason = `expected an exchange ${textOf(pattern)}${where}, as step ${i + 1} of ${steps.length}, and found none`
      return { ok: false, matched: i, reason, nearest: nearestOf(near) }
    }
    after = entries[found]?.id ?? after
    next = found + 1
  }
  return { ok: true, matched: steps.length, nearest: [] }
}

/** Those with the fewest differences; the newer ones of equals. */
function nearestOf(near: readonly Near[]): Near[] {
  return near
    .toReversed()
    .toSorted((one, other) => one.differs.length - other.differs.length)
    .slice(0, shown)
}

function exchanges(count: number): string {
  return count === 1 ? '1 exchange' : `${count} exchanges`
}

function textOf({ operation, match }: ExchangePattern): string {
  const of = operation === undefined ? 'of any operation' : `of ${operation}`
  return match === undefined ? of : `${of} that is ${JSON.stringify(match)}`
}

interface Wanted {
  readonly pattern: ExchangePattern
  readonly tables: ReadTables
}

/** All in which an exchange is not what a pattern says. */
function differencesOf(entry: JournalEntry, { pattern, tables }: Wanted): Difference[] {
  const { operation, match = {} } = pattern
  const { method, path, status, ...request } = match
  const found: (Difference | false)[] = [
    operation !== undefined &&
      !matchesGlob(entry.operation ?? '', operation) &&
      differing(entry, { field: 'operation', expected: operation }),
    method !== undefined && method !== entry.method && differing(entry, { field: 'method', expected: method }),
    path !== undefined && !matchesGlob(entry.path, path) && differing(entry, { field: 'path', expected: path }),
    status !== undefined && status !== entry.status && differing(entry, { field: 'status', expected: status }),
  ]
  const differs = found.filter(difference => difference !== false)
  for (const difference of differences(request, comparable(entry, tables))) {
    differs.push(difference)
    if (differs.length >= mostDifferences) break
  }
  return differs
}

interface Field {
  readonly field: 'operation' | 'method' | 'path' | 'status'
  readonly expected: unknown
}

function differing(entry: JournalEntry, { field, expected }: Field): Difference {
  const actual = entry[field]
  return { field, expected, ...(actual === undefined ? {} : { actual }) }
}

function comparable(entry: JournalEntry, tables: ReadTables): Comparable {
  const texts = (of: JournalEntry['query'], name: string) => (Object.hasOwn(of, name) ? [of[name] ?? []].flat() : [])
  const owner = ownerOf(entry)
  return {
    query: name => texts(entry.query, name),
    header: name => texts(entry.headers, name),
    body: entry.body ?? {},
    gameNames: gameNamesOf(owner, tables),
    namespaceNames: namespaceNamesOf(owner, tables),
  }
}

/** As of a request: by its path or, where that names no game, by who asked. */
function ownerOf({ operation, method, path, caller }: JournalEntry): Owner {
  // A snapshot may name an operation that its path is not.
  const isOurs = operation !== undefined && routes.at(method, path).length > 0
  const { game_id, namespace_id } = isOurs ? routes.find(method, path).params : {}
  if (game_id !== undefined) return { gameId: game_id, namespaceId: namespace_id }
  return { gameId: caller?.game_id, namespaceId: caller?.namespace_id }
}
