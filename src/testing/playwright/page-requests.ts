import type { BrowserContext, Page, Request, Route } from '@playwright/test'
import { deviceLinkPath, isControlPath, pathInWorld } from '../../core/contract/paths.js'
import { shortened } from '../../core/lib/messages.js'
import { sayIfSlow } from '../../core/lib/slow-wait.js'
import type { MockRequest, MockResponse, RequestHandler } from '../../core/pipeline/message.js'
import { routes } from '../../core/pipeline/routes.js'
import { hideFromForeignPage, isAllowedByPreflight, siteHeader } from './page-origin.js'

/** A URL whose requests a mock answers. */
export interface Mount {
  /** Without a slash at its end: `https://matchmaker.example/api`. */
  readonly url: string
  /** True if the URL belongs to the mock alone. Otherwise it may also be the URL of the page, which has other paths. */
  readonly isOwn: boolean
}

interface OpenRequest {
  readonly context: BrowserContext
  readonly controller: AbortController
  readonly ended: Promise<void>
}

/** Answers the requests of pages with a mock. One that waits ends when its page closes, crashes, navigates or aborts it. */
export class PageRequests {
  readonly #mounts: readonly Mount[]
  readonly #answerRequest: RequestHandler
  readonly #pattern: RegExp
  readonly #open = new Map<Request, OpenRequest>()
  readonly #removers = new Map<BrowserContext, () => Promise<void>>()
  #isEnded = false

  /** The first mount that fits a request counts. The last one is the URL of the option `matchmaker`. */
  constructor(mounts: readonly Mount[], answer: RequestHandler) {
    this.#mounts = mounts
    this.#answerRequest = answer
    const urls = mounts.map(({ url }) => url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    this.#pattern = new RegExp(`^(?:${urls.join('|')})(?=[/?#]|$)`)
  }

  /** Answers the requests of all pages of a context. Does nothing if it does so already. */
  async add(context: BrowserContext): Promise<void> {
    if (this.#removers.has(context)) return
    const handle = (route: Route, request: Request) => this.#handle(route, request, context)
    const abort = (request: Request) => this.#open.get(request)?.controller.abort()
    const abortAll = () => this.#abortIf(open => open.context === context)
    const watch = (page: Page) => {
      const abortPage = () => this.#abortIf((_, request) => pageOf(request) === page)
      page.on('close', abortPage)
      page.on('crash', abortPage)
    }
    this.#removers.set(context, async () => {
      context.off('requestfailed', abort)
      context.off('page', watch)
      context.off('close', abortAll)
      await context.unroute(this.#pattern, handle).catch(ignoreGone)
    })
    context.on('requestfailed', abort)
    context.on('page', watch)
    context.on('close', abortAll)
    context.pages().forEach(watch)
    await context.route(this.#pattern, handle)
  }

  /** The URLs of the service workers of all pages. They may answer requests before the mock does. */
  get serviceWorkers(): readonly string[] {
    return [...this.#removers.keys()].flatMap(context => context.serviceWorkers().map(worker => worker.url()))
  }

  /** The URL at which pages call the matchmaker. */
  get matchmaker(): string {
    return this.#mounts.at(-1)?.url ?? ''
  }

  has(context: BrowserContext): boolean {
    return this.#removers.has(context)
  }

  async remove(context: BrowserContext): Promise<void> {
    const remove = this.#removers.get(context)
    this.#removers.delete(context)
    await remove?.()
  }

  /** Ends the requests that wait. Later ones fail, as if no server were there. */
  end(): void {
    this.#isEnded = true
    this.#abortIf(() => true)
  }

  async settled(): Promise<void> {
    while (this.#open.size > 0) {
      const ended = Promise.all([...this.#open.values()].map(one => one.ended))
      const urls = () => [...this.#open.keys()].map(request => request.url()).join(', ')
      await sayIfSlow(
        ended,
        () => `the end of the test still waits for requests of its pages: ${shortened(urls(), 400)}`,
      )
    }
  }

  async #handle(route: Route, request: Request, context: BrowserContext): Promise<void> {
    if (this.#isEnded) return fail(route, 'connectionrefused')
    const controller = new AbortController()
    const ended = this.#answer(route, request, controller.signal)
    this.#open.set(request, { context, controller, ended })
    await ended.finally(() => this.#open.delete(request))
  }

  async #answer(route: Route, request: Request, signal: AbortSignal): Promise<void> {
    const answer = this.#answerRequest
    const { href, origin, pathname, search } = new URL(request.url())
    const mount = this.#mounts.find(({ url }) => href.startsWith(url) && /^([/?#]|$)/.test(href.slice(url.length)))
    const path = pathname.slice(mount ? new URL(mount.url).pathname.replace(/\/$/, '').length : 0) || '/'
    const sent = request.headers()
    const isForeign = sent.origin !== undefined && sent.origin !== origin
    if (!mount?.isOwn && !isForeign && !isPathOfMock(path)) return route.fallback()
    const asked: MockRequest = {
      method: request.method(),
      path,
      query: search.slice(1),
      headers: isForeign ? { ...sent, ...siteHeader(sent.origin ?? '', origin) } : sent,
      body: request.postDataBuffer() ?? undefined,
      signal: () => signal,
    }
    const isAllowed = !isForeign || (await isAllowedByPreflight(asked, answer))
    const response = isAllowed ? await answer(asked) : refusedPreflight
    if (signal.aborted) return fail(route, 'aborted')
    await fulfill(route, isForeign ? hideFromForeignPage(response, origin) : response)
  }

  #abortIf(test: (open: OpenRequest, request: Request) => boolean): void {
    for (const [request, open] of this.#open) if (test(open, request)) open.controller.abort()
  }
}

const refusedPreflight: MockResponse = { status: 403, headers: {}, body: new Uint8Array() }

function isPathOfMock(path: string): boolean {
  const inWorld = pathInWorld(path)
  return isControlPath(inWorld) || inWorld.startsWith(deviceLinkPath) || routes.list('OPTIONS', inWorld).length > 0
}

function pageOf(request: Request): Page | undefined {
  try {
    return request.frame().page()
  } catch {
    return undefined
  }
}

async function fulfill(route: Route, { status, headers, body, disconnect }: MockResponse): Promise<void> {
  // Playwright cannot cut a body: the page gets a network error.
  if (disconnect) return fail(route, disconnect === 'reset' ? 'connectionreset' : 'connectionclosed')
  await route.fulfill({ status, headers, body: Buffer.from(body) }).catch(ignoreGone)
}

async function fail(route: Route, code: string): Promise<void> {
  await route.abort(code).catch(ignoreGone)
}

/** The page, its context or its browser may be gone. There is nobody left to tell. */
function ignoreGone(): void {}
