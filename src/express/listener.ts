import type { IncomingMessage, ServerResponse } from 'node:http'
import { isControlPath } from '../contract/paths.js'
import { admit, answerControl, longestControlBody } from '../control/answer.js'
import { pageFor } from '../control/pages.js'
import type { Mock } from '../mock.js'
import { checkListenOptions } from '../mock-options.js'
import { bodyLimit, header, type MockRequest, type RequestHandler } from '../server/message.js'
import { checkHost } from '../server/origin.js'
import { pathInWorld, worldPath } from '../server/routes.js'
import { version } from '../version.js'
import type { WorldMock } from '../world-mock.js'
import { respond } from './socket-exchange.js'

/** To whom a server answers. */
export interface AppOptions {
  /** Names that may stand in the Host header beyond this machine's own and IP literals. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Whether the control API is there. Default: it is. */
  readonly control?: boolean | undefined
}

const usualBody = () => bodyLimit

/** A scenario is longer than any call of the service. */
function longestBody({ url = '/', method = '', headers }: IncomingMessage): number {
  const [path = '/'] = url.split('?', 1)
  return isControlPath(pathInWorld(path)) ? longestControlBody({ method, path, headers }) : bodyLimit
}

/** What a server needs of a mock. */
export type ServedMock = Pick<Mock, 'refuse' | 'respond' | 'worlds' | 'scenarios' | 'uptimeMs'>

/** A request of `node:http`, which has more to tell inside an Express app. */
type ServedRequest = IncomingMessage & { readonly protocol?: string; readonly baseUrl?: string }

/**
 * The whole server as a listener of `node:http`: the Host check, the pages, the operations, and JSON errors for all else
 * (PROTOCOL.md B9). It needs no Express, and is a middleware of it too.
 */
export function createListener(
  mock: ServedMock,
  options: AppOptions = {},
): (request: ServedRequest, response: ServerResponse) => void {
  checkListenOptions(options)
  const { allowedHosts = [], control = true } = options
  const { worlds } = mock
  // A client sends the same Host each time.
  let lastAllowed: string | undefined
  const steer = async (exchange: MockRequest, { there, url }: { readonly there: WorldMock; readonly url: string }) => {
    const startedAt = performance.now()
    try {
      const page = await answerControl(exchange, { mock: there, server: mock, version, url })
      return there.respond(exchange, page, startedAt)
    } catch (error) {
      return there.refuse(exchange, error, startedAt)
    }
  }
  return (request, response) => {
    const answer: RequestHandler = exchange => {
      try {
        const host = header(exchange, 'host')
        if (host === undefined || host !== lastAllowed) checkHost(host, allowedHosts)
        lastAllowed = host
        const steers = control && isControlPath(pathInWorld(exchange.path))
        const early = steers ? admit(exchange) : undefined
        if (early) return mock.respond(exchange, early)
        const asked = worlds.at(exchange, 'make')
        const there = asked?.mock ?? worlds.default
        const inner = asked?.exchange ?? exchange
        const server = () => `${request.protocol ?? 'http'}://${host}${request.baseUrl ?? ''}`
        // What was named by a header is reached by its path, too.
        if (steers) return steer(inner, { there, url: server() + worldPath(there.id) })
        const page = pageFor(inner, () => ({ mock: there, url: server() + (asked?.basePath ?? ''), version }))
        return page ? there.respond(inner, page) : there.answer(inner)
      } catch (error) {
        return mock.refuse(exchange, error)
      }
    }
    respond(request, response, { answer, limit: control ? longestBody : usualBody })
  }
}
