import type { RivetClient } from '@rivet-gg/api'
import type { BrowserContext, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, describe, expect } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import { listen } from '../../src/server/http/index.js'
import { it as base } from '../support/chromium.js'
import { serveListener } from '../support/http.js'
import { tanks, tokens } from '../support/tanks.js'

declare global {
  /** In a page: the published JavaScript client, bundled for browsers. */
  var PublishedClient: typeof RivetClient
}

describe('a page of another origin', inChromium)

async function inChromium() {
  const game = await serveGame()
  afterAll(() => game.close())

  const it = base.extend<{ open: (host: string) => Promise<Page>; serve: (corsOrigins?: string[]) => Promise<string> }>(
    {
      open: async ({ browser }, use) => {
        const context = await browser.newContext()
        await use(host => game.openPage(context, host))
        await context.close()
      },
      // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
      serve: async ({}, use) => {
        const ends: (() => Promise<void>)[] = []
        await use(async corsOrigins => {
          const mock = createMockmaker({ scenario: tanks, ...(corsOrigins && { corsOrigins }) })
          const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
          ends.push(close)
          return url
        })
        for (const end of ends) await end()
      },
    },
  )

  it.for([
    ['localhost', 'allows pages of this machine by default'],
    ['game.example', 'allows others by corsOrigins'],
  ] as const)('plays with the published client on %s: the mock %s', async ([host], { open, serve }) => {
    const page = await open(host)
    const url = await serve(host === 'localhost' ? undefined : [await page.evaluate(() => location.origin)])

    expect(await play(page, url)).toEqual({ listed: 2, found: 'empty', refused: 'MATCHMAKER_GAME_MODE_NOT_FOUND' })
  })

  it('is refused if its origin is not allowed', async ({ open, serve }) => {
    const page = await open('game.example')

    await expect(play(page, await serve())).rejects.toThrow('Network Error')
  })
}

/** Lists the lobbies, sends a find with null in optional fields, and reads the code of a failure. */
function play(page: Page, environment: string) {
  return page.evaluate(
    async ({ environment, token }) => {
      const { lobbies } = new PublishedClient({ environment, token }).matchmaker
      const listed = (await lobbies.list()).lobbies.length
      const asked = { gameModes: ['ffa'], regions: null, captcha: null }
      // A game in JavaScript may send null, against the types.
      const found = await lobbies.find(asked as unknown as Parameters<typeof lobbies.find>[0])
      const refused = await lobbies.find({ gameModes: ['duell'] }).catch((error: { body: { code: string } }) => error)
      return { listed, found: found.lobby.lobbyId, refused: 'body' in refused ? refused.body.code : undefined }
    },
    { environment, token: tokens.public },
  )
}

/** Serves a page with the published client, at any host name. */
async function serveGame() {
  const script = await bundleClient()
  const server = await serveListener(({ url }, response) => {
    if (url === '/client.js') return response.setHeader('content-type', 'text/javascript').end(script)
    return response.setHeader('content-type', 'text/html').end('<!doctype html><script src="/client.js"></script>')
  })
  const { port } = new URL(server.url)
  return {
    async openPage(context: BrowserContext, host: string): Promise<Page> {
      const page = await context.newPage()
      await page.goto(`http://${host}:${port}/`)
      return page
    },
    close: server.close,
  }
}

async function bundleClient(): Promise<string> {
  const entry = 'published-client.js'
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'published-client',
        resolveId: id => (id === entry ? `${process.cwd()}/${entry}` : null),
        load: id =>
          id.endsWith(entry)
            ? "import { RivetClient } from '@rivet-gg/api'; globalThis.PublishedClient = RivetClient"
            : null,
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'iife', codeSplitting: false })
  await bundle.close()
  // The client reads `process`, which the bundlers of games replace.
  return `var process = { env: {} };${output[0].code}`
}
