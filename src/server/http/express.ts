import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type express from 'express'
import type { HttpHandler } from 'msw'
import * as z from 'zod'
import { express as installedExpress } from '#lazy'
import type { OperationId } from '../../core/contract/operations.js'
import { pathInWorld } from '../../core/contract/paths.js'
import { parseInput } from '../../core/lib/issues.js'
import { UsageError } from '../../core/lib/messages.js'
import { tooOld } from '../../core/lib/peers.js'
import { AbortController, Request } from '../../core/lib/real-globals.js'
import { sayIfSlow } from '../../core/lib/slow-wait.js'
import { parseUrl } from '../../core/lib/url.js'
import { type Mockmaker, mockOf } from '../../core/mock/facade.js'
import { type HandlerOperation, operationOf } from '../../core/mock/handler-operation.js'
import type { AppOptions } from '../../core/mock/options.js'
import type { MockRequest } from '../../core/pipeline/message.js'
import { explainUnmatched, routes } from '../../core/pipeline/routes.js'
import { installedVersion } from '../files/installed-version.js'
import { checkStarted } from '../processes/game-servers.js'
import { standardError } from '../processes/program-log.js'
import { startPrograms } from '../processes/programs.js'
import { keepInFolder } from './data-folder.js'
import {
  isAbsoluteTarget,
  NodeRequest,
  parseTarget,
  readBody,
  serveNodeRequest,
  withoutCredentials,
} from './node-adapter.js'
import { createListener, urlOnThisMachine, warn } from './server.js'

// The public types do not name those of Express: a project without Express has none.

/** A request of Express, as far as the mock reads it. */
export interface ExpressRequest extends IncomingMessage {
  readonly protocol: string
  readonly baseUrl: string
  readonly originalUrl: string
  body?: unknown
}

/** Express middleware. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** The app of `@types/express`. Without that package it is `any`, which extends every type. */
// biome-ignore lint/suspicious/noTsIgnore: the package may be there or not, and declarations keep only this comment
/** @ts-ignore */
type InstalledApp = import('express').Express

/** An app of the installed Express 4 or 5. Without `@types/express` its type is that of a listener for `node:http`. */
export type ExpressApp = [InstalledApp] extends [string] ? RequestListener : InstalledApp

/**
 * Creates an Express app with the whole server: Host check, control API, pages, operations, and JSON errors for all other
 * paths (PROTOCOL.md B9). You can mount it in another app. With `servers`, game servers start from the first request on, and
 * end when you close the mock. Throws `UsageError` if Express is not installed.
 */
export function createApp(mock: Mockmaker, options: AppOptions = {}): ExpressApp {
  const { servers, data, ...others } = options
  const own = mockOf(mock, 'createApp')
  const listener = createListener(own, others)
  checkStarted(own, { servers, call: 'createApp' })
  if (data !== undefined) keepInFolder(own, { data, report: warn })
  const app = loadExpress()().disable('x-powered-by')
  if (servers) {
    // An app learns its port and its path from the first request.
    const url = new Promise<string>(resolve => {
      app.use((request, _response, next) => {
        resolve(urlOnThisMachine(request))
        next()
      })
    })
    void sayIfSlow(url, () => 'createApp starts game servers and bots with its first request, and none has come')
    startPrograms({ mock: own, url, log: standardError })
  }
  return app.use((request, response) => listener(request, response))
}

function loadExpress(): typeof express {
  try {
    return installedExpress()
  } catch (cause) {
    throw new UsageError('createApp cannot load Express, which it needs: npm install express', { cause })
  }
}

/** Options of `mockExpress`. */
export interface MockExpressOptions {
  /**
   * Handles requests that no handler matches. `bypass` calls the next middleware, and `warn` also prints a warning. `error`
   * passes an error to the next middleware. Default: `bypass`.
   */
  readonly onUnhandledRequest?: 'bypass' | 'warn' | 'error' | undefined
}

const Options = z.strictObject({
  onUnhandledRequest: z.enum(['bypass', 'warn', 'error']).optional(),
}) satisfies z.ZodType<MockExpressOptions>

// No `instanceof`: a project may hold several copies of MSW.
const Handlers = z.array(
  z.custom<HttpHandler>(
    value => typeof value === 'object' && value !== null && 'run' in value,
    'expected an MSW handler, such as those of mock.handlers',
  ),
)

/** Consecutive handlers of one mock. Of several handlers of an operation, the first one answers. */
interface HandlerGroup {
  readonly basePath: string
  /** Handlers that answer one request only come before one that stays. */
  readonly answers: Map<OperationId, HandlerOperation[]>
}

/** Consecutive handlers: all of one mock, or all from elsewhere. */
type Group = HandlerGroup | { readonly others: HttpHandler[] }

/**
 * Creates Express middleware from any MSW handlers, of a mock or your own. The first handler that answers wins. The paths of
 * a mock are relative to the mount point. `passthrough()` calls the next middleware. Throws `UsageError` if the handlers or an
 * option are wrong.
 */
