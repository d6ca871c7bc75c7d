import { type Condition, type PredicateFunction, Query } from '@mswjs/data'
import { getKey, isJsonObject, isPlainObject, sameJson } from '../lib/json.js'
import { quoted, UsageError } from '../lib/messages.js'

type Equalities = Readonly<Record<string, string>>

/** The values of fields: `{ game_mode_id: 'duel' }`. A nested field is `{ state: { map } }` or `{ 'state.map': map }`. */
export type FieldValues<Row> = FieldConditions<Row> & { readonly [path: `${string}.${string}`]: unknown }

/** The values of fields. A nested field is in an object: `{ state: { map } }`. */
export type FieldConditions<Row> = { readonly [Field in keyof Row]?: FieldValue<Row[Field]> }

/** A value, a function that tests a value, or the values of nested fields. */
export type FieldValue<T> = T | ((value: NonNullable<T>) => unknown) | (NonNullable<T> extends object ? object : never)

/** A query of the data library: conditions on rows. */
export interface RowQuery<Row> {
  /** Checks if a row matches. */
  test(row: Row): boolean
  /** Adds a condition: the values of fields, or a function that tests a row. */
  where(condition: RowCondition<Row>): RowQuery<Row>
  /** Adds conditions. A row must match all of them. */
  and(...conditions: (RowQuery<Row> | RowCondition<Row>)[]): RowQuery<Row>
  /** Adds alternatives. A row must match one of them. */
  or(...conditions: (RowQuery<Row> | RowCondition<Row>)[]): RowQuery<Row>
}

/** The values of fields, or a function that tests a row. */
export type RowCondition<Row> = FieldConditions<Row> | ((row: Row) => unknown)

/** A query, a function that refines a query, or the values of fields. */
export type Predicate<Row> = RowQuery<Row> | ((query: RowQuery<Row>) => RowQuery<Row>) | FieldValues<Row>

/** An analysed predicate, so that a table can use an index. */
export interface Plan<Row> {
  readonly test: (row: Row) => boolean
  readonly equalities: Equalities
}

type SomeCondition<Row> = Query<Row> | Condition<Row> | PredicateFunction<Row>

/** A query of the data library that also remembers its equalities. */
class PlannedQuery<Row> extends Query<Row> {
  constructor(
    predicate: PredicateFunction<NoInfer<Row>> | undefined,
    readonly equalities: Equalities,
  ) {
    super(predicate)
  }

  override where(condition: Condition<Row> | PredicateFunction<Row>): Query<Row> {
    // The condition is no query, so this returns a function.
    return this.narrowed(super.where(normalizeCondition(condition) as PredicateFunction<Row>), [condition])
  }

  override and(...conditions: SomeCondition<Row>[]): Query<Row> {
    return this.narrowed(super.and(...conditions.map(normalizeCondition)), conditions)
  }

  override or(...conditions: SomeCondition<Row>[]): Query<Row> {
    return super.or(...conditions.map(normalizeCondition))
  }

  private narrowed(query: Query<Row>, conditions: readonly unknown[]): Query<Row> {
    const equalities = Object.assign({}, ...conditions.map(equalitiesOf), this.equalities)
    return new PlannedQuery<Row>(row => query.test(row), equalities)
  }
}

const noEqualities: Equalities = {}

function equalitiesOf(condition: unknown): Equalities {
  if (condition instanceof PlannedQuery) return condition.equalities
  if (isQuery(condition) || typeof condition !== 'object' || condition === null) return noEqualities
  return Object.fromEntries(Object.entries(condition).filter(([, value]) => typeof value === 'string'))
}

/** Checks if a value is a query of the library, or of another copy of the library. */
export function isQuery<Row>(value: unknown): value is RowQuery<Row> {
  return typeof value === 'object' && value !== null && 'test' in value && typeof value.test === 'function'
}

/**
 * Turns fields into a function, because with the library's own one, a function that tests a list or an object finds every
 * row. Wraps a query of another copy of the library, which our copy would ignore.
 */
function normalizeCondition<Row>(condition: SomeCondition<Row>): Query<Row> | PredicateFunction<Row> {
  if (typeof condition === 'function' || condition instanceof Query) return condition
  if (isQuery<Row>(condition)) return row => condition.test(row)
  if (isPlainObject(condition)) return row => matches(row, condition)
  throw new UsageError(
    `the condition of a query is ${quoted(condition)}: expected fields, as in { lobby_id: 'a' }, or a function`,
  )
}

function matches(value: unknown, wanted: unknown): boolean {
  if (typeof wanted === 'function') return Boolean(wanted(value))
  if (Array.isArray(wanted)) return sameJson(value, wanted)
  if (Array.isArray(value)) return value.every(item => matches(item, wanted))
  if (!isJsonObject(wanted)) return value === wanted
  if (!isJsonObject(value)) return false
  return Object.entries(wanted).every(([key, inner]) => {
    const field = getKey(value, key)
    return field !== undefined && matches(field, inner)
  })
}

/** Checks if a predicate is an object with the values of fields. */
export function isFieldValues(predicate: unknown): predicate is Readonly<Record<string, unknown>> {
  return isPlainObject(predicate) && !isQuery(predicate)
}

function nestFields(query: unknown): object {
  if (!isFieldValues(query))
    throw new UsageError(
      `the query is ${quoted(query)}: expected fields, as in { lobby_id }, or a function, as in q => q.where({ lobby_id })`,
    )
  for (const [path, value] of Object.entries(query))
    if (value === undefined) throw new UsageError(`the query has no value for ${path}: leave the field out`)
  if (!Object.keys(query).some(path => path.includes('.'))) return query
  const nested: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(query)) {
    const [column = '', ...keys] = path.split('.')
    const inner = keys.reduceRight<unknown>((rest, key) => ({ [key]: rest }), value)
    nested[column] = mergeObjects(nested[column], inner)
  }
  return nested
}

function mergeObjects(one: unknown, other: unknown): unknown {
  if (!isJsonObject(one) || !isJsonObject(other)) return other
  const merged = { ...one }
  for (const [key, value] of Object.entries(other)) merged[key] = mergeObjects(one[key], value)
  return merged
}

/** Analyses a predicate. Throws `UsageError` if it is invalid. */
export function plan<Row>(predicate: Predicate<Row> | undefined): Plan<Row> {
  if (predicate === undefined) return { test: () => true, equalities: noEqualities }
  const empty = new PlannedQuery<Row>(undefined, noEqualities)
  const query = isQuery<Row>(predicate)
    ? predicate
    : typeof predicate === 'function'
      ? (predicate as (query: RowQuery<Row>) => RowQuery<Row>)(empty as RowQuery<Row>) // it has the same methods
      : empty.where(nestFields(predicate) as Condition<Row>) // checked by the function
  if (!isQuery<Row>(query))
    throw new UsageError(
      `the function of a query returned ${quoted(query)}: expected a query, as in q => q.where({ lobby_id })`,
    )
  // A query without a condition finds nothing, as in the library.
  return { test: row => query.test(row), equalities: equalitiesOf(query) }
}
