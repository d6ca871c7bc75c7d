import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { mockOf } from '../../src/core/mock/facade.js'
import type { ScenarioInput } from '../../src/core/scenario/index.js'
import { scenarios } from '../../src/core/scenario/shipped.js'
import type { GameServerLog } from '../../src/core/simulation/servers.js'
import { createMockmaker, type Mockmaker, type MockmakerOptions } from '../../src/index.js'
import { capsuleJson } from '../../src/server/files/capsule-html.js'
import { openCopy } from '../support/copy-page.js'
import { it } from '../support/dashboard-page.js'
import { closedAfterTest } from '../support/worlds.js'

const find = '/matchmaker/lobbies/find'

const scenario = {
  title: 'Reef Rumble',
  clock: 'frozen',
  now: '2026-11-20T20:00:00Z',
  client: { latitude: 52.52, longitude: 13.4 },
  regions: ['lnd-fra', 'lnd-lon'],
  game_modes: [{ game_mode_id: 'reef', max_players: 2 }],
  lobbies: [{ lobby_id: 'first', game_mode_id: 'reef', region_id: 'lnd-fra', players: [{}] }],
} satisfies ScenarioInput

/** Creates a mock that is closed after the test. */
function mockWith(options: MockmakerOptions): Mockmaker {
  return closedAfterTest(createMockmaker({ seed: 1, ...options }))
}

/** Sends a request as a game does. Resolves with its status. */
async function send(mock: Mockmaker, method: string, path: string, body?: object, headers = {}): Promise<number> {
  const bytes = body && { body: new TextEncoder().encode(JSON.stringify(body)) }
  return (await mockOf(mock, 'test').answer({ method, path, headers, ...bytes })).status
}

/** A game server that runs. */
const server = {
  ...{ lobby_id: 'first', game_mode_id: 'reef', region_id: 'lnd-fra', command: 'node server.mjs', pid: 7014 },
  ...{ ports: {}, started_at: scenario.now, ready_at: scenario.now, ready_ms: 600, status: 'ready' },
  ...{ restarts: 0, lines: 1, last_lines: [], log: [{ at: scenario.now, text: 'it listens' }], environment: {} },
} satisfies GameServerLog

/** A world with a past of two minutes: three finds, two errors, a game server, and a device link. */
async function session(): Promise<Mockmaker> {
  const mock = mockWith({ scenario })
  mockOf(mock, 'test').default.servers.runBy({
    list: () => [server],
    logs: () => [server],
    get: () => server,
    restart: () => server,
    kill: () => server,
  })
  await mock.world.deviceLinks.create({ token: 'device.mock.tv' })
  for (const modes of [['reef'], ['wreck'], ['reef'], ['cave'], ['reef']]) {
    await send(mock, 'POST', find, { game_modes: modes })
    await mock.clock.advance('30s')
  }
  return mock
}

/** The button of the first error. */
const loaded = 'text=first error of 2'

const requestsOf = (page: Page) => page.getByRole('grid', { name: /request/ })
const details = (page: Page) => page.getByRole('region', { name: 'The chosen request' })

/** Takes what the next click saves. */
async function saved(page: Page, click: () => Promise<unknown>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  expect(download.suggestedFilename()).toBe('bug.html')
  return readFile(await download.path(), 'utf8')
}

const contentOf = (html: string) => JSON.parse(capsuleJson(html) ?? '')

