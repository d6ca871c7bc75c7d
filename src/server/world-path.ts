import { decodedSegment } from './decoded-segment.js'
import { type AbortSignalLike, header, type MockRequest } from './message.js'
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
  readonly request: MockRequest
  /** What stood before the path: `/w/{id}`, or nothing. */
  readonly basePath: string
}

/** Which world a request names, by its path `/w/{id}/…` or else by the header `x-mock-world`; `undefined` where it names none. */
export function addressedBy(request: MockRequest): Addressed | undefined {
  const { path } = request
  const length = lengthOfWorld(path)
  if (length > 0) {
    const worldId = decodedSegment(path.slice(prefix.length, length))
    return { worldId, request: new InnerExchange(request, pathInWorld(path)), basePath: path.slice(0, length) }
  }
  const worldId = header(request, 'x-mock-world')
  return worldId === undefined ? undefined : { worldId, request, basePath: '' }
}

/** A request whose path is another one. */
class InnerExchange implements MockRequest {
  readonly method: string
  readonly query: string | undefined
  readonly headers: MockRequest['headers']
  readonly body: Uint8Array | undefined
  readonly #outer: MockRequest

  get address(): string | undefined {
    return this.#outer.address
  }

  constructor(
    outer: MockRequest,
    readonly path: string,
  ) {
    this.method = outer.method
    this.query = outer.query
    this.headers = outer.headers
    this.body = outer.body
    this.#outer = outer
  }

  signal(): AbortSignalLike | undefined {
    return this.#outer.signal?.()
  }
}
