import express, { type ErrorRequestHandler, type Express } from 'express'
import { pageFor } from '../control/pages.js'
import { checkTexts, type Mock } from '../mock.js'
import { header } from '../server/exchange.js'
import { checkHost } from '../server/host.js'
import { version } from '../version.js'
import { deliver, respond, toExchange } from './socket-exchange.js'

/** How an app answers. */
export interface AppOptions {
  /** Names that may stand in the Host header beyond this machine's own and IP literals. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined
}

/**
 * An Express app that is the whole server: the Host check, the pages, the operations, and JSON errors for all else
 * (PROTOCOL.md B9). Another app may mount it.
 */
export function createApp(
  mock: Pick<Mock, 'answer' | 'refuse' | 'present' | 'tokens' | 'world'>,
  { allowedHosts = [] }: AppOptions = {},
): Express {
  checkTexts('allowedHosts', allowedHosts)
  const app = express()
  app.disable('x-powered-by')
  app.use((request, response) => {
    respond(request, response, exchange => {
      try {
        checkHost(header(exchange, 'host'), allowedHosts)
      } catch (error) {
        return mock.refuse(exchange, error)
      }
      const url = `${request.protocol}://${header(exchange, 'host')}${request.baseUrl}`
      const page = pageFor(exchange, { mock, url, version })
      return page ? mock.present(exchange, page) : mock.answer(exchange)
    })
  })
  const unforeseen: ErrorRequestHandler = (error, request, response, _next) =>
    deliver(mock.refuse(toExchange(request), error), response)
  app.use(unforeseen)
  return app
}
