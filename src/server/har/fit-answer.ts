import type * as z from 'zod'
import { type Issue, valueAt } from '../../core/lib/issues.js'
import { draftOf, keepAllDigits, setKey } from '../../core/lib/json.js'

/** A field may be wrong in several ways, one after the other. */
const mostRounds = 8

/** Returns an answer in the form of its schema, with placeholders for wrong fields. `undefined` if it has another form. */
export function fitAnswer<Schema extends z.ZodType>(answer: unknown, schema: Schema): z.output<Schema> | undefined {
  let parsed = schema.safeParse(answer)
  if (parsed.success) return keepAllDigits(parsed.data, answer)
  const fitted: unknown = draftOf(answer)
  for (let round = 0; round < mostRounds && !parsed.success; round += 1) {
    const { issues } = parsed.error
    if (!issues.every(issue => place(fitted, issue))) return undefined
    parsed = schema.safeParse(fitted)
  }
  return keepAllDigits(parsed.data, fitted)
}

function place(answer: unknown, issue: Issue): boolean {
  const placeholder = placeholderFor(issue)
  const key = issue.path.at(-1)
  if (placeholder === undefined || key === undefined) return false
  const parent = valueAt(answer, issue.path.slice(0, -1))
  if (typeof parent !== 'object' || parent === null) return false
  setKey(parent, String(key), placeholder)
  return true
}

const placeholders: Readonly<Record<string, unknown>> = {
  string: 'unknown',
  number: 1,
  int: 1,
  boolean: false,
  array: [],
  object: {},
  record: {},
}

function placeholderFor(issue: Issue): unknown {
  if (issue.code === 'invalid_type') return structuredClone(placeholders[issue.expected])
  if (issue.code === 'invalid_value') return issue.values[0]
  if (issue.code === 'too_small') return Number(issue.minimum)
  if (issue.code === 'too_big') return Number(issue.maximum)
  return undefined
}
