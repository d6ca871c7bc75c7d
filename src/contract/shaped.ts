import type * as z from 'zod'
import { type Issue, issueText, meant, pathText } from './issue.js'
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

/** What a problem that `exact` schemas found says: a sentence, or one for each unknown key. */
export function problemTexts(issue: Issue, input: unknown): readonly string[] {
  if (issue.code !== 'unrecognized_keys') return [issueText(issue, input)]
  const known = issue.message.split(' ').filter(key => key !== '')
  return issue.keys.map(key => `${pathText([...issue.path, key])} is an unknown key.${knownChoices(key, known)}`)
}
