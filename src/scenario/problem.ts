import type * as z from 'zod'
import { type Issue, issueText, type Path, pathText } from '../contract/issue.js'
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

/** Where a value may be of several kinds, what is wrong with the kind that it is; else what kinds it may be of. */
function meant(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const mistaken = issue.errors.map(inner =>
    inner.find(({ code, path }) => code === 'invalid_type' && path.length === 0),
  )
  const [of] = issue.errors.filter((_, i) => mistaken[i] === undefined)
  if (of) return of.flatMap(inner => meant({ ...inner, path: [...issue.path, ...inner.path] }))
  const kinds = mistaken.map(wrong => (wrong?.code === 'invalid_type' ? wrong.expected : ''))
  return [{ code: 'custom', path: issue.path, message: `expected ${kinds.join(' or ')}`, input: issue.input }]
}
