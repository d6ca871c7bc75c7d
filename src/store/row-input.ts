import type * as z from 'zod'
import { issueTexts, listKnownKeys } from '../lib/issues.js'
import { UsageError } from '../lib/usage-error.js'
import { frozenCopy } from './json-copy.js'

/**
 * Checks a row and freezes it. Throws `UsageError`, whose message begins with `where`. For `isOneOfFew` the schema is not
 * compiled, which takes as long as to check some hundreds of rows.
 */
export function parseRow<Row extends object>(
  schema: z.ZodType<Row>,
  input: unknown,
  where: string,
  isOneOfFew = false,
): Row {
  const parsed = schema.safeParse(input, { jitless: isOneOfFew, error: listKnownKeys })
  if (parsed.success) return frozenCopy(parsed.data)
  throw new UsageError(`${where}: ${parsed.error.issues.flatMap(issue => issueTexts(issue, input)).join('; ')}`)
}
