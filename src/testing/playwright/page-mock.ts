import * as z from 'zod'
import { type Client, type ClientClock, createClient } from '../../client/client.js'
import { Fault } from '../../core/contract/faults.js'
import type { OperationId } from '../../core/contract/operations.js'
import { splitWorldUrl } from '../../core/contract/paths.js'
import { parseInput } from '../../core/lib/issues.js'
import { quoted, UsageError } from '../../core/lib/messages.js'
import { parseDuration } from '../../core/lib/time.js'
import { parseUrl } from '../../core/lib/url.js'
import { fetchFrom } from '../../core/mock/fetch.js'
import { createMock } from '../../core/mock/mock.js'
import type { MockmakerOptions } from '../../core/mock/options.js'
import { testHasEnded } from '../../core/mock/running-world.js'
import type { RequestHandler } from '../../core/pipeline/message.js'
import type { OverrideOptions, OverrideResolver } from '../../core/pipeline/overrides.js'
import type { ScenarioInput, ScenarioNameOrPath } from '../../core/scenario/schema.js'
import { scenarios } from '../../core/scenario/shipped.js'
import { isScenarioPath, loadScenarioSync } from '../../server/files/scenario-file.js'
import { Service } from '../../server/http/service.js'
import type { ScenarioCache } from '../scenario-cache.js'
import { createWorldOn, TestCalls } from '../test-world.js'
import { createForwarder } from './forward.js'
import type { Mount } from './page-requests.js'

/** Options of a test, for `test.use`. All but `matchmaker` are optional. */
export interface PageMockOptions extends Pick<MockmakerOptions, 'seed' | 'live' | 'watchTimeoutMs' | 'corsOrigins'> {
  /** The URL at which the page calls the matchmaker: `https://matchmaker.example`. It may have a path. */
  readonly matchmaker?: string | undefined
  /**
   * The initial state of the world: the name of a scenario, the path of a file, or a scenario. A path starts at the working
   * directory. Default: the shipped `default`, or the scenario of the server.
   */
  readonly scenario?: ScenarioInput | ScenarioNameOrPath | undefined
  /** Faults to add at the start. Default: none. */
  readonly faults?: readonly Fault[] | undefined
  /** Attaches the world with its past to a test that fails. Default: on failure. */
  readonly capsule?: 'on failure' | 'never' | undefined
  /** Fails a test whose faults were never applied. Default: false. */
  readonly strict?: boolean | undefined
  /** The URL of a running mock. Each test gets a world there. Default: the mock runs in the process of the test. */
  readonly server?: string | undefined
  /** The control token of that mock. Default: the variable `MOCKMAKER_CONTROL_TOKEN`. */
  readonly controlToken?: string | undefined
}

/** The mock of a test: a client of its world. `clock.advance` moves the clocks of the pages too. */
export interface PageMock extends Client {
  /**
   * Answers an operation by a resolver in this world. The newest resolver of an operation wins. The returned function removes
   * it. Throws `UsageError` for an unknown operation or option, and with the option `server`.
   */
  on<Id extends OperationId>(operation: Id, resolver: OverrideResolver<Id>, options?: OverrideOptions): () => void
}

/** A mock with the parts that its fixture needs. */
export interface OpenMock {
  readonly mock: PageMock
  readonly mounts: readonly Mount[]
  /** Answers the requests of pages. */
  readonly answer: RequestHandler
  /** Ends the mock. Later calls of its methods reject. `settled` resolves when no request of a page is open. */
  close(settled: () => Promise<void>): Promise<void>
}

/** Creates the mock of a test. `known`: the scenarios of earlier tests. `advancePages` moves the clocks of pages by ms. */
export async function openMock(
  options: PageMockOptions,
  known: ScenarioCache,
  advancePages: (ms: number) => Promise<void>,
): Promise<OpenMock> {
  const url = matchmakerUrl(options.matchmaker)
  const faults = parseInput(z.array(Fault()).default([]), options.faults, 'faults')
  const open =
    options.server === undefined ? openInProcess(url, options, known) : await openOnServer(url, options, known)
  moveTogether(open.mock.clock, advancePages)
  try {
    for (const fault of faults) await open.mock.faults.add(fault)
  } catch (error) {
    await open.close(async () => {})
    throw error
  }
  return open
}

