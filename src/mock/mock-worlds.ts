import { ApiError } from '../contract/errors.js'
import type { FaultState } from '../contract/faults.js'
import { defaultWorldId, worldId, worldPath } from '../contract/paths.js'
import { NewWorldOptions, summarizeWorld, type WorldSummary, type WorldsControl } from '../control/world-control.js'
import { endWorld } from './end-world.js'
import { parseInput } from '../lib/issues.js'
import { didYouMean, quoted } from '../lib/text.js'
import { formatDuration } from '../lib/time.js'
import { UsageError } from '../lib/usage-error.js'
import { bindMethods, MockWorld, type MockWorldSettings } from './mock-world.js'
import type { MockState } from './scenario-registry.js'
import type { MockRequest, RequestHandler } from '../server/message.js'
import { isForeign } from '../server/origin.js'
import { routeToWorld, withoutWorld } from '../server/routes.js'
import { Random } from '../store/random.js'
import { longestDelayMs } from '../store/timers.js'
import { withPublicUrl } from '../store/world-state.js'

/**
 * Decides about a request for an unknown world: over HTTP it creates the world, in-process it is refused. A server that no
 * request may change gives its reason.
 */
export type UnknownWorld = 'create' | 'refuse' | { readonly refuseBecause: string }

/** A request, and the world that it goes to. */
export interface RoutedRequest {
  readonly mock: MockWorld
  /** The request as that world sees it. */
  readonly request: MockRequest
  /** The part of the path that names the world. Empty if the path names none. */
  readonly basePath: string
}

interface MockWorldsLimits {
  /** Counts the default world too. */
  readonly maxWorlds: number
  /** In real ms. */
  readonly worldTtlMs: number
}

/** The timer looks for unused worlds this many times per `worldTtlMs`. */
const sweepsPerTtl = 10

/** Decides how long a world stays. */
interface Keeping {
  /** True if the world stays until code deletes it. Otherwise it is deleted when nobody has used it for `worldTtlMs`. */
  readonly isKept: boolean
}

/**
 * The worlds of a mock, by their ids. Deletes a world that came over HTTP, by a request or by a control call, once nobody has used
 * it for `worldTtlMs`. The default world stays, and so do the worlds that code made with `worlds.put`.
 */
export class MockWorlds implements WorldsControl {
  /** The world of requests that name none. */
  readonly default: MockWorld
  readonly #settings: MockWorldSettings
  readonly #limits: MockWorldsLimits
  readonly #others = new Map<string, { readonly mock: MockWorld; usedAt: number; isKept: boolean }>()
  #extend: (mock: MockWorld) => void = () => {}
  #timer: ReturnType<typeof setInterval> | undefined
  #isClosed = false

  constructor(own: MockWorld, settings: MockWorldSettings, limits: MockWorldsLimits) {
    this.default = own
    this.#settings = settings
    this.#limits = limits
  }

  /** Calls a function with each world that is created from now on. */
  extendWith(extend: (mock: MockWorld) => void): void {
    this.#extend = extend
  }

