import type { RequestHandler as ExpressHandler, Request, Response } from 'express'
import type { HttpHandler } from 'msw'
import * as z from 'zod'
import type { OperationId } from '../contract/operations.js'
import { parseInput } from '../lib/issues.js'
import { carriedBy } from '../server/carried.js'
import type { RequestHandler } from '../server/message.js'
import { pathInWorld, routes } from '../server/routes.js'
import { answerByHandlers, type Outcome } from './fetch-handlers.js'
import { respond, SocketExchange, withBody } from './socket-exchange.js'

/** How `mockExpress` treats what no handler matches. */
export interface MockExpressOptions {
  /** `bypass` (default) and `warn` go on to the next middleware; `error` hands it an error. */
  readonly onUnhandledRequest?: 'bypass' | 'warn' | 'error' | undefined
}

const Options = z.strictObject({
  onUnhandledRequest: z.enum(['bypass', 'warn', 'error']).optional(),
}) satisfies z.ZodType<MockExpressOptions>

/** Of any copy of MSW: a project may hold several. */
function isHandler(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'run' in value
}

const Handlers = z.array(z.custom<HttpHandler>(isHandler, 'expected a handler of msw, as mock.handlers has them'))

/** Handlers of ours that stand side by side: the first of each operation. */
interface Ours {
  readonly basePath: string
  readonly answerers: Map<OperationId, RequestHandler>
}

/** Handlers that stand side by side, in order. */
type Group = Ours | { readonly theirs: HttpHandler[] }

/**
 * Express middleware over any array of MSW handlers: ours, yours, mixed. In order, the first that answers wins. Ours are
 * answered without Fetch objects. Where it is mounted, the paths of ours begin. `passthrough()` goes on to the next middleware.
 * Throws `UsageError` where the handlers or an option are not what they should be.
 */
export function mockExpress(handlers: readonly HttpHandler[], options: MockExpressOptions = {}): ExpressHandler {
  parseInput(Handlers, handlers, 'handlers')
  const { onUnhandledRequest = 'bypass' } = parseInput(Options, options, 'options')
  const groups = grouped(handlers)
  return (request, response, next) => {
    const attempt = (i: number): void => {
      const group = groups[i]
      if (!group) unhandled(request, onUnhandledRequest, next)
      else if ('theirs' in group) {
        answerTheirs(group.theirs, request, response)
          .then(outcome => {
            if (outcome === 'unanswered') attempt(i + 1)
            if (outcome === 'passthrough') next()
          })
          .catch(next)
      } else if (!answerOurs(group, request, response)) attempt(i + 1)
    }
    attempt(0)
  }
}

function grouped(handlers: readonly HttpHandler[]): Group[] {
  const groups: Group[] = []
  for (const handler of handlers) {
    const carried = carriedBy(handler)
    const last = groups.at(-1)
    if (!carried) {
      if (last && 'theirs' in last) last.theirs.push(handler)
      else groups.push({ theirs: [handler] })
      continue
    }
    const { id, basePath, answer } = carried
    if (!last || 'theirs' in last || last.basePath !== basePath)
      groups.push({ basePath, answerers: new Map([[id, answer]]) })
    else if (!last.answerers.has(id)) last.answerers.set(id, answer)
  }
  return groups
}

/** Answers what is of our operations, their preflights included; `false` for anything else. */
function answerOurs({ basePath, answerers }: Ours, request: Request, response: Response): boolean {
  const asked = new SocketExchange(request)
  if (!asked.path.startsWith(basePath)) return false
  const path = pathInWorld(asked.path.slice(basePath.length))
  const id = routes.list(asked.method, path).find(there => answerers.has(there))
  const answer = id && answerers.get(id)
  if (!answer) return false
  respond(request, response, { answer, basePath })
  return true
}

/** What is read here of the body is left in `request.body`, where the handlers behind find it. */
async function answerTheirs(handlers: readonly HttpHandler[], request: Request, response: Response): Promise<Outcome> {
  const body = await new Promise<Uint8Array | undefined>(resolve =>
    withBody(request, resolve, () => Number.POSITIVE_INFINITY),
  )
  request.body ??= body
  const url = `${request.protocol}://${request.headers.host ?? 'localhost'}${request.originalUrl}`
  return answerByHandlers({ handlers, exchange: new SocketExchange(request, { body }), url }, response)
}

type Next = Parameters<ExpressHandler>[2]

function unhandled(
  { method, originalUrl }: Request,
  strategy: MockExpressOptions['onUnhandledRequest'],
  next: Next,
): void {
  const message = `mockmaker: no handler answers ${method} ${originalUrl}`
  // biome-ignore lint/suspicious/noConsole: the warning was asked for
  if (strategy === 'warn') console.warn(message)
  next(strategy === 'error' ? new Error(message) : undefined)
}
