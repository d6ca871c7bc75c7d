import type { Browser, Page } from 'playwright-core'
import { it as base } from 'vitest'
import { createApp } from '../../src/express.js'
import { createMockmaker, type Mockmaker, type MockmakerOptions } from '../../src/index.js'
import { launchBrowser } from './chromium.js'
import { serveListener } from './http.js'

/** The dashboard of a mock, in a browser. */
export interface OpenDashboard {
  readonly mock: Mockmaker
  /** The URL of the mock, without a slash at its end. */
  readonly url: string
  readonly page: Page
  /** What the browser reported: errors, and calls that the mock refused. */
  readonly complaints: readonly string[]
  /** Sends a request as a game does. Resolves with its status. */
  send(path: string, body?: object): Promise<number>
}

/** A busy machine needs time for a page. */
const waitMs = 20_000

interface DashboardOptions extends MockmakerOptions {
  /** Default: 1280 × 900 px. */
  readonly size?: { readonly width: number; readonly height: number }
  /** Default: light. */
  readonly scheme?: 'light' | 'dark'
  /** Default: `/`. */
  readonly path?: string
}

/** A test with dashboards: a mock behind `createApp`, and a page that shows it. All are closed after the test. */
export const it = base.extend<{ browser: Browser; open: (options?: DashboardOptions) => Promise<OpenDashboard> }>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    async ({}, use) => {
      const browser = await launchBrowser()
      await use(browser)
      await browser.close()
    },
    { scope: 'file' },
  ],
  open: async ({ browser }, use) => {
    const ends: (() => Promise<unknown>)[] = []
    await use(async ({ size = { width: 1280, height: 900 }, scheme = 'light', path = '/', ...options } = {}) => {
      const mock = createMockmaker({ seed: 1, ...options })
      const server = await serveListener(createApp(mock))
      const context = await browser.newContext({
        viewport: size,
        colorScheme: scheme,
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      const page = await context.newPage()
      page.setDefaultTimeout(waitMs)
      const complaints: string[] = []
      page.on('console', message => void complaints.push(message.text()))
      page.on('pageerror', error => void complaints.push(error.message))
      ends.push(
        () => context.close(),
        () => mock.close(),
        () => server.close(),
      )
      await page.goto(server.url + path)
      await page.getByText('live', { exact: true }).waitFor()
      const send = async (target: string, body?: object) => {
        const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
        return (await fetch(server.url + target, init)).status
      }
      return { mock, url: server.url, page, complaints, send }
    })
    for (const end of ends) await end()
  },
})
