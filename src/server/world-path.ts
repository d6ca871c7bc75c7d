import { decodedSegment } from './decoded-segment.js'
import { type Exchange, type GoneSignal, header } from './exchange.js'
import { defaultWorldId } from './worlds.js'

const prefix = '/w/'

/** What stands before all paths of a world: nothing for the default one. */
export function worldPath(id: string): string {
  return id === defaultWorldId ? '' : `${prefix}${id}`
}

/** A path without the world that it may begin with: `/w/test-42/x` is `/x`. */
export function pathInWorld(path: string): string {
  return path.slice(lengthOfWorld(path)) || '/'
}

/** How much of a path names a world. */
function lengthOfWorld(path: string): number {
  if (!path.startsWith(prefix)) return 0
  const slash = path.indexOf('/', prefix.length)
  return slash === -1 ? path.length : slash
}

/** The world that a request names, and the request as that world sees it. */
interface Addressed {
  readonly worldId: string
  readonly exchange: Exchange
  /** What stood before the path: `/w/{id}`, or nothing. */
  readonly basePath: string
}

/** Which world a request names, by its path `/w/{id}/…` or else by the header `x-mock-world`; `undefined` where it names none. */
export function addressedBy(exchange: Exchange): Addressed | undefined {
  const { path } = exchange
  const length = lengthOfWorld(path)
  if (length > 0) {
    const worldId = decodedSegment(path.slice(prefix.length, length))
    return { worldId, exchange: new InnerExchange(exchange, pathInWorld(path)), basePath: path.slice(0, length) }
  }
  const worldId = header(exchange, 'x-mock-world')
  return worldId === undefined ? undefined : { worldId, exchange, basePath: '' }
}

/** A request whose path is another one. */
class InnerExchange implements Exchange {
  readonly method: string
  readonly query: string | undefined
  readonly headers: Exchange['headers']
  readonly body: Uint8Array | undefined
  readonly #outer: Exchange

  get address(): string | undefined {
    return this.#outer.address
  }

  constructor(
    outer: Exchange,
    readonly path: string,
  ) {
    this.method = outer.method
    this.query = outer.query
    this.headers = outer.headers
    this.body = outer.body
    this.#outer = outer
  }

  signal(): GoneSignal | undefined {
    return this.#outer.signal?.()
  }
}
