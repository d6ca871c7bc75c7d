import type { Page } from 'playwright-core'
import { afterAll, describe, expect } from 'vitest'
import { type ScenarioInput, scenarios } from '../../src/core/scenario/index.js'
import { it as base } from '../support/chromium.js'
import { answerEntryPoint } from '../support/entry-points.js'
import { comparable, json, post, type TestRequest, type TestResponse } from '../support/http.js'
import { completion, ids, tanks, tokens } from '../support/tanks.js'
import { type At, begin, end, fromNetwork, servePages, strictPath } from './mock-page.js'

/** A request that can be passed to a page as JSON. */
type PageSent = TestRequest & { readonly body?: string }

/** An address without a server. */
const elsewhere = 'https://matchmaker.test'

const list: PageSent = { method: 'GET', path: '/matchmaker/lobbies/list' }
const link = (query = ''): PageSent => ({
  method: 'GET',
  path: '/cloud/devices/links',
  query: `device_link_token=${tokens.pending}${query}`,
})
const namespaces = `/cloud/games/${ids.tanks}/namespaces`

/** Sends a request with `fetch` of a page. `base` is the prefix of its path. */
function send(page: Page, { method, path, query, headers, body }: PageSent, base = ''): Promise<TestResponse> {
  const url = `${base}${path}${query === undefined ? '' : `?${query}`}`
  const init = { method, headers: { ...headers }, ...(body === undefined ? {} : { body }) }
  return page.evaluate(
    async ({ url, init }) => {
      const response = await fetch(url, init)
      return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
    },
    { url, init },
  )
}

/** Sends a watch that blocks, and returns its index. */
async function block(page: Page): Promise<{ readonly index: string; readonly watching: Promise<TestResponse> }> {
  const { watch } = json(await send(page, link())) as { watch: { index: string } }
  const watching = send(page, link(`&watch_index=${watch.index}`))
  await page.waitForFunction(() => mock.world.waiters === 1)
  return { index: watch.index, watching }
}

/** Returns the answer of a new world in Node. */
async function inNode(scenario: ScenarioInput, sent: PageSent): Promise<TestResponse> {
  const { send, close } = await answerEntryPoint.open(scenario)
  const got = await send(sent)
  await close()
  return got
}

const lobbyIds = (got: TestResponse) =>
  (json(got) as { lobbies: { lobby_id: string }[] }).lobbies.map(lobby => lobby.lobby_id)
const modeIds = (got: TestResponse) =>
  (json(got) as { game_modes: { game_mode_id: string }[] }).game_modes.map(mode => mode.game_mode_id)

const server = await servePages()
afterAll(() => server.close())

const it = base.extend<{ shared: Page; page: Page; open: (at: At) => Promise<Page> }>({
  shared: [
    async ({ browser }, use) => {
      const page = await server.openPage(browser)
      await use(page)
      await page.context().close()
    },
    { scope: 'file' },
  ],
  page: async ({ shared }, use) => {
    await use(shared)
    await end(shared)
  },
  open: async ({ browser }, use) => {
    const pages: Page[] = []
    await use(async at => {
      const page = await server.openPage(browser, at)
      pages.push(page)
      return page
    })
    for (const page of pages) await page.context().close()
  },
})

describe('mockmaker/browser', inChromium)

