/**
 * Our user made a mistake: in a scenario, an option, or a write that does not fit its model.
 * The message says what is wrong, where, and what to do. What the service refuses is an `ApiError` instead.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The most problems that a message lists. */
const mostListed = 20

/**
 * Joins several problems to one message, a line each. Lists the first twenty, and counts the rest.
 * Calls `lineOf` only for the problems that it lists.
 */
export function problemLines<Problem>(
  problems: readonly Problem[],
  lineOf: (problem: Problem) => string = String,
): string {
  const lines = problems.slice(0, mostListed).map(lineOf)
  const more = problems.length - mostListed
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')
}
