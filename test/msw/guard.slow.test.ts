import type { Page } from 'playwright-core'
import { afterAll, describe, expect } from 'vitest'
import { createMockmaker, type ExchangeRecord, type Mockmaker, type MockmakerOptions } from '../../src/index.js'
import { listen } from '../../src/server/http/index.js'
import { it as base } from '../support/chromium.js'
import { serveListener } from '../support/http.js'
import { tanks } from '../support/tanks.js'
import { stateOf } from '../support/worlds.js'

/** An attacking page, and the requests that have reached the mock since it opened. */
interface Attack {
  readonly page: Page
  /** The URL of the page. */
  readonly site: string
  readonly mock: Mockmaker
  /** The URL of the mock. */
  readonly url: string
  readonly seen: ExchangeRecord[]
}

/** The options of a page. */
interface Opening extends Pick<MockmakerOptions, 'corsOrigins'> {
  /** Tells whether the host name of the page was rebound to the mock. */
  readonly rebound?: boolean
}

/** Attacks on the control API by a page of another site. Each resolves when the browser has finished. */
const attempts: readonly { readonly name: string; readonly method: string; try(attack: Attack): Promise<unknown> }[] = [
  {
    name: 'a form that posts what reads as JSON',
    method: 'POST',
    try: ({ page, url }) => submit(page, { action: `${url}/__mock/lobbies`, enctype: 'text/plain' }),
  },
  {
    name: 'a form as forms are',
    method: 'POST',
    try: ({ page, url }) =>
      submit(page, { action: `${url}/__mock/reset`, enctype: 'application/x-www-form-urlencoded' }),
  },
  {
    name: 'a form with files',
    method: 'POST',
    try: ({ page, url }) => submit(page, { action: `${url}/__mock/reset`, enctype: 'multipart/form-data' }),
  },
  {
    name: '`fetch` with `no-cors`, which says text',
    method: 'POST',
    try: ({ page, url }) => send(page, `${url}/__mock/lobbies`, { method: 'POST', mode: 'no-cors', body: '{}' }),
  },
  {
    name: '`fetch` with `no-cors` that asks for JSON, which the browser does not let through',
    method: 'POST',
    try: ({ page, url }) =>
      send(page, `${url}/__mock/lobbies`, { method: 'POST', mode: 'no-cors', body: '{}', headers: json }),
  },
  {
    name: '`fetch` with JSON, which asks first',
    method: 'OPTIONS',
    try: ({ page, url }) => send(page, `${url}/__mock/lobbies`, { method: 'POST', body: '{}', headers: json }),
  },
  {
    name: '`fetch` with DELETE, which asks first',
    method: 'OPTIONS',
    try: ({ page, url }) => send(page, `${url}/__mock/lobbies/closed`, { method: 'DELETE', headers: json }),
  },
  {
    name: 'a beacon',
    method: 'POST',
    try: ({ page, url }) => page.evaluate(to => navigator.sendBeacon(to, '{}'), `${url}/__mock/lobbies`),
  },
]

/** Attacks on the service by a page of another site: requests that need no preflight. */
const simpleRequests: typeof attempts = [
  {
    name: '`fetch` with `no-cors` that looks for a lobby',
    method: 'POST',
    try: ({ page, url }) =>
      send(page, `${url}/matchmaker/lobbies/find`, {
        method: 'POST',
        mode: 'no-cors',
        body: '{"game_modes": ["duel"]}',
      }),
  },
  {
    name: '`fetch` with text, whose answer the page may not read',
    method: 'POST',
    try: ({ page, url }) =>
      send(page, `${url}/matchmaker/lobbies/create`, { method: 'POST', body: '{"game_mode": "duel"}' }),
  },
  {
    name: 'a form that begins a device link',
    method: 'POST',
    try: ({ page, url }) =>
      submit(page, { action: `${url}/cloud/devices/links`, enctype: 'application/x-www-form-urlencoded' }),
  },
  {
    name: 'a beacon',
    method: 'POST',
    try: ({ page, url }) =>
      page.evaluate(to => navigator.sendBeacon(to, '{"game_modes": ["duel"]}'), `${url}/matchmaker/lobbies/find`),
  },
]

const json = { 'content-type': 'application/json' }

describe('a mock', inChromium)

