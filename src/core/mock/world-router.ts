import { ApiError } from '../contract/errors.js'
import { defaultWorldId } from '../contract/paths.js'
import type { MockRequest, MockResponse, RequestHandler } from '../pipeline/message.js'
import { isForeign } from '../pipeline/origin.js'
import { Redactor } from '../pipeline/redact.js'
import { Responder } from '../pipeline/respond.js'
import { locate, type Place, requestAt, withoutWorld } from '../pipeline/routes.js'
import { Random } from '../store/random.js'
import { readTables } from '../store/world-state.js'
import type { CommonSettings, RunningWorld } from './running-world.js'
import type { RunningWorlds } from './running-worlds.js'

/**
 * Decides about a request for an unknown world: over HTTP it creates the world, in-process it is refused. A server that no
 * request may change gives its reason. `createAfter` runs before the creation, and throws `ApiError` to prevent it.
 */
export type UnknownWorld =
  | 'create'
  | 'refuse'
  | { readonly refuseBecause: string }
  | { readonly createAfter: () => void }

/** Brings each request to its world. */
export class WorldRouter {
  #outside: Responder | undefined

  constructor(
    private readonly worlds: RunningWorlds,
    private readonly settings: CommonSettings,
  ) {}

  /** Answers the requests that reach no world. */
  get outside(): Responder {
    if (this.#outside) return this.#outside
    const replica = this.worlds.shared?.self.id
    const { corsOrigins, log, onBug, secrets } = this.settings
    const { seed, tables } = this.worlds.default.world.initialState
    // No two replicas use the same ids.
    const rays = new Random(seed, `rays outside of worlds${replica === undefined ? '' : `#${replica}`}`)
    const allowed = { tables: readTables(tables), corsOrigins }
    const redactor = new Redactor(allowed.tables, secrets)
    this.#outside = new Responder({ worldId: undefined, allowed, log, redactor, rays, onBug })
    return this.#outside
  }

  /** Answers a request in its world: `use` gets it as that world sees it. Never throws or rejects. */
  answer(
    request: MockRequest,
    place: Place,
    unknown: UnknownWorld,
    use: (running: RunningWorld, request: MockRequest) => MockResponse | Promise<MockResponse>,
  ): MockResponse | Promise<MockResponse> {
    try {
      // A preflight only asks for permission: it creates no world.
      if (request.method === 'OPTIONS' && !this.worlds.inMemory(place.worldId)) return this.outside.preflight(request)
      const answer = use(this.#worldOf(request, place, unknown), requestAt(request, place))
      return answer instanceof Promise ? answer.catch(error => this.outside.refuse(request, error)) : answer
    } catch (error) {
      return this.outside.refuse(request, error)
    }
  }

  #worldOf(request: MockRequest, { worldId: id }: Place, unknown: UnknownWorld): RunningWorld {
    const known = this.worlds.get(id)
    if (known) return known
    // The default world always exists.
    if (id === defaultWorldId) return this.worlds.create(id)
    if (unknown === 'refuse') throw this.worlds.unknown(id)
    if (typeof unknown === 'object' && 'refuseBecause' in unknown) throw this.worlds.unknown(id, unknown.refuseBecause)
    // An image in a page must not create worlds.
    if (isForeign(request, this.outside.allowed))
      throw new ApiError(
        'API_FORBIDDEN',
        'a page of another site may not create a world: create the world first, or allow the page (--cors-origin)',
      )
    if (unknown !== 'create') unknown.createAfter()
    return this.worlds.create(id)
  }

  /** Creates a handler that answers each request in the world that it names. `handlerOf` returns the handler of a world. */
  route(unknown: UnknownWorld, handlerOf: (running: RunningWorld) => RequestHandler): RequestHandler {
    return request => this.answer(request, locate(request), unknown, (running, inner) => handlerOf(running)(inner))
  }

  /** Creates a handler like `route` for the world that `find` returns, whatever the request names. */
  routeTo(find: () => RunningWorld, handlerOf: (running: RunningWorld) => RequestHandler): RequestHandler {
    return request => {
      try {
        const running = find()
        const { endedBecause } = running.world
        if (endedBecause !== undefined) throw new ApiError('API_NOT_FOUND', endedBecause)
        return handlerOf(running)(withoutWorld(request))
      } catch (error) {
        return this.outside.refuse(request, error)
      }
    }
  }
}
