import { type Path, quoted } from '../contract/issue.js'
import type { Layout } from './layout.js'
import { namedIn } from './named.js'
import { type Problem, problem } from './problem.js'
import type { Scenario } from './schema.js'

/** Each id, name or token that a scenario gives twice. */
export function repetitions(scenario: Scenario, layout: Layout): Problem[] {
  const firsts = new Map<string, Map<string, Path>>()
  const problems: Problem[] = []
  for (const { scope, path, id } of namedIn(scenario, layout)) {
    const taken = firsts.get(scope) ?? new Map<string, Path>()
    firsts.set(scope, taken)
    const first = taken.get(id)
    if (!first) taken.set(id, path)
    else {
      const said = (show: (path: Path) => string) =>
        `is ${quoted(id)}, which ${show(first)} is already. Give each its own.`
      // Either may be a default in the place of what was wrong.
      problems.push(problem(path, said, { whole: [path, first] }))
    }
  }
  return problems
}