describe('the page of a copy', () => {
  it('opens from its file at the first error, says what it is, and shows the whole past', async ({ browser }) => {
    const mock = await session()
    const { page, complaints, requests } = await openCopy(browser, await mock.capsule())

    await details(page).getByText('reef').first().waitFor()
    const banner = page.getByRole('region', { name: 'The copy' })
    expect(await banner.innerText()).toMatch(
      /^Copy of Reef Rumble, made \d+ \w{3} \d{4}, [\d:]{8}: changes stay on this page/,
    )
    expect(await banner.innerText()).toContain('2 min 30 s, 4 players, 5 requests · mockmaker ')
    expect(await page.getByRole('combobox', { name: 'Length of the timeline' }).locator(':checked').innerText()).toBe(
      'All, 2 min 30 s',
    )
    await page.getByText('end 20:02:30').waitFor()
    await page.getByRole('button', { name: 'Clock: Frozen 20:02:30 ×1' }).waitFor()
    expect(await page.title()).toBe('lobbies.find 400 – Reef Rumble – bug.html – mockmaker')
    await page.getByRole('button', { name: 'first error of 2' }).click()
    await page.getByRole('button', { name: 'error 2 of 2' }).waitFor()
    await details(page).getByText('"cave"').first().waitFor()
    await page.getByText('No server runs in a copy. Lives and logs are in Servers.').waitFor()
    await page.getByRole('button', { name: 'Servers', exact: true }).click()
    await page.getByRole('row', { name: /^copied/ }).click()
    const life = page.getByRole('region', { name: 'The chosen server' })
    await life.getByText('Copied 2 min 30 s after its start.').waitFor()
    await life.getByText('it listens').waitFor()
    expect(await life.getByRole('button').allInnerTexts()).not.toContain('Restart')
    await page.getByRole('button', { name: /^Devices/ }).click()
    await page.getByRole('button', { name: 'Expire now' }).waitFor()
    expect(await page.getByRole('link').count()).toBe(0)

    expect([complaints, requests]).toEqual([[], []])
  })

  it('shows what the live page shows at the same revision', async ({ browser, open }) => {
    const live = await open({
      scenario,
      prepare: async ({ mock, send: sendLive }) => {
        await sendLive(find, { game_modes: ['reef'] })
        await mock.clock.advance('30s')
        await sendLive(find, { game_modes: ['wreck'] })
      },
    })
    const { page } = await openCopy(browser, await live.mock.capsule())
    await requestsOf(live.page).getByText('wreck').click()
    const shown = async (one: Page) => {
      await details(one).getByText('no game mode "wreck"').first().waitFor()
      await one.getByRole('button', { name: /^Players/ }).waitFor()
      const text = await one.locator('main').innerText()
      return text.replaceAll(/No server runs.*|first error of 1/g, '').split(/\n+/)
    }

    // A copy has no invitation, since no client reaches its mock.
    await live.page.getByRole('region', { name: 'Try next' }).getByRole('button', { name: 'Hide' }).click()
    expect(await shown(page)).toEqual(await shown(live.page))
    for (const one of [page, live.page]) await one.getByRole('button', { name: /^Players/ }).click()
    const players = async (one: Page) => {
      await one.getByRole('grid').getByText('reef').first().waitFor()
      return one.locator('main').innerText()
    }
    expect(await players(page)).toBe(await players(live.page))

    await live.page.keyboard.press('Control+k')
    await live.page.keyboard.type('save the session')
    const file = await saved(live.page, () => live.page.keyboard.press('Enter'))
    expect(contentOf(file)).toMatchObject({ title: 'Reef Rumble', now: '2026-11-20T20:00:30.000Z' })
  })

  it('names who sat in a lobby that was full, with links to their stories', async ({ browser }) => {
    const mock = mockWith({ scenario })
    await mock.clock.advance('30s')
    await send(mock, 'POST', find, { game_modes: ['reef'] })
    await mock.clock.advance(5)
    await send(mock, 'POST', '/matchmaker/lobbies/join', { lobby_id: 'first' })
    await mock.clock.advance('1m')
    const { page } = await openCopy(browser, await mock.capsule())
    const [last, first] = mock.stories.list().stories

    const sentence = `reef in Frankfurt is full: ${first?.name} holds a seat since 20:00:00.000, and ${last?.name} took the last one 5 ms before this request.`
    await details(page).getByText(sentence).waitFor()
    const seats = details(page).getByRole('grid', { name: '2 seats' })
    expect((await seats.innerText()).split(/\s*\n\s*/).slice(4)).toEqual([
      ...[first?.name, '20:00:00.000', 'plays'],
      ...[last?.name, '20:00:30.000', 'on the way', 'the last seat'],
    ])
    await seats.getByText(last?.name ?? '').click()
    await page
      .getByRole('region', { name: 'The chosen player' })
      .getByText(last?.name ?? '')
      .first()
      .waitFor()
  })

  it('forks, adds faults, moves the clock, sends requests again, and goes to any time', async ({ browser }) => {
    const mock = await session()
    const { page, complaints, requests } = await openCopy(browser, await mock.capsule())
    await details(page).getByRole('button', { name: 'Send again' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send again' })
    await dialog.getByRole('textbox', { name: 'Body' }).fill('{"game_modes":["reef"]}')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('grid', { name: '6 requests' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('h')
    await page.getByRole('button', { name: /^Faults 1/ }).waitFor()
    await page.keyboard.press('+')
    await page.getByRole('button', { name: 'Clock: Frozen 20:03:30 ×1' }).waitFor()

    await page.getByRole('slider', { name: 'Revision' }).press('Home')
    await page.getByText('You see 20:00:00, 3 min 30 s ago.').waitFor()
    await page.getByRole('button', { name: 'Fork from here' }).click()
    await page.getByRole('button', { name: /^World: default-before-20-00-\d\d/ }).waitFor()
    await page.getByRole('button', { name: 'Clock: Frozen 20:00:00 ×1' }).waitFor()
    await page.getByRole('grid', { name: '1 lobby' }).waitFor()
    expect(await requestsOf(page).innerText()).not.toContain('lobbies.find')
    await page.getByRole('button', { name: /^World: default-before-20-00-\d\d/ }).click()
    await page.getByRole('button', { name: /^bug\.html/ }).click()
    await page.getByRole('grid', { name: '6 requests' }).waitFor()

    await page.getByRole('button', { name: 'Scenario' }).click()
    const file = { name: 'other.html', mimeType: 'text/html', buffer: Buffer.from(await mock.capsule()) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('other.html is a capsule, which a copy cannot load: open it by itself').waitFor()

    await page.getByRole('button', { name: /^Faults/ }).click()
    await expect.poll(() => page.locator('#operation-ids option').count()).toBeGreaterThan(20)
    expect([complaints, requests]).toEqual([[], []])
  })

  it('saves what it is now, as the same page', async ({ browser }) => {
    const mock = await session()
    const html = await mock.capsule()
    const { page } = await openCopy(browser, html, { until: loaded })
    await page.getByRole('button', { name: 'Search or do Ctrl K' }).press('Tab')
    await page.keyboard.press('+')
    const first = await saved(page, () => page.getByRole('button', { name: 'Save changes' }).press('Enter'))
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
    const second = await saved(page, () => page.keyboard.press('Control+s'))

    const policyOf = (text: string) => /<meta http-equiv[^>]*>/.exec(text)?.[0]
    const world = /(id="mockmaker-world">)[\w+/=]*/
    expect(first.replace(world, '$1')).toBe(second.replace(world, '$1'))
    expect(policyOf(first)).toBe(policyOf(html))
    expect(contentOf(first)).toMatchObject({ now: '2026-11-20T20:03:30.000Z' })

    const again = await openCopy(browser, first)
    await again.page.getByRole('button', { name: 'Clock: Frozen 20:03:30 ×1' }).waitFor()
    await again.page.getByRole('button', { name: 'first error of 2' }).waitFor()
    expect(again.complaints).toEqual([])
  })

  it('opens again, and in the command, if the browser itself has saved it', async ({ browser }) => {
    const { page } = await openCopy(browser, await (await session()).capsule(), { until: loaded })
    const html = await page.evaluate(() => `<!DOCTYPE html>\n${document.documentElement.outerHTML}`)

    const again = await openCopy(browser, html, { until: loaded })
    expect(again.requests).toEqual([])
    expect(contentOf(html)).toMatchObject({ title: 'Reef Rumble' })
    await again.page.keyboard.press('+')
    const file = await saved(again.page, () => again.page.getByRole('button', { name: 'Save changes' }).click())
    expect(file).not.toContain('<style')
  })

  it('asks before it is left with changes', async ({ browser }) => {
    const mock = await session()
    const { page } = await openCopy(browser, await mock.capsule(), { until: loaded })
    const asked: string[] = []
    page.on('dialog', dialog => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.keyboard.press('+')
    await page.getByRole('button', { name: 'Save changes' }).waitFor()
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => asked).toEqual(['beforeunload'])
  })

  it('works in a frame that may only run scripts', async ({ browser }) => {
    const mock = await session()
    const html = await mock.capsule()
    const { page, complaints } = await openCopy(
      browser,
      '<iframe sandbox="allow-scripts" width="1200" height="800"></iframe>',
      {
        until: 'iframe',
      },
    )
    await page.locator('iframe').evaluate((frame, text) => frame.setAttribute('srcdoc', text), html)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('button', { name: 'first error of 2' }).click()
    await frame.getByRole('button', { name: 'error 2 of 2' }).waitFor()
    await frame.getByRole('button', { name: /^Players/ }).click()
    const players = frame.getByRole('grid')
    await players.getByText('reef').first().waitFor()
    expect(complaints).toEqual([])

    await players.getByRole('row', { name: /plays/ }).first().click()
    await frame.getByRole('button', { name: 'Copy as diagram' }).click()
    await frame.getByRole('button', { name: 'Copied' }).waitFor()
    await frame.getByRole('button', { name: 'Save', exact: true }).click()
    await frame.getByText('If your browser has saved nothing, the frame of this page forbids it').waitFor()
  })

  it('lets no other script run, and sends nothing', async ({ browser }) => {
    const mock = await session()
    const { page, requests } = await openCopy(browser, await mock.capsule())
    const tried = await page.evaluate(async () => {
      const failed: string[] = []
      const attempt = (name: string, run: () => unknown) => {
        try {
          run()
        } catch {
          failed.push(name)
        }
      }
      const script = document.createElement('script')
      attempt('text', () => (script.text = 'globalThis.hacked = true'))
      // Playwright's own code may use it.
      await new Promise<void>(resolve =>
        setTimeout(() => {
          attempt('eval', () => new Function('globalThis.hacked = true')())
          resolve()
        }),
      )
      attempt('markup', () => (document.body.innerHTML = '<img src=x onerror="globalThis.hacked = true">'))
      const { trustedTypes } = globalThis as unknown as {
        trustedTypes: { createPolicy(name: string, rules: object): unknown }
      }
      attempt('policy', () => trustedTypes.createPolicy('mockmaker', { createScript: String }))
      script.append('globalThis.hacked = true')
      document.head.append(script)
      const image = new Image()
      image.src = 'https://evil.example/image'
      const form = document.createElement('form')
      form.action = 'https://evil.example/form'
      document.body.append(form)
      form.submit()
      const frame = document.createElement('iframe')
      frame.src = 'https://evil.example/frame'
      document.body.append(frame)
      await fetch('https://evil.example/fetch').catch(() => failed.push('fetch'))
      return { failed, isHacked: 'hacked' in globalThis }
    })

    expect(tried).toEqual({ failed: ['text', 'eval', 'markup', 'policy', 'fetch'], isHacked: false })
    expect(requests).toEqual([])
  })

  it.for<readonly [problem: string, change: (html: string) => string, text: string]>([
    ['is cut', html => html.slice(0, -5_000), 'The copy opens. If it does not, the file is not whole: get it again.'],
    ['is damaged', html => html.replace(/(id="mockmaker-world">.{40})./, '$1!'), 'This file is damaged: get it again.'],
  ])('says so if it %s', async ([, change, text], { browser }) => {
    const mock = mockWith({ scenario })
    const { page } = await openCopy(browser, change(await mock.capsule()), { until: '#page' })

    await page.getByText(text).waitFor()
  })

  it('says so in a browser that is too old', async ({ browser }) => {
    const mock = mockWith({ scenario })
    const { page } = await openCopy(browser, await mock.capsule(), {
      until: '#page',
      prepare: one => one.addInitScript(() => Reflect.deleteProperty(globalThis, 'DecompressionStream')),
    })

    await page.getByText('This browser is too old to open the copy').waitFor()
  })
})

/** Names have at most 128 bytes. */
const image = '<img src="https://evil.example/x" onerror="globalThis.hacked = true">'

/** What would run a script, or ask for something, if it were markup. */
const hostile = [
  '</script><script>globalThis.hacked = parent.hacked = true</script>',
  image,
  '"><svg onload="globalThis.hacked = true">',
  "javascript:globalThis.hacked=true//';--></style><link rel=stylesheet href=https://evil.example/y>",
  '<!--<script>\u2028{{hacked = true}}$&\u202e',
].join(' ')

const hostileScenario = {
  title: image,
  description: image,
  clock: 'frozen',
  now: '2026-11-20T20:00:00Z',
  regions: [{ region_id: 'lnd-fra', region_display_name: image }, 'lnd-lon'],
  games: [
    {
      name_id: 'reef',
      display_name: image,
      namespaces: [
        {
          ...{ name_id: 'prod', display_name: image, tokens: { development: 'dev' } },
          game_modes: [{ game_mode_id: 'reef', max_players: 2 }],
          lobbies: [
            {
              ...{ lobby_id: 'first', game_mode_id: 'reef', region_id: 'lnd-fra' },
              players: [{ token: image.replaceAll(' ', '/') }],
              state: { map: hostile, [hostile]: [hostile] },
              lobby_config: { [hostile]: hostile },
              tags: { tag: hostile },
            },
          ],
        },
      ],
    },
  ],
  faults: [{ operation: 'lobbies.join', effect: { error: { status: 503, code: 'HOSTILE', message: hostile } } }],
} satisfies ScenarioInput

/** Sends hostile texts in all places of a request. */
async function sendHostile(mock: Mockmaker): Promise<void> {
  const body = { game_modes: [hostile], tags: { tag: hostile }, captcha: { [hostile]: hostile } }
  const headers = { 'user-agent': hostile, 'x-coords': hostile, 'content-type': hostile, [hostile]: hostile }
  for (const path of [
    find,
    '/matchmaker/lobbies/create',
    '/matchmaker/lobbies/join',
    `/${encodeURIComponent(hostile)}`,
  ])
    await send(mock, 'POST', path, body, headers)
  await send(mock, 'POST', '/matchmaker/lobbies/join', { lobby_id: hostile })
  await send(mock, 'POST', find, { game_modes: ['reef'] })
}

/** Opens each view, each request with its parts, the lobby and the players. */
async function visitAll(page: Page): Promise<void> {
  for (const view of ['Players', 'Servers', 'Faults', 'Devices', 'World']) {
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('button', { name: new RegExp(`^${view}`) })
      .click()
    const row = page.locator('main [role=row][aria-rowindex]').first()
    if (view === 'Players' && (await row.count()) > 0) await row.click()
  }
  const list = requestsOf(page)
  await list.focus()
  for (let i = 0; i < 6; i++) {
    await list.press('ArrowDown')
    await list.press('Enter')
    for (const part of ['Answer', 'Headers', 'Changed', 'Sent'])
      await details(page)
        .getByRole('button', { name: part })
        .or(details(page).getByRole('radio', { name: part }))
        .first()
        .click({ timeout: 5_000 })
  }
  await page.getByRole('grid', { name: /lobb/ }).press('Enter')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('<script>')
  await page.keyboard.press('Escape')
}

describe('a copy', () => {
  it('runs no script and asks for nothing, whatever clients have sent', async ({ browser }) => {
    const mock = mockWith({ scenario: hostileScenario })
    await sendHostile(mock)
    const opened = await openCopy(browser, await mock.capsule())
    await opened.page.getByRole('region', { name: 'The copy' }).getByText('<img src=').waitFor()
    await visitAll(opened.page)

    expect(await opened.page.evaluate(() => 'hacked' in globalThis)).toBe(false)
    expect([opened.complaints, opened.requests]).toEqual([[], []])
  })

  it('runs no script and asks for nothing, if it is of the scenario nasty', async ({ browser }) => {
    const mock = mockWith({ scenario: scenarios.nasty })
    await sendHostile(mock)
    const opened = await openCopy(browser, await mock.capsule())
    await visitAll(opened.page)

    expect(await opened.page.evaluate(() => 'hacked' in globalThis)).toBe(false)
    expect([opened.complaints, opened.requests]).toEqual([[], []])
  })

  it('opens with 10,000 lobbies', { tags: ['matrix'] }, async ({ browser }) => {
    const [first] = scenario.lobbies
    const lobbies = Array.from({ length: 10_000 }, (_, i) => ({ ...first, lobby_id: `lobby-${i}` }))
    const mock = mockWith({ scenario: { ...scenario, lobbies } })
    await sendHostile(mock)
    const opened = await openCopy(browser, await mock.capsule())
    await opened.page.getByRole('grid', { name: '10,000 lobbies' }).waitFor()
    await visitAll(opened.page)

    expect([opened.complaints, opened.requests]).toEqual([[], []])
  })
})
