import { behaviours } from './behaviour/behaviours.js'
import type { OperationId } from './contract/operations.js'
import { completeDeviceLink, expireDeviceLink } from './control/device-links.js'
import { lobbyEnvironment } from './control/environment.js'
import { type EventBudget, subscribeToEvents } from './control/events.js'
import { explain } from './control/explain.js'
import { endSimulation, listSimulations, simulate } from './control/simulation.js'
import { SnapshotOptions, type WorldControl } from './control/world-control.js'
import { parseInput } from './lib/issues.js'
import { begun, type MockBeginning, type RebasedBeginning, type ReloadOptions } from './mock-beginning.js'
import type { ScenarioInput } from './scenario/schema.js'
import { snapshotOf } from './scenario/snapshot.js'
import { createRequestHandler } from './server/answer.js'
import { type CarryOut, createBehave } from './server/behave.js'
import { WorldFaults } from './server/faults.js'
import { History, type HistoryLimits } from './server/history.js'
import { Journal } from './server/journal.js'
import type { ExchangeLog } from './server/log.js'
import type { MockRequest, MockResponse, MockResponseInit, RequestHandler } from './server/message.js'
import { type OverrideResolver, Resolvers } from './server/resolvers.js'
import { Responder } from './server/respond.js'
import { defaultWorldId } from './server/worlds.js'
import { keepTime } from './simulation/agenda.js'
import { timetablesOf } from './simulation/timetables.js'
import type { Tally } from './store/merge.js'
import { Random } from './store/random.js'
import { type Standing, tablesOf } from './store/standing.js'
import { type TokenInfo, tokensOf } from './store/token-info.js'
import type { TurnContext } from './store/turn-queue.js'
import { createWorld, type LiveWorld } from './store/world.js'

/** One world, what steers it, and what answers for it. */
export interface WorldMock extends WorldControl {
  readonly answer: RequestHandler
  /**
   * Lets a resolver answer an operation in this world, from the next request on and through every entry point. The newest
   * resolver of an operation wins. It is removed by the function that comes back, and by `reset`, `load` and `worlds.put`.
   * The request is checked before, and the answer after. Throws `UsageError` where there is no such operation.
   */
  on<Id extends OperationId>(operation: Id, resolver: OverrideResolver<Id>): () => void
  /** For doors: answers what they refuse themselves, an `ApiError` as itself, anything else as a bug. */
  refuse(exchange: MockRequest, error: unknown, startedAt?: number): MockResponse
  /** For doors: answers with a page of their own. */
  respond(exchange: MockRequest, page: MockResponseInit, startedAt?: number): MockResponse
  /** The service with one operation answered by a resolver. */
  overridden<Id extends OperationId>(id: Id, resolver: OverrideResolver<Id>): RequestHandler
  /** Whether somebody waits in it, on a watch index or for a fault to let go, or hears of its changes. */
  readonly busy: boolean
  /** Answers every waiter as its deadline would, and lets go what faults hold. From now on nothing blocks. */
  close(): Promise<void>
}

/** The mock of a world as those see it who keep worlds. */
export interface OwnedMock extends WorldMock {
  readonly faults: WorldFaults
  /** How a world begins that shall equal it. */
  readonly beginning: MockBeginning
  /** Begins anew, in one turn. */
  become(beginning: MockBeginning): Promise<void>
  /** Has begun otherwise, in one turn: what that changes is changed, what has happened since stays. Rejects with `UsageError`. */
  rebase(beginning: RebasedBeginning, options?: ReloadOptions): Promise<Tally>
}

/** What the worlds of a server have in common. */
export interface WorldMockSettings {
  readonly turnContext: (() => TurnContext) | undefined
  /** Reports a bug. Default: with `console.error`. */
  readonly onBug: ((error: unknown, where: string) => void) | undefined
  readonly watchTimeoutMs: number
  readonly corsOrigins: readonly string[]
  readonly log: ExchangeLog
  /** How much the history of a world keeps. */
  readonly history: HistoryLimits
  /** How many events may wait for those who read them. */
  readonly events: EventBudget
  /** How the world of that id begins with a scenario. Throws `UsageError`. */
  beginningOf(scenario: string | ScenarioInput, worldId: string): MockBeginning
}

/** The most requests that may be blocked in a world (PROTOCOL.md B7). */
const maxWaiters = 50_000

/** The mock of a world that begins there. */
export function createWorldMock(id: string, beginning: MockBeginning, settings: WorldMockSettings): OwnedMock {
  const world = createWorld(beginning.standing, settings.turnContext)
  const history = new History(settings.history)
  const kept = world.subscribe(changeSet => history.addChange(changeSet))
  const { onBug = reportBug } = settings
  const lived = keepTime(world, {
    timetables: timetablesOf(world),
    onBug: error => onBug(error, 'in what happens by itself'),
  })
  const faults = new WorldFaults(world)
  const resolvers = new Resolvers(world)
  let closed = false
  const close = async () => {
    closed = true
    for (const stop of [lived, kept]) stop()
    history.end()
    faults.close()
    resolvers.clear()
    world.endWaiters()
  }
  return Object.assign(
    new OnDemand({ world, history, faults, resolvers }),
    answeringOf(id, { world, history, settings, faults, resolvers, isClosed: () => closed }),
    steeringOf(id, { world, history, settings, faults, resolvers, beginning }),
    { close },
  )
}

