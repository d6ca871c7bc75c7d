import type { HttpHandler } from 'msw'
import { ApiError } from '../contract/errors.js'
import type { OperationId } from '../contract/operations.js'
import { setClientLocation } from '../control/client-location.js'
import { createLobbies, createPlayer } from '../control/creators.js'
import { completeDeviceLink, expireDeviceLink } from '../control/device-links.js'
import { lobbyEnvironment } from '../control/environment.js'
import { lobbyFields } from '../control/new-rows.js'
import { listSchedule } from '../control/schedule.js'
import { endSimulation, listSimulations, simulate } from '../control/simulation.js'
import type {
  CapsuleOptions,
  NewWorldOptions,
  ScenarioSummary,
  WorldControl,
  WorldsControl,
} from '../control/world-control.js'
import { beginAtCaller } from '../lib/caller-stack.js'
import { checkFunction, quoted, UsageError } from '../lib/messages.js'
import { runAtOnce } from '../lib/steps.js'
import { addFault, delayed, failure, held } from '../pipeline/fault-calls.js'
import type { ExchangeLog } from '../pipeline/log.js'
import type { MockRequest, RequestHandler } from '../pipeline/message.js'
import type { OverrideOptions, OverrideResolver } from '../pipeline/overrides.js'
import type { ScenarioInput } from '../scenario/schema.js'
import type { Clock } from '../store/clock.js'
import type { LobbyRow } from '../store/matchmaker-rows.js'
import type { ReloadSummary } from '../store/reload.js'
import type { Mock } from './mock.js'
import type { ReloadOptions, RunningWorld } from './running-world.js'

/** One world of a mock. Each method works without its object: `const { world, reset } = mock`. */
export interface MockmakerWorld extends WorldControl {
  /**
   * Answers an operation by a resolver in this world, through every entry point. The newest resolver of an operation wins.
   * The returned function removes it, and so do `reset`, `load` and `worlds.put`. The mock checks each request before, and
   * each answer after. Throws `UsageError` for an unknown operation or option.
   */
  on<Id extends OperationId>(operation: Id, resolver: OverrideResolver<Id>, options?: OverrideOptions): () => void
  /** Answers a request in this world, whatever world it names. `answer` of a mock answers in the world that it names. */
  readonly answer: RequestHandler
  /**
   * One MSW handler for each operation: for `setupServer(...)`, `setupWorker(...)` and `mockExpress(...)`. Those of a mock answer
   * in the world that a request names. Those of a world of `worlds.put` answer in this world.
   */
  readonly handlers: HttpHandler[]
  /**
   * Creates an MSW handler that answers one operation by a resolver: in every world, or in this world of `worlds.put`. It does
   * nothing until you pass it to `use`, `setupServer` or `mockExpress`; `on` takes effect at once. The handlers of `use` answer
   * first, the newest ones before older ones. Throws `UsageError` for an unknown operation or option.
   */
  override<Id extends OperationId>(
    operation: Id,
    resolver: OverrideResolver<Id>,
    options?: OverrideOptions,
  ): HttpHandler
  /** A URL at which a `fetch` in-process reaches this world: the base URL for a client. It has no slash at its end. */
  readonly url: string
}

/** The worlds of a mock, by their ids. */
export interface MockmakerWorlds extends WorldsControl {
  /** The world of requests that name none: the mock itself. */
  readonly default: MockmakerWorld
  get(id: string): MockmakerWorld | undefined
  put(id: string, options?: NewWorldOptions): Promise<MockmakerWorld>
}

/** The whole service. Its own methods act on the world `default`. */
export interface Mockmaker extends MockmakerWorld {
  readonly worlds: MockmakerWorlds
  /** Answers each request in the world that it names. */
  readonly answer: RequestHandler
  /** The scenarios that can be loaded by name, the mock's own first. */
  readonly scenarios: readonly ScenarioSummary[]
  /** Publishes each request of any world with its answer. */
  readonly log: ExchangeLog
  /** Returns the age of the mock, in real ms. */
  uptimeMs(): number
  /**
   * Replaces the mock's own scenario. The world `default` gets the differences, and keeps all other changes. New worlds start
   * with the new scenario, and other worlds stay. Rejects with `UsageError`, and then nothing has happened.
   */
  reload(scenario: ScenarioInput, options?: ReloadOptions): Promise<ReloadSummary>
  /** Answers every waiting and held request. From now on no request blocks. Rejects as the option `strict` says. */
  close(): Promise<void>
}

