import type * as z from 'zod'
import { getKey, keepAllDigits } from './json.js'
import { didYouMean, listedProblems, mostProblems, quoted, UsageError } from './messages.js'

/** A problem that a schema found. */
export type Issue = z.core.$ZodIssue

/** The keys that lead from a value to one inside it. */
export type Path = readonly PropertyKey[]

const longestPath = 240 // characters

const longestKey = 80 // characters

/** Writes a path as in code: `games[0].lobbies[3].region_id`, `tags["two words"]`. At most 240 characters. */
export function pathText(path: Path): string {
  const text = path.map((key, i) => keyText(key, i === 0)).join('')
  if (text.length <= longestPath) return text
  // The start and the end both help to find the place.
  return `${text.slice(0, longestPath / 2)}…${text.slice(1 - longestPath / 2)}`
}

function keyText(key: PropertyKey, isFirst: boolean): string {
  if (typeof key === 'number') return `[${key}]`
  const name = String(key)
  if (name.length > longestKey || !/^[\w$-]+$/.test(name)) return `[${quoted(name)}]`
  return isFirst ? name : `.${name}`
}

/** Gets the value at a path of own properties. Returns `undefined` if there is none. */
export function valueAt(input: unknown, path: Path): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = getKey(value, key)
  }
  return value
}

/** Writes an issue as a sentence with its path and the value: `fault.times is 0: expected at least 1`. */
export function issueText(issue: Issue, input: unknown): string {
  const value = valueAt(input, issue.path)
  const subject = issue.path.length === 0 ? '' : `${pathText(issue.path)} `
  return `${subject}is ${value === undefined ? 'missing' : quoted(value)}: ${expectation(issue)}`
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return hasOwnMessage(issue) ? issue.message : `expected ${issue.expected}`
    case 'invalid_value':
      return `expected ${issue.values.map(quoted).join(' or ')}`
    case 'too_small':
      return `expected ${lengthOf(issue.origin)}at least ${issue.minimum}`
    case 'too_big':
      return `expected ${lengthOf(issue.origin)}at most ${issue.maximum}`
    default:
      return issue.message
  }
}

/** True if the schema has a message of its own. Those of Zod begin with another word. */
export function hasOwnMessage({ message }: Issue): boolean {
  return message.startsWith('expected')
}

function lengthOf(origin: string): string {
  return origin === 'string' || origin === 'array' ? 'a length of ' : ''
}

/** Describes an error of a schema, a sentence for each issue. Paths begin with `path`. Pass `listKnownKeys` to the parser. */
export function issueTexts(error: z.ZodError, input: unknown, path: Path = []): readonly string[] {
  return listedProblems(describeIssues(error, input, path), ({ text }) => text())
}

/** Finds the issues and unknown keys that `issueTexts` describes, each with its path. */
export function describeIssues(
  error: z.ZodError,
  input: unknown,
  path: Path,
): readonly { readonly path: Path; text(): string }[] {
  const whole = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), input)
  return likelyIssues(error.issues).flatMap(found => {
    const issue = { ...found, path: [...path, ...found.path] }
    if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, text: () => issueText(issue, whole) }]
    const known = issue.message.split('\n').filter(key => key !== '')
    return issue.keys.map(key => {
      const unknown = [...issue.path, key]
      return { path: unknown, text: () => `${pathText(unknown)} is an unknown key.${didYouMean(key, known)}` }
    })
  })
}

/** Error map for `safeParse`: replaces the message about an unknown key by the known ones, for `issueTexts`. */
export function listKnownKeys(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined
  const { def } = (issue.inst as z.core.$ZodObject)._zod // only objects raise this issue
  return Object.keys(def.shape).join('\n')
}

/**
 * Replaces the issue of a union by the issues of one branch: of those with the type of the value, the one with the fewest unknown
 * keys. If no branch has that type, it lists the types. Of several limits for one value, it keeps the narrowest. It returns no more
 * than the first `mostProblems` issues, each with as many unknown keys.
 */
export function likelyIssues(issues: readonly Issue[]): readonly Issue[] {
  return withoutWiderLimits(issues.slice(0, mostProblems)).flatMap(issue => {
    if (issue.code === 'invalid_union') return issuesOfUnion(issue)
    return issue.code === 'unrecognized_keys' ? [{ ...issue, keys: issue.keys.slice(0, mostProblems) }] : [issue]
  })
}

function issuesOfUnion(issue: z.core.$ZodIssueInvalidUnion): readonly Issue[] {
  const wrongTypes = issue.errors.map(branch => branch.find(isWrongType))
  const branches = issue.errors.filter((_, i) => wrongTypes[i] === undefined)
  const [best] = branches.toSorted(
    (one, other) =>
      Number(one.some(isOtherValue)) - Number(other.some(isOtherValue)) || unknownKeys(one) - unknownKeys(other),
  )
  if (best) return likelyIssues(best.map(inner => ({ ...inner, path: [...issue.path, ...inner.path] })))
  const types = wrongTypes.map(wrong => (wrong?.code === 'invalid_type' ? wrong.expected : ''))
  const message = hasOwnMessage(issue) ? issue.message : `expected ${types.join(' or ')}`
  return [{ code: 'custom', path: issue.path, message, input: issue.input }]
}

/** Drops each limit beside a narrower one for the same value: an integer also has the limits of safe integers. */
export function withoutWiderLimits(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter((issue, i) => {
    const neighbours = [issues[i - 1], issues[i + 1]]
    return !neighbours.some(other => other && isNarrower(other, issue))
  })
}

/** True if both are limits for the same value, and `one` is the narrower one. */
function isNarrower(one: Issue, other: Issue): boolean {
  if (one.path.length !== other.path.length || one.path.some((key, i) => key !== other.path[i])) return false
  if (one.code === 'too_big') return other.code === 'too_big' && one.maximum < other.maximum
  return one.code === 'too_small' && other.code === 'too_small' && one.minimum > other.minimum
}

function isWrongType(issue: Issue): boolean {
  if (issue.path.length > 0) return false
  if (issue.code === 'invalid_union') return issue.errors.every(branch => branch.some(isWrongType))
  return issue.code === 'invalid_type'
}

/** True if a branch takes only certain values, and not this one. The value may have the type of another branch. */
const isOtherValue = ({ code, path }: Issue) => code === 'invalid_value' && path.length === 0

function unknownKeys(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0)
}

/** Parses the input of our user. Throws `UsageError` with a line for each problem. `what` names the input. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown, what: string): z.output<Schema> {
  return parse(schema, input, error => issueTexts(error, input, what.split('.')))
}

/** Parses the arguments of a call, by their names. Throws `UsageError` with a line for each problem. */
export function parseArguments<Schema extends z.ZodType>(
  schema: Schema,
  input: object,
  call: string,
): z.output<Schema> {
  return parse(schema, input, error => issueTexts(error, input).map(text => `${call}: ${text}`))
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  textsOf: (error: z.ZodError) => readonly string[],
): z.output<Schema> {
  // Compiling a schema takes longer than checking a few inputs.
  const { data, error } = schema.safeParse(input, { jitless: true, error: listKnownKeys })
  if (!error) return keepAllDigits(data, input)
  throw new UsageError(textsOf(error).join('\n'))
}
