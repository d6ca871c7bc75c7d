import { type Path, quoted } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import { type Problem, problem } from './problem.js'

/** An id that a scenario refers to, and who could have it. */
interface Reference {
  readonly path: Path
  /** Absent where the scenario does not say. */
  readonly id: string | undefined
  readonly owner: string
  readonly known: readonly string[]
}

/** What is wrong with a reference: it leads to nothing. */
export function checkReference({ path, id, owner, known }: Reference): Problem[] {
  if (id === undefined || known.includes(id)) return []
  return [problem(path, `is ${quoted(id)}, which no ${owner} has.${knownChoices(id, known)}`)]
}
