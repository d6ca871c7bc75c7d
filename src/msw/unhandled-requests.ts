import { checkKeys, quoted, UsageError } from '../core/lib/messages.js'
import { Response, URL } from '../core/lib/real-globals.js'
import { explainUnmatched } from '../core/pipeline/routes.js'

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

interface UnhandledFrame {
  readonly frame: { readonly protocol: string; readonly data: unknown }
  readonly defaults: { warn(): unknown; error(): unknown }
}

/** Throws `UsageError` if the options of `listen` are no object, or have an unknown key. `more` are known too. */
export function checkMswOptions(options: object = {}, more: readonly string[] = []): void {
  checkKeys(options, ['onUnhandledRequest', ...more], 'listen')
}

/** Translates the option for both majors of MSW. Throws `UsageError` if it is none of the choices. */
export function toMswOptions({ onUnhandledRequest = 'warn' }: ListenOptions = {}) {
  if (onUnhandledRequest === 'bypass') return { onUnhandledRequest, onUnhandledFrame: onUnhandledRequest }
  const decide = decisionOf(onUnhandledRequest)
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

/** Returns the choice as a function. `warn` and `error` name the operation that was meant. Throws `UsageError`. */
export function decisionOf(onUnhandledRequest: UnhandledRequest): Exclude<UnhandledRequest, string> {
  if (onUnhandledRequest === 'bypass') return () => {}
  if (typeof onUnhandledRequest === 'function') return onUnhandledRequest
  if (onUnhandledRequest !== 'warn' && onUnhandledRequest !== 'error')
    throw new UsageError(
      `onUnhandledRequest is ${quoted(onUnhandledRequest)}: expected "bypass", "warn", "error" or a function (request, print)`,
    )
  return (request, print) => {
    // MSW does the same if it gets a word instead of a function.
    if (isAssetRequest(request)) return
    printExplanation(request, onUnhandledRequest)
    print[onUnhandledRequest === 'warn' ? 'warning' : 'error']()
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

/** Prints the right path or method for a request that is almost one of the service. */
export function printExplanation(request: Request, level: 'warn' | 'error'): void {
  if (isAssetRequest(request)) return
  const { method, url } = request
  const explanation = explainUnmatched(method, new URL(url).pathname)
  // biome-ignore lint/suspicious/noConsole: MSW prints there
  if (explanation !== undefined) console[level](`mockmaker: ${method} ${url}: ${explanation}`)
}

/** Names of files that pages and their tools load. */
const assetName =
  /\.(?:s?css|less|m?jsx?|m?tsx?|html|[ot]tf|woff2?|eot|gif|jpe?g|png|avif|webp|svg|mp[34]|webm|ogg|mov|wav|flac|aac|pdf|txt|csv|json|xml|md|zip|tar|gz|rar|7z)$/i

/** Tells the same as MSW's `isCommonAssetRequest`, which only the whole `msw` exports. */
export function isAssetRequest({ url }: Pick<Request, 'url'>): boolean {
  const { protocol, hostname, pathname } = new URL(url)
  return (
    protocol === 'file:' ||
    hostname.includes('fonts.googleapis.com') ||
    /node_modules|@vite/.test(pathname) ||
    assetName.test(pathname)
  )
}
