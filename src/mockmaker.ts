import { type HttpHandler, isCommonAssetRequest } from 'msw'
import { ApiError } from './contract/errors.js'
import type { OperationId } from './contract/operations.js'
import type { ResetOptions } from './control/world-control.js'
import { extended } from './extended.js'
import { quoted } from './lib/quote.js'
import { UsageError } from './lib/usage-error.js'
import type { Mock } from './mock.js'
import type { MockOptions } from './mock-options.js'
import { createHandler, createHandlers } from './server/handlers.js'
import { checkResolver, type OverrideResolver } from './server/resolvers.js'
import { pathInWorld, routes } from './server/routes.js'

/** How a Mockmaker is made. Everything is optional. */
export interface MockmakerOptions extends MockOptions {
  /**
   * What the handlers match: an origin (`https://matchmaker.example`), `*` for any, or none for the page's own, with a
   * path in front if wanted (`/api`). Default `*`. Anything else throws `UsageError`.
   */
  readonly baseUrl?: string | undefined
}

/** A mock with its MSW handlers. */
export interface Mockmaker extends Omit<Mock, 'overridden' | 'entry'> {
  /** One for each operation: for `setupServer(...)`, `setupWorker(...)` and `mockExpress(...)`. */
  readonly handlers: HttpHandler[]
  /**
   * Makes an MSW handler that answers one operation by a resolver, in every world. It does nothing until you pass it to
   * `use`, `setupServer` or `mockExpress`; `on` takes effect at once. Throws `UsageError` where there is no such operation.
   */
  override<Id extends OperationId>(operation: Id, resolver: OverrideResolver<Id>): HttpHandler
}

/** A mock with MSW handlers over it. */
export function withHandlers(mock: Mock, { baseUrl = '*' }: MockmakerOptions): Mockmaker {
  return extended(mock, {
    handlers: createHandlers({ baseUrl, ...mock.entry(world => world.answer) }),
    override(id, resolver) {
      checkResolver(id, resolver)
      return createHandler(id, { baseUrl, ...mock.entry(world => world.overridden(id, resolver)) })
    },
  } satisfies Pick<Mockmaker, 'handlers' | 'override'>)
}

/** What MSW's server and its worker have in common. */
interface Msw {
  readonly events: unknown
  use(...handlers: never[]): void
  resetHandlers(...handlers: never[]): void
  restoreHandlers(): void
}

/** The calls of MSW that a Mockmaker passes on. */
export type PassedOn<Setup extends Msw> = Pick<Setup, keyof Msw>

/** MSW's server or worker, and how it ends. */
interface Ridden<Setup extends Msw> {
  readonly msw: Setup
  stop(): unknown
}

/** The calls of a Mockmaker that are also MSW's; `listens` is to be called when MSW has begun to answer. */
export function ridingOn<Setup extends Msw>(mock: Pick<Mock, 'reset' | 'close'>, { msw, stop }: Ridden<Setup>) {
  const { events, use, resetHandlers, restoreHandlers } = msw
  let listening = false
  const passedOn: PassedOn<Setup> = {
    events,
    use: use.bind(msw),
    resetHandlers: resetHandlers.bind(msw),
    restoreHandlers: restoreHandlers.bind(msw),
  }
  return {
    listens() {
      listening = true
    },
    calls: {
      ...passedOn,
      async reset(options?: ResetOptions) {
        msw.resetHandlers()
        await mock.reset(options)
      },
      async close() {
        await mock.close()
        // MSW 3 throws where nothing is to be stopped, and may answer a promise.
        if (listening) await stop()
        listening = false
      },
    },
  }
}

/** Prints what MSW says of a request that no handler matches; `error` also fails the request. */
export interface UnhandledPrint {
  warning(): void
  error(): void
}

/** What becomes of a request that no handler matches. A function decides for each request. */
export type UnhandledRequest = 'bypass' | 'warn' | 'error' | ((request: Request, print: UnhandledPrint) => void)

/** How MSW begins to answer. */
export interface ListenOptions {
  /** What becomes of a request that no handler matches. Default: MSW's, a warning. */
  readonly onUnhandledRequest?: UnhandledRequest | undefined
}

/** The part of MSW 3's frame that is used here. */
interface UnhandledFrame {
  readonly frame: { readonly protocol: string; readonly data: unknown }
  readonly defaults: { warn(): unknown; error(): unknown }
}

/** The option as both majors of MSW take it. Throws `UsageError` where it is none of the choices. */
export function unhandled({ onUnhandledRequest = 'warn' }: ListenOptions = {}) {
  if (onUnhandledRequest === 'bypass') return { onUnhandledRequest, onUnhandledFrame: onUnhandledRequest }
  const decide = typeof onUnhandledRequest === 'function' ? onUnhandledRequest : explaining(onUnhandledRequest)
  return {
    onUnhandledRequest: (request: Request, print: UnhandledPrint) => decide(request, failing(print)),
    async onUnhandledFrame({ frame, defaults }: UnhandledFrame) {
      const printed: unknown[] = []
      const print = {
        warning: () => void printed.push(defaults.warn()),
        error: () => void printed.push(defaults.error()),
      }
      try {
        // MSW types the data of any frame as unknown; that of an HTTP frame holds its request.
        if (frame.protocol === 'http') decide((frame.data as { request: Request }).request, failing(print))
        // WebSocket frames are not the mock's, and a function of requests cannot judge them.
        else if (onUnhandledRequest === 'error') print.error()
        else if (onUnhandledRequest === 'warn') print.warning()
      } finally {
        await Promise.all(printed)
      }
    },
  }
}

/** Makes `error` fail the request: MSW itself only prints, but treats a thrown `Response.error()` as a network error. */
function failing(print: UnhandledPrint): UnhandledPrint {
  return {
    warning: () => print.warning(),
    error() {
      print.error()
      throw Response.error()
    },
  }
}

/** Does what MSW does. Before that, it prints what a mistyped path was probably meant to be. */
function explaining(strategy: unknown): (request: Request, print: UnhandledPrint) => void {
  if (strategy !== 'warn' && strategy !== 'error')
    throw new UsageError(
      `onUnhandledRequest is ${quoted(strategy)}: expected "bypass", "warn", "error" or a function (request, print)`,
    )
  return (request, print) => {
    if (isCommonAssetRequest(request)) return
    const text = explanationOf(request)
    if (text !== undefined) tell(strategy, `mockmaker: ${request.method} ${request.url}: ${text}`)
    print[strategy === 'warn' ? 'warning' : 'error']()
  }
}

function tell(strategy: 'warn' | 'error', text: string): void {
  // biome-ignore lint/suspicious/noConsole: where MSW prints
  console[strategy](text)
}

/** What a request was probably meant to be; `undefined` where no operation is near. */
function explanationOf({ method, url }: Request): string | undefined {
  const path = pathInWorld(new URL(url).pathname)
  try {
    routes.find(method, path)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.code === 'API_METHOD_NOT_ALLOWED' || routes.suggest(path) ? error.message : undefined
  }
}
