import type { RequestHandler } from 'msw'
import type { Fault } from '../../core/contract/faults.js'
import { didYouMean, UsageError } from '../../core/lib/messages.js'
import type { Mockmaker } from '../../core/mock/facade.js'
import { createMock } from '../../core/mock/mock.js'
import { MockmakerOptions } from '../../core/mock/options.js'
import { testHasEnded } from '../../core/mock/running-world.js'
import type { ScenarioInput } from '../../core/scenario/schema.js'
import type { Http } from '../../msw/handlers.js'
import { toMockmaker } from '../../msw/mockmaker.js'
import { decisionOf, type ListenOptions } from '../../msw/unhandled-requests.js'
import type { RunningTest } from '../running-tests.js'
import type { ScenarioCache } from '../scenario-cache.js'
import { createTestWorld, type Fetch, type TestWorldOptions } from '../test-world.js'

/** The mock of a test. */
export interface VitestMock extends Mockmaker {
  /** Adds handlers of MSW for this test. They answer before the mock, the newest ones first. */
  use(...handlers: RequestHandler[]): void
}

/** Options of the mock of a test. */
export interface TestMockOptions extends Omit<MockmakerOptions, 'world' | 'strict'>, ListenOptions {
  /** Faults to add before the test. Default: only those of the scenario. */
  readonly faults?: readonly Fault[] | undefined
  /** Attaches the world with its past to a test that fails, if the version of vitest has attachments. Default: on failure. */
  readonly capsule?: 'on failure' | 'never' | undefined
  /** Fails the test if a fault that its options or its code added never applied. Default: false. */
  readonly strict?: boolean | undefined
}

/** Options of the mock of a test, in-process or on a running mock. */
export interface AnyTestOptions extends Omit<TestMockOptions, 'scenario'>, Partial<TestWorldOptions> {}

const { world: _, ...keysInProcess } = MockmakerOptions.shape

const knownOptions = {
  inProcess: [...Object.keys(keysInProcess), 'faults', 'capsule', 'onUnhandledRequest', 'server'],
  onServer: [
    ...['server', 'controlToken', 'scenario', 'seed', 'fork', 'faults', 'baseUrl'],
    ...['strict', 'capsule', 'onUnhandledRequest'],
  ],
}

/** The parts that differ between Node and a page. */
export interface TestPlatform {
  readonly http: Http
  readonly fetch: Fetch
  /** The scenarios that tests can load by name. */
  readonly scenarios?: Readonly<Record<string, ScenarioInput>>
  /** Loads a scenario by its name or its path: see `loadScenarioSync`. Throws `UsageError`. */
  loadScenario?(nameOrPath: string, parsed: Map<string, ScenarioInput>): ScenarioInput
  isScenarioPath?(nameOrPath: string): boolean
  /** Calls a function with the path of a file that has this text, until its promise resolves. Absent in a page. */
  withFile?<Result>(name: string, text: string, use: (path: string) => Promise<Result>): Promise<Result>
}

/** Creates the mock of a test with its function `use`, or its world on a server. Throws or rejects if an option is wrong. */
export function createTest(
  name: string,
  options: AnyTestOptions,
  {
    use,
    platform,
    cache,
  }: Pick<VitestMock, 'use'> & { readonly platform: TestPlatform; readonly cache: ScenarioCache },
): RunningTest | Promise<RunningTest> {
  const { server, scenario } = options
  checkKeys(options, server === undefined ? 'inProcess' : 'onServer')
  if (server === undefined) return createTestMock(name, options, { platform, cache, more: { use } })
  // The server knows scenarios by their names. It gets the text of a file.
  const isPath = typeof scenario === 'string' && platform.isScenarioPath?.(scenario)
  const sent = isPath ? (platform.loadScenario?.(scenario, cache.parsed) ?? scenario) : scenario
  return createTestWorld(name, { ...options, server, scenario: sent }, platform.fetch)
}

/** Creates a mock in-process for a test. `more` has further members of its object. Throws `UsageError` if an option is wrong. */
export function createTestMock(
  name: string,
  // The runner decides what a strict mock does, because it knows if the test has failed.
  {
    scenario,
    faults = [],
    onUnhandledRequest = 'warn',
    strict: _,
    server: __,
    fork: ___,
    capsule: ____,
    ...options
  }: AnyTestOptions,
  { platform, cache, more }: { readonly platform: TestPlatform; readonly cache: ScenarioCache; readonly more: object },
): RunningTest {
  const { http, scenarios, loadScenario } = platform
  const scenarioName = typeof scenario === 'string' ? scenario : undefined
  // Without a loader, the mock refuses a text.
  const loaded =
    typeof scenario === 'string' ? (loadScenario?.(scenario, cache.parsed) ?? (scenario as never)) : scenario
  const decide = decisionOf(onUnhandledRequest)
  const own = { ...options, scenario: loaded }
  const mock = createMock(own, { scenarios, scenarioName, registry: cache.registry })
  const object = toMockmaker(mock, own, { http, more: () => more })
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
    onUnhandledRequest: decide,
    async end() {
      await mock.close()
      mock.default.world.end(testHasEnded)
    },
  }
}

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
