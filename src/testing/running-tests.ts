import { ApiError } from '../core/contract/errors.js'
import { quoted, startPage, UsageError } from '../core/lib/messages.js'
import { createMock } from '../core/mock/mock.js'
import type { MockRequest, MockResponse, RequestHandler } from '../core/pipeline/message.js'
import type { RequestHandlers } from '../msw/handlers.js'
import { StrayRequests, sharedCode } from '../msw/stray-requests.js'
import type { UnhandledRequest } from '../msw/unhandled-requests.js'

/** A test with a mock of its own. */
export interface RunningTest {
  readonly name: string
  readonly mock: object
  readonly answer: RequestHandler
  readonly onUnhandledRequest: Exclude<UnhandledRequest, string>
  /** Answers the blocked requests, and ends the mock: each later use of it throws or rejects. */
  end(): Promise<void>
}

/** The tests that run now, and the way from a request to its test. */
export class RunningTests {
  readonly #running = new Set<RunningTest>()
  /** The requests that came while a test ran, and that were not for it. */
  readonly strays = new StrayRequests<RunningTest>()
  readonly #ended = new WeakSet<RunningTest>()

  /** `current`: the test of the present asynchronous context. `outside` answers outside of all tests, as in `beforeAll`. */
  constructor(
    private readonly current: () => RunningTest | undefined,
    private readonly outside: () => RunningTest | undefined,
  ) {}

  start(test: RunningTest): void {
    this.#running.add(test)
    this.strays.begin(test)
  }

  async end(test: RunningTest): Promise<void> {
    this.#running.delete(test)
    this.strays.end(test)
    this.#ended.add(test)
    await test.end()
  }

  /** Finds the test of the present request: that of its asynchronous context, or else the only one that runs. */
  find(): RunningTest | undefined {
    const current = this.current()
    if (current) return current
    if (this.#running.size > 1) return undefined
    const [only] = this.#running
    return only ?? this.outside()
  }

  /** The answers to the requests of all tests, for MSW handlers. */
  readonly handlers: RequestHandlers = {
    answer: request => this.#answer(request, this.find()),
    answerOverHttp: request => this.#answer(request, this.find()),
    // Asked when the request arrives, because its test may end before its body is read.
    select: () => {
      const test = this.find()
      return request => this.#answer(request, test)
    },
  }

  #answer(request: MockRequest, test: RunningTest | undefined): MockResponse | Promise<MockResponse> {
    if (test && !this.#ended.has(test)) {
      this.strays.add(test, quoted(test.name))
      return test.answer(request)
    }
    if (!test && this.#running.size === 0) throw new Error('a request arrived before the first test')
    this.strays.add(undefined, test ? `${quoted(test.name)}, which has ended` : 'one of several tests')
    const reason = test ? hasEnded(test, [...this.#running]) : severalTests([...this.#running])
    return createMock().router.outside.refuse(request, reason)
  }
}

function hasEnded({ name }: RunningTest, running: readonly RunningTest[]): ApiError {
  const [another] = running
  const advice = another ? `. ${sharedCode}, if ${quoted(another.name)} has sent it` : ''
  return new ApiError('API_NOT_FOUND', `this request belongs to the test ${quoted(name)}, which has ended${advice}`)
}

function severalTests(tests: readonly RunningTest[]): UsageError {
  const names = tests.map(({ name }) => name).join(', ')
  return new UsageError(
    `${tests.length} tests run at once (${names}), and the mock cannot tell which of them sent this request: send it from code that a test calls, or run these tests one after the other. ${startPage}`,
  )
}
