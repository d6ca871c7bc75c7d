import type * as z from 'zod'
import { type Issue, issueText, likelyIssues, type Path, pathText } from '../lib/issues.js'
import { didYouMean } from '../lib/text.js'
import { keyAdvice, valueAdvice } from './advice.js'

/** Writes a path for a message. */
type PathWriter = (path: Path) => string

/** The part of a message after the path. */
type Message = string | ((show: PathWriter) => string)

/** A mistake in a scenario. */
export interface Problem {
  readonly path: Path
  /** The mistake is the key at the path, or its value. */
  readonly at: 'key' | 'value'
  /** A sentence that begins with the path. It is made only when it is shown, because there may be thousands. */
  text(show?: PathWriter): string
  /** The problem is certain only if nothing of this was removed as wrong: see `validPart`. */
  readonly evidence?: Evidence | undefined
}

/** The parts of a scenario that a problem was concluded from. */
export interface Evidence {
  /** Entries, with everything in them. */
  readonly whole?: readonly Path[]
  /** Lists, with all their entries. */
  readonly entries?: readonly Path[]
  /** The names of all games and namespaces. */
  readonly names?: true
}

/** A problem with the value at a path. */
export function problem(path: Path, message: Message, evidence?: Evidence): Problem {
  return { path, at: 'value', evidence, text: textOf(path, message) }
}

/** A problem with a key: it must not be there. */
export function keyProblem(path: Path, message: Message, evidence?: Evidence): Problem {
  return { path, at: 'key', evidence, text: textOf(path, message) }
}

function textOf(path: Path, message: Message): Problem['text'] {
  return (show = pathText) => `${show(path)} ${typeof message === 'string' ? message : message(show)}`
}

/** The problems of an input that the schema refuses. */
export function problemsOf(error: z.ZodError, input: unknown): Problem[] {
  return error.issues.flatMap(likelyIssues).flatMap(issue => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(issue, key, input))
    const subject = issue.path.length === 0 ? 'the scenario ' : ''
    return {
      path: issue.path,
      at: 'value',
      text: () => `${subject}${issueText(issue, input)}${valueAdvice(issue, input)}`,
    }
  })
}

function unknownKey({ path, message }: Issue, key: string, input: unknown): Problem {
  const at = [...path, key]
  return keyProblem(at, () => {
    const advice = keyAdvice(at, input)
    return `is an unknown key${advice === undefined ? `.${didYouMean(key, message.split(' '))}` : `: ${advice}.`}`
  })
}
