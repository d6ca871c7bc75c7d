import { problemLines, UsageError } from '../contract/usage-error.js'
import { withoutAbsent } from './absent.js'
import { check } from './check.js'
import { type Problem, problemsOf } from './problem.js'
import { Scenario } from './schema.js'

/** Where a problem is, as its line begins: `friday-night.yaml:31:18`. */
type Locate = (problem: Problem) => string

/**
 * Reads a scenario: all that is wrong with its shape and, once that is right, all that does not fit together.
 * Throws one `UsageError` with a line for each problem, which begins with its place; without `locate` that is `scenario`.
 */
export function readScenario(input: unknown, locate: Locate = () => 'scenario'): Scenario {
  const present = withoutAbsent(input ?? {})
  // To compile the schema takes longer than to check all but the longest scenarios, and few are read in one process.
  const { success, data, error } = Scenario.safeParse(present, { jitless: true })
  const problems = success ? check(data) : problemsOf(error, present)
  if (data && problems.length === 0) return data
  throw new UsageError(problemLines(problems.map(problem => `${locate(problem)}: ${problem.text}`)))
}
