import type { IncomingMessage, ServerResponse } from 'node:http'
import { isControlPath } from '../contract/paths.js'
import { checkControlRequest, handleControl, maxControlBody } from '../control/handler.js'
import { pageFor } from '../control/pages.js'
import { type Mock, servable } from '../mock.js'
import { checkListenOptions } from '../mock-options.js'
import type { MockWorld } from '../mock-world.js'
import { bodyLimit, header, type MockRequest, type MockResponse } from '../server/message.js'
import { checkHost } from '../server/origin.js'
import { pathInWorld, worldPath } from '../server/routes.js'
import { version } from '../version.js'
import { type BodyLimit, handleNodeRequest, parseTarget } from './node-adapter.js'

/** Options of a server that answers under any address. */
export interface AppOptions {
  /** Names to allow in the Host header besides those of this machine and IP addresses. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Turns the control API on or off. Default: on. */
  readonly control?: boolean | undefined
}

/** Express adds `protocol` and `baseUrl` to a request of `node:http`. */
type ServedRequest = IncomingMessage & { readonly protocol?: string; readonly baseUrl?: string }

/**
 * Creates a `node:http` listener that is the whole server: Host check, control API, pages, operations, and JSON errors for
 * all other paths (PROTOCOL.md B9). It works without Express, and as an Express middleware too.
 */
export function createListener(
  served: Mock,
  options: AppOptions = {},
): (request: ServedRequest, response: ServerResponse) => void {
  checkListenOptions(options)
  const { allowedHosts = [], control = true } = options
  const mock = servable(served)
  const { worlds } = mock
  const limit: BodyLimit = control ? bodyLimitOf : () => bodyLimit
  // A client sends the same Host each time.
  let lastAllowed: string | undefined

  function answer(request: MockRequest, { protocol = 'http', baseUrl = '' }: ServedRequest) {
    const host = header(request, 'host')
    if (host === undefined || host !== lastAllowed) checkHost(host, allowedHosts)
    lastAllowed = host
    const isControl = control && isControlPath(pathInWorld(request.path))
    const early = isControl ? checkControlRequest(request) : undefined
    if (early) return mock.respond(request, early)
    const addressed = worlds.find(request, 'create')
    const world = addressed?.mock ?? worlds.default
    const inner = addressed?.request ?? request
    const origin = () => `${protocol}://${host}${baseUrl}`
    // The URL of a world names it in the path, even if a header named it here.
    if (isControl) return answerControlCall(inner, world, origin() + worldPath(world.id))
    const page = pageFor(inner, () => ({ mock: world, url: origin() + (addressed?.basePath ?? ''), version }))
    return page ? world.respond(inner, page) : world.handle(inner)
  }

  async function answerControlCall(request: MockRequest, world: MockWorld, url: string): Promise<MockResponse> {
    const startedAt = performance.now()
    try {
      const response = await handleControl({ mock: world, server: mock, version, url, request })
      return world.respond(request, response, startedAt)
    } catch (error) {
      return world.refuse(request, error, startedAt)
    }
  }

  return (nodeRequest, response) => {
    const handler = (request: MockRequest) => {
      try {
        return answer(request, nodeRequest)
      } catch (error) {
        return mock.refuse(request, error)
      }
    }
    handleNodeRequest(nodeRequest, response, handler, { limit })
  }
}

/** Calls of the control API may have longer bodies than operations: a scenario, for example. */
function bodyLimitOf({ url = '/', method = '', headers }: IncomingMessage): number {
  const { path } = parseTarget(url)
  return isControlPath(pathInWorld(path)) ? maxControlBody({ method, path, headers }) : bodyLimit
}
