import type * as z from 'zod'

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
  if (name.length > longestQuote || !/^[\w$-]+$/.test(name)) return `[${quoted(name)}]`
  return isFirst ? name : `.${name}`
}

/** One problem that a schema found, as a sentence that names the place and quotes the value. */
export function issueText(issue: Issue, input: unknown): string {
  const value = valueAt(input, issue.path)
  const subject = issue.path.length === 0 ? '' : `${pathText(issue.path)} `
  if (value === undefined) return `${subject}is missing: ${expectation(issue)}`
  return `${subject}is ${quoted(value)}: ${expectation(issue)}`
}

/** The longest value in a message, in characters. */
const longestQuote = 80

/** A value in a message: as JSON, and at most 80 characters long. The cost does not depend on the size of the value. */
export function quoted(value: unknown): string {
  return shortened(printed(value))
}

/** A text in a message: no longer than `longest` characters, with `…` where it was cut. */
export function shortened(text: string, longest = longestQuote): string {
  // Not in the middle of a character: strict readers of JSON accept no half of one.
  return text.length > longest ? `${text.slice(0, longest - 3).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/** Not everything has a JSON: cycles and bigints do not. */
function printed(value: unknown): string {
  // JSON has no NaN.
  if (typeof value === 'number') return String(value)
  let containers = 0
  try {
    const text = JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === 'string') return inner.slice(0, longestQuote)
      if (typeof inner !== 'object' || inner === null) return inner
      containers += 1
      return containers > longestQuote ? undefined : excerpt(inner)
    })
    return text ?? shortened(String(value))
  } catch {
    return typeof value === 'bigint' ? `${shortened(String(value))}n` : `that ${typeof value}`
  }
}

/** As much of a list or an object as a message can show. A small one is returned itself, so that cycles are still found. */
function excerpt(value: object): object {
  if (Array.isArray(value)) return value.length > longestQuote ? value.slice(0, longestQuote) : value
  const keys = Object.keys(value)
  if (keys.length <= longestQuote && keys.every(key => key.length <= longestQuote)) return value
  // An own key of an object may be used on it.
  return Object.fromEntries(
    keys.slice(0, longestQuote).map(key => [key.slice(0, longestQuote), value[key as never] as unknown]),
  )
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
