import { type Condition, type PredicateFunction, Query } from '@mswjs/data'
import { quoted } from '../contract/issue.js'
import { UsageError } from '../contract/usage-error.js'

/** Equalities that every record a query finds must satisfy: column → value. */
type Equalities = Readonly<Record<string, string>>

/** A predicate as the data library's Collections take it: a query, or a function that is given one to refine. */
export type Predicate<Row> = Query<Row> | ((query: Query<Row>) => Query<Row>)

/** What a predicate asks for: a test, and the equalities that hold for all it finds. */
export interface Plan<Row> {
  readonly test: (row: Row) => boolean
  readonly equalities: Equalities
  readonly asks: 'anything' | 'one equality' | 'more'
}

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
    const equality = this.asks === 'anything' ? oneEquality(condition) : undefined
    if (!equality) return this.narrowed(super.where(condition), [condition])
    // Most queries only name a key and are never tested: the library's is made for the others.
    let query: Query<Row> | undefined
    const test = (row: Row) => {
      query ??= super.where(condition)
      return query.test(row)
    }
    return new PlannedQuery<Row>(test, equality, 'one equality')
  }

  override and(...conditions: Array<Query<Row> | Condition<Row> | PredicateFunction<Row>>): Query<Row> {
    return this.narrowed(super.and(...conditions), conditions)
  }

  private narrowed(query: Query<Row>, conditions: readonly unknown[]): Query<Row> {
    const equalities = Object.assign({}, ...conditions.map(equalitiesOf), this.equalities)
    return new PlannedQuery<Row>(row => query.test(row), equalities, 'more')
  }
}

const none: Equalities = {}

function equalitiesOf(condition: unknown): Equalities {
  if (condition instanceof PlannedQuery) return condition.equalities
  if (condition instanceof Query || typeof condition !== 'object' || condition === null) return none
  return Object.fromEntries(Object.entries(condition).filter(([, value]) => typeof value === 'string'))
}

/** The condition itself, where it is nothing else. */
function oneEquality(condition: unknown): Equalities | undefined {
  if (typeof condition !== 'object' || condition === null || condition instanceof Query) return undefined
  const [column, other] = Object.keys(condition)
  if (column === undefined || other !== undefined || Array.isArray(condition)) return undefined
  const equality = condition as Equalities // if its one value is a text
  return typeof equality[column] === 'string' ? equality : undefined
}

/** What a predicate asks for. Throws `UsageError` where it is none. */
export function plan<Row>(predicate: Predicate<Row> | undefined): Plan<Row> {
  if (predicate === undefined) return { test: () => true, equalities: none, asks: 'anything' }
  if (!(predicate instanceof Query) && typeof predicate !== 'function') {
    throw new UsageError(`${quoted(predicate)} is no query: write a function of one, as in q => q.where({ lobby_id })`)
  }
  const query = predicate instanceof Query ? predicate : predicate(new PlannedQuery<Row>(undefined, none, 'anything'))
  const { equalities, asks } = query instanceof PlannedQuery ? query : { equalities: none, asks: 'more' as const }
  return { test: row => query.test(row), equalities, asks }
}
