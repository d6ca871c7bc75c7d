import { type HttpHandler, isCommonAssetRequest } from 'msw'
import type { OperationId } from './contract/operations.js'
import { worldPath } from './contract/paths.js'
import type { NewWorldOptions, ResetOptions } from './control/world-control.js'
import { quoted } from './lib/text.js'
import { UsageError } from './lib/usage-error.js'
import type { Mock, MockedWorld, MockedWorlds, ServableMock } from './mock.js'
import type { MockWorld } from './mock-world.js'
import type { MockWorlds } from './mock-worlds.js'
import type { MockmakerOptions } from './options.js'
import {
  createHandler,
  createHandlers,
  explainUnmatched,
  type RequestHandlers,
  urlInProcess,
} from './server/handlers.js'
import type { RequestHandler } from './server/message.js'
import { checkResolver, type OverrideResolver } from './server/overrides.js'

/** The MSW handlers of a mock, or of one of its worlds. */
export interface WithHandlers {
  /**
   * One handler for each operation: for `setupServer(...)`, `setupWorker(...)` and `mockExpress(...)`. Those of a mock answer in
   * the world that a request names. Those of a world of `worlds.put` answer in this world.
   */
  readonly handlers: HttpHandler[]
  /**
   * Creates an MSW handler that answers one operation by a resolver: in every world, or in this world of `worlds.put`. It does
   * nothing until you pass it to `use`, `setupServer` or `mockExpress`; `on` takes effect at once. The handlers of `use` answer
   * first, the newest ones before older ones. Throws `UsageError` if there is no such operation.
   */
  override<Id extends OperationId>(operation: Id, resolver: OverrideResolver<Id>): HttpHandler
  /** A URL at which a `fetch` in-process reaches this world: the base URL for a client. It has no slash at its end. */
  readonly url: string
}

/** One world of a mock, with its MSW handlers. */
export interface MockmakerWorld extends MockedWorld, WithHandlers {}

/** The worlds of a mock, by their ids. */
export interface MockmakerWorlds extends MockedWorlds {
  /** The world of requests that name none: the mock itself. */
  readonly default: MockmakerWorld
  get(id: string): MockmakerWorld | undefined
  put(id: string, options?: NewWorldOptions): Promise<MockmakerWorld>
}

/** A mock with its MSW handlers. */
export interface Mockmaker extends Mock, WithHandlers {
  readonly worlds: MockmakerWorlds
}

/** Returns the world of the function that runs now, if it has one of its own. May throw. */
export type OwnWorld = () => MockWorld | undefined

/** Adds MSW handlers to a mock and to its worlds. Throws `UsageError` if the base URL is wrong. */
export function withHandlers(
  mock: ServableMock,
  { baseUrl = '*', world: worldOf }: MockmakerOptions,
  ownWorld: OwnWorld = () => undefined,
): ServableMockmaker {
  const { worlds } = mock
  const choose = (request: Request): (() => MockWorld) | undefined => {
    try {
      const id: unknown = worldOf?.(request)
      if (id !== undefined) return () => worlds.known(checkChoice(id))
      const own = ownWorld()
      return own && (() => own)
    } catch (error) {
      return () => {
        throw error
      }
    }
  }
  worlds.extendWith(world => {
    const routes = (handlerOf: HandlerOf) => {
      const answer = worlds.routeTo(() => world, handlerOf)
      return { answer, answerOverHttp: answer }
    }
    addHandlers(world, { baseUrl, routes })
  })
  const routes = (handlerOf: HandlerOf) => ({
    answer: worlds.route('refuse', handlerOf),
    answerOverHttp: worlds.route('create', handlerOf),
    select(request: Request) {
      const find = choose(request)
      return find && worlds.routeTo(find, handlerOf)
    },
  })
  addHandlers(mock, { baseUrl, routes })
  return mock as unknown as ServableMockmaker // its worlds have handlers too, from now on
}

/** A mock with its MSW handlers, and with the parts that entry points need. */
export type ServableMockmaker = Omit<Mockmaker, 'worlds'> &
  Omit<ServableMock, 'worlds'> & { readonly worlds: MockWorlds & MockmakerWorlds }

/** Returns the handler of a world that shall answer. */
type HandlerOf = (world: MockWorld) => RequestHandler

function addHandlers<World extends MockWorld>(
  world: World,
  { baseUrl, routes }: { readonly baseUrl: string; readonly routes: (handlerOf: HandlerOf) => RequestHandlers },
): World & WithHandlers {
  let handlers: HttpHandler[] | undefined
  const added: WithHandlers = {
    // Created on first use, because most worlds need none of their own.
    get handlers() {
      handlers ??= createHandlers({ baseUrl, ...routes(({ handle }) => handle) })
      return handlers
    },
    override(id, resolver) {
      checkResolver(id, resolver)
      return createHandler(id, { baseUrl, ...routes(one => one.handlerWith(id, resolver)) })
    },
    url: urlInProcess(baseUrl, worldPath(world.id)),
  }
  return Object.defineProperties(world, Object.getOwnPropertyDescriptors(added)) as World & WithHandlers
}

function checkChoice(id: unknown): string {
  if (typeof id === 'string') return id
  const promise = id instanceof Promise ? ', and not as a promise' : ''
  throw new UsageError(
    `the option \`world\` returned ${quoted(id)}: expected the id of a world, or undefined${promise}`,
  )
}

/** The methods that MSW's server and its worker have in common. */
interface Msw {
  readonly events: unknown
  use(...handlers: never[]): void
  resetHandlers(...handlers: never[]): void
  restoreHandlers(): void
}