/** MSW handlers: those of one world, or those of a mock, which answer in the world that a request names. */
export interface Handlers {
  /** Creates them on first use, because most worlds need none of their own. */
  list(): HttpHandler[]
  readonly override: MockmakerWorld['override']
  /** The URL of the world, or of the mock. */
  readonly url: string
  capsuleFile(world: RunningWorld, options: CapsuleOptions | undefined): Promise<string>
}

/** The clock of a world for users. To read the time first runs the jobs that are due, as each read of a table does. */
function clockOf({ world: { clock } }: RunningWorld): Clock {
  return {
    get mode() {
      return clock.mode
    },
    get rate() {
      return clock.rate
    },
    now() {
      void clock.catchUp()
      return clock.now()
    },
    advance: (by, options) => clock.advance(by, options),
    set: (setting, options) => clock.set(setting, options),
  }
}

/** Creates the object that users hold of a world. `more` has further members, and replaces those of the same name. */
function facade<More extends object>(world: RunningWorld, handlers: Handlers, more: More): MockmakerWorld & More {
  const usable = () => world.usable()
  // Typed: users see the public types of these parts, and not those inside the mock.
  const members: Omit<MockmakerWorld, 'handlers' | 'tokens'> = {
    id: world.id,
    url: handlers.url,
    world: world.world,
    clock: clockOf(world),
    faults: world.faults,
    held: world.held,
    servers: world.servers,
    journal: world.journal,
    stories: world.stories,
    warnings: world.warnings,
    on: (operation, resolver, options) => usable().overrides.add(operation, resolver, options),
    override(operation, resolver, options) {
      usable()
      return handlers.override(operation, resolver, options)
    },
    answer: request => usable().answer(checkRequest(request)),
    history: options => usable().history(options),
    schedule: options => listSchedule(usable().world, options),
    changes: options => usable().changes(options),
    explain: question => usable().explain(question),
    lobbyEnvironment(lobbyId, options) {
      try {
        return lobbyEnvironment(usable().world.tables, lobbyId, options)
      } catch (error) {
        throw atCaller(error)
      }
    },
    setClientLocation: location => promised(usable(), ({ world }) => setClientLocation(world, location)),
    simulate: options => simulate(usable().world, options),
    simulations: () => listSimulations(usable().world.tables),
    endSimulation: options => endSimulation(usable().world, options),
    reset: options => usable().reset(options),
    load: scenario => usable().load(scenario),
    snapshot: options => runAtOnce(usable().snapshot(options)),
    capsule: options => promised(usable(), world => handlers.capsuleFile(world, options)),
    restore: snapshot => usable().restore(snapshot),
    completeDeviceLink: (token, options) =>
      promised(usable(), ({ world }) => completeDeviceLink(world, token, options)),
    expireDeviceLink: token => promised(usable(), ({ world }) => expireDeviceLink(world, token)),
    next: (operation, match, options) => usable().waits.next(operation, match, options),
    blocked: (count, operation, options) => usable().waits.blocked(count, operation, options),
    ...creatorsAndFaults(usable),
  }
  return {
    ...members,
    ...more,
    get handlers() {
      return handlers.list()
    },
    get tokens() {
      return world.tokens
    },
  }
}

function creatorsAndFaults(
  usable: () => RunningWorld,
): Pick<MockmakerWorld, 'lobby' | 'lobbies' | 'player' | 'fail' | 'delay' | 'hold'> {
  return {
    lobby: (fields = {}) => promised(usable(), ({ world }) => createLobbies(world, [fields], 'lobby')[0] as LobbyRow), // one for each input
    lobbies: (count, fields) =>
      promised(usable(), ({ world }) => createLobbies(world, lobbyFields(count, fields), 'lobbies')),
    player: fields => promised(usable(), ({ world }) => createPlayer(world, fields)),
    fail: (operation, what, options) => addFault(usable().faults, failure(operation, what, options)),
    delay: (operation, delay, options) => addFault(usable().faults, delayed(operation, delay, options)),
    hold: (operation, options) => addFault(usable().faults, held(operation, options)),
  }
}

