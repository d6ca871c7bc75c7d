import { type Path, quoted } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import { type Problem, problem, type Reliance } from './problem.js'

/** The ids that there are: a `Set` of them, or a `Map` by them. */
export type KnownIds = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>

/** An id that a scenario refers to, and who could have it. */
interface Reference {
  readonly path: Path
  /** Absent where the scenario does not say. */
  readonly id: string | undefined
  readonly owner: string
  readonly known: KnownIds
  /** The parts that the known ids come from. Default: none that can be wrong. */
  readonly reliesOn?: Reliance
}

/** What is wrong with a reference: it leads to nothing. */
export function checkReference({ path, id, owner, known, reliesOn }: Reference): Problem[] {
  if (id === undefined || known.has(id)) return []
  const said = () => `is ${quoted(id)}, which no ${owner} has.${knownChoices(id, [...known.keys()])}`
  return [problem(path, said, reliesOn)]
}
