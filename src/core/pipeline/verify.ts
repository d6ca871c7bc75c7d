import type { ExchangeMatch, Expectation, JournalEntry, RequestPattern } from '../contract/journal.js'
import { exactValue, writeJson } from '../lib/json.js'
import { counted, matchesGlob, shortened } from '../lib/messages.js'
import type { ReadTables } from '../store/table-calls.js'
import { type Difference, difference, findDifferences, type MatchableRequest, type RequestOwner } from './match.js'
import { requestText } from './request-text.js'
import { routes } from './routes.js'

/** The result of comparing the journal with an expectation. If it differs, `reason` and `nearest` tell why. */
export interface Verification {
  readonly ok: boolean
  /** The number of exchanges that match. For an order: of its steps that were found. */
  readonly matched: number
  /** Absent if the journal is as expected. */
  readonly reason?: string
  /** The exchanges that differ least from what was not found. Empty if the journal is as expected. */
  readonly nearest: readonly NearMiss[]
  /** See `Journal.beginsAt`. */
  readonly begins_at: string
  /** Differs after a restart of the mock, and after the world was deleted and created again. */
  readonly run: string
}

type Comparison = Omit<Verification, 'begins_at' | 'run'>

/** An exchange that nearly matches, and its differences. */
export interface NearMiss {
  readonly exchange: JournalEntry
  readonly differs: readonly Difference[]
}

const mostDifferences = 100

const mostNearMisses = 3

interface JournalContents {
  /** The oldest first. */
  readonly entries: readonly JournalEntry[]
  readonly tables: ReadTables
  /** The number of exchanges that the journal has dropped. */
  readonly dropped: number
}

/** Compares exchanges with an expectation: first how many there are, then their order. */
export function verify(expectation: Expectation, journal: JournalContents): Comparison {
  const verification = verifyAll(expectation, journal)
  const { reason } = verification
  const { dropped } = journal
  if (reason === undefined || dropped === 0) return verification
  const older = dropped === 1 ? '1 older request is' : `${dropped} older requests are`
  return { ...verification, reason: `${reason}; ${older} no longer kept` }
}

function verifyAll(expectation: Expectation, journal: JournalContents): Comparison {
  const { operation, match, count, order } = expectation
  const isCounted = operation !== undefined || match !== undefined || count !== undefined || order === undefined
  if (isCounted) {
    const counted = verifyCount(expectation, journal)
    if (!counted.ok || order === undefined) return counted
  }
  return verifyOrder(order ?? [], journal)
}

function verifyCount({ count = {}, ...pattern }: Expectation, { entries, tables }: JournalContents): Comparison {
  const { max = Number.POSITIVE_INFINITY } = count
  const { min = count.max === undefined ? 1 : 0 } = count
  const compared = entries.map(exchange => ({ exchange, differs: listDifferences(exchange, pattern, tables) }))
  const matching = compared.filter(({ differs }) => differs.length === 0)
  const matched = matching.length
  if (matched >= min && matched <= max) return { ok: true, matched, nearest: [] }
  const isTooFew = matched < min
  const limit = min === max ? 'exactly' : isTooFew ? 'at least' : 'at most'
  const reason = `expected ${limit} ${counted(isTooFew ? min : max, 'request', 'requests')} ${describePattern(pattern)}, and found ${matched}`
  const others = compared.filter(({ differs }) => differs.length > 0)
  return { ok: false, matched, reason, nearest: nearestOf((isTooFew ? others : matching).toReversed()) }
}

function verifyOrder(steps: readonly RequestPattern[], { entries, tables }: JournalContents): Comparison {
  let last: JournalEntry | undefined
  let next = 0
  for (const [i, pattern] of steps.entries()) {
    // The entries are in order, so each is compared for one step only.
    const found = entries.findIndex((entry, at) => at >= next && isMatch(entry, pattern, tables))
    if (found === -1) {
      const compared = entries.map(exchange => {
        const differs = listDifferences(exchange, pattern, tables)
        return { exchange, differs: last && exchange.id <= last.id ? [...differs, tooEarly(exchange, last)] : differs }
      })
      const where = last === undefined ? '' : ` after ${requestText(last)}`
      const reason = `expected a request ${describePattern(pattern)}${where}, as step ${i + 1} of ${steps.length}, and found none`
      return { ok: false, matched: i, reason, nearest: nearestOf(compared.toReversed()) }
    }
    last = entries[found]
    next = found + 1
  }
  return { ok: true, matched: steps.length, nearest: [] }
}

function tooEarly(exchange: JournalEntry, last: JournalEntry): Difference {
  const actual = exchange.id === last.id ? 'that request itself' : 'before it'
  return { field: 'order', expected: `after ${requestText(last)}`, actual }
}

export function isMatch(entry: JournalEntry, pattern: RequestPattern, tables: ReadTables): boolean {
  return listDifferences(entry, pattern, tables).length === 0
}

/** Takes the exchanges with the fewest differences. Of equal ones it takes the first, so pass the newest first. */
export function nearestOf(compared: readonly NearMiss[]): NearMiss[] {
  return compared.toSorted((one, other) => one.differs.length - other.differs.length).slice(0, mostNearMisses)
}

const longestMatch = 1_000 // characters

/** Shows what requests must have, for the end of their description: ` that matches {"status":200}`. Empty if nothing. */
export function matchText(match: ExchangeMatch = {}): string {
  return Object.keys(match).length === 0 ? '' : ` that matches ${shortened(writeJson(match), longestMatch)}`
}

function describePattern({ operation, match }: RequestPattern): string {
  return `${operation === undefined ? 'of any operation' : `of ${operation}`}${matchText(match)}`
}

/** Compares an exchange with a pattern, up to a hundred differences. None: it matches. */
export function listDifferences(entry: JournalEntry, pattern: RequestPattern, tables: ReadTables): Difference[] {
  const { operation, match: { method, path, status, ...match } = {} } = pattern
  const differs: Difference[] = []
  const compare = (field: 'operation' | 'method' | 'path' | 'status', expected: unknown, isSame: boolean) => {
    if (!isSame) differs.push(difference(field, expected, entry[field]))
  }
  compare('operation', operation, operation === undefined || matchesGlob(entry.operation ?? '', operation))
  compare('method', method, method === undefined || entry.method === method)
  compare('path', path, path === undefined || matchesGlob(entry.path, path))
  compare('status', status, status === undefined || entry.status === status)
  for (const one of findDifferences(match, matchableRequest(entry, tables))) {
    differs.push(one)
    if (differs.length >= mostDifferences) break
  }
  return differs
}

function matchableRequest(entry: JournalEntry, tables: ReadTables): MatchableRequest {
  const valuesOf = (fields: JournalEntry['query'], name: string) =>
    Object.hasOwn(fields, name) ? [fields[name] ?? []].flat() : []
  return {
    query: name => valuesOf(entry.query, name),
    header: name => valuesOf(entry.headers, name),
    body: exactValue(entry, 'body') ?? {},
    owner: ownerOf(entry),
    tables,
  }
}

function ownerOf({ method, path, caller }: JournalEntry): RequestOwner {
  const { game_id: gameId, namespace_id: namespaceId } = routes.get(method, path)?.params ?? {}
  if (gameId !== undefined) return { gameId, namespaceId }
  return { gameId: caller?.game_id, namespaceId: caller?.namespace_id }
}
