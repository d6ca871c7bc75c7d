import { types } from 'node:util'
// @ts-expect-error: Jest itself has this module
import { expect } from '@jest/globals'
import { onIsolatedFailure } from '../msw/isolation.js'
import { listening } from '../msw/life-cycle.js'
import { matchers } from '../testing/matchers.js'
import { reportRequests } from '../testing/report.js'
import type { TestedMock } from '../testing/tested-mock.js'

expect.extend(matchers)

const reported = new WeakSet<Error>()

onIsolatedFailure(showRequests)

/** An event of Jest's runner. */
interface RunnerEvent {
  readonly name: string
  readonly error?: unknown
}

// Jest tells hooks nothing of a failure, and only a test environment hears of events. A preset cannot bring one, because a
// test file may name its own. So this joins the handlers of Jest's runner, if they are where Jest 30 has them.
const handlers: unknown = Reflect.get(globalThis, Symbol.for('EVENT_HANDLERS'))
if (Array.isArray(handlers))
  handlers.push(({ name, error }: RunnerEvent) => {
    const mock = listening()
    // Before the hooks after the test, which may reset the mock.
    if (name === 'test_fn_failure' && mock) showRequests(error, mock as TestedMock) // only mocks listen
  })

/** Adds the requests of a mock to the error of a test, unless it has those of a world of its own. */
function showRequests(error: unknown, mock: TestedMock): void {
  // Jest runs each test file in a realm of its own, and errors of Node come from outside.
  if (!(error instanceof Error || types.isNativeError(error)) || reported.has(error)) return
  reported.add(error)
  addToMessage(error, reportRequests(mock))
}

/** Jest prints the stack, which begins with the message. */
function addToMessage(error: Error, report: string): void {
  const { message, stack = '' } = error
  const end = stack.indexOf(message) + message.length
  error.message = `${message}\n\n${report}`
  if (stack.includes(message)) error.stack = `${stack.slice(0, end)}\n\n${report}${stack.slice(end)}`
}
