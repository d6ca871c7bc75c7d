import { type Condition, type PredicateFunction, Query } from '@mswjs/data'
import { quoted } from '../contract/issue.js'
import { UsageError } from '../contract/usage-error.js'

/** Equalities that every record a query finds must satisfy: column → value. */
type Equalities = Readonly<Record<string, unknown>>

/** A predicate as the data library's Collections take it: a query, or a function that is given one to refine. */
export type Predicate<Row> = Query<Row> | ((query: Query<Row>) => Query<Row>)

/** The data library's query, which also remembers its equalities, so that a table can look in an index first. */
class PlannedQuery<Row> extends Query<Row> {
  constructor(
    predicate: PredicateFunction<NoInfer<Row>> | undefined,
    readonly equalities: Equalities,
  ) {
    super(predicate)
  }

  override where(condition: Condition<Row> | PredicateFunction<Row>): Query<Row> {
    return this.narrowed(super.where(condition), [condition])
  }

  override and(...conditions: Array<Query<Row> | Condition<Row> | PredicateFunction<Row>>): Query<Row> {
    return this.narrowed(super.and(...conditions), conditions)
  }

  private narrowed(query: Query<Row>, conditions: readonly unknown[]): Query<Row> {
    const equalities = Object.assign({}, ...conditions.map(equalitiesOf), this.equalities)
    return new PlannedQuery<Row>(row => query.test(row), equalities)
  }
}

function equalitiesOf(condition: unknown): Equalities {
  if (condition instanceof PlannedQuery) return condition.equalities
  if (condition instanceof Query || typeof condition !== 'object' || condition === null) return {}
  return Object.fromEntries(Object.entries(condition).filter(([, value]) => typeof value === 'string'))
}

/** What a predicate asks for: a test, and the equalities that hold for all it finds. */
export function plan<Row>(predicate: Predicate<Row> | undefined): {
  test: (row: Row) => boolean
  equalities: Equalities
} {
  if (predicate === undefined) return { test: () => true, equalities: {} }
  if (!(predicate instanceof Query) && typeof predicate !== 'function') {
    throw new UsageError(`${quoted(predicate)} is no query: write a function of one, as in q => q.where({ lobby_id })`)
  }
  const query = predicate instanceof Query ? predicate : predicate(new PlannedQuery<Row>(undefined, {}))
  return { test: row => query.test(row), equalities: query instanceof PlannedQuery ? query.equalities : {} }
}
