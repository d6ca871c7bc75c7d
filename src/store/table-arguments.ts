import { isJsonObject, setKey } from '../lib/json.js'
import { didYouMean, quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import { isQuery, type Predicate } from './query.js'
import type { ListOptions, OrderBy } from './table-calls.js'

// These functions check the arguments of table calls. `call` begins each message: `lobbies.update`. All throw `UsageError`.

/** Which row is meant. */
export type Selection<Row> = { readonly id: string } | { readonly predicate: Predicate<Row> | undefined }

/** Changes a draft, perhaps later. */
type ChangeDraft = (draft: object) => void | PromiseLike<void>

export function readId(call: string, id: unknown): string {
  if (typeof id === 'string') return id
  throw new UsageError(`${call}: the id is ${quoted(id)}: expected a text`)
}

export function readInput(call: string, input: unknown): void {
  if (isJsonObject(input)) return
  throw new UsageError(`${call}: the record is ${quoted(input)}: expected an object with its fields`)
}

export function readStrict(call: string, options: unknown): boolean {
  if (options === undefined) return false
  const { strict = false } = readFields(call, options, ['strict'], 'such as { strict: true }')
  return readBoolean(call, 'strict', strict)
}

/** The options of a call that lists rows. Default: all rows, as they were created. */
export function readList<Row>(
  call: string,
  options: unknown,
  known: readonly string[],
): ListOptions<Row> & { strict: boolean } {
  if (options === undefined) return { strict: false }
  const fields = readFields(call, options, known, 'such as { take: 10 }')
  const { strict = false, skip, take, orderBy, cursor } = fields
  if (skip !== undefined && !(Number.isInteger(skip) && Number(skip) >= 0))
    throw new UsageError(
      `${call}: Failed to query the collection: expected the "skip" pagination option to be a number larger or equal to 0 but got ${quoted(skip)}`,
    )
  if (take !== undefined && typeof take !== 'number')
    throw new UsageError(`${call}: take is ${quoted(take)}: expected a number of rows`)
  if (orderBy !== undefined && (typeof orderBy !== 'object' || orderBy === null))
    throw new UsageError(`${call}: orderBy is ${quoted(orderBy)}: expected fields, as in { lobby_id: 'asc' }`)
  return {
    strict: readBoolean(call, 'strict', strict),
    skip: skip as number | undefined, // these were checked above
    take: take as number | undefined,
    orderBy: orderBy as OrderBy<Row> | undefined, // fields that no row has order nothing
    cursor: cursor as Row | undefined, // compared by its id
  }
}

/** The row that an update or a deletion is about: an id, a query, or a row. */
export function readSelection<Row extends object>(
  call: string,
  first: unknown,
  idOf: (row: Row) => string | undefined,
): Selection<Row> {
  if (typeof first === 'string') return { id: first }
  if (typeof first === 'function' || isQuery<Row>(first)) return { predicate: first as Predicate<Row> } // its result is checked later
  const id = typeof first === 'object' && first !== null ? idOf(first as Row) : undefined
  if (id !== undefined) return { id }
  const found = first === undefined ? 'missing' : quoted(first)
  throw new UsageError(
    `${call}: the first argument is ${found}: expected an id or a query, as in q => q.where({ lobby_id })`,
  )
}

const updateExample = 'such as { data(draft) { draft.is_closed = true } }'

/** The options of an update by a query. */
export function readUpdateOptions(
  call: string,
  options: unknown,
): { readonly data: ChangeDraft; readonly rest: object } {
  const { data, ...rest } = readFields(call, options, ['data', 'strict', 'orderBy'], updateExample)
  if (typeof data !== 'function')
    throw new UsageError(`${call}: data is ${quoted(data)}: expected a function that changes the draft`)
  return { data: data as ChangeDraft, rest } // what it does with the draft is checked
}

/** The changed fields of an update by an id. */
export function readChanges(call: string, changes: unknown): ChangeDraft {
  if (!isJsonObject(changes) || typeof changes.data === 'function')
    throw new UsageError(
      `${call}: beside an id stands ${quoted(changes)}: expected the changed fields, such as { is_closed: true }`,
    )
  return draft => {
    for (const [field, value] of Object.entries(changes)) {
      if (value === null) Reflect.deleteProperty(draft, field)
      else if (value !== undefined) setKey(draft, field, value)
    }
  }
}

/** The error of a strict query that finds nothing, in the words of the data library. */
export function nothingFound(
  call: 'findFirst' | 'findMany' | 'update' | 'updateMany' | 'delete' | 'deleteMany',
  table: string,
  isEmpty = false,
): UsageError {
  const records = call.endsWith('Many') ? 'records' : 'record'
  const reason = isEmpty ? ' without a query: the collection is empty' : `: no ${records} found matching the query`
  return new UsageError(`${table}.${call}: Failed to execute "${call}" on collection${reason}`)
}

/** The error for an unknown id, with the id that was probably meant. */
export function unknownId(call: string, id: string, ids: readonly string[]): UsageError {
  return new UsageError(`${call}: no record has the id ${quoted(id)}.${didYouMean(id, ids)}`)
}

function readBoolean(call: string, name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new UsageError(`${call}: ${name} is ${quoted(value)}: expected true or false`)
}

function readFields(
  call: string,
  options: unknown,
  known: readonly string[],
  expected: string,
): Readonly<Record<string, unknown>> {
  if (!isJsonObject(options))
    throw new UsageError(`${call}: the options are ${quoted(options)}: expected an object, ${expected}`)
  const unknown = Object.keys(options).find(name => !known.includes(name))
  if (unknown === undefined) return options
  throw new UsageError(
    `${call}: ${quoted(unknown)} is an unknown option: expected options ${expected}.${didYouMean(unknown, known)}`,
  )
}