async function inChromium() {
  const site = await serveListener(
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>A site</p>'),
  )
  const { port } = new URL(site.url)
  afterAll(() => site.close())

  const it = base.extend<{ open: (host: string, how?: Opening) => Promise<Attack> }>({
    open: async ({ browser }, use) => {
      const ends: (() => Promise<unknown>)[] = []
      await use(async (host, { rebound = false, ...options } = {}) => {
        const mock = createMockmaker({ scenario: tanks, ...options })
        const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
        const context = await browser.newContext()
        ends.push(() => context.close(), close)
        const page = await context.newPage()
        const site = `http://${host}:${rebound ? new URL(url).port : port}/`
        await page.goto(site)
        const seen: ExchangeRecord[] = []
        // The browser also requests an icon.
        mock.log.subscribe(record => void (record.path !== '/favicon.ico' && seen.push(record)))
        return { page, site, mock, url, seen }
      })
      for (const end of ends) await end()
    },
  })

  it('cannot be changed by a page of another site', async ({ open }) => {
    const attack = await open('evil.example')
    const { page, mock, seen } = attack
    const before = stateOf(mock.world)

    for (const attempt of [...attempts, ...simpleRequests]) {
      // A form has led the page to the mock.
      await page.goto(attack.site)
      seen.length = 0
      await attempt.try(attack)

      await expect.poll(() => seen, { message: attempt.name }).toHaveLength(1)
      expect(seen[0], attempt.name).toMatchObject({
        method: attempt.method,
        status: attempt.method === 'OPTIONS' ? 204 : 403,
      })
      expect(stateOf(mock.world), attempt.name).toBe(before)
    }
  })

  it.for(['sandboxed frame', 'page of another site'] as const)(
    'can be changed by a %s whose origin is allowed',
    async (from, { open }) => {
      const isFrame = from === 'sandboxed frame'
      const attack = await open('evil.example', { corsOrigins: [isFrame ? 'null' : `http://evil.example:${port}`] })
      const find = `${attack.url}/matchmaker/lobbies/find`
      if (isFrame) await attack.page.setContent('<iframe sandbox="allow-scripts" srcdoc="<p>A game</p>"></iframe>')
      const frame = isFrame ? attack.page.frames()[1] : attack.page.mainFrame()

      const status = await frame?.evaluate(
        url => fetch(url, { method: 'POST', body: '{"game_modes": ["ffa"]}' }).then(answer => answer.status),
        find,
      )

      expect([status, attack.seen.map(record => record.operation)]).toEqual([200, ['lobbies.find']])
    },
  )

  it('cannot be reached by a page whose name was rebound to it', async ({ open }) => {
    const attack = await open('rebound.example', { rebound: true })
    const before = stateOf(attack.mock.world)

    const status = await send(attack.page, '/__mock/lobbies', { method: 'POST', body: '{}', headers: json })

    expect([status, attack.seen.map(record => record.status)]).toEqual([403, [403]])
    expect(stateOf(attack.mock.world)).toBe(before)
  })

  it('does no work for a page of another site', async ({ open }) => {
    const attack = await open('evil.example')

    expect(await send(attack.page, `${attack.url}/__mock/tokens`, {})).toBe('TypeError')
    expect(attack.seen).toMatchObject([{ method: 'GET', status: 403 }])
  })

  it('can be changed by a page of this machine', async ({ open }) => {
    const { page, mock, url } = await open('127.0.0.1')

    const status = await send(page, `${url}/__mock/lobbies/closed`, {
      method: 'PATCH',
      body: '{"is_closed":false}',
      headers: json,
    })

    expect([status, mock.world.lobbies.get('closed')?.is_closed]).toEqual([200, false])
  })
}

/** Submits a form in a page, and waits until the browser shows the response. */
async function submit(
  page: Page,
  { action, enctype }: { readonly action: string; readonly enctype: string },
): Promise<void> {
  await page.setContent(
    `<form method="post" action="${action}" enctype="${enctype}"><input name='{"lobby_id":"x","state":"' value='"}'></form>`,
  )
  await Promise.all([page.waitForURL(action), page.evaluate(() => document.forms[0]?.submit())])
}

/** Sends a request with `fetch` of a page. Returns the status, 0 for an opaque response, or the error. */
function send(page: Page, url: string, init: RequestInit): Promise<number | string> {
  return page.evaluate(
    ({ url, init }) =>
      fetch(url, init).then(
        ({ status }) => status,
        error => String(error.name),
      ),
    // Only JSON can be passed to a page.
    { url, init: init as { method?: string } },
  )
}