function matchmakerUrl(matchmaker: unknown): string {
  if (matchmaker === undefined)
    throw new UsageError(
      "matchmaker is missing: name the URL at which your page calls the matchmaker, as in test.use({ matchmaker: 'https://matchmaker.example' })",
    )
  const isUrl = typeof matchmaker === 'string' && /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(matchmaker)
  const url = isUrl ? parseUrl(matchmaker) : undefined
  if (!url || splitWorldUrl(url.href)?.encodedId !== undefined)
    throw new UsageError(
      `matchmaker is ${quoted(matchmaker)}: expected a URL without a query and without a world, such as https://matchmaker.example`,
    )
  return url.origin + url.pathname.replace(/\/+$/, '')
}

function openInProcess(
  url: string,
  { scenario, seed, live, watchTimeoutMs, corsOrigins }: PageMockOptions,
  known: ScenarioCache,
): OpenMock {
  const scenarioName = typeof scenario === 'string' ? scenario : undefined
  const loaded = typeof scenario === 'string' ? loadScenarioSync(scenario, known.parsed) : scenario
  const own = createMock(
    { scenario: loaded, seed, live, watchTimeoutMs, corsOrigins, publicUrl: url },
    { scenarios, scenarioName, registry: known.registry },
  )
  const service = new Service(own, { unknownWorld: 'refuse', dashboard: false })
  const { host } = new URL(url)
  // Playwright does not show the Host header.
  const answer: RequestHandler = request =>
    service.serve({ ...request, headers: { host, ...request.headers } }, () => url).answer()
  const calls = new TestCalls()
  const inner = fetchFrom(answer, new URL(url).pathname.replace(/\/$/, ''))
  const client = createClient(url, { fetch: calls.guard(inner) })
  const on: PageMock['on'] = (...override) => {
    if (calls.hasEnded) throw new UsageError(testHasEnded)
    return own.default.overrides.add(...override)
  }
  return {
    mock: Object.assign(client, { on }),
    mounts: [{ url, isOwn: false }],
    answer,
    async close(settled) {
      await Promise.all([own.close(), calls.end()])
      await settled()
    },
  }
}

async function openOnServer(url: string, options: PageMockOptions, known: ScenarioCache): Promise<OpenMock> {
  const { server = '', controlToken, scenario, seed } = options
  if (!splitWorldUrl(String(server)))
    throw new UsageError(
      `server is ${quoted(server)}: expected the URL of a running mock, such as http://127.0.0.1:4100`,
    )
  for (const name of ['live', 'watchTimeoutMs', 'corsOrigins'] as const)
    if (options[name] !== undefined)
      throw new UsageError(`${name} is an option of a mock in the process of the test: set it on the server instead`)
  const isPath = typeof scenario === 'string' && isScenarioPath(scenario)
  const world = { scenario: isPath ? loadScenarioSync(scenario, known.parsed) : scenario, seed }
  const { client, end } = await createWorldOn({ server, controlToken }, world, (...args) => fetch(...args))
  const forwarder = createForwarder(client.url)
  const on: PageMock['on'] = () => {
    throw new UsageError('on: a resolver cannot run on a server. Leave out the option server, or add a fault instead')
  }
  return {
    mock: Object.assign(client, { on }),
    mounts: [
      { url: client.url, isOwn: true },
      { url, isOwn: false },
    ],
    answer: forwarder.handle,
    async close(settled) {
      await end(settled)
      forwarder.close()
    },
  }
}

/** Lets `advance` of a clock move the pages too: after the world, so that their requests see its new time. */
function moveTogether(clock: ClientClock, advancePages: (ms: number) => Promise<void>): void {
  const advance = clock.advance.bind(clock)
  Object.assign(clock, {
    async advance(by: number | string) {
      const state = await advance(by)
      // The world has accepted it.
      await advancePages(typeof by === 'number' ? by : (parseDuration(by) ?? 0))
      return state
    },
  } satisfies Partial<ClientClock>)
}
