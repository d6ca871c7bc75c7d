import { ApiError } from '../contract/error.js'
import type { ValidationError } from '../contract/validation.js'

/** The most problems that a message names. */
const named = 10

/** Throws `ApiError` where there is a problem with what is to be: some are named, and all are in its metadata (PROTOCOL.md C). */
export function refuseInvalid(what: string, errors: readonly ValidationError[]): void {
  if (errors.length === 0) return
  const texts = errors.slice(0, named).map(({ path }) => path.join(' '))
  const more = errors.length > named ? ` and ${errors.length - named} more` : ''
  throw new ApiError('VALIDATION_ERROR', `${what} is refused: ${texts.join(', ')}${more}; metadata.errors has all`, {
    metadata: { errors },
  })
}
