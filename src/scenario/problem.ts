import type * as z from 'zod'
import { issueText, meant, type Path, pathText } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'

/** One thing that is wrong with a scenario. */
export interface Problem {
  readonly path: Path
  /** What is wrong at the path: what stands there, or that anything does. */
  readonly at: 'key' | 'value'
  /** A sentence that begins with the path. */
  readonly text: string
}

/** A problem with the value at a path: the path, and what is said of it. */
export function problem(path: Path, said: string): Problem {
  return { path, at: 'value', text: `${pathText(path)} ${said}` }
}

/** All that a schema found wrong with an input. */
export function problemsOf(error: z.ZodError, input: unknown): Problem[] {
  return error.issues.flatMap(meant).flatMap(issue => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(key => unknownKey([...issue.path, key], issue.message))
    const subject = issue.path.length === 0 ? 'the scenario ' : ''
    return { path: issue.path, at: 'value', text: `${subject}${issueText(issue, input)}` }
  })
}

function unknownKey(path: Path, known: string): Problem {
  const choices = knownChoices(String(path.at(-1)), known.split(' '))
  return { path, at: 'key', text: `${pathText(path)} is an unknown key.${choices}` }
}
