import type { Fault } from '../contract/faults.js'
import { endWorld, testHasEnded } from '../mock/end-world.js'
import { createMock, type MockEnvironment } from '../mock/mock.js'
import { type ServableMockmaker, withHandlers } from '../msw/mockmaker.js'
import type { MockmakerOptions } from '../mock/options.js'
import type { Http } from '../msw/handlers.js'
import { decisionOf, type ListenOptions } from '../msw/unhandled-requests.js'
import type { RunningTest } from './running-tests.js'

/** Options of the mock of a test. */
export interface TestMockOptions extends Omit<MockmakerOptions, 'world' | 'strict'>, ListenOptions {
  /** Faults to add before the test. Default: only those of the scenario. */
  readonly faults?: readonly Fault[] | undefined
  /** Fails the test if a fault that its options or its code added never applied. Default: false. */
  readonly strict?: boolean | undefined
}

/** A test with its mock. */
export interface TestMock<Mock> extends RunningTest {
  readonly mock: Mock
  /** Answers the blocked requests, and ends the mock: each later use of it throws. */
  end(): Promise<void>
}

/** Creates a mock in-process for a test. Throws `UsageError` if an option is wrong. */
export function createTestMock(
  name: string,
  // The runner decides what a strict mock does, because it knows if the test has failed.
  { faults = [], onUnhandledRequest = 'warn', strict: _, ...options }: TestMockOptions,
  environment: MockEnvironment & { readonly http: Http },
): TestMock<ServableMockmaker> {
  const decide = decisionOf(onUnhandledRequest)
  const mock = withHandlers(createMock(options, environment), options, environment)
  try {
    for (const fault of faults) mock.faults.add(fault)
  } catch (error) {
    void mock.close()
    throw error
  }
  const { answer, refuse } = mock
  return {
    name,
    mock,
    answer,
    refuse,
    onUnhandledRequest: decide,
    async end() {
      await mock.close()
      endWorld(mock, testHasEnded)
    },
  }
}