  list(): WorldSummary[] {
    return [this.default, ...[...this.#others.values()].map(({ mock }) => mock)].map(summarizeWorld)
  }

  /** Finds a world. It counts as used now. */
  get(id: string): MockWorld | undefined {
    if (id === defaultWorldId) return this.default
    const entry = this.#others.get(id)
    if (entry) entry.usedAt = Date.now()
    return entry?.mock
  }

  /** Creates or replaces a world. Fake timers pass time too, so the code keeps its worlds. */
  async put(id: string, options: NewWorldOptions = {}, { isKept }: Keeping = { isKept: true }): Promise<MockWorld> {
    const state = this.#stateOf(id, parseInput(NewWorldOptions, options, 'world'))
    const known = this.get(id)
    if (!known) {
      const created = this.#add(id, () => state, { isKept })
      bindMethods(created)
      return created
    }
    known.replaceState(state)
    if (isKept) this.#keep(id)
    return known
  }

  /** Lists the faults of all worlds that code has added, and that never applied. Empty once the worlds are closed. */
  unusedFaults(): FaultState[] {
    if (this.#isClosed) return []
    const worlds = [this.default, ...[...this.#others.values()].map(({ mock }) => mock)]
    return worlds.flatMap(({ faults }) => faults.unused())
  }

  delete(id: string): Promise<boolean> {
    return this.deleteBecause(id, `the world ${quoted(id)} was deleted: mock.worlds.put creates it again`)
  }

  /** Deletes a world. Its users read the reason. */
  async deleteBecause(id: string, reason: string): Promise<boolean> {
    if (id === defaultWorldId) throw new UsageError('the default world is always there: reset it instead')
    const entry = this.#others.get(id)
    this.#others.delete(id)
    this.#stopTimerIfUnneeded()
    await entry?.mock.close()
    if (entry) endWorld(entry.mock, reason)
    return entry !== undefined
  }

  /** Deletes all worlds except the default one. A world that is created later answers one request, and is not kept. */
  async close(): Promise<void> {
    this.#isClosed = true
    const close = (id: string) =>
      this.deleteBecause(id, `the world ${quoted(id)} has ended, because its mock was closed`)
    await Promise.all([...this.#others.keys()].map(close))
  }

  /** Finds the world of a request. Throws `ApiError` if the world does not exist and is not created. */
  find(request: MockRequest, unknown: UnknownWorld): RoutedRequest {
    const routed = routeToWorld(request)
    if (!routed) return { mock: this.default, request, basePath: '' }
    const { worldId: id, request: inner, basePath } = routed
    const known = this.get(id)
    if (known) return { mock: known, request: inner, basePath }
    // A preflight only asks for permission: it creates no world.
    if (request.method === 'OPTIONS') return { mock: this.default, request: inner, basePath }
    if (unknown !== 'create')
      throw unknownWorld(id, this.#ids, unknown === 'refuse' ? undefined : unknown.refuseBecause)
    const { corsOrigins } = this.#settings
    // An image in a page must not create worlds.
    if (isForeign(request, { tables: this.default.world.tables, corsOrigins })) throw foreignPage()
    const created = this.#add(id, () => this.#stateOf(id, {}), { isKept: false })
    return { mock: created, request: inner, basePath }
  }

  /** Creates a handler that answers each request in the world that it names. `handlerOf` returns the handler of a world. */
  route(unknown: UnknownWorld, handlerOf: (mock: MockWorld) => RequestHandler): RequestHandler {
    return request => {
      try {
        const routed = this.find(request, unknown)
        return handlerOf(routed.mock)(routed.request)
      } catch (error) {
        // The request reached no world, so the default one logs it.
        return this.default.refuse(request, error)
      }
    }
  }

  /** Creates a handler like `route` for the world that `find` returns, whatever the request names. */
  routeTo(find: () => MockWorld, handlerOf: (mock: MockWorld) => RequestHandler): RequestHandler {
    return request => {
      try {
        const mock = find()
        if (mock.endedBecause !== undefined) throw new ApiError('API_NOT_FOUND', mock.endedBecause)
        return handlerOf(mock)(withoutWorld(request))
      } catch (error) {
        return this.default.refuse(request, error)
      }
    }
  }

  /** Finds a world for a request in-process. Throws `ApiError` if there is none. */
  known(id: string): MockWorld {
    const known = this.get(id)
    if (known) return known
    throw unknownWorld(id, this.#ids)
  }

  get #ids(): string[] {
    return [defaultWorldId, ...this.#others.keys()]
  }

  #stateOf(id: string, { scenario, fork, revision, seed }: NewWorldOptions): MockState {
    if (fork === undefined) return this.#settings.registry.stateOf(scenario, { worldId: id, seed })
    const source = this.get(fork)
    if (source) return forkState(source, id, { revision, seed })
    throw new ApiError('API_NOT_FOUND', `there is no world ${quoted(fork)} to fork.${didYouMean(fork, this.#ids)}`)
  }

  /** Creates a world with a new id. Throws `ApiError` if the id is malformed, or there are too many worlds. */
  #add(id: string, makeState: () => MockState, { isKept }: Keeping): MockWorld {
    // The pattern would accept null as "null".
    if (typeof id !== 'string' || !worldId.pattern.test(id))
      throw new ApiError('API_NOT_FOUND', `${quoted(id)} is no id of a world: expected ${worldId.expected}`)
    const { maxWorlds } = this.#limits
    if (this.#others.size + 1 >= maxWorlds) throw tooManyWorlds(maxWorlds)
    const mock = new MockWorld(id, makeState(), this.#settings)
    if (this.#isClosed) {
      void mock.close()
      return mock
    }
    this.#extend(mock)
    this.#others.set(id, { mock, usedAt: Date.now(), isKept })
    if (!isKept) this.#startTimer()
    return mock
  }

  #keep(id: string): void {
    const entry = this.#others.get(id)
    if (entry) entry.isKept = true
    this.#stopTimerIfUnneeded()
  }

  #startTimer(): void {
    if (this.#timer !== undefined) return
    const interval = Math.min(Math.max(1, this.#limits.worldTtlMs / sweepsPerTtl), longestDelayMs)
    this.#timer = setInterval(() => this.#deleteUnused(), interval)
    // In browsers a timer is a number, and keeps no process alive.
    if (typeof this.#timer === 'object') this.#timer.unref()
  }

  #stopTimerIfUnneeded(): void {
    if (this.#timer === undefined || [...this.#others.values()].some(({ isKept }) => !isKept)) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #deleteUnused(): void {
    const now = Date.now()
    for (const [id, entry] of this.#others) {
      if (entry.isKept) continue
      if (entry.mock.isBusy) entry.usedAt = now
      else if (now - entry.usedAt >= this.#limits.worldTtlMs) void this.deleteBecause(id, this.#unusedReason(id))
    }
  }

  #unusedReason(id: string): string {
    const time = formatDuration(this.#limits.worldTtlMs)
    return `the world ${quoted(id)} was deleted, because no request came for ${time}: raise worldTtlMs (--world-ttl)`
  }
}

/** Returns the state of a fork. Its links lead to the fork, and its revisions continue those of the source. */
function forkState(
  source: MockWorld,
  worldId: string,
  { revision, seed }: Pick<NewWorldOptions, 'revision' | 'seed'>,
): MockState {
  const present = source.world.state
  const state = revision === undefined ? present : { ...source.stateAt(revision), revision: present.revision }
  const moved = withPublicUrl(state, before => withoutSuffix(before, worldPath(source.id)) + worldPath(worldId))
  const withSeed = (other: number) => ({ ...moved, seed: other, random: new Random(other, 'world').save() })
  return { world: seed === undefined ? moved : withSeed(seed), withSeed }
}

function withoutSuffix(text: string, suffix: string): string {
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text
}

function unknownWorld(
  id: string,
  ids: readonly string[],
  because = 'in-process, mock.worlds.put creates one',
): ApiError {
  return new ApiError('API_NOT_FOUND', `there is no world ${quoted(id)}: ${because}.${didYouMean(id, ids)}`)
}

function tooManyWorlds(count: number): ApiError {
  return new ApiError(
    'API_RATE_LIMIT',
    `there are ${count} worlds already: delete some (mock.worlds.delete, or DELETE /__mock/worlds/{id}), or raise maxWorlds (--max-worlds)`,
    { headers: { 'retry-after': '1' } },
  )
}

function foreignPage(): ApiError {
  return new ApiError(
    'API_FORBIDDEN',
    'a page of another site may not create a world: create the world first, or allow the page (--cors-origin)',
  )
}