/** The methods of MSW that a Mockmaker has too. */
export type MswMethods<Setup extends Msw> = Pick<Setup, keyof Msw>

/** The mock that listens in this process or page. The key is the same in every copy of the package. */
const listeningKey = Symbol.for('mockmaker.listening')
const shared = globalThis as { [listeningKey]?: object | undefined } // no other code uses the key

/**
 * Combines the life cycle of a mock with that of MSW: `reset` and `close` do both. Call `claim` before MSW starts: it throws
 * `UsageError` if a mock listens already. Call `release` if MSW does not start. `stop` is called only while the claim holds, because
 * MSW 3 throws if nothing runs.
 */
export function combineWithMsw<Setup extends Msw>(
  mock: Pick<Mock, 'reset' | 'close'>,
  msw: Setup,
  stop: () => unknown,
) {
  // Bound now: the mock gets the methods below.
  const [reset, close] = [mock.reset.bind(mock), mock.close.bind(mock)]
  const methods: MswMethods<Setup> = {
    events: msw.events,
    use: msw.use.bind(msw),
    resetHandlers: msw.resetHandlers.bind(msw),
    restoreHandlers: msw.restoreHandlers.bind(msw),
  }
  return {
    claim: () => claimListening(mock),
    release: () => releaseListening(mock),
    methods: {
      ...methods,
      async reset(options?: ResetOptions) {
        msw.resetHandlers()
        await reset(options)
      },
      async close() {
        try {
          await close()
        } finally {
          if (shared[listeningKey] === mock) await stop()
          releaseListening(mock)
        }
      },
    },
  }
}

/** Notes who listens in this process or page. Throws `UsageError` if somebody does already. */
export function claimListening(owner: object): void {
  const other = shared[listeningKey]
  if (other !== undefined) throw listensAlready(other === owner)
  shared[listeningKey] = owner
}

export function releaseListening(owner: object): void {
  if (shared[listeningKey] === owner) delete shared[listeningKey]
}

function listensAlready(isSame: boolean): UsageError {
  if (isSame) return new UsageError('this mock listens already: call listen() once, and close() before the next time')
  return new UsageError(
    'another mock listens already, and MSW answers with one at a time: await its close() first, or give it the handlers of this one: first.use(...second.handlers)',
  )
}

/** Prints MSW's message about a request that no handler matches. `error` also fails the request. */
export interface UnhandledPrint {
  warning(): void
  error(): void
}

/** Decides about requests that no handler matches. A function is called for each request. */
export type UnhandledRequest = 'bypass' | 'warn' | 'error' | ((request: Request, print: UnhandledPrint) => void)

/** Options of `listen`. */
export interface ListenOptions {
  /** Decides about requests that no handler matches. Default, as in MSW: `warn`. */
  readonly onUnhandledRequest?: UnhandledRequest | undefined
}

/** The part of MSW 3's frames that we use. */
interface UnhandledFrame {
  readonly frame: { readonly protocol: string; readonly data: unknown }
  readonly defaults: { warn(): unknown; error(): unknown }
}

/** Translates the option for both majors of MSW. Throws `UsageError` if it is none of the choices. */
export function toMswOptions({ onUnhandledRequest = 'warn' }: ListenOptions = {}) {
  if (onUnhandledRequest === 'bypass') return { onUnhandledRequest, onUnhandledFrame: onUnhandledRequest }
  const decide = decisionOf(onUnhandledRequest)
  return {
    onUnhandledRequest: (request: Request, print: UnhandledPrint) => decide(request, failOnError(print)),
    async onUnhandledFrame({ frame, defaults }: UnhandledFrame) {
      const printed: unknown[] = []
      const print = {
        warning: () => void printed.push(defaults.warn()),
        error: () => void printed.push(defaults.error()),
      }
      try {
        // MSW types the data of a frame as unknown. An HTTP frame holds its request.
        if (frame.protocol === 'http') decide((frame.data as { request: Request }).request, failOnError(print))
        // The mock has no WebSockets, and a function of requests cannot decide about them.
        else if (onUnhandledRequest === 'error') print.error()
        else if (onUnhandledRequest === 'warn') print.warning()
      } finally {
        await Promise.all(printed)
      }
    },
  }
}

/** Returns the choice as a function. Throws `UsageError` if it is none of the choices. */
export function decisionOf(onUnhandledRequest: UnhandledRequest): Exclude<UnhandledRequest, string> {
  if (onUnhandledRequest === 'bypass') return () => {}
  return typeof onUnhandledRequest === 'function' ? onUnhandledRequest : explainAndPrint(onUnhandledRequest)
}

/** MSW's own `error` only prints. It takes a thrown `Response.error()` for a network error. */
function failOnError(print: UnhandledPrint): UnhandledPrint {
  return {
    warning: () => print.warning(),
    error() {
      print.error()
      throw Response.error()
    },
  }
}

/** Makes a function that prints the operation that a request probably meant, then does what MSW does. */
function explainAndPrint(strategy: unknown): (request: Request, print: UnhandledPrint) => void {
  if (strategy !== 'warn' && strategy !== 'error')
    throw new UsageError(
      `onUnhandledRequest is ${quoted(strategy)}: expected "bypass", "warn", "error" or a function (request, print)`,
    )
  return (request, print) => {
    // MSW does the same if it gets a word instead of a function.
    if (isCommonAssetRequest(request)) return
    const { method, url } = request
    const explanation = explainUnmatched(method, new URL(url).pathname)
    // biome-ignore lint/suspicious/noConsole: MSW prints there
    if (explanation !== undefined) console[strategy](`mockmaker: ${method} ${url}: ${explanation}`)
    print[strategy === 'warn' ? 'warning' : 'error']()
  }
}
