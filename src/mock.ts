import type { Faker } from '@faker-js/faker'
import { behaviours } from './behaviour/behaviours.js'
import { quoted } from './contract/issue.js'
import { knownChoices } from './contract/nearest.js'
import type { OperationId, OperationInput, OperationOutput } from './contract/operations.js'
import { UsageError } from './contract/usage-error.js'
import { beginningOf } from './scenario/beginning.js'
import { ownFaker } from './scenario/faker.js'
import type { Progress } from './scenario/progress.js'
import { readScenario } from './scenario/read.js'
import type { ScenarioInput } from './scenario/schema.js'
import { defaultScenario } from './scenario/shipped.js'
import { type Answerer, createAnswerer } from './server/answer.js'
import { type CarryOut, createBehave } from './server/behave.js'
import type { Answer, Exchange, Page } from './server/exchange.js'
import { createFinisher } from './server/finish.js'
import { createExchangeLog, type ExchangeLog } from './server/log.js'
import { completeLinksInTime } from './simulation/device-link.js'
import { createRandom } from './store/random.js'
import { type TokenInfo, tokensOf } from './store/token-info.js'
import type { TurnContext } from './store/turn-queue.js'
import { createWorld, type LiveWorld, type World } from './store/world.js'

/** How a mock is made. Everything is optional. */
export interface MockOptions {
  /** A scenario in the fixture format. Default: the shipped `default`. */
  readonly scenario?: ScenarioInput | undefined
  /** Instead of the scenario's. */
  readonly seed?: number | undefined
  /** How long a watch blocks where nothing happens, in ms of the world's clock. Default: 40 000. */
  readonly watchTimeoutMs?: number | undefined
  /** Where the links that are handed out point, without a slash at its end. Default: `https://hub.{cdn_domain}`. */
  readonly publicUrl?: string | undefined
  /** Origins whose pages may read the answers, beyond loopback and the domains of the namespaces. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined
}

/** What a door gives a mock. */
export interface Parts {
  /** Loads the library of fake data, its shared instance. Called only when something is to be generated. */
  faker(): Faker
  /** Is told now and then, while the world is made, how many of its lobbies are there. */
  readonly progress?: Progress | undefined
  /** Makes what knows the inside of a turn, one for each world. Default: what knows its synchronous part. */
  turnContext?(): TurnContext
}

/** What an override of an operation gets: the checked request, the world, and the answer that it would have had. */
export interface OverrideCall<Id extends OperationId> {
  readonly input: OperationInput<Id>
  readonly world: World
  original(): Promise<OperationOutput<Id>>
}

/** Answers an operation in the place of its behaviour, or throws `ApiError`. */
export type OverrideResolver<Id extends OperationId> = (
  call: OverrideCall<Id>,
) => OperationOutput<Id> | Promise<OperationOutput<Id>>

/** The whole service without MSW and without a transport. */
export interface Mock {
  readonly world: World
  /** The tokens of the scenario. */
  readonly tokens: readonly TokenInfo[]
  readonly answer: Answerer
  /** For doors: answers what they refuse themselves, an `ApiError` as itself, anything else as a bug. */
  refuse(exchange: Exchange, error: unknown): Answer
  /** For doors: answers with a page of their own. */
  present(exchange: Exchange, page: Page): Answer
  /** The exchanges as they end. */
  readonly log: ExchangeLog
  /** The service with one operation answered by a resolver. */
  overridden<Id extends OperationId>(id: Id, resolver: OverrideResolver<Id>): Answerer
  /** World and clock back to the start. */
  reset(): Promise<void>
  /** An equal mock with a world of its own, which begins where this one's stands. Nobody listens to its log, and nothing waits. */
  fork(): Mock
  /** Answers every waiter as its deadline would. From now on nothing blocks. */
  close(): Promise<void>
}

/** The most requests that may be blocked in a world (PROTOCOL.md B7). */
const maxWaiters = 50_000
const defaultWatchTimeoutMs = 40_000

/** Puts the parts together. Throws `UsageError` where the scenario, or an option, is wrong. */
export function createMock(options: MockOptions, { faker, progress, turnContext }: Parts): Mock {
  checkOptions(options)
  const scenario = readScenario(options.scenario ?? defaultScenario)
  const { seed, publicUrl, watchTimeoutMs = defaultWatchTimeoutMs, corsOrigins = [] } = options
  const making = { seed, publicUrl, faker: () => ownFaker(faker()), progress }
  const world = createWorld(beginningOf(scenario, making), turnContext?.())
  let tokens: readonly TokenInfo[] | undefined
  const tokensAtStart = () => {
    tokens ??= tokensOf(world.beginning)
    return tokens
  }
  return mockOf(world, { watchTimeoutMs, corsOrigins, turnContext, tokens: tokensAtStart })
}

/** What the mocks of a fork and of its origin have in common. */
interface MockSettings {
  readonly turnContext: Parts['turnContext'] | undefined
  tokens(): readonly TokenInfo[]
  readonly watchTimeoutMs: number
  readonly corsOrigins: readonly string[]
}

function mockOf(world: LiveWorld, settings: MockSettings): Mock {
  const { watchTimeoutMs, corsOrigins, turnContext } = settings
  const stopCompleting = completeLinksInTime(world)
  const log = createExchangeLog()
  const rays = createRandom(world.seed, 'rays')
  let closed = false
  const carryOut = createBehave({
    world,
    behaviours,
    watchTimeoutMs: () => (closed ? 0 : watchTimeoutMs),
    maxWaiters,
  })
  const finisher = createFinisher({ world, corsOrigins, log, rayId: rays.uuid, onBug })
  return {
    world,
    get tokens() {
      return settings.tokens()
    },
    answer: createAnswerer({ world, finisher, carryOut }),
    refuse: (exchange, error) => finisher.fail(finisher.begin(exchange), error),
    present: (exchange, page) => finisher.present(finisher.begin(exchange), page),
    log,
    overridden: (id, resolver) =>
      createAnswerer({ world, finisher, carryOut: override(id, resolver, { world, carryOut }) }),
    reset: () => world.reset(),
    fork: () => mockOf(world.fork(turnContext?.()), settings),
    async close() {
      closed = true
      stopCompleting()
      for (const waiter of world.waiting) waiter.end()
    },
  }
}

/** Throws `UsageError` where an option that holds texts holds anything else. */
export function checkTexts(name: string, texts: unknown): void {
  const isTexts = Array.isArray(texts) && texts.every(text => typeof text === 'string')
  if (texts !== undefined && !isTexts) throw new UsageError(`${name} is ${quoted(texts)}: expected an array of texts`)
}

const known = ['scenario', 'seed', 'baseUrl', 'watchTimeoutMs', 'publicUrl', 'corsOrigins']

function checkOptions(options: MockOptions): void {
  const { scenario, seed, watchTimeoutMs } = options
  const unknown = Object.keys(options).find(name => !known.includes(name))
  if (unknown !== undefined) throw new UsageError(`${unknown} is an unknown option.${knownChoices(unknown, known)}`)
  if (typeof scenario === 'string') {
    throw new UsageError(
      `scenario is ${quoted(scenario)}: expected an object, as mockmaker/scenarios has them; names and files are for setupMockmaker of mockmaker/node`,
    )
  }
  checkTexts('corsOrigins', options.corsOrigins)
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw new UsageError(`seed is ${seed}: expected an integer`)
  if (watchTimeoutMs !== undefined && !(watchTimeoutMs >= 0))
    throw new UsageError(`watchTimeoutMs is ${watchTimeoutMs}: expected a number of ms from 0`)
}

function override<Id extends OperationId>(
  id: Id,
  resolver: OverrideResolver<Id>,
  { world, carryOut }: { readonly world: World; readonly carryOut: CarryOut },
): CarryOut {
  return async call => {
    if (call.id !== id) return carryOut(call)
    // The call was parsed for this operation, so that its input and its output are this operation's.
    const input = call.input as OperationInput<Id>
    // A copy, because an override may change it, and what behaviours output is made of frozen records and constants.
    const original = async () => structuredClone(await carryOut(call)) as OperationOutput<Id>
    return resolver({ input, world, original })
  }
}

/** A bug in the mock, or in an override. The console is where the person who runs it looks. */
function onBug(error: unknown, rayId: string): void {
  // biome-ignore lint/suspicious/noConsole: the one place where a bug is told
  console.error(`mockmaker: unforeseen, answered with 500 ERROR, ray id ${rayId}\n`, error)
}
