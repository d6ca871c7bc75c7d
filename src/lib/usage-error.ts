/**
 * What the user of mockmaker did wrong: a fixture, an option, a write that does not fit its model.
 * The message says what, where, and how to mend it. What the service would refuse is an `ApiError` instead.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** How many problems a message lists. */
const most = 20

/** The message of several problems, a line each; of very many the first twenty, and how many more there are. Words only those. */
export function problemLines<Problem>(
  problems: readonly Problem[],
  lineOf: (problem: Problem) => string = String,
): string {
  const more = problems.length - most
  return [...problems.slice(0, most).map(lineOf), ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')
}
