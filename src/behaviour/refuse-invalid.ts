import { ApiError } from '../contract/errors.js'
import type { ValidationError } from '../contract/namespaces.js'

/** The most problems that a message names. */
const named = 10

/**
 * Throws `ApiError` where what is to be made cannot be as the body says: some problems are named, and all are in its
 * metadata (PROTOCOL.md C). A body without the shape of its schema is `API_BAD_BODY`, and does not come as far as this.
 */
export function refuseInvalid(what: string, errors: readonly ValidationError[]): void {
  if (errors.length === 0) return
  const texts = errors.slice(0, named).map(({ path }) => path.join(' '))
  const more = errors.length > named ? ` and ${errors.length - named} more` : ''
  throw new ApiError('VALIDATION_ERROR', `${what} is refused: ${texts.join(', ')}${more}; metadata.errors has all`, {
    metadata: { errors },
  })
}
