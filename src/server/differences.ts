import type { RequestMatch } from '../contract/request-match.js'
import { matchesGlob } from '../lib/glob.js'

/** Where a request is not what was asked for. */
export interface Difference {
  /** `query.include_state`, `headers.authorization`, `body.name_id`. */
  readonly field: string
  readonly expected: unknown
  /** Absent where the request has nothing there. */
  readonly actual?: unknown
}

/** What a request is compared by. */
export interface Comparable {
  /** The values of a parameter of the query. */
  query(name: string): readonly string[]
  /** The values of a header, by its name in lower case. */
  header(name: string): readonly string[]
  /** What its body says; an empty one is `{}`. `undefined` where it is not JSON. */
  readonly body: unknown
  /** What the game is called that it concerns, and its namespace: their ids and names. */
  readonly gameNames: readonly (string | undefined)[]
  readonly namespaceNames: readonly (string | undefined)[]
}

/** All that differs, in the order of the match; found one after the other, as they are asked for. */
export function* differences(match: RequestMatch, request: Comparable): Generator<Difference> {
  const { query, headers, body, game, namespace } = match
  for (const name in query)
    yield* inTexts(`query.${name}`, { expected: query[name] ?? '', actual: request.query(name) })
  for (const name in headers)
    yield* inTexts(`headers.${name}`, { expected: headers[name] ?? '', actual: request.header(name.toLowerCase()) })
  if (body !== undefined) yield* inJson('body', { expected: body, actual: request.body })
  if (game !== undefined) yield* inNames('game', { expected: game, actual: request.gameNames })
  if (namespace !== undefined) yield* inNames('namespace', { expected: namespace, actual: request.namespaceNames })
}

/** What is expected in a field, and what is there. */
interface Compared<Expected, Actual> {
  readonly expected: Expected
  readonly actual: Actual
}

function* inTexts(field: string, { expected, actual }: Compared<string, readonly string[]>): Generator<Difference> {
  if (actual.some(value => matchesGlob(value, expected))) return
  yield differing(field, { expected, actual: actual.length > 1 ? actual : actual[0] })
}

function* inNames(
  field: string,
  { expected, actual }: Compared<string, Comparable['gameNames']>,
): Generator<Difference> {
  if (actual.includes(expected)) return
  yield differing(field, { expected, actual: actual.findLast(name => name !== undefined) })
}

/** Of an object the keys that are expected; of a list just its elements. */
function* inJson(field: string, compared: Compared<unknown, unknown>): Generator<Difference> {
  const { expected, actual } = compared
  if (typeof expected !== 'object' || expected === null) {
    if (actual !== expected) yield differing(field, compared)
    return
  }
  if (typeof actual !== 'object' || actual === null || lengthOf(actual) !== lengthOf(expected)) {
    yield differing(field, compared)
    return
  }
  // Not Object.entries: most often the first few keys are enough.
  for (const key in expected) {
    const inner: unknown = expected[key as never] // a key of it
    // An own key of the object may be used on it.
    const there = Object.hasOwn(actual, key) ? actual[key as never] : undefined
    yield* inJson(`${field}.${key}`, { expected: inner, actual: there })
  }
}

/** Of a list; an object has none. */
function lengthOf(value: object): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

function differing(field: string, { expected, actual }: Compared<unknown, unknown>): Difference {
  return { field, expected, ...(actual === undefined ? {} : { actual }) }
}
