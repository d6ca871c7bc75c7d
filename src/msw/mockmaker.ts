import type { HttpHandler } from 'msw'
import { worldPath } from '../core/contract/paths.js'
import { quoted, UsageError } from '../core/lib/messages.js'
import { type Peer, tooOld } from '../core/lib/peers.js'
import { type Handlers, type Mockmaker, mockFacade } from '../core/mock/facade.js'
import type { Mock } from '../core/mock/mock.js'
import type { MockmakerOptions } from '../core/mock/options.js'
import type { RunningWorld } from '../core/mock/running-world.js'
import type { RequestHandler } from '../core/pipeline/message.js'
import { checkOverride } from '../core/pipeline/overrides.js'
import { ofUserCode } from '../core/pipeline/user-code.js'
import { runInSlices } from '../core/store/timers.js'
import { createHandler, createHandlers, type Http, type RequestHandlers, urlInProcess } from './handlers.js'

interface Additions<More> {
  /** Versions of MSW that are too old have none. */
  readonly http: Http | undefined
  readonly versionOf?: ((peer: Peer) => string | undefined) | undefined
  /** Returns the world of the function that sends a request, if it has one of its own. May throw. Default: no function has one. */
  readonly ownWorld?: (request: Request) => RunningWorld | undefined
  /** Further members, which replace those of the same name. Gets the handlers of the mock. */
  readonly more: (handlers: Handlers) => More
}

/** Creates the object that users hold of a mock, with MSW handlers. Throws `UsageError` if the base URL is wrong, or MSW too old. */
export function toMockmaker<More extends object>(
  mock: Mock,
  { baseUrl = '*', world: worldOf }: MockmakerOptions,
  { http, versionOf, ownWorld = () => undefined, more }: Additions<More>,
): Mockmaker & More {
  if (!http) throw tooOld('mockmaker', 'msw', { versionOf })
  const { worlds, router } = mock
  const choose = (request: Request): (() => RunningWorld) | undefined => {
    try {
      const id = chosenWorld(worldOf, request)
      if (id !== undefined) return () => worlds.known(id)
      const own = ownWorld(request)
      return own && (() => own)
    } catch (error) {
      return () => {
        throw error
      }
    }
  }
  /** Routes the requests to a world, or without one, to the world that each request is for. */
  const routesTo = (
    world: RunningWorld | undefined,
    handlerOf: (world: RunningWorld) => RequestHandler,
  ): RequestHandlers => {
    if (world) {
      const answer = router.routeTo(() => world, handlerOf)
      return { answer, answerOverHttp: answer }
    }
    return {
      answer: router.route('refuse', handlerOf),
      answerOverHttp: router.route('create', handlerOf),
      select(request) {
        const find = choose(request)
        return find && router.routeTo(find, handlerOf)
      },
    }
  }
  const handlersOf = (world?: RunningWorld): Handlers => {
    let list: HttpHandler[] | undefined
    return {
      url: urlInProcess(baseUrl, worldPath((world ?? mock.default).id)),
      list() {
        list ??= createHandlers({ baseUrl, http, ...routesTo(world, ({ handle }) => handle) })
        return list
      },
      async capsuleFile(running, options) {
        const { capsuleHtml } = await import('#capsule')
        return capsuleHtml(await runInSlices(running.capsule(options)))
      },
      override(id, resolver, options) {
        checkOverride('override', id, resolver, options)
        const routes = routesTo(world, one => one.handlerWith(id, resolver))
        return createHandler(id, { baseUrl, http, ...routes, ...options })
      },
    }
  }
  const handlers = handlersOf()
  return mockFacade(mock, { own: handlers, of: handlersOf }, more(handlers))
}

function chosenWorld(worldOf: MockmakerOptions['world'], request: Request): string | undefined {
  try {
    const id: unknown = worldOf?.(request)
    return id === undefined ? undefined : checkChoice(id)
  } catch (error) {
    throw ofUserCode('the option `world`', error)
  }
}

function checkChoice(id: unknown): string {
  if (typeof id === 'string') return id
  const promise = id instanceof Promise ? ', and not as a promise' : ''
  throw new UsageError(
    `the option \`world\` returned ${quoted(id)}: expected the id of a world, or undefined${promise}`,
  )
}
