import { ApiError } from './contract/errors.js'
import { NewWorldOptions, summarizeWorld, type WorldSummary, type WorldsControl } from './control/world-control.js'
import { parseInput } from './lib/issues.js'
import { didYouMean, quoted } from './lib/text.js'
import type { MockState, MockWorld } from './mock-world.js'
import type { ScenarioRegistry } from './scenario-registry.js'
import type { MockRequest, RequestHandler } from './server/message.js'
import { isForeign } from './server/origin.js'
import { routeToWorld, worldPath } from './server/routes.js'
import type { Worlds } from './server/worlds.js'
import { Random } from './store/random.js'
import { withPublicUrl } from './store/world-state.js'

/** What happens to a request for an unknown world: over HTTP the world is created, in-process the request is refused. */
export type UnknownWorld = 'create' | 'refuse'

/** A request, and the world that it goes to. */
export interface RoutedRequest {
  readonly mock: MockWorld
  /** The request as that world sees it. */
  readonly request: MockRequest
  /** The part of the path that names the world. */
  readonly basePath: string
}

interface MockWorldsOptions {
  readonly registry: ScenarioRegistry
  /** Origins whose pages may read answers, beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
  create(id: string, state: MockState): MockWorld
}

/** The worlds of a mock, by their ids. */
export class MockWorlds implements WorldsControl {
  readonly #worlds: Worlds<MockWorld>
  readonly #options: MockWorldsOptions

  constructor(worlds: Worlds<MockWorld>, options: MockWorldsOptions) {
    this.#worlds = worlds
    this.#options = options
  }

  /** The world of requests that name none. */
  get default(): MockWorld {
    return this.#worlds.default
  }

  list(): WorldSummary[] {
    return this.#worlds.ids.flatMap(id => this.#worlds.peek(id) ?? []).map(summarizeWorld)
  }

  get(id: string): MockWorld | undefined {
    return this.#worlds.get(id)
  }

  async put(id: string, options: NewWorldOptions = {}): Promise<MockWorld> {
    const state = this.#stateOf(id, parseInput(NewWorldOptions, options, 'world'))
    const known = this.#worlds.get(id)
    if (!known) return this.#worlds.add(id, () => this.#options.create(id, state))
    known.replaceState(state)
    return known
  }

  delete(id: string): Promise<boolean> {
    return this.#worlds.delete(id)
  }

  /**
   * Finds the world that a request names; `undefined` where it names none. Throws `ApiError` where the world does not exist
   * and is not created.
   */
  find(request: MockRequest, unknown: UnknownWorld): RoutedRequest | undefined {
    const routed = routeToWorld(request)
    if (!routed) return undefined
    const { worldId, request: inner, basePath } = routed
    const worlds = this.#worlds
    const known = worlds.get(worldId)
    if (known) return { mock: known, request: inner, basePath }
    // A preflight only asks for permission: it creates no world.
    if (request.method === 'OPTIONS') return { mock: worlds.default, request: inner, basePath }
    if (unknown === 'refuse') throw unknownWorld(worldId, worlds.ids)
    // An image in a page must not create worlds.
    if (isForeign(request, { tables: worlds.default.world.tables, corsOrigins: this.#options.corsOrigins }))
      throw foreignPage()
    return { mock: worlds.at(worldId), request: inner, basePath }
  }

  /** Makes a handler that answers each request in the world that it names. `handlerOf` picks the handler of a world. */
  route(unknown: UnknownWorld, handlerOf: (mock: MockWorld) => RequestHandler): RequestHandler {
    return request => {
      try {
        const routed = this.find(request, unknown)
        return routed ? handlerOf(routed.mock)(routed.request) : handlerOf(this.default)(request)
      } catch (error) {
        // The request reached no world, so the default one logs it.
        return this.default.refuse(request, error)
      }
    }
  }

  #stateOf(worldId: string, { scenario, fork, revision, seed }: NewWorldOptions): MockState {
    if (fork === undefined) return this.#options.registry.stateOf(scenario, { worldId, seed })
    const source = this.#worlds.get(fork)
    if (source) return forkState(source, worldId, { revision, seed })
    const { ids } = this.#worlds
    throw new ApiError('API_NOT_FOUND', `there is no world ${quoted(fork)} to fork.${didYouMean(fork, ids)}`)
  }
}

/** The state of a fork. Its links lead to itself, and its own revisions are above those of the source. */
function forkState(
  source: MockWorld,
  worldId: string,
  { revision, seed }: Pick<NewWorldOptions, 'revision' | 'seed'>,
): MockState {
  const present = source.world.state
  const state = revision === undefined ? present : { ...source.stateAt(revision), revision: present.revision }
  const moved = withPublicUrl(state, before => withoutSuffix(before, worldPath(source.id)) + worldPath(worldId))
  if (seed === undefined) return { world: moved }
  return { world: { ...moved, seed, random: new Random(seed, 'world').save() } }
}

function withoutSuffix(text: string, suffix: string): string {
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text
}

function unknownWorld(id: string, ids: readonly string[]): ApiError {
  return new ApiError(
    'API_NOT_FOUND',
    `there is no world ${quoted(id)}: in-process, mock.worlds.put creates one.${didYouMean(id, ids)}`,
  )
}

function foreignPage(): ApiError {
  return new ApiError(
    'API_FORBIDDEN',
    'a page of another site may not create a world: create it before, or allow the page (--cors-origin)',
  )
}