/** Runs a function whose errors become rejections. An ended world throws before that. */
async function promised<Value>(
  world: RunningWorld,
  run: (world: RunningWorld) => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await run(world)
  } catch (error) {
    throw atCaller(error)
  }
}

/** Cuts the stack of an `ApiError`. It does not do this itself, because it also refuses requests, and often. */
function atCaller(error: unknown): unknown {
  return error instanceof ApiError ? beginAtCaller(error) : error
}

/** Creates the object that users hold of a mock. */
export function mockFacade<More extends object>(
  mock: Mock,
  handlers: { readonly own: Handlers; of(world: RunningWorld): Handlers },
  more: More,
): Mockmaker & More {
  const known = new WeakMap<RunningWorld, MockmakerWorld>()
  const objectOf = (world: RunningWorld): MockmakerWorld => {
    const object = known.get(world) ?? facade(world, handlers.of(world), {})
    known.set(world, object)
    return object
  }
  const usable = () => {
    mock.default.usable()
    return mock.worlds
  }
  const worlds: MockmakerWorlds = {
    get default() {
      return objectOf(usable().default)
    },
    list: () => usable().list(),
    get(id) {
      const found = usable().get(id)
      return found && objectOf(found)
    },
    put: (id, options) => promised(mock.default.usable(), async () => objectOf(await mock.worlds.put(id, options))),
    delete: id => usable().delete(id),
  }
  const object = facade(mock.default, handlers.own, {
    worlds,
    log: {
      subscribe(listener) {
        checkFunction('log.subscribe: the listener', listener)
        return mock.log.subscribe(listener)
      },
    } satisfies ExchangeLog,
    scenarios: mock.scenarios,
    answer: (request: MockRequest) => usable() && mock.answer(checkRequest(request)),
    uptimeMs: () => mock.uptimeMs(),
    reload: (scenario: ScenarioInput, options?: ReloadOptions) => mock.reload(scenario, options),
    close: () => mock.close(),
    ...more,
  })
  known.set(mock.default, object)
  mocks.set(object, mock)
  return object
}

/** Checks a request of a transport of the user's own. Throws `UsageError`. */
function checkRequest(request: MockRequest): MockRequest {
  const { method, path, basePath, query, headers, body } = Object(request) as MockRequest
  const wrong = (name: string, value: unknown, expected: string) =>
    new UsageError(`answer: the request's ${name} is ${quoted(value)}: expected ${expected}`)
  if (typeof method !== 'string' || method === '') throw wrong('method', method, 'a text, such as GET')
  if (typeof path !== 'string' || !path.startsWith('/')) throw wrong('path', path, 'a path that begins with /')
  if (basePath !== undefined && typeof basePath !== 'string') throw wrong('basePath', basePath, 'a text, such as /api')
  if (query !== undefined && typeof query !== 'string') throw wrong('query', query, 'a text without ?')
  if (typeof headers !== 'object' || headers === null) throw wrong('headers', headers, 'an object, {} for none')
  // Another realm has its own Uint8Array.
  if (body !== undefined && !ArrayBuffer.isView(body))
    throw wrong('body', body, 'bytes: new TextEncoder().encode(text)')
  return request
}

/** The mocks behind the objects of users. */
const mocks = new WeakMap<object, Mock>()

/** Returns the mock behind the object of a user. Throws `UsageError` if it is not one. */
export function mockOf(object: Mockmaker, call: string): Mock {
  const mock = typeof object === 'object' && object !== null ? mocks.get(object) : undefined
  if (mock) return mock
  throw new UsageError(
    `${call} expects a mock, and got ${quoted(object)}: pass what createMockmaker or setupMockmaker returned, and not a copy of it`,
  )
}
