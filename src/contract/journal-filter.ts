import * as z from 'zod'
import { exact } from './exact.js'
import { OperationPattern } from './request-match.js'

/** Which exchanges are wanted; of what is absent, any. */
export interface JournalFilter {
  /** An operation's id, or a pattern of several: `devices.*`. */
  readonly operation?: string | undefined
  /** 0 where the connection was broken off. */
  readonly status?: number | undefined
  /** The id of an exchange: those after it. */
  readonly since?: number | undefined
}

export const JournalFilterSchema = exact({
  operation: OperationPattern.optional(),
  status: z.int().optional(),
  since: z.int().optional(),
}) satisfies z.ZodType<JournalFilter>
