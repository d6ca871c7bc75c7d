import { types } from 'node:util'
// @ts-expect-error: Jest itself has this module
import { expect } from '@jest/globals'
import { isolatedWorlds, onIsolatedFailure, straysBeside } from '../../msw/isolation.js'
import { listening } from '../../msw/life-cycle.js'
import { matchers } from '../matchers.js'
import { reportRequests } from '../report.js'
import type { TestedMock } from '../tested-mock.js'

expect.extend(matchers)

const reported = new WeakSet<object>()

onIsolatedFailure(showRequests)

interface RunnerEvent {
  readonly name: string
  readonly error?: unknown
  readonly test?: {
    readonly asyncError?: Error
    /** The errors that the test has thrown, each with its place. */
    readonly errors: [thrown: unknown, place: unknown][]
  }
}

// Jest tells hooks nothing of a failure, and only a test environment hears of events. A preset cannot bring one, because a
// test file may name its own. So this joins the handlers of Jest's runner, if they are where Jest 30 has them.
const handlers: unknown = Reflect.get(globalThis, Symbol.for('EVENT_HANDLERS'))
if (Array.isArray(handlers))
  handlers.push(({ name, error, test }: RunnerEvent) => {
    const mock = listening() as TestedMock | undefined // only mocks listen
    if (name !== 'test_fn_failure' || !mock) return
    // Before the hooks after the test, which may reset the mock.
    if (typeof error === 'string') showTimeout(error, test, mock)
    else showRequests(error, mock)
  })

function showTimeout(text: string, test: RunnerEvent['test'], mock: TestedMock): void {
  const thrown = test?.errors.at(-1)
  const world = worldOf(mock)
  if (!thrown || !world) return
  const error = new Error(`thrown: "${text}"`)
  const frames = /\n +at .*/s.exec(test?.asyncError?.stack ?? '')?.[0] ?? ''
  error.stack = `${error}${frames}`
  showRequests(error, world)
  thrown[0] = error
}

/** Returns the world of a test that takes too long: that of the function in isolation if only one runs, or the mock. */
function worldOf(mock: TestedMock): TestedMock | undefined {
  const [world, ...others] = isolatedWorlds().filter(isolated => !reported.has(isolated))
  if (others.length > 0) return undefined
  // Its function still runs in the tests after this one.
  if (world) reported.add(world)
  return world ?? mock
}

function showRequests(error: unknown, mock: TestedMock): void {
  // Jest runs each test file in a realm of its own, and errors of Node come from outside.
  if (!(error instanceof Error || types.isNativeError(error)) || reported.has(error)) return
  reported.add(error)
  addToMessage(error, reportRequests(mock, { strays: straysBeside(mock) }))
}

/** Jest prints the stack, which begins with the message. */
function addToMessage(error: Error, report: string): void {
  const { message, stack = '' } = error
  const end = stack.indexOf(message) + message.length
  error.message = `${message}\n\n${report}`
  if (stack.includes(message)) error.stack = `${stack.slice(0, end)}\n\n${report}${stack.slice(end)}`
}