function inChromium() {
  it('answers a page that follows the guide', async ({ open }) => {
    const page = await open({ path: '/guide' })
    await page.waitForFunction(() => globalThis.mock !== undefined)

    expect(lobbyIds(await send(page, list))).toHaveLength(7)
  })

  it.for([
    ['a relative URL', ''],
    ['a URL of another origin', elsewhere],
  ] as const)('answers a generated world, at %s, with the same bytes as in Node', async ([, at], { page }) => {
    const scenario = scenarios['friday-night']
    await begin(page, { scenario })

    const got = await send(page, list, at)

    expect(lobbyIds(got)).toHaveLength(330)
    expect(got.body).toBe((await inNode(scenario, list)).body)
  })

  it.for<readonly [what: string, sent: PageSent]>([
    ['HEAD of the list', { ...list, method: 'HEAD' }],
    ['a new link', post('/cloud/devices/links', '', tokens.public)],
    ['a bad body', post(`${namespaces}/validate`, { display_name: 'é', name_id: 7 }, tokens.public)],
  ])('answers %s with the same status, headers and bytes as in Node', async ([, sent], { page }) => {
    await begin(page, { scenario: tanks })

    const got = await send(page, sent, elsewhere)

    const origin = new URL(page.url()).origin
    const expected = await inNode(tanks, { ...sent, headers: { ...sent.headers, origin } })
    expect(comparable(got)).toEqual(comparable(expected))
  })

  it('answers a page that may evaluate no text, and violates no rule', async ({ open }) => {
    const page = await open({
      path: strictPath,
      begin: () => {
        const violations: string[] = []
        addEventListener('securitypolicyviolation', event => violations.push(event.violatedDirective))
        // MSW registers its worker by a text.
        const { trustedTypes } = globalThis as unknown as {
          trustedTypes: { createPolicy(name: string, policy: object): void }
        }
        trustedTypes.createPolicy('default', { createScriptURL: (url: string) => url })
        Object.assign(globalThis, { violations })
      },
    })
    await begin(page, { scenario: tanks })

    expect(lobbyIds(await send(page, list))).toEqual([ids.lobby, 'empty'])
    expect(await page.evaluate('violations')).toEqual([])
  })

  it('answers a page on a foreign host without HTTPS, where there are no workers, as MSW does', async ({ open }) => {
    const page = await open({ host: 'staging.example' })
    await begin(page, { scenario: tanks })

    expect(await page.evaluate(() => 'serviceWorker' in navigator)).toBe(false)
    expect(lobbyIds(await send(page, list, elsewhere))).toEqual([ids.lobby, 'empty'])
  })

  it('finds the namespace by the origin of the page', async ({ open }) => {
    const page = await open({ host: 'boats.mock.localhost' })
    await begin(page, { scenario: tanks })

    expect(modeIds(await send(page, list, elsewhere))).toEqual(['race'])
  })

  it('passes a request that no handler matches to the network', async ({ page }) => {
    await begin(page, { scenario: tanks })

    expect((await send(page, { method: 'GET', path: '/nothing' })).body).toBe(fromNetwork)
  })

  it('prints nothing when it is quiet', async ({ page }) => {
    const printed: string[] = []
    page.on('console', message => printed.push(message.text()))
    page.on('pageerror', error => printed.push(String(error)))

    await begin(page, { scenario: tanks })
    await send(page, list)
    await send(page, completion)
    await page.evaluate(() => mock.close())

    expect(printed).toEqual([])
  })

  describe('a base URL', () => {
    it.for([
      ['https://matchmaker.test/api/', `${elsewhere}/api`],
      ['*/api', `${elsewhere}/api`],
      ['/', ''],
    ] as const)('of %j is matched at "%s"', async ([baseUrl, at], { page }) => {
      await begin(page, { scenario: tanks, baseUrl })

      expect(lobbyIds(await send(page, list, at))).toEqual([ids.lobby, 'empty'])
    })

    it.for([
      ['https://matchmaker.test', ''],
      ['/api', ''],
      ['*/api', `${elsewhere}`],
    ] as const)('of %j is not matched at "%s"', async ([baseUrl, at], { page }) => {
      await begin(page, { scenario: tanks, baseUrl })

      const reached = send(page, list, at).then(
        got => got.body,
        () => fromNetwork,
      )
      expect(await reached).toBe(fromNetwork)
    })

    it.for([
      ['https://matchmaker.test/api', `${elsewhere}/api`],
      ['/api', '/api'],
    ] as const)('of %j names an origin: "%s/nothing" is 404', async ([baseUrl, at], { page }) => {
      await begin(page, { scenario: tanks, baseUrl })

      const got = await send(page, { method: 'GET', path: '/lobbies/list' }, at)

      expect(json(got)).toEqual({
        code: 'API_NOT_FOUND',
        message: 'nothing is at /api/lobbies/list: did you mean GET /api/matchmaker/lobbies/list?',
      })
    })
  })

  describe('a watch', () => {
    it('ends when the page completes the link', async ({ page }) => {
      await begin(page, { scenario: tanks })
      const { watching } = await block(page)

      await send(page, completion)

      expect(json(await watching)).toHaveProperty('cloud_token')
    })

    it('ends unchanged when the mock closes', async ({ page }) => {
      await begin(page, { scenario: tanks })
      const { index, watching } = await block(page)

      await page.evaluate(() => mock.close())

      expect(json(await watching)).toEqual({ watch: { index } })
    })
  })

  describe('use', () => {
    it('overrides one operation, typed in and out', async ({ page }) => {
      await begin(page, { scenario: tanks })

      await page.evaluate(() =>
        mock.use(mock.override('lobbies.list', async ({ original }) => ({ ...(await original()), lobbies: [] }))),
      )

      const got = await send(page, list)
      expect([lobbyIds(got), modeIds(got)]).toEqual([[], ['duel', 'ffa', 'secret']])
    })
  })

  describe('reset', () => {
    it('removes handlers given to `use`', async ({ page }) => {
      await begin(page, { scenario: tanks })
      await page.evaluate(() =>
        mock.use(mock.override('lobbies.list', () => ({ game_modes: [], regions: [], lobbies: [] }))),
      )

      await page.evaluate(() => mock.reset())

      expect(lobbyIds(await send(page, list))).toEqual([ids.lobby, 'empty'])
    })
  })

  describe('close', () => {
    it('lets `fetch` reach the network again', async ({ page }) => {
      await begin(page, { scenario: tanks })

      await page.evaluate(() => mock.close())

      expect((await send(page, list)).body).toBe(fromNetwork)
    })

    it('allows another mock in the same page', async ({ page }) => {
      await begin(page, { scenario: tanks })
      await page.evaluate(() => mock.close())

      await begin(page, { scenario: { game_modes: ['other'] } })

      expect(modeIds(await send(page, list))).toEqual(['other'])
    })
  })
}
