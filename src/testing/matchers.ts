import { rewordedCall } from '../client/http.js'
import type { ExchangeMatch, Expectation, OperationPattern } from '../contract/journal.js'
import { after } from '../lib/after.js'
import { reworded } from '../lib/usage-error.js'
import { describeMismatch, expectationOf, inArguments, type Times } from '../server/journal-mismatch.js'
import type { Verification } from '../server/verify.js'
import { checkMock, lossOfJournal } from './tested-mock.js'

/** The matchers for `expect.extend` of vitest, Jest and Playwright. `R` is the result of a matcher in that runner. */
export interface MockmakerMatchers<R = unknown> {
  /**
   * Passes if the mock has answered matching requests: at least one, or `times`. Over a client it returns a promise. The
   * message shows the nearest requests and their differences. In a world on a running mock it also fails, with `not` too, if that
   * mock was restarted during the test: its journal has no requests from before.
   */
  toHaveAnswered(operation: OperationPattern, match?: ExchangeMatch, times?: Times): R
}

/** The result of a matcher, in the form of all three runners. */
export interface MatcherResult {
  readonly pass: boolean
  message(): string
}

/** Pass it to `expect.extend`. */
export const matchers = {
  toHaveAnswered(
    this: unknown,
    mock: unknown,
    operation: OperationPattern,
    match?: ExchangeMatch,
    times?: Times,
  ): MatcherResult | Promise<MatcherResult> {
    const checked = checkMock(mock, 'toHaveAnswered')
    const { journal } = checked
    const expectation = expectationOf('toHaveAnswered', { operation, match, times })
    const { isNot = false } = Object(this) as { readonly isNot?: boolean } // a runner passes its state
    const reword = (message: string) => inArguments('toHaveAnswered', message)
    const verify = (expected: Expectation) => {
      const verified = reworded(() => journal.verify(expected), reword)
      return verified instanceof Promise ? rewordedCall(verified, reword) : verified
    }
    return after(verify(expectation), verification => {
      const loss = lossOfJournal(checked, verification)
      if (loss !== undefined) return { pass: isNot, message: () => loss }
      if (!verification.ok || !isNot) return resultOf(verification)
      // Only a count of none shows the requests that match.
      const none = verify({ ...expectation, count: { max: 0 } })
      return after(none, found => ({ ...resultOf(found), pass: true, message: () => unexpected(found, times) }))
    })
  },
}

function resultOf(verification: Verification): MatcherResult {
  return { pass: verification.ok, message: () => describeMismatch(verification) }
}

/** The message of `.not` if the requests came. */
function unexpected(found: Verification, times: Times | undefined): string {
  if (times === undefined) return describeMismatch(found)
  const reason = `expected another number of requests than ${JSON.stringify(times)}, and found ${found.matched}`
  return describeMismatch({ ...found, reason })
}
