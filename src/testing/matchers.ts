import { rewordedCall } from '../client/http.js'
import type { ExchangeMatch, Expectation, OperationPattern } from '../core/contract/journal.js'
import type { Warning } from '../core/control/warnings/warning.js'
import { after } from '../core/lib/after.js'
import { reworded } from '../core/lib/messages.js'
import { describeMismatch, expectationOf, inArguments, type Times } from '../core/pipeline/journal-mismatch.js'
import type { Verification } from '../core/pipeline/verify.js'
import type { ServedLobby } from '../core/simulation/servers.js'
import { warningLines } from './report.js'
import { type ServedExpectation, servedDifferences, servedExpectationOf, servedText } from './served.js'
import { checkMock, lossOfJournal, presentLoss } from './tested-mock.js'

/** The matchers for `expect.extend` of vitest, Jest and Playwright. `R` is the result of a matcher in that runner. */
export interface MockmakerMatchers<R = unknown> {
  /**
   * Passes if the mock has answered matching requests: at least one, or `times`. Over a client it returns a promise. The
   * message shows the nearest requests and their differences. In a world on a running mock it also fails, with `not` too, if that
   * mock was restarted during the test: its journal has no requests from before.
   */
  toHaveAnswered(operation: OperationPattern, match?: ExchangeMatch, times?: Times): R
  /**
   * Passes if the game server of a lobby has called what is expected: `{ connected: 4, refused: 0 }`. Default: it has called
   * ready. Over a client it returns a promise. The message names the players that are missing, with their stories.
   */
  toHaveServed(lobbyId: string, expected?: ServedExpectation): R
  /**
   * Passes if the mock has no warnings: mistakes of clients and game servers. The message has their sentences. Over a client it
   * returns a promise. The scenario key `warnings` turns a rule off.
   */
  toHaveNoWarnings(): R
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

  toHaveServed(
    this: unknown,
    mock: unknown,
    lobbyId: string,
    expected?: ServedExpectation,
  ): MatcherResult | Promise<MatcherResult> {
    const expectation = servedExpectationOf(lobbyId, expected)
    const read = ({ servers }: Checked) => servers.served(lobbyId) as ServedLobby | Promise<ServedLobby> // of a mock, or of a client
    return judge(this, checkMock(mock, 'toHaveServed'), read, served => servedResult(served, expectation))
  },

  toHaveNoWarnings(this: unknown, mock: unknown): MatcherResult | Promise<MatcherResult> {
    const read = ({ warnings }: Checked) => warnings.list() as Warning[] | Promise<Warning[]> // of a mock, or of a client
    return judge(this, checkMock(mock, 'toHaveNoWarnings'), read, warnings => {
      const message = ['expected no warnings, and found:', ...warningLines(warnings)].join('\n')
      if (warnings.length > 0) return { pass: false, message: () => message }
      return { pass: true, message: () => 'expected a warning, and the mock has none' }
    })
  },
}

type Checked = ReturnType<typeof checkMock>

/** Judges what a mock has, unless its journal was lost during the test. `runner`: the state that a runner passes. */
function judge<Found>(
  runner: unknown,
  mock: Checked,
  read: (mock: Checked) => Found | Promise<Found>,
  resultOf: (found: Found) => MatcherResult,
): MatcherResult | Promise<MatcherResult> {
  const { isNot = false } = Object(runner) as { readonly isNot?: boolean }
  return after(read(mock), found =>
    after(presentLoss(mock), loss => (loss === undefined ? resultOf(found) : { pass: isNot, message: () => loss })),
  )
}

function servedResult(served: ServedLobby, expected: ServedExpectation): MatcherResult {
  const differences = servedDifferences(served, expected)
  if (differences.length === 0) return { pass: true, message: () => servedText(served, expected) }
  const { dropped } = served
  const lost = `the journal has dropped ${dropped} requests, so calls may be missing: raise journalSize`
  const lines = [...differences, ...(dropped > 0 ? [lost] : [])].map(line => `  ${line}`)
  return { pass: false, message: () => [`the server of lobby ${served.lobby_id} differs:`, ...lines].join('\n') }
}

function resultOf(verification: Verification): MatcherResult {
  return { pass: verification.ok, message: () => describeMismatch(verification) }
}

function unexpected(found: Verification, times: Times | undefined): string {
  if (times === undefined) return describeMismatch(found)
  const reason = `expected another number of requests than ${JSON.stringify(times)}, and found ${found.matched}`
  return describeMismatch({ ...found, reason })
}
