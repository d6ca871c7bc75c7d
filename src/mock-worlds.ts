import { ApiError } from './contract/errors.js'
import { NewWorldOptions, summarizeWorld, type WorldsControl } from './control/world-control.js'
import { didYouMean } from './lib/did-you-mean.js'
import { parseInput } from './lib/issues.js'
import { quoted } from './lib/quote.js'
import type { MockBeginning } from './mock-beginning.js'
import type { OnHand } from './on-hand.js'
import type { MockRequest } from './server/message.js'
import { isForeign } from './server/origin.js'
import { routeToWorld, worldPath } from './server/routes.js'
import type { Worlds } from './server/worlds.js'
import { Random } from './store/random.js'
import { withPublicUrl } from './store/standing.js'
import type { OwnedMock, WorldMock } from './world-mock.js'

/** The worlds of a mock, by their ids. */
export interface MockWorlds extends WorldsControl {
  /** The world that is meant where none is named. */
  readonly default: WorldMock
  get(id: string): WorldMock | undefined
  put(id: string, options?: NewWorldOptions): Promise<WorldMock>
  /**
   * For entry points: the world that a request names, and the request as that world sees it; `undefined` where it names
   * none, and means the default one. A world that does not exist is made, or is an `ApiError`. Throws `ApiError`.
   */
  at(exchange: MockRequest, unknown: UnknownWorld): Asked | undefined
}

/** What happens to a request that names an unknown world: over HTTP the world is made, in-process the request is refused. */
export type UnknownWorld = 'make' | 'refuse'

/** A request, and the world that it goes to. */
interface Asked {
  readonly mock: WorldMock
  readonly exchange: MockRequest
  /** What stood before its path. */
  readonly basePath: string
}

/** What worlds are made with. */
interface Making {
  readonly onHand: OnHand
  /** Origins whose pages may read answers, beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
  make(id: string, beginning: MockBeginning): OwnedMock
}

/** The public face of the worlds. */
export function createMockWorlds(worlds: Worlds<OwnedMock>, { onHand, corsOrigins, make }: Making): MockWorlds {
  const beginningFor = (worldId: string, { scenario, fork, seed }: NewWorldOptions): MockBeginning => {
    if (fork === undefined) return onHand.beginningOf(scenario, { worldId, seed })
    const other = worlds.get(fork)
    if (!other)
      throw new ApiError('API_NOT_FOUND', `there is no world ${quoted(fork)} to fork.${didYouMean(fork, worlds.ids)}`)
    return forked(other, { worldId, seed })
  }
  return {
    default: worlds.default,
    list: () => worlds.ids.flatMap(id => worlds.peek(id) ?? []).map(summarizeWorld),
    get: id => worlds.get(id),
    async put(id, options = {}) {
      const beginning = beginningFor(id, parseInput(NewWorldOptions, options, 'world'))
      const there = worlds.get(id)
      // In the same tick, so that a second call for the same new id finds this world.
      if (!there) return worlds.add(id, () => make(id, beginning))
      await there.become(beginning)
      return there
    },
    delete: id => worlds.delete(id),
    at(exchange, unknown) {
      const addressed = routeToWorld(exchange)
      if (!addressed) return undefined
      const { worldId, request: inner, basePath } = addressed
      const there = worlds.get(worldId)
      if (there) return { mock: there, exchange: inner, basePath }
      // A page only asks whether it may ask: that makes no world.
      if (exchange.method === 'OPTIONS') return { mock: worlds.default, exchange: inner, basePath }
      if (unknown === 'refuse') throw noWorld(worldId, worlds.ids)
      // An image in a page must not make worlds.
      if (isForeign(exchange, { tables: worlds.default.world, corsOrigins })) throw foreign()
      return { mock: worlds.at(worldId), exchange: inner, basePath }
    },
  }
}

function noWorld(id: string, ids: readonly string[]): ApiError {
  return new ApiError(
    'API_NOT_FOUND',
    `there is no world ${quoted(id)}: in-process, mock.worlds.put makes one.${didYouMean(id, ids)}`,
  )
}

function foreign(): ApiError {
  return new ApiError(
    'API_FORBIDDEN',
    'a page of another site may not make a world: make it before, or allow the page (--cors-origin)',
  )
}

/** How a world begins that equals another one. Its links lead to itself. */
function forked(
  other: OwnedMock,
  { worldId, seed }: { readonly worldId: string; readonly seed: number | undefined },
): MockBeginning {
  const { standing, ...around } = other.beginning
  const moved = withPublicUrl(standing, before => withoutEnd(before, worldPath(other.id)) + worldPath(worldId))
  return {
    ...around,
    standing: seed === undefined ? moved : { ...moved, seed, chance: new Random(seed, 'world').save() },
  }
}

function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, text.length - end.length) : text
}
