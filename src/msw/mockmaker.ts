import type { HttpHandler } from 'msw'
import type { OperationId } from '../contract/operations.js'
import { worldPath } from '../contract/paths.js'
import type { NewWorldOptions } from '../control/world-control.js'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import type { Mock, MockedWorld, MockedWorlds, ServableMock } from '../mock/mock.js'
import type { MockWorld } from '../mock/mock-world.js'
import type { MockWorlds } from '../mock/mock-worlds.js'
import type { MockmakerOptions } from '../mock/options.js'
import { createHandler, createHandlers, type Http, type RequestHandlers, urlInProcess } from './handlers.js'
import type { RequestHandler } from '../server/message.js'
import { checkResolver, type OverrideResolver } from '../server/overrides.js'

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
type OwnWorld = () => MockWorld | undefined

/** The parts of a Mockmaker that depend on its entry point. */
interface HandlersEnvironment {
  readonly http: Http
  /** Default: no function has a world of its own. */
  readonly ownWorld?: OwnWorld
}

/** Adds MSW handlers to a mock and to its worlds. Throws `UsageError` if the base URL is wrong. */
export function withHandlers(
  mock: ServableMock,
  { baseUrl = '*', world: worldOf }: MockmakerOptions,
  { http, ownWorld = () => undefined }: HandlersEnvironment,
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
    addHandlers(world, { baseUrl, http, routes })
  })
  const routes = (handlerOf: HandlerOf) => ({
    answer: worlds.route('refuse', handlerOf),
    answerOverHttp: worlds.route('create', handlerOf),
    select(request: Request) {
      const find = choose(request)
      return find && worlds.routeTo(find, handlerOf)
    },
  })
  addHandlers(mock, { baseUrl, http, routes })
  return mock as unknown as ServableMockmaker // its worlds have handlers too, from now on
}

/** A mock with its MSW handlers, and with the parts that entry points need. */
export type ServableMockmaker = Omit<Mockmaker, 'worlds'> &
  Omit<ServableMock, 'worlds'> & { readonly worlds: MockWorlds & MockmakerWorlds }

/** Returns the handler of a world that shall answer. */
type HandlerOf = (world: MockWorld) => RequestHandler

function addHandlers<World extends MockWorld>(
  world: World,
  {
    baseUrl,
    http,
    routes,
  }: { readonly baseUrl: string; readonly http: Http; readonly routes: (handlerOf: HandlerOf) => RequestHandlers },
): World & WithHandlers {
  let handlers: HttpHandler[] | undefined
  const added: WithHandlers = {
    // Created on first use, because most worlds need none of their own.
    get handlers() {
      handlers ??= createHandlers({ baseUrl, http, ...routes(({ handle }) => handle) })
      return handlers
    },
    override(id, resolver) {
      checkResolver(id, resolver)
      return createHandler(id, { baseUrl, http, ...routes(one => one.handlerWith(id, resolver)) })
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
