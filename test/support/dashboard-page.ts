import type { Browser, Page } from 'playwright-core'
import { createMockmaker, type Mockmaker, type MockmakerOptions } from '../../src/index.js'
import { createApp } from '../../src/server/http/index.js'
import { it as base } from './chromium.js'
import { serveListener } from './http.js'

/** The dashboard of a mock, in a browser. */
export interface OpenDashboard {
  readonly mock: Mockmaker
  /** The URL of the mock, without a slash at its end. */
  readonly url: string
  readonly page: Page
  /** What the browser reported: errors, and calls that the mock refused. */
  readonly complaints: readonly string[]
  /** Takes the network from the page, until `page.context().setOffline(false)`. */
  disconnect(): Promise<void>
  /** Breaks all connections, and goes on with a new mock of the same scenario, as a command that is started again. */
  restart(): Mockmaker
  /** Sends a request as a game does. Resolves with its status. */
  send(path: string, body?: object): Promise<number>
}

export interface DashboardOptions extends MockmakerOptions {
  /** Default: 1280 × 900 px. */
  readonly size?: { readonly width: number; readonly height: number }
  /** Default: light. */
  readonly scheme?: 'light' | 'dark'
  /** Default: `/`. */
  readonly path?: string
  /** The folder of the worlds. Default: they are only in memory. */
  readonly data?: string
  /** What happens before the page opens. */
  readonly prepare?: (opened: Pick<OpenDashboard, 'mock' | 'send'>) => Promise<unknown>
}

/** By browser: the page that its tests use one after the other. A new one costs more than most tests. */
const pages = new WeakMap<Browser, Page>()

async function pageOf(browser: Browser): Promise<Page> {
  const kept = pages.get(browser)
  if (kept) return kept
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  pages.set(browser, page)
  return page
}

/** Forgets what a test has made of a page. */
async function leave(page: Page): Promise<void> {
  await page.removeAllListeners(undefined, { behavior: 'ignoreErrors' })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().setOffline(false)
  await page.goto('about:blank')
}

/** A test with dashboards: a mock behind `createApp`, and a page that shows it. All are closed after the test. */
export const it = base.extend<{ open: (options?: DashboardOptions) => Promise<OpenDashboard> }>({
  open: async ({ browser, onTestFailed }, use) => {
    // The next test gets a new one.
    onTestFailed(() => void pages.delete(browser))
    const ends: (() => Promise<unknown>)[] = []
    await use(
      async ({ size = { width: 1280, height: 900 }, scheme = 'light', path = '/', data, prepare, ...options } = {}) => {
        const mocks = [createMockmaker({ seed: 1, ...options })]
        const [mock] = mocks as [Mockmaker]
        let app = createApp(mock, { data })
        const server = await serveListener((request, response) => void app(request, response))
        const page = await pageOf(browser)
        await page.setViewportSize(size)
        // An unchanged Firefox does not know the command. It gets its preferences when it starts.
        if (browser.browserType().name() === 'chromium')
          await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
        const context = page.context()
        const complaints: string[] = []
        page.on('console', message => void complaints.push(message.text()))
        page.on('pageerror', error => void complaints.push(error.message))
        ends.push(
          () => leave(page),
          () => Promise.all(mocks.map(one => one.close())),
          () => server.close(),
        )
        const send = async (target: string, body?: object) => {
          const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
          return (await fetch(server.url + target, init)).status
        }
        await prepare?.({ mock, send })
        await page.goto(server.url + path)
        // A key or a request before the page has the world does something else.
        await page.locator('[data-connection=live][aria-busy=false]').waitFor()
        const restart = () => {
          const next = createMockmaker({ seed: 1, ...options })
          mocks.push(next)
          app = createApp(next)
          server.breakConnections()
          return next
        }
        const disconnect = async () => {
          await context.setOffline(true)
          // The browser keeps open streams.
          server.breakConnections()
        }
        return { mock, url: server.url, page, complaints, disconnect, restart, send }
      },
    )
    for (const end of ends) await end()
  },
})
