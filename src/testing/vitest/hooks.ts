import type { HttpHandler, RequestHandler } from 'msw'
import { afterAll, beforeAll, type TestContext } from 'vitest'
import type { Client } from '../../client/client.js'
import { checkUnusedFaults } from '../../core/pipeline/unused-faults.js'
import { createHandlers } from '../../msw/handlers.js'
import { claimListening, releaseListening } from '../../msw/life-cycle.js'
import type { UnhandledPrint } from '../../msw/unhandled-requests.js'
import { capsuleLine, reportRequests } from '../report.js'
import { type RunningTest, RunningTests } from '../running-tests.js'
import { ScenarioCache } from '../scenario-cache.js'
import { outsideOnServer } from '../test-world.js'
import type { Runner } from './runner.js'
import { type AnyTestOptions, createTest, createTestMock, type TestPlatform, type VitestMock } from './test-mock.js'

/** MSW in this process or page. */
export interface Interception extends TestPlatform {
  /** Returns the test of the present asynchronous context. */
  current(): RunningTest | undefined
  /** Starts MSW with the handlers outside of tests. `decide` gets the requests that no handler matches. */
  start(
    handlers: readonly HttpHandler[],
    decide: (request: Request, print: UnhandledPrint) => void,
  ): void | Promise<void>
  stop(): void | Promise<void>
  /** Runs a test with handlers of its own. Rejects with `UsageError` if it cannot run beside the tests that run. */
  run(test: RunningTest, handlers: readonly HttpHandler[], body: () => Promise<void>): Promise<void>
  use(test: RunningTest, handlers: readonly RequestHandler[]): void
}

type Task = TestContext['task']

interface OpenTest extends RunningTest {
  readonly options: AnyTestOptions
}

/** The hooks that start and stop MSW for a test file, and that run each test with its mock. */
export class VitestHooks {
  readonly #interception: Interception
  readonly #runner: Runner
  readonly #tests: RunningTests
  readonly #cache = new ScenarioCache()
  /** By base URL. */
  readonly #handlers = new Map<string, HttpHandler[]>()
  readonly #opened = new WeakMap<Task, OpenTest>()
  /** Why a test has no mock. Vitest does not try again to create it when it repeats the test. */
  readonly #errors = new WeakMap<Task, unknown>()
  #hooked = new WeakSet<object>()
  /** The options of the mock outside of tests. Absent if no test file runs. */
  #outsideOptions: AnyTestOptions | undefined
  #outside: RunningTest | undefined
  #starts = 0
  #isIntercepting = false

  constructor(interception: Interception, runner: Runner) {
    this.#interception = interception
    this.#runner = runner
    this.#tests = new RunningTests(interception.current, () => this.#openOutside())
  }

  /** Registers the hooks of the suite that vitest collects now, unless an outer suite has them. */
  register(options: AnyTestOptions): void {
    const suites = this.#runner.suites()
    const [suite] = suites
    if (suite === undefined || suites.some(one => this.#hooked.has(one))) return
    this.#hooked.add(suite)
    beforeAll(() => this.#start(options))
    afterAll(() => this.#stop())
    this.#runner.aroundEach((run, task) => this.#run(task, run))
  }

  /** Creates the mock of a test. Rejects if an option is wrong. */
  async open(task: Task, options: AnyTestOptions): Promise<object> {
    try {
      const use: VitestMock['use'] = (...handlers) => this.#interception.use(test, handlers)
      const created = await createTest(task.name, options, { use, platform: this.#interception, cache: this.#cache })
      const test: OpenTest = { ...created, options }
      this.#opened.set(task, test)
      this.#tests.start(test)
      return created.mock
    } catch (error) {
      this.#errors.set(task, error)
      throw error
    }
  }

  async close(task: Task): Promise<void> {
    const test = this.#opened.get(task)
    if (!test) return
    this.#opened.delete(task)
    await this.#tests.end(test)
  }

  /** Returns what answers the requests outside of tests: the running mock, or a mock that it creates for the first one. */
  #openOutside(): RunningTest | undefined {
    const options = this.#outsideOptions
    const [platform, cache, name] = [this.#interception, this.#cache, 'outside of tests']
    if (options)
      this.#outside ??=
        options.server === undefined
          ? createTestMock(name, options, { platform, cache, more: {} })
          : outsideOnServer(name, options.server, platform.fetch)
    return this.#outside
  }

  #handlersOf({ baseUrl = '*' }: AnyTestOptions): readonly HttpHandler[] {
    const { http } = this.#interception
    const handlers = this.#handlers.get(baseUrl) ?? createHandlers({ baseUrl, http, ...this.#tests.handlers })
    this.#handlers.set(baseUrl, handlers)
    return handlers
  }

  async #start(options: AnyTestOptions): Promise<void> {
    this.#outsideOptions ??= options
    this.#starts++
    if (this.#starts > 1) return
    claimListening(this)
    await this.#interception.start(this.#handlersOf(options), (request, print) =>
      this.#tests.find()?.onUnhandledRequest(request, print),
    )
    this.#isIntercepting = true
  }

  async #stop(): Promise<void> {
    this.#starts--
    if (this.#starts > 0) return
    // MSW 3 throws if it stops before it has started.
    if (this.#isIntercepting) await this.#interception.stop()
    this.#isIntercepting = false
    releaseListening(this)
    this.#hooked = new WeakSet()
    this.#outsideOptions = undefined
    await this.#outside?.end()
    this.#outside = undefined
    // A file may have changed before the next run.
    this.#cache.clear()
  }

  async #run(task: Task, run: () => Promise<void>): Promise<void> {
    const test = this.#opened.get(task)
    if (!test && this.#errors.has(task)) throw this.#errors.get(task)
    // A test without our fixtures, or a hook inside another one.
    if (!test || this.#interception.current() === test) return run()
    await this.#interception.run(test, this.#handlersOf(test.options), run)
    const mock = test.mock as Client
    if (task.result?.state !== 'fail') {
      if (test.options.strict) checkUnusedFaults(await mock.faults.list({ unused: true }))
      return
    }
    if (task.fails) return
    const report = await reportRequests(mock, { strays: this.#tests.strays.describe(test) })
    const file = test.options.capsule === 'never' ? undefined : await attachCapsule(task, mock, this.#interception)
    const capsule = file === undefined ? '' : `\n${capsuleLine(file)}`
    // biome-ignore lint/suspicious/noConsole: vitest shows it with the test
    console.error(`mockmaker: "${task.name}" has failed.\n${report}${capsule}`)
  }
}

/** Attaches a capsule to a failed test, and returns the path of its file. `undefined` in a page, or if vitest cannot. */
async function attachCapsule(
  task: Task,
  mock: Pick<Client, 'capsule'>,
  { withFile }: TestPlatform,
): Promise<string | undefined> {
  const { annotate } = task.context as Partial<TestContext>
  const { result } = task
  if (!annotate || !result || !withFile) return undefined
  const attach = async (path: string) => {
    // Vitest attaches nothing to a test that has failed already, and looks at this when it is called.
    result.state = 'run'
    const annotated = annotate('the world with its past', 'mockmaker', { path, contentType: 'text/html' })
    result.state = 'fail'
    return (await annotated).attachment?.path
  }
  try {
    return await withFile('mockmaker.html', await mock.capsule(), attach)
  } catch {
    // The server of the mock may be the reason why the test fails.
    return undefined
  }
}