export function mockExpress(handlers: readonly HttpHandler[], options: MockExpressOptions = {}): ExpressHandler {
  parseInput(Handlers, handlers, 'handlers')
  const { onUnhandledRequest = 'bypass' } = parseInput(Options, options, 'options')
  const groups = groupHandlers(handlers)
  return (request, response, next) => {
    const attempt = (i: number): void => {
      const group = groups[i]
      if (!group) {
        const error = onUnhandledRequest === 'bypass' ? undefined : new Error(unhandledMessage(request, groups))
        // biome-ignore lint/suspicious/noConsole: the user asked for the warning
        if (onUnhandledRequest === 'warn') console.warn(error?.message)
        next(onUnhandledRequest === 'error' ? error : undefined)
      } else if ('others' in group) {
        answerWithOthers(group.others, request, response)
          .then(outcome => {
            if (outcome === 'unanswered') attempt(i + 1)
            if (outcome === 'passthrough') next()
          })
          .catch(next)
      } else if (!answerWithMock(group, request, response)) attempt(i + 1)
    }
    attempt(0)
  }
}

function groupHandlers(handlers: readonly HttpHandler[]): Group[] {
  const groups: Group[] = []
  for (const handler of handlers) {
    const operation = operationOf(handler)
    const last = groups.at(-1)
    if (!operation) {
      if (last && 'others' in last) last.others.push(handler)
      else groups.push({ others: [handler] })
      continue
    }
    const { id, basePath } = operation
    if (!last || 'others' in last || last.basePath !== basePath)
      groups.push({ basePath, answers: new Map([[id, [operation]]]) })
    else {
      const all = last.answers.get(id) ?? []
      if (all.every(({ once }) => once)) last.answers.set(id, [...all, operation])
    }
  }
  return groups
}

function answerWithMock(
  { basePath, answers }: HandlerGroup,
  request: ExpressRequest,
  response: ServerResponse,
): boolean {
  const { method, path } = new NodeRequest(request)
  if (!path.startsWith(basePath)) return false
  const inner = pathInWorld(path.slice(basePath.length))
  const id = routes.list(method, inner).find(there => answers.get(there)?.length)
  const all = (id && answers.get(id)) ?? []
  const [operation] = all
  if (!operation) return false
  if (operation.once && method !== 'OPTIONS') all.shift()
  const serve = (incoming: MockRequest) => ({ answer: () => operation.answer(incoming) })
  serveNodeRequest(request, response, serve, { basePath })
  return true
}

/** The result of trying a group of handlers. After `passthrough`, no other handler may answer. */
type Outcome = 'answered' | 'unanswered' | 'passthrough'

/** No Fetch request can have these methods, so no handler can match them. */
const forbiddenMethods = ['CONNECT', 'TRACE', 'TRACK']

/** Answers a request with any MSW handlers. Keeps its body in `request.body`. Rejects with the error of a resolver. */
async function answerWithOthers(
  others: readonly HttpHandler[],
  request: ExpressRequest,
  response: ServerResponse,
): Promise<Outcome> {
  const incoming = new NodeRequest(request)
  const wasRead = request.readableDidRead
  incoming.body = await new Promise(resolve => readBody(request, resolve, Number.POSITIVE_INFINITY))
  if (!wasRead && incoming.body) request.body = incoming.body
  const { protocol, headers, originalUrl } = request
  const base = isAbsoluteTarget(originalUrl) ? '' : `${protocol}://${headers.host ?? 'localhost'}`
  const url = withoutCredentials(base + originalUrl)
  if (forbiddenMethods.includes(incoming.method) || !parseUrl(url)) return 'unanswered'
  // Imported on use, so that a server without such handlers does not load it.
  const { getResponse } = (await import('msw')) as Partial<typeof import('msw')>
  if (!getResponse) throw tooOld('mockExpress', 'msw', { versionOf: installedVersion })
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  else response.once('close', () => controller.abort())
  const answer = await getResponse([...others], toFetchRequest(incoming, url, controller.signal))
  if (!answer) return 'unanswered'
  if (answer.headers.get('x-msw-intention') === 'passthrough') return 'passthrough'
  if (answer.type === 'error') response.destroy()
  else await writeFetchResponse(answer, response)
  return 'answered'
}

function unhandledMessage({ method = '', baseUrl, originalUrl }: ExpressRequest, groups: readonly Group[]): string {
  const message = `mockmaker: no handler answers ${method} ${withoutCredentials(originalUrl)}`
  const { path } = parseTarget(originalUrl)
  const basePaths = groups.flatMap(group => ('basePath' in group ? [baseUrl + group.basePath] : []))
  const basePath = basePaths.find(one => path.startsWith(one))
  const [firstBasePath] = basePaths
  if (firstBasePath === undefined) return message
  const explanation =
    basePath === undefined
      ? explainUnmatched(method, path.slice(baseUrl.length), firstBasePath)
      : explainUnmatched(method, path, basePath)
  return explanation === undefined ? message : `${message}: ${explanation}`
}

function toFetchRequest({ method, headers, body }: MockRequest, url: string, signal: AbortSignal): Request {
  const pairs = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  const bodiless = method === 'GET' || method === 'HEAD' || body === undefined
  return new Request(url, { method, headers: pairs, signal, ...(bodiless ? {} : { body: new Uint8Array(body) }) })
}

async function writeFetchResponse(answer: Response, response: ServerResponse): Promise<void> {
  const cookies = answer.headers.getSetCookie()
  // The entries list each cookie by itself, so the last one would win.
  const headers = Object.fromEntries(answer.headers)
  response.writeHead(answer.status, answer.statusText || undefined, {
    ...headers,
    ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
  })
  if (!answer.body) return void response.end()
  // Fetch and Node declare the same class of streams twice.
  const body = Readable.fromWeb(answer.body as ReadableStream)
  await pipeline(body, response).catch((error: NodeJS.ErrnoException) => {
    response.destroy()
    // A client that disconnects is no error.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}
