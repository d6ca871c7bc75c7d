import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { posix, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { noEvalInPages } from '../../build/lighten.js'
import type { MockmakerOptions } from '../../src/index.js'
import type { BrowserMockmaker } from '../../src/msw/browser.js'
import { blockOf } from '../support/docs.js'
import { serveListener } from '../support/http.js'

declare global {
  /** In a page: the exports of its script. */
  var mockmaker: typeof import('./page-script.js')
  /** In a page: the mock of `begin`. */
  var mock: BrowserMockmaker
}

/** Where a page is. Default: the path `/` of the host `127.0.0.1`. `begin` runs before its scripts. */
export interface At {
  readonly host?: string
  readonly path?: string
  readonly begin?: () => void
}

/** A server with pages. */
interface PageServer {
  /** Opens a page in a profile of its own. */
  openPage(browser: Browser, at?: At): Promise<Page>
  close(): Promise<unknown>
}

/** The server's answer to a path without a file. A page gets it if its request reaches the network. */
export const fromNetwork = 'from the network'

/** The path of a page that may evaluate no text. */
export const strictPath = '/strict'
const strictPolicy = "default-src 'self'; img-src data:; require-trusted-types-for 'script'"

/** Bundles the page's script, and serves it with MSW's worker. */
export async function servePages(): Promise<PageServer> {
  const page = '<!doctype html><link rel="icon" href="data:,"><script src="/page.js"></script>'
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/': ['text/html', page],
    [strictPath]: ['text/html', page],
    '/page.js': ['text/javascript', await bundlePageScript()],
    '/guide': ['text/html', pageOf('/guide.js')],
    '/guide.js': ['text/javascript', await bundleGuide("import { mock } from './mocks.ts'; globalThis.mock = mock")],
    '/mockServiceWorker.js': ['text/javascript', readFileSync(workerPath(), 'utf8')],
  }
  const server = await serveListener(({ url = '' }, response) => {
    const [type, text] = files[url] ?? ['text/plain', fromNetwork]
    const policy = url === strictPath ? { 'content-security-policy': strictPolicy } : {}
    response.writeHead(200, { 'content-type': type, ...policy }).end(text)
  })
  const { port } = new URL(server.url)
  return {
    async openPage(browser, { host = '127.0.0.1', path = '/', begin } = {}) {
      const context = await browser.newContext()
      if (begin) await context.addInitScript(begin)
      const page = await context.newPage()
      await page.goto(`http://${host}:${port}${path}`)
      return page
    },
    close: server.close,
  }
}

/** Creates a mock in a page, under the name `mock`, and lets it listen. */
export async function begin(page: Page, options: MockmakerOptions): Promise<void> {
  await page.evaluate(async text => {
    globalThis.mock = mockmaker.setupMockmaker(JSON.parse(text))
    await mock.listen({ onUnhandledRequest: 'bypass', quiet: true })
  }, JSON.stringify(options))
}

/** Closes the mock of `begin`, if there is one. */
export async function end(page: Page): Promise<void> {
  await page.evaluate(() => globalThis.mock?.close())
}

async function bundlePageScript(): Promise<string> {
  const bundle = await rolldown({
    input: 'test/msw/page-script.ts',
    platform: 'browser',
    plugins: [noEvalInPages()],
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'mockmaker', codeSplitting: false })
  await bundle.close()
  return output[0].code
}

const pageOf = (script: string) =>
  `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`

/** Blocks of the guide, bundled for a page from a module that imports them. */
async function bundleGuide(entry: string): Promise<string> {
  const files = ['mocks.ts']
  const modules = new Map(files.map(file => [`guide/${file}`, blockOf('docs/guides/test-a-front-end.md', file).text]))
  modules.set('guide/entry.js', entry)
  const bundle = await rolldown({
    input: 'guide/entry.js',
    platform: 'browser',
    resolve: { alias: { 'mockmaker/browser': resolve('src/msw/browser.ts'), mockmaker: resolve('src/index.ts') } },
    plugins: [
      {
        name: 'guide',
        resolveId(source, importer = '') {
          const id = posix.join(posix.dirname(importer), source)
          return [source, id].find(one => modules.has(one)) ?? null
        },
        load: id => modules.get(id) ?? null,
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'es', codeSplitting: false })
  await bundle.close()
  return output[0].code
}

/** MSW's own worker, as `npx msw init` copies it. */
function workerPath(): string {
  return createRequire(import.meta.url).resolve('msw/mockServiceWorker.js')
}
