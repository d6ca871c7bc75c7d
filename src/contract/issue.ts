import type * as z from 'zod'

/** A problem that a schema found. */
export type Issue = z.core.$ZodIssue

/** Keys that lead from a value to one inside it. */
export type Path = readonly PropertyKey[]

/** A path as people write it: `games[0].lobbies[3].region_id`. */
export function pathText(path: Path): string {
  return path.map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`)).join('')
}

/** One problem that a schema found, as a sentence that names the place and quotes the value. */
export function issueText(issue: Issue, input: unknown): string {
  const value = valueAt(input, issue.path)
  const subject = issue.path.length === 0 ? '' : `${pathText(issue.path)} `
  if (value === undefined) return `${subject}is missing: ${expectation(issue)}`
  return `${subject}is ${quoted(value)}: ${expectation(issue)}`
}

/** A value in a message: as JSON, and no longer than a line. */
export function quoted(value: unknown): string {
  const text = printed(value)
  // Not in the middle of a character, of which strict readers of JSON take no half.
  return text.length > 80 ? `${text.slice(0, 77).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/** Not everything has a JSON: what holds itself and bigints do not. */
function printed(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return typeof value === 'bigint' ? `${value}n` : `that ${typeof value}`
  }
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
      return `expected ${issue.values.map(value => quoted(value)).join(' or ')}`
    case 'too_small':
      return `expected ${issue.origin === 'string' || issue.origin === 'array' ? 'a length of ' : ''}at least ${issue.minimum}`
    case 'too_big':
      return `expected ${issue.origin === 'string' || issue.origin === 'array' ? 'a length of ' : ''}at most ${issue.maximum}`
    default:
      return issue.message
  }
}

/** Where a value may be of several kinds, what is wrong with the kind that it is most like; else what kinds it may be of. */
export function meant(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const mistaken = issue.errors.map(kind => kind.find(({ code, path }) => code === 'invalid_type' && path.length === 0))
  const alike = issue.errors.filter((_, i) => mistaken[i] === undefined)
  const [most] = alike.toSorted((one, other) => strangers(one) - strangers(other))
  if (most) return most.flatMap(inner => meant({ ...inner, path: [...issue.path, ...inner.path] }))
  const kinds = mistaken.map(wrong => (wrong?.code === 'invalid_type' ? wrong.expected : ''))
  // What a schema of ours says of its kinds itself is better.
  const message = issue.message.startsWith('expected') ? issue.message : `expected ${kinds.join(' or ')}`
  return [{ code: 'custom', path: issue.path, message, input: issue.input }]
}

/** How many keys a kind does not know. */
function strangers(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0)
}
