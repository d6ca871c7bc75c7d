import type * as z from 'zod'
import { didYouMean } from '../lib/did-you-mean.js'
import { type Issue, issueText, likelyIssues, type Path, pathText } from '../lib/issues.js'
import { slipAdvice, valueAdvice } from './advice.js'

/** How a message writes a path. Default: `pathText`. */
type ShowPath = (path: Path) => string

/** What a message says after the path. */
type Said = string | ((show: ShowPath) => string)

/** One thing that is wrong with a scenario. */
export interface Problem {
  readonly path: Path
  /** What is wrong at the path: what stands there, or that anything does. */
  readonly at: 'key' | 'value'
  /** A sentence that begins with the path. Made only when it is needed: of many problems only the first are shown. */
  text(show?: ShowPath): string
  /** The problem counts only where none of this was removed as wrong: see `validPart`. */
  readonly reliesOn?: Reliance | undefined
}

/** The parts of a scenario that a problem was concluded from. */
export interface Reliance {
  /** Entries, with everything in them. */
  readonly whole?: readonly Path[]
  /** Lists, with all their entries. */
  readonly entries?: readonly Path[]
  /** The names of all games and namespaces. */
  readonly names?: true
}

/** A problem with the value at a path: the path, and what is said of it. */
export function problem(path: Path, said: Said, reliesOn?: Reliance): Problem {
  return { path, at: 'value', reliesOn, text: textOf(path, said) }
}

/** A problem with a key: it must not be there. */
export function keyProblem(path: Path, said: Said, reliesOn?: Reliance): Problem {
  return { path, at: 'key', reliesOn, text: textOf(path, said) }
}

function textOf(path: Path, said: Said): Problem['text'] {
  return (show = pathText) => `${show(path)} ${typeof said === 'string' ? said : said(show)}`
}

/** All that a schema found wrong with an input. */
export function problemsOf(error: z.ZodError, input: unknown): Problem[] {
  return error.issues.flatMap(likelyIssues).flatMap(issue => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(issue, { key, input }))
    const subject = issue.path.length === 0 ? 'the scenario ' : ''
    return {
      path: issue.path,
      at: 'value',
      text: () => `${subject}${issueText(issue, input)}${valueAdvice(issue, input)}`,
    }
  })
}

function unknownKey(
  { path, message }: Issue,
  { key, input }: { readonly key: string; readonly input: unknown },
): Problem {
  const at = [...path, key]
  return keyProblem(at, () => {
    const advice = slipAdvice(at, input)
    return `is an unknown key${advice === undefined ? `.${didYouMean(key, message.split(' '))}` : `: ${advice}.`}`
  })
}
