/**
 * What the user of mockmaker did wrong: a fixture, an option, a write that does not fit its model.
 * The message says what, where, and how to mend it. What the service would refuse is an `ApiError` instead.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
