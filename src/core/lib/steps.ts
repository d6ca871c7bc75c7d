/**
 * Work in short steps. It stops at each `yield`, and there the event loop may do other work. A step takes at most a few
 * milliseconds.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Does the work without a stop. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
