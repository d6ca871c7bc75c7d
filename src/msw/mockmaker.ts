import type { HttpHandler } from 'msw'
import { worldPath } from '../contract/paths.js'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import { type Handlers, type Mockmaker, mockFacade } from '../mock/facade.js'
import type { Mock } from '../mock/mock.js'
import type { MockWorld } from '../mock/mock-world.js'
import type { MockmakerOptions } from '../mock/options.js'
import type { RequestHandler } from '../server/message.js'
import { checkResolver } from '../server/overrides.js'
import { createHandler, createHandlers, type Http, type RequestHandlers, urlInProcess } from './handlers.js'

/** The parts that an entry point adds to a mock. */
interface Additions<More> {
  readonly http: Http
  /** Returns the world of the function that runs now, if it has one of its own. May throw. Default: no function has one. */
  readonly ownWorld?: () => MockWorld | undefined
  /** Further members, which replace those of the same name. Gets the handlers of the mock. */
  readonly more: (handlers: Handlers) => More
}

/** Returns the handler of a world that shall answer. */
type HandlerOf = (world: MockWorld) => RequestHandler

/** Creates the object that users hold of a mock, with MSW handlers. Throws `UsageError` if the base URL is wrong. */
export function toMockmaker<More extends object>(
  mock: Mock,
  { baseUrl = '*', world: worldOf }: MockmakerOptions,
  { http, ownWorld = () => undefined, more }: Additions<More>,
): Mockmaker & More {
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
  const routedTo = (world: MockWorld) => (handlerOf: HandlerOf) => {
    const answer = worlds.routeTo(() => world, handlerOf)
    return { answer, answerOverHttp: answer }
  }
  const routed = (handlerOf: HandlerOf) => ({
    answer: worlds.route('refuse', handlerOf),
    answerOverHttp: worlds.route('create', handlerOf),
    select(request: Request) {
      const find = choose(request)
      return find && worlds.routeTo(find, handlerOf)
    },
  })
  const handlersOf = (world?: MockWorld): Handlers => {
    const routes: (handlerOf: HandlerOf) => RequestHandlers = world ? routedTo(world) : routed
    let list: HttpHandler[] | undefined
    return {
      url: urlInProcess(baseUrl, worldPath((world ?? mock.default).id)),
      list() {
        list ??= createHandlers({ baseUrl, http, ...routes(({ handle }) => handle) })
        return list
      },
      override(id, resolver) {
        checkResolver(id, resolver)
        return createHandler(id, { baseUrl, http, ...routes(one => one.handlerWith(id, resolver)) })
      },
    }
  }
  const handlers = handlersOf()
  return mockFacade(mock, { own: handlers, of: handlersOf }, more(handlers))
}

function checkChoice(id: unknown): string {
  if (typeof id === 'string') return id
  const promise = id instanceof Promise ? ', and not as a promise' : ''
  throw new UsageError(
    `the option \`world\` returned ${quoted(id)}: expected the id of a world, or undefined${promise}`,
  )
}