/** What a mock has looked up when it is asked for. A class, because an object with getters of its own takes a kilobyte more. */
class OnDemand {
  readonly #about: Omit<Half, 'settings'>
  #tokens: { readonly of: Standing; readonly all: readonly TokenInfo[] } | undefined

  constructor(about: Omit<Half, 'settings'>) {
    this.#about = about
  }

  get tokens(): readonly TokenInfo[] {
    const { begun } = this.#about.world
    if (this.#tokens?.of !== begun) this.#tokens = { of: begun, all: tokensOf(tablesOf(begun)) }
    return this.#tokens.all
  }

  get beginning(): MockBeginning {
    const { world, faults } = this.#about
    const { standing } = world
    return faults.some ? { standing, faults: faults.list(), faultChance: faults.chance } : { standing }
  }

  get busy(): boolean {
    const { world, history, faults, resolvers } = this.#about
    return world.waiters + history.listeners + resolvers.waiting > 0 || faults.holding
  }
}

/** What both halves of a mock are about. */
interface Half {
  readonly world: LiveWorld
  readonly history: History
  readonly faults: WorldFaults
  readonly resolvers: Resolvers
  readonly settings: WorldMockSettings
}

type Answering = Pick<WorldMock, 'answer' | 'refuse' | 'respond' | 'on' | 'overridden'>

/** The half that answers clients. */
function answeringOf(
  id: string,
  { world, history, faults, resolvers, settings, isClosed }: Half & { isClosed(): boolean },
): Answering {
  const { watchTimeoutMs, corsOrigins, log, onBug = reportBug } = settings
  const rays = new Random(world.seed, id === defaultWorldId ? 'rays' : `rays:${id}`)
  const behave = createBehave({
    world,
    behaviours,
    watchTimeoutMs: ({ longestBlockMs = watchTimeoutMs }) => Math.min(longestBlockMs, watchTimeoutMs),
    maxWaiters,
    isClosed,
  })
  const carryOut: CarryOut = call => resolvers.carryOut(call, behave)
  const responder = new Responder({
    worldId: id,
    world,
    corsOrigins,
    log,
    history,
    rayId: () => rays.uuid(),
    onBug: (error, rayId) => onBug(error, `answered with 500 ERROR, ray id ${rayId}`),
  })
  return {
    answer: createRequestHandler({ world, responder, faults, corsOrigins, carryOut }),
    refuse: responder.refuse.bind(responder),
    respond: responder.respond.bind(responder),
    on: (id, resolver) => resolvers.add(id, resolver),
    overridden: (id, resolver) =>
      createRequestHandler({
        world,
        responder,
        faults,
        corsOrigins,
        carryOut: resolvers.overriding(id, resolver, carryOut),
      }),
  }
}

type Steered = Omit<WorldControl, 'tokens' | 'faults'> & Pick<OwnedMock, 'become' | 'rebase' | 'faults'>

/** How many worlds this process has made: the time does not tell those of one moment apart. */
let runs = 0

/** The half that a person steers. */
function steeringOf(
  id: string,
  { world, history, faults, resolvers, settings, beginning }: Half & { beginning: MockBeginning },
): Steered {
  const { corsOrigins } = settings
  const journal = new Journal(history, world)
  runs += 1
  const run = `${Date.now().toString(36)}_${runs.toString(36)}`
  const beginningOf = (scenario: string | ScenarioInput) => settings.beginningOf(scenario, id)
  return {
    ...begun({ world, faults, resolvers, journal, beginning, beginningOf }),
    id,
    world,
    clock: world.clock,
    faults,
    journal,
    changes: options => subscribeToEvents({ world, history, run, budget: settings.events }, options),
    explain: question => explain({ view: world.view, corsOrigins, faults }, question),
    lobbyEnvironment: (lobbyId, options) => lobbyEnvironment(world.view.tables, lobbyId, options),
    simulate: (options = {}) => simulate(world, options),
    simulations: () => listSimulations(world.view.tables),
    endSimulation: (options = {}) => endSimulation(world, options),
    snapshot(options = {}) {
      const { with: also = [] } = parseInput(SnapshotOptions, options, 'snapshot')
      const { chance, ...snapshot } = snapshotOf(world)
      return {
        ...snapshot,
        ...(also.includes('faults')
          ? { chance: { ...chance, faults: [...faults.chance] }, faults: [...faults.list()] }
          : { chance }),
        ...(also.includes('journal') ? { journal: journal.find() } : {}),
      }
    },
    completeDeviceLink: (token, options) => completeDeviceLink(world, token, options),
    expireDeviceLink: token => expireDeviceLink(world, token),
  }
}

/** Reports a bug in the mock or in an override where the person who runs it looks. */
function reportBug(error: unknown, where: string): void {
  // biome-ignore lint/suspicious/noConsole: the one place where a bug is told
  console.error(`mockmaker: unexpected error, ${where}\n`, error)
}
