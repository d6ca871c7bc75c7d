import type { HttpHandler, RequestHandler } from 'msw'
import type { Client } from '../../client/client.js'
import { didYouMean } from '../../core/lib/text.js'
import { UsageError } from '../../core/lib/usage-error.js'
import type { Mockmaker } from '../../core/mock/facade.js'
import { MockmakerOptions } from '../../core/mock/options.js'
import type { ScenarioInput } from '../../core/scenario/schema.js'
import { createHandlers, type Http } from '../../msw/handlers.js'
import type { RunningTests } from '../running-tests.js'
import { ScenarioCache } from '../scenario-cache.js'
import { createTestMock, type TestMock, type TestMockOptions } from '../test-mock.js'
import { createTestWorld, type Fetch, outsideOnServer, type TestWorldOptions } from '../test-world.js'

/** The mock of a test. */
export interface VitestMock extends Mockmaker {
  /** Adds handlers of MSW for this test. They answer before the mock, the newest ones first. */
  use(...handlers: RequestHandler[]): void
}

/** Options of the mock of a test, in-process or on a running mock. */
export interface AnyTestOptions extends Omit<TestMockOptions, 'scenario'>, Partial<TestWorldOptions> {}

const { world: _, ...keysInProcess } = MockmakerOptions.shape

/** The options of a test with a mock in-process, and of one with a running mock. */
const knownOptions = {
  inProcess: [...Object.keys(keysInProcess), 'faults', 'onUnhandledRequest', 'server'],
  onServer: ['server', 'controlToken', 'scenario', 'seed', 'fork', 'faults', 'baseUrl', 'strict', 'onUnhandledRequest'],
}

/** The parts that differ between Node and a page. */
export interface TestPlatform {
  readonly http: Http
  /** The scenarios that tests can load by name. */
  readonly scenarios?: Readonly<Record<string, ScenarioInput>>
  /** Loads a scenario by its name or its path: see `loadScenarioSync`. Throws `UsageError`. */
  loadScenario?(nameOrPath: string, parsed: Map<string, ScenarioInput>): ScenarioInput
  isScenarioPath?(nameOrPath: string): boolean
}

/** Creates the mocks of tests. Reads each scenario once for all tests of a file. */
export class TestMocks {
  readonly #tests: RunningTests
  readonly #platform: TestPlatform
  readonly #fetch: Fetch
  readonly #cache = new ScenarioCache()
  readonly #handlers = new Map<string, HttpHandler[]>()

  /** `fetch` reaches running mocks. */
  constructor(tests: RunningTests, platform: TestPlatform, fetch: Fetch) {
    this.#tests = tests
    this.#fetch = fetch
    this.#platform = platform
  }

  /**
   * Creates the mock of a test with its function `use`, or its world if the options name a server. Throws or rejects if an
   * option is wrong.
   */
  create(
    name: string,
    options: AnyTestOptions,
    use: VitestMock['use'],
  ): TestMock<VitestMock> | Promise<TestMock<Client>> {
    const { server, fork, ...local } = options
    checkKeys(options, server === undefined ? 'inProcess' : 'onServer')
    if (server === undefined) return this.#createLocal(name, local, { use })
    return createTestWorld(name, { ...options, server, scenario: this.#scenarioOnServer(options) }, this.#fetch)
  }

  /**
   * Returns a stand-in for a test, which answers the requests outside of tests: by a mock that it creates for the first one, or
   * by the running mock.
   */
  outside(options: AnyTestOptions): TestMock<unknown> {
    const { server, fork, ...local } = options
    if (server !== undefined) return outsideOnServer(server, this.#fetch)
    let created: TestMock<object> | undefined
    const outside = () => {
      created ??= this.#createLocal('outside of tests', local, {})
      return created
    }
    return {
      name: 'outside of tests',
      mock: undefined,
      answer: request => outside().answer(request),
      refuse: (request, error) => outside().refuse(request, error),
      onUnhandledRequest: (request, print) => outside().onUnhandledRequest(request, print),
      async end() {
        await created?.end()
      },
    }
  }

  /** The MSW handlers of a base URL. Each request reaches its test. */
  handlersOf({ baseUrl = '*' }: AnyTestOptions): readonly HttpHandler[] {
    const known = this.#handlers.get(baseUrl)
    if (known) return known
    const created = createHandlers({ baseUrl, http: this.#platform.http, ...this.#tests.handlers })
    this.#handlers.set(baseUrl, created)
    return created
  }

  /** Forgets the scenarios: a file may have changed before the next run. */
  clear(): void {
    this.#cache.clear()
  }

  #createLocal<More extends object>(
    name: string,
    { scenario, ...options }: Omit<AnyTestOptions, 'server' | 'fork'>,
    more: More,
  ) {
    const isName = typeof scenario === 'string'
    return createTestMock(
      name,
      // Without a loader, the mock refuses a text.
      { ...options, scenario: isName ? (this.#load(scenario) ?? (scenario as never)) : scenario },
      {
        http: this.#platform.http,
        more,
        scenarios: this.#platform.scenarios,
        scenarioName: isName ? scenario : undefined,
        registry: this.#cache.registry,
      },
    )
  }

  /** The server knows scenarios by their names. It gets the text of a file. */
  #scenarioOnServer({ scenario }: AnyTestOptions): ScenarioInput | string | undefined {
    const isPath = typeof scenario === 'string' && this.#platform.isScenarioPath?.(scenario)
    return isPath ? (this.#load(scenario) ?? scenario) : scenario
  }

  #load(nameOrPath: string): ScenarioInput | undefined {
    return this.#platform.loadScenario?.(nameOrPath, this.#cache.parsed)
  }
}

/** Throws `UsageError` for an unknown option, and for one of the other place. The mock does not know those of tests. */
function checkKeys(options: object, place: keyof typeof knownOptions): void {
  const known = knownOptions[place]
  const unknown = Object.entries(options).find(([key, value]) => value !== undefined && !known.includes(key))?.[0]
  if (unknown === undefined) return
  if (place === 'onServer' && knownOptions.inProcess.includes(unknown))
    throw new UsageError(`options.${unknown} is for a mock in the process of the test: set it on the server instead`)
  if (knownOptions.onServer.includes(unknown))
    throw new UsageError(`options.${unknown} is for a running mock: set the option server too`)
  throw new UsageError(`options.${unknown} is an unknown key.${didYouMean(unknown, known)}`)
}
