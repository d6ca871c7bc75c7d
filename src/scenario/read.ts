import type * as z from 'zod'
import type { Path } from '../contract/issue.js'
import { problemLines, UsageError } from '../contract/usage-error.js'
import { withoutAbsent } from './absent.js'
import { check } from './check.js'
import { type Problem, problemsOf } from './problem.js'
import { Scenario } from './schema.js'
import { validPart } from './valid-part.js'

/** Makes the message of the problems of a scenario. There is at least one. */
type Report = (problems: readonly Problem[]) => string

/**
 * Reads a scenario: finds all that is wrong with its shape, and all that does not fit together in the rest of it.
 * Throws one `UsageError`: without `report` with a line for each problem, in the order of the input.
 */
export function readScenario(input: unknown, report?: Report): Scenario {
  const present = withoutAbsent(input ?? {})
  // To compile the schema takes longer than to check all but the longest scenarios, and few are read in one process.
  const { data, error } = Scenario.safeParse(present, { jitless: true })
  const problems = error ? [...problemsOf(error, present), ...checkRest(present, error)] : check(data)
  if (data && problems.length === 0) return data
  throw new UsageError((report ?? reportOn(present))(problems))
}

/** Checks the valid part of a scenario whose shape is wrong elsewhere. */
function checkRest(input: unknown, error: z.ZodError): Problem[] {
  const part = validPart(input, error)
  if (!part) return []
  return check(part.scenario).flatMap(problem => part.inWhole(problem) ?? [])
}

/** Writes a line for each problem, in the order of the input. A missing key stands where its entry does. */
function reportOn(input: unknown): Report {
  const indexesOf = new WeakMap<object, ReadonlyMap<PropertyKey, number>>()
  const indexIn = (value: object, key: PropertyKey) => {
    if (typeof key === 'number') return key
    const indexes = indexesOf.get(value) ?? new Map(Object.keys(value).map((name, i) => [name, i]))
    indexesOf.set(value, indexes)
    return indexes.get(key)
  }
  const positionOf = (path: Path) => {
    const position: number[] = []
    let value = input
    for (const key of path) {
      const index = typeof value === 'object' && value !== null ? indexIn(value, key) : undefined
      if (index === undefined) break
      position.push(index)
      value = (value as Readonly<Record<PropertyKey, unknown>>)[key] // it has that key
    }
    return position
  }
  return problems => {
    const placed = problems.map(problem => ({ problem, position: positionOf(problem.path) }))
    placed.sort((one, other) => compare(one.position, other.position))
    return problemLines(placed, ({ problem }) => `scenario: ${problem.text()}`)
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((index, i) => index !== other[i])
  return at === -1 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}
