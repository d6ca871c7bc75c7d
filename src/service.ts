import { isControlPath, pathInWorld, worldPath } from './contract/paths.js'
import { checkControlRequest, handleControl } from './control/handler.js'
import { pageFor } from './control/pages.js'
import type { ServableMock } from './mock.js'
import type { MockWorld } from './mock-world.js'
import type { UnknownWorld } from './mock-worlds.js'
import type { MockRequest, MockResponse } from './server/message.js'
import { version } from './version.js'

/** Answers everything that a server of a mock answers. `origin` returns the URL of the mock, without a slash at its end. */
export type Service = (request: MockRequest, origin: () => string) => MockResponse | Promise<MockResponse>

interface ServiceOptions {
  /** Default: on. */
  readonly control?: boolean | undefined
  /** Addresses of other machines that may use the control API. Default: none. */
  readonly controlHosts?: readonly string[] | undefined
  /** Default: `create`, as over HTTP. */
  readonly unknownWorld?: UnknownWorld | undefined
}

/**
 * Creates the function that answers control calls, pages and operations, each in the world that the request names. It throws
 * `ApiError` if the request reaches no world.
 */
export function createService(
  mock: ServableMock,
  { control = true, controlHosts = [], unknownWorld = 'create' }: ServiceOptions = {},
): Service {
  const { worlds } = mock

  async function answerControlCall(request: MockRequest, world: MockWorld, url: string): Promise<MockResponse> {
    const startedAt = performance.now()
    try {
      const response = await handleControl({ mock: world, server: mock, version, url, request })
      return world.respond(request, response, startedAt)
    } catch (error) {
      return world.refuse(request, error, startedAt)
    }
  }

  return (request, origin) => {
    const isControl = control && isControlPath(pathInWorld(request.path))
    const preflight = isControl ? checkControlRequest(request, controlHosts) : undefined
    if (preflight) return mock.respond(request, preflight)
    const { mock: world, request: inner, basePath } = worlds.find(request, unknownWorld)
    // This URL names the world in its path, even if the request named it in a header.
    if (isControl) return answerControlCall(inner, world, origin() + worldPath(world.id))
    const page = pageFor(inner, () => ({ mock: world, url: origin() + basePath, version }))
    return page ? world.respond(inner, page) : world.handle(inner)
  }
}
