import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { chromium } from 'playwright-core'

const types = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.css': 'text/css' }

/** Serves a built Storybook at a path, and starts a browser. CHROMIUM can name another one. */
export async function openStorybook(folder, prefix) {
  const server = createServer(async ({ url }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    const file = join(folder, normalize(pathname.slice(prefix.length)))
    const content = pathname.startsWith(prefix) ? await readFile(file).catch(() => undefined) : undefined
    response.writeHead(content ? 200 : 404, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
    response.end(content)
  })
  await new Promise(done => server.listen(0, '127.0.0.1', done))
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const base = `http://127.0.0.1:${server.address().port}${prefix}`
  return {
    async openPage() {
      const context = await browser.newContext()
      // A busy machine needs more than 30 s for Storybook.
      context.setDefaultTimeout(120_000)
      return new StorybookPage(await context.newPage(), base)
    },
    async close() {
      await browser.close()
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}

class StorybookPage {
  /** What the page has printed. */
  printed = []
  /** The requests that left the browser, to hosts other than Storybook's. */
  escaped = []

  constructor(page, base) {
    this.page = page
    this.base = base
    /** The page or the frame that shows stories. */
    this.preview = page
    page.on('console', message => this.printed.push(message.text()))
    page.on('requestfailed', request => {
      if (!request.url().startsWith(base)) this.escaped.push(request.url())
    })
  }

  /** Opens a story, and waits until its `play` has ended. Returns the reason if it failed. */
  async open(storyId) {
    this.preview = this.page
    await this.page.goto(`${this.base}iframe.html?id=${storyId}&viewMode=story`)
    return this.#failureOf(storyId)
  }

  /** Shows another story in the same page, as a click in the sidebar does. */
  async show(storyId) {
    await this.#send('setCurrentStory', { storyId, viewMode: 'story' })
    return this.#failureOf(storyId)
  }

  async openDocs(docsId) {
    await this.page.goto(`${this.base}iframe.html?id=${docsId}&viewMode=docs`)
  }

  /** Opens Storybook itself, with a story. */
  async openManager(storyId) {
    this.preview = this.page.frameLocator('#storybook-preview-iframe')
    await this.page.goto(`${this.base}index.html?path=/story/${storyId}`)
  }

  /** Clicks a text outside of the preview. */
  async click(text) {
    await this.page.getByText(text, { exact: true }).first().click()
  }

  /** Selects a scenario, as a click on the toolbar does. */
  async select(scenario) {
    await this.#send('updateGlobals', { globals: { mockmaker: scenario } })
  }

  /** Selects a scenario, and another one while the story starts again with the first. */
  async selectTwice(first, second) {
    await this.page.evaluate(scenario => {
      const channel = globalThis.__STORYBOOK_ADDONS_CHANNEL__
      channel.once('forceRemount', () =>
        channel.once('storyRenderPhaseChanged', () =>
          channel.emit('updateGlobals', { globals: { mockmaker: scenario } }),
        ),
      )
    }, second)
    await this.select(first)
  }

  /** Waits for a text in the story. */
  async sees(text) {
    await this.preview.locator('#storybook-root').getByText(text, { exact: true }).first().waitFor()
  }

  /** Waits for a text in each of the frames of a docs page. */
  async frameSees(storyId, text) {
    const frames = this.page.locator(`iframe[src*="id=${storyId}"]`)
    await frames.first().waitFor({ state: 'attached' })
    for (const frame of await frames.all())
      await frame.contentFrame().getByText(text, { exact: true }).first().waitFor()
  }

  async close() {
    await this.page.context().close()
  }

  #send(event, payload) {
    return this.page.evaluate(
      ([name, value]) => globalThis.__STORYBOOK_ADDONS_CHANNEL__.emit(name, value),
      [event, payload],
    )
  }

  async #failureOf(storyId) {
    const handle = await this.page.waitForFunction(id => {
      const channel = globalThis.__STORYBOOK_ADDONS_CHANNEL__
      const [finished] = channel?.last('storyFinished') ?? []
      if (finished?.storyId !== id) return undefined
      const [thrown] = channel.last('playFunctionThrewException') ?? channel.last('storyThrewException') ?? []
      return { failure: thrown?.message }
    }, storyId)
    const { failure } = await handle.jsonValue()
    return failure
  }
}
