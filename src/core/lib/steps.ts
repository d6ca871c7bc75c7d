/** Work in steps of at most a few milliseconds. At each `yield` the event loop may do other work. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Does the work without a stop. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
