import { ApiError } from '../contract/errors.js'

/** Code of our user failed while it answered a request. `cause` is its error. */
export class UserCodeError extends Error {
  override readonly name = 'UserCodeError'

  /** `subject` names the code: `the resolver of lobbies.list`. */
  constructor(
    readonly subject: string,
    override readonly cause: unknown,
  ) {
    super(`${subject} failed`)
  }
}

/** Returns the error of code of our user as one to report. An `ApiError` is an answer, and stays as it is. */
export function ofUserCode(subject: string, error: unknown): unknown {
  return error instanceof ApiError ? error : new UserCodeError(subject, error)
}
