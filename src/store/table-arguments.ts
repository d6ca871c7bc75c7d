import { didYouMean } from '../lib/did-you-mean.js'
import { isJsonObject, setKey } from '../lib/json.js'
import { quoted } from '../lib/quote.js'
import { UsageError } from '../lib/usage-error.js'
import type { Draft } from './draft.js'
import { isQuery, type Predicate } from './query.js'

/** What happens when a query finds nothing. */
export interface QueryOptions {
  /** `true`: a query that finds nothing is a `UsageError`. Default: `false`. */
  readonly strict?: boolean | undefined
}

/** How the record that a query finds is changed. */
export interface UpdateOptions<Row> extends QueryOptions {
  /** Changes the draft in place. */
  data(draft: Draft<Row>): void | Promise<void>
}

/** New values of fields. `null` removes a field that may be absent; an undefined value leaves its field as it is. */
export type Changes<Row> = { readonly [Field in keyof Draft<Row>]?: Draft<Row>[Field] | null | undefined }

/** Which record is meant. */
export type Selection<Row> =
  | { readonly id: string }
  | { readonly predicate: Predicate<Row>; readonly isStrict: boolean }

/** What an `update` is asked to do. */
export interface ReadUpdate<Row> {
  readonly selected: Selection<Row>
  change(draft: Draft<Row>): void | Promise<void>
}

// These functions check the arguments of table calls. `call` begins each message: `lobbies.update`.

/** An id. Throws `UsageError`. */
export function readId(call: string, id: unknown): string {
  if (typeof id === 'string') return id
  throw new UsageError(`${call}: the id is ${quoted(id)}: expected a text`)
}

/** A new record. Throws `UsageError`. */
export function readInput(call: string, input: unknown): void {
  if (!isJsonObject(input))
    throw new UsageError(`${call}: the record is ${quoted(input)}: expected an object with its fields`)
}

/** Whether a query is strict. Throws `UsageError`. */
export function readStrict(call: string, options: unknown): boolean {
  if (options === undefined) return false
  const { strict = false } = fieldsOf(options, { call, known: ['strict'], expected: 'such as { strict: true }' })
  if (typeof strict === 'boolean') return strict
  throw new UsageError(`${call}: strict is ${quoted(strict)}: expected true or false`)
}

/** The arguments of a `delete`. Throws `UsageError`. */
export function readDelete<Row>(call: string, [first, options]: readonly unknown[]): Selection<Row> {
  if (typeof first !== 'string') return { predicate: readPredicate(call, first), isStrict: readStrict(call, options) }
  if (options === undefined) return { id: first }
  throw new UsageError(`${call}: the second argument is ${quoted(options)}: expected none beside an id`)
}

/** The arguments of an `update`. Throws `UsageError`. */
export function readUpdate<Row>(call: string, [first, second]: readonly unknown[]): ReadUpdate<Row> {
  if (typeof first === 'string') return { selected: { id: first }, change: changing(call, second) }
  const predicate = readPredicate<Row>(call, first)
  const expected = 'such as { data(draft) { draft.is_closed = true } }'
  const { data, ...options } = fieldsOf(second, { call, known: ['data', 'strict'], expected })
  if (typeof data !== 'function')
    throw new UsageError(`${call}: data is ${quoted(data)}: expected a function that changes the draft`)
  // Whatever it does with the draft is checked.
  return { selected: { predicate, isStrict: readStrict(call, options) }, change: data as ReadUpdate<Row>['change'] }
}

/** The answer of a query that found nothing: `undefined`. Throws `UsageError` where it is strict. */
export function nothingFound(call: string, isStrict: boolean): undefined {
  if (isStrict) throw new UsageError(`${call}: no record matches the query, and it is strict`)
  return undefined
}

/** Says that no record has an id, and names the nearest of the ids that there are. */
export function unknownId(call: string, { id, ids }: { readonly id: string; readonly ids: readonly string[] }): string {
  return `${call}: no record has the id ${quoted(id)}.${didYouMean(id, ids)}`
}

/** Without a predicate, a query would find the first record of all. */
function readPredicate<Row>(call: string, predicate: unknown): Predicate<Row> {
  // What the function returns is checked where the query runs.
  if (typeof predicate === 'function' || isQuery<Row>(predicate)) return predicate as Predicate<Row>
  const found = predicate === undefined ? 'missing' : quoted(predicate)
  throw new UsageError(
    `${call}: the first argument is ${found}: expected an id or a query, as in q => q.where({ lobby_id })`,
  )
}

function changing<Row>(call: string, changes: unknown): ReadUpdate<Row>['change'] {
  if (!isJsonObject(changes) || typeof changes.data === 'function')
    throw new UsageError(
      `${call}: beside an id stands ${quoted(changes)}: expected the changed fields, such as { is_closed: true }`,
    )
  return draft => {
    for (const [field, value] of Object.entries(changes)) {
      if (value === null)
        Reflect.deleteProperty(draft as object, field) // rows are objects
      else if (value !== undefined) setKey(draft as object, field, value)
    }
  }
}

interface KnownFields {
  readonly call: string
  readonly known: readonly string[]
  readonly expected: string
}

function fieldsOf(options: unknown, { call, known, expected }: KnownFields): Readonly<Record<string, unknown>> {
  if (!isJsonObject(options))
    throw new UsageError(`${call}: the options are ${quoted(options)}: expected an object, ${expected}`)
  const unknown = Object.keys(options).find(name => !known.includes(name))
  if (unknown === undefined) return options
  const choices = didYouMean(unknown, known)
  throw new UsageError(`${call}: ${quoted(unknown)} is an unknown option: expected options ${expected}.${choices}`)
}
