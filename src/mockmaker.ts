import { type HttpHandler, isCommonAssetRequest } from 'msw'
import type { OperationId } from './contract/operations.js'
import type { ResetOptions } from './control/world-control.js'
import { quoted } from './lib/text.js'
import { UsageError } from './lib/usage-error.js'
import type { Mock, ServableMock } from './mock.js'
import type { MockWorld } from './mock-world.js'
import type { MockmakerOptions } from './options.js'
import { createHandler, createHandlers, explainUnmatched } from './server/handlers.js'
import type { RequestHandler } from './server/message.js'
import { checkResolver, type OverrideResolver } from './server/overrides.js'

/** A mock with its MSW handlers. */
export interface Mockmaker extends Mock {
  /** One handler for each operation: for `setupServer(...)`, `setupWorker(...)` and `mockExpress(...)`. */
  readonly handlers: HttpHandler[]
  /**
   * Creates an MSW handler that answers one operation by a resolver, in every world. It does nothing until you pass it to
   * `use`, `setupServer` or `mockExpress`; `on` takes effect at once. The handlers of `use` answer first, the newest ones
   * before older ones. Throws `UsageError` if there is no such operation.
   */
  override<Id extends OperationId>(operation: Id, resolver: OverrideResolver<Id>): HttpHandler
}

/** Adds MSW handlers to a mock. Throws `UsageError` if the base URL is wrong. */
export function withHandlers(mock: ServableMock, { baseUrl = '*' }: MockmakerOptions): Mockmaker {
  const { worlds } = mock
  const routes = (handlerOf: (world: MockWorld) => RequestHandler) => ({
    answer: worlds.route('refuse', handlerOf),
    answerOverHttp: worlds.route('create', handlerOf),
  })
  return Object.assign(mock, {
    handlers: createHandlers({ baseUrl, ...routes(world => world.handle) }),
    override<Id extends OperationId>(id: Id, resolver: OverrideResolver<Id>) {
      checkResolver(id, resolver)
      return createHandler(id, { baseUrl, ...routes(world => world.handlerWith(id, resolver)) })
    },
  })
}

/** The methods that MSW's server and its worker have in common. */
interface Msw {
  readonly events: unknown
  use(...handlers: never[]): void
  resetHandlers(...handlers: never[]): void
  restoreHandlers(): void
}

/** The methods of MSW that a Mockmaker has too. */
export type MswMethods<Setup extends Msw> = Pick<Setup, keyof Msw>

/**
 * Combines the life cycle of a mock with that of MSW: `reset` and `close` do both. Call `setListening` once MSW has started;
 * `stop` is called only then, because MSW 3 throws if nothing runs.
 */
export function combineWithMsw<Setup extends Msw>(
  mock: Pick<Mock, 'reset' | 'close'>,
  msw: Setup,
  stop: () => unknown,
) {
  let isListening = false
  // Bound now: the mock gets the methods below.
  const [reset, close] = [mock.reset.bind(mock), mock.close.bind(mock)]
  const methods: MswMethods<Setup> = {
    events: msw.events,
    use: msw.use.bind(msw),
    resetHandlers: msw.resetHandlers.bind(msw),
    restoreHandlers: msw.restoreHandlers.bind(msw),
  }
  return {
    setListening() {
      isListening = true
    },
    methods: {
      ...methods,
      async reset(options?: ResetOptions) {
        msw.resetHandlers()
        await reset(options)
      },
      async close() {
        await close()
        if (isListening) await stop()
        isListening = false
      },
    },
  }
}

/** Prints MSW's message about a request that no handler matches. `error` also fails the request. */
export interface UnhandledPrint {
  warning(): void
  error(): void
}

/** Decides about requests that no handler matches. A function is called for each request. */
export type UnhandledRequest = 'bypass' | 'warn' | 'error' | ((request: Request, print: UnhandledPrint) => void)

/** Options of `listen`. */
export interface ListenOptions {
  /** Decides about requests that no handler matches. Default, as in MSW: `warn`. */
  readonly onUnhandledRequest?: UnhandledRequest | undefined
}

/** The part of MSW 3's frames that we use. */
interface UnhandledFrame {
  readonly frame: { readonly protocol: string; readonly data: unknown }
  readonly defaults: { warn(): unknown; error(): unknown }
}

/** Translates the option for both majors of MSW. Throws `UsageError` if it is none of the choices. */
export function toMswOptions({ onUnhandledRequest = 'warn' }: ListenOptions = {}) {
  if (onUnhandledRequest === 'bypass') return { onUnhandledRequest, onUnhandledFrame: onUnhandledRequest }
  const decide = typeof onUnhandledRequest === 'function' ? onUnhandledRequest : explainAndPrint(onUnhandledRequest)
  return {
    onUnhandledRequest: (request: Request, print: UnhandledPrint) => decide(request, failOnError(print)),
    async onUnhandledFrame({ frame, defaults }: UnhandledFrame) {
      const printed: unknown[] = []
      const print = {
        warning: () => void printed.push(defaults.warn()),
        error: () => void printed.push(defaults.error()),
      }
      try {
        // MSW types the data of a frame as unknown. An HTTP frame holds its request.
        if (frame.protocol === 'http') decide((frame.data as { request: Request }).request, failOnError(print))
        // The mock has no WebSockets, and a function of requests cannot decide about them.
        else if (onUnhandledRequest === 'error') print.error()
        else if (onUnhandledRequest === 'warn') print.warning()
      } finally {
        await Promise.all(printed)
      }
    },
  }
}

/** MSW's own `error` only prints. It takes a thrown `Response.error()` for a network error. */
function failOnError(print: UnhandledPrint): UnhandledPrint {
  return {
    warning: () => print.warning(),
    error() {
      print.error()
      throw Response.error()
    },
  }
}

/** Makes a function that prints the operation that a request probably meant, then does what MSW does. */
function explainAndPrint(strategy: unknown): (request: Request, print: UnhandledPrint) => void {
  if (strategy !== 'warn' && strategy !== 'error')
    throw new UsageError(
      `onUnhandledRequest is ${quoted(strategy)}: expected "bypass", "warn", "error" or a function (request, print)`,
    )
  return (request, print) => {
    // MSW does the same if it gets a word instead of a function.
    if (isCommonAssetRequest(request)) return
    const { method, url } = request
    const explanation = explainUnmatched(method, new URL(url).pathname)
    // biome-ignore lint/suspicious/noConsole: MSW prints there
    if (explanation !== undefined) console[strategy](`mockmaker: ${method} ${url}: ${explanation}`)
    print[strategy === 'warn' ? 'warning' : 'error']()
  }
}
