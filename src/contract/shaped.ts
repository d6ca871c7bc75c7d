import type * as z from 'zod'
import { type Issue, issueText, pathText } from './issue.js'
import { knownChoices } from './nearest.js'
import { problemLines, UsageError } from './usage-error.js'

/** What an input should be, and what a message calls it. */
interface Expected<Schema extends z.ZodType> {
  readonly schema: Schema
  readonly what: string
}

/**
 * What a user of ours gave, as the schema has it. Throws `UsageError` with a line for each problem, which says where it is:
 * `fault.times is 0: expected at least 1`. Unknown keys are named where the objects of the schema are `exact`.
 */
export function shaped<Schema extends z.ZodType>(input: unknown, { schema, what }: Expected<Schema>): z.output<Schema> {
  // To compile a schema takes longer than to check a few inputs.
  const { data, error } = schema.safeParse(input, { jitless: true })
  if (!error) return data
  const named = { [what]: input }
  const issues = error.issues.flatMap(meant).map(issue => ({ ...issue, path: [what, ...issue.path] }))
  throw new UsageError(problemLines(issues.flatMap(issue => problemTexts(issue, named))))
}

function problemTexts(issue: Issue, input: unknown): readonly string[] {
  if (issue.code !== 'unrecognized_keys') return [issueText(issue, input)]
  const known = issue.message.split(' ')
  return issue.keys.map(key => `${pathText([...issue.path, key])} is an unknown key.${knownChoices(key, known)}`)
}

/** Where a value may be of several kinds, what is wrong with the kind that it is most like; else what kinds it may be of. */
function meant(issue: Issue): readonly Issue[] {
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
