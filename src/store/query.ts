import { type Condition, type PredicateFunction, Query } from '@mswjs/data'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'

/** Equalities that every record a query finds must satisfy: column → value. */
type Equalities = Readonly<Record<string, string>>

/** A predicate as the data library's Collections take it: a query, or a function that is given one to refine. */
export type Predicate<Row> = Query<Row> | ((query: Query<Row>) => Query<Row>)

/** What a predicate asks for. */
export interface Plan<Row> {
  readonly test: (row: Row) => boolean
  /** They hold for all that it finds. */
  readonly equalities: Equalities
  /** Whether it asks for more, or for anything, so that the equalities do not say all. */
  readonly asks: 'anything' | 'equalities' | 'more'
}

type SomeCondition<Row> = Query<Row> | Condition<Row> | PredicateFunction<Row>

/** The data library's query, which also remembers its equalities, so that a table can look in an index first. */
class PlannedQuery<Row> extends Query<Row> {
  constructor(
    predicate: PredicateFunction<NoInfer<Row>> | undefined,
    readonly equalities: Equalities,
    readonly asks: Plan<Row>['asks'],
  ) {
    super(predicate)
  }

  override where(condition: Condition<Row> | PredicateFunction<Row>): Query<Row> {
    const texts = this.asks === 'anything' ? textsIn(condition) : undefined
    if (!texts) return this.narrowed(super.where(own(condition) as typeof condition), [condition])
    // Most queries compare texts only, or are never tested: the library's own is made when a row needs it.
    let query: Query<Row> | undefined
    const test = (row: Row) => {
      query ??= super.where(condition)
      return query.test(row)
    }
    return new PlannedQuery<Row>(row => hasTexts(row, texts) ?? test(row), texts, 'equalities')
  }

  override and(...conditions: SomeCondition<Row>[]): Query<Row> {
    return this.narrowed(super.and(...conditions.map(own)), conditions)
  }

  override or(...conditions: SomeCondition<Row>[]): Query<Row> {
    return super.or(...conditions.map(own))
  }

  private narrowed(query: Query<Row>, conditions: readonly unknown[]): Query<Row> {
    const equalities = Object.assign({}, ...conditions.map(equalitiesOf), this.equalities)
    return new PlannedQuery<Row>(row => query.test(row), equalities, 'more')
  }
}

const none: Equalities = {}

function equalitiesOf(condition: unknown): Equalities {
  if (condition instanceof PlannedQuery) return condition.equalities
  if (isQuery(condition) || typeof condition !== 'object' || condition === null) return none
  return Object.fromEntries(Object.entries(condition).filter(([, value]) => typeof value === 'string'))
}

/** The condition itself, where it asks for texts and for nothing else. */
function textsIn(condition: unknown): Equalities | undefined {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition) || isQuery(condition))
    return undefined
  const texts = Object.values(condition)
  const isTexts = texts.length > 0 && texts.every(value => typeof value === 'string')
  return isTexts ? (condition as Equalities) : undefined
}

/** Whether a row has the texts; `undefined` where it has something else in their place, of which the library knows what it means. */
function hasTexts(row: unknown, texts: Equalities): boolean | undefined {
  for (const column in texts) {
    // A row has its columns by their names.
    const value = (row as Readonly<Record<string, unknown>>)[column]
    if (typeof value !== 'string') return undefined
    if (value !== texts[column]) return false
  }
  return true
}

/** Whether it is a query of the library, also of another copy of it than ours. */
export function isQuery<Row>(value: unknown): value is Query<Row> {
  return typeof value === 'object' && value !== null && 'test' in value && typeof value.test === 'function'
}

/** A condition that our copy of the library takes: it would find everything by a query of another copy. */
function own<Row>(condition: SomeCondition<Row>): SomeCondition<Row> {
  if (
    typeof condition !== 'function' &&
    (typeof condition !== 'object' || condition === null || Array.isArray(condition))
  )
    throw new UsageError(
      `a query asks for ${quoted(condition)}: expected fields, as in { lobby_id: 'a' }, or a function`,
    )
  if (condition instanceof Query || !isQuery<Row>(condition)) return condition
  return row => condition.test(row)
}

/** What a predicate asks for. Throws `UsageError` where it is none. */
export function plan<Row>(predicate: Predicate<Row> | undefined): Plan<Row> {
  if (predicate === undefined) return { test: () => true, equalities: none, asks: 'anything' }
  if (!isQuery<Row>(predicate) && typeof predicate !== 'function') {
    throw new UsageError(`${quoted(predicate)} is no query: write a function of one, as in q => q.where({ lobby_id })`)
  }
  const query = isQuery<Row>(predicate) ? predicate : predicate(new PlannedQuery<Row>(undefined, none, 'anything'))
  if (!isQuery<Row>(query))
    throw new UsageError(
      `the function of a query gave ${quoted(query)}: expected a query, as in q => q.where({ lobby_id })`,
    )
  // A query without a condition finds nothing, as in the library.
  const isPlanned = query instanceof PlannedQuery && query.asks !== 'anything'
  const { equalities, asks } = isPlanned ? query : { equalities: none, asks: 'more' as const }
  return { test: row => query.test(row), equalities, asks }
}
