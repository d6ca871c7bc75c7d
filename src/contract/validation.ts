import * as z from 'zod'

/** One problem of a validated request; `path` is its origin, as in `["ports", "0", "label-invalid"]`. */
export const ValidationError = z.object({ path: z.array(z.string()) }).meta({
  id: 'ValidationError',
  description: 'One problem of a validated request; `path` is its origin, as in `["ports", "0", "label-invalid"]`.',
})
export type ValidationError = z.output<typeof ValidationError>

/** What the validations answer: an empty list where there is nothing to mend. */
export const Validation = z.object({ errors: z.array(ValidationError) }).meta({
  id: 'Validation',
  description: 'What is wrong with the request; an empty list where there is nothing to mend.',
})
export type Validation = z.output<typeof Validation>
