import type * as z from 'zod'
import { didYouMean } from './did-you-mean.js'
import { quoted } from './quote.js'
import { problemLines, UsageError } from './usage-error.js'

/** A problem that a schema found. */
export type Issue = z.core.$ZodIssue

/** Keys that lead from a value to one inside it. */
export type Path = readonly PropertyKey[]

/** The longest path in a message, in characters. */
const longestPath = 240

/** A path as people write it: `games[0].lobbies[3].region_id`, `tags["two words"]`. At most 240 characters long. */
export function pathText(path: Path): string {
  const text = path.map((key, i) => keyText(key, i === 0)).join('')
  if (text.length <= longestPath) return text
  // Both ends say where it is; the middle does not.
  return `${text.slice(0, longestPath / 2)}…${text.slice(1 - longestPath / 2)}`
}

function keyText(key: PropertyKey, isFirst: boolean): string {
  if (typeof key === 'number') return `[${key}]`
  const name = String(key)
  if (name.length > 80 || !/^[\w$-]+$/.test(name)) return `[${quoted(name)}]`
  return isFirst ? name : `.${name}`
}

/** One problem that a schema found, as a sentence that names the place and quotes the value. */
export function issueText(issue: Issue, input: unknown): string {
  const value = valueAt(input, issue.path)
  const subject = issue.path.length === 0 ? '' : `${pathText(issue.path)} `
  if (value === undefined) return `${subject}is missing: ${expectation(issue)}`
  return `${subject}is ${quoted(value)}: ${expectation(issue)}`
}

/** The value that a path leads to, own properties only; `undefined` where it leads nowhere. */
export function valueAt(input: unknown, path: Path): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = value[key as never] // an own key of it
  }
  return value
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected}`
    case 'invalid_value':
      return `expected ${issue.values.map(quoted).join(' or ')}`
    case 'too_small':
      return `expected ${issue.origin === 'string' || issue.origin === 'array' ? 'a length of ' : ''}at least ${issue.minimum}`
    case 'too_big':
      return `expected ${issue.origin === 'string' || issue.origin === 'array' ? 'a length of ' : ''}at most ${issue.maximum}`
    default:
      return issue.message
  }
}

/** Where a value may be of several kinds, what is wrong with the kind that it is most like; else what kinds it may be of. */
export function likelyIssues(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const mistaken = issue.errors.map(kind => kind.find(({ code, path }) => code === 'invalid_type' && path.length === 0))
  const alike = issue.errors.filter((_, i) => mistaken[i] === undefined)
  const [most] = alike.toSorted((one, other) => strangers(one) - strangers(other))
  if (most) return most.flatMap(inner => likelyIssues({ ...inner, path: [...issue.path, ...inner.path] }))
  const kinds = mistaken.map(wrong => (wrong?.code === 'invalid_type' ? wrong.expected : ''))
  // What a schema of ours says of its kinds itself is better.
  const message = issue.message.startsWith('expected') ? issue.message : `expected ${kinds.join(' or ')}`
  return [{ code: 'custom', path: issue.path, message, input: issue.input }]
}

/** How many keys a kind does not know. */
function strangers(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0)
}

/**
 * An error map for `safeParse`. It makes the message of an unknown key the list of the known keys, separated by spaces:
 * `issueTexts` needs them to suggest one.
 */
export function listKnownKeys(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined
  const { def } = (issue.inst as z.core.$ZodObject)._zod // only objects raise this issue
  return Object.keys(def.shape).join(' ')
}

/**
 * Parses what a user gave. Throws `UsageError` with a line for each problem: `fault.times is 0: expected at least 1`.
 * `what` names the input in the message.
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown, what: string): z.output<Schema> {
  // To compile a schema takes longer than to check a few inputs.
  const { data, error } = schema.safeParse(input, { jitless: true, error: listKnownKeys })
  if (!error) return data
  const named = { [what]: input }
  const issues = error.issues.flatMap(likelyIssues).map(issue => ({ ...issue, path: [what, ...issue.path] }))
  throw new UsageError(problemLines(issues.flatMap(issue => issueTexts(issue, named))))
}

/** One problem that a schema found, as sentences: one for each unknown key. Parse with `listKnownKeys`. */
export function issueTexts(issue: Issue, input: unknown): readonly string[] {
  if (issue.code !== 'unrecognized_keys') return [issueText(issue, input)]
  const known = issue.message.split(' ').filter(key => key !== '')
  return issue.keys.map(key => `${pathText([...issue.path, key])} is an unknown key.${didYouMean(key, known)}`)
}
