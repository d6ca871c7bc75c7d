import type { Fault } from '../core/contract/faults.js'
import type { Mockmaker } from '../core/mock/facade.js'
import { createMock, type MockEnvironment } from '../core/mock/mock.js'
import { testHasEnded } from '../core/mock/mock-world.js'
import type { MockmakerOptions } from '../core/mock/options.js'
import type { Http } from '../msw/handlers.js'
import { toMockmaker } from '../msw/mockmaker.js'
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

/** Creates a mock in-process for a test. `more` has further members of its object. Throws `UsageError` if an option is wrong. */
export function createTestMock<More extends object>(
  name: string,
  // The runner decides what a strict mock does, because it knows if the test has failed.
  { faults = [], onUnhandledRequest = 'warn', strict: _, ...options }: TestMockOptions,
  { http, more, ...environment }: MockEnvironment & { readonly http: Http; readonly more: More },
): TestMock<Mockmaker & More> {
  const decide = decisionOf(onUnhandledRequest)
  const mock = createMock(options, environment)
  const object = toMockmaker(mock, options, { http, more: () => more })
  try {
    for (const fault of faults) mock.default.faults.add(fault)
  } catch (error) {
    void mock.close()
    throw error
  }
  return {
    name,
    mock: object,
    answer: mock.answer,
    refuse: (request, error) => mock.router.outside.refuse(request, error),
    onUnhandledRequest: decide,
    async end() {
      await mock.close()
      mock.default.world.end(testHasEnded)
    },
  }
}
