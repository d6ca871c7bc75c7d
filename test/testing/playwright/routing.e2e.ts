import { chromium } from '@playwright/test'
import { expect, test } from '../../../src/testing/playwright/index.js'
import { block, countLobbies, expectPending, find, list, matchmaker, openPage, send } from './pages.js'

// The same tests run in-process, and on a server. There, CI runs those with the tag @server, as of the other files.
const server = process.env.MOCK_SERVER

test.use({
  matchmaker,
  server,
  seed: 7,
  scenario: { game_modes: ['duel'], tokens: { public: 'pub_prod.mock.one' }, lobbies: [{}] },
})

const authorized = { authorization: 'Bearer pub_prod.mock.one', 'content-type': 'application/json' }

test.describe('a page', () => {
  test('reaches the world of its test', { tag: '@server' }, async ({ page, mock }) => {
    await openPage(page)
    await mock.world.lobbies.create({ game_mode_id: 'duel' })

    expect(await countLobbies(page)).toBe(2)
  })

  test('sends requests with a token and a body of any bytes, after a preflight', async ({ page, mock }) => {
    await openPage(page)

    const seat = await send(page, find, { method: 'POST', headers: authorized, body: '{"game_modes":["duel"]}' })

    expect(seat.status).toBe(200)
    expect(seat.headers['rvt-ray-id']).toBeDefined()
    const [entry] = await mock.journal.find({ operation: 'lobbies.find' })
    expect(entry?.body).toEqual({ game_modes: ['duel'] })
    expect(await mock.world.players.count()).toBe(1)

    const bodies = await page.evaluate(async url => {
      const text = '{"game_modes":["duel"]}'
      const form = new FormData()
      form.set('file', new File([Uint8Array.of(0, 255)], 'bytes'))
      const bodies = [new Blob([text]), new TextEncoder().encode(text), Uint8Array.of(0, 255, 254), form]
      const sent = bodies.map(async body => (await fetch(url, { method: 'POST', body })).status)
      return Promise.all(sent)
    }, matchmaker + find)

    expect(bodies).toEqual([200, 200, 400, 400])
    expect(await mock.journal.find({ operation: 'lobbies.find' })).toHaveLength(5)
  })

  test('sees broken connections, in place of their responses', { tag: '@server' }, async ({ page, mock }) => {
    await openPage(page)
    const failures: (string | undefined)[] = []
    page.on('requestfailed', request => failures.push(request.failure()?.errorText))

    await mock.faults.add({ effect: { reset: true }, times: 1 })
    await expect(send(page, list)).rejects.toThrow('Failed to fetch')
    await mock.faults.clear()
    await mock.faults.add({ effect: { empty: true }, times: 1 })
    await expect(send(page, list)).rejects.toThrow('Failed to fetch')

    expect(failures).toEqual(['net::ERR_CONNECTION_RESET', 'net::ERR_CONNECTION_CLOSED'])
    expect((await send(page, list)).status).toBe(200)
  })

  test('completes a device link on the page of the mock', async ({ page, mock }) => {
    await openPage(page)
    const made = await send(page, '/cloud/devices/links', { method: 'POST', headers: authorized, body: '{}' })
    const { device_link_url, device_link_token } = JSON.parse(made.body)

    await page.goto(device_link_url)
    await page.getByRole('button').first().click()

    const status = async () => (await mock.world.deviceLinks.get(device_link_token))?.status
    await expect.poll(status).toBe('complete')
  })
})

test.describe('a page of an origin that the mock does not allow', () => {
  test('gets no answer, and changes nothing with or without a preflight', async ({ page, mock }) => {
    await openPage(page, 'https://other.example')
    const body = '{"game_modes":["duel"]}'

    await expect(send(page, list)).rejects.toThrow('Failed to fetch')
    expect(await mock.journal.find()).toHaveLength(1)

    await expect(send(page, find, { method: 'POST', headers: authorized, body })).rejects.toThrow('Failed to fetch')
    expect(await mock.journal.find()).toHaveLength(1)

    await expect(send(page, find, { method: 'POST', body })).rejects.toThrow('Failed to fetch')
    expect(await mock.world.players.count()).toBe(0)
  })
})

test.describe('a watch', () => {
  test('blocks no other request, and ends with the change', { tag: '@server' }, async ({ page, mock }) => {
    await openPage(page)
    await block(page, mock)

    expect(await countLobbies(page)).toBe(1)
    const [link] = await mock.world.deviceLinks.all()
    await mock.expireDeviceLink(link?.device_link_token ?? '')

    expect(await page.evaluate(() => globalThis.watched)).toBe(400)
  })

  test('ends when the page aborts it', { tag: '@server' }, async ({ page, mock }) => {
    await openPage(page)
    await block(page, mock)

    await page.evaluate(() => globalThis.watching.abort())

    expect(await page.evaluate(() => globalThis.watched)).toBe('AbortError')
    await expectPending(mock, 0)
  })

  test('ends when its page closes, and no other one does', async ({ page, mock, context }) => {
    const other = await context.newPage()
    await openPage(other)
    await block(other, mock)
    await openPage(page)
    await block(page, mock)
    await block(page, mock)

    await page.close()
    await expectPending(mock, 1)

    await context.close()
    await expectPending(mock, 0)
  })

  test('ends when the page navigates, and when a frame goes away', async ({ page, mock }) => {
    await openPage(page)
    await block(page, mock)
    await page.reload()
    await expectPending(mock, 0)

    await page.evaluate(
      () =>
        new Promise(resolve => {
          const frame = document.createElement('iframe')
          frame.src = '/app'
          frame.onload = resolve
          document.body.append(frame)
        }),
    )
    const [, frame = page.mainFrame()] = page.frames()
    await block(frame, mock)
    await page.evaluate(() => document.querySelector('iframe')?.remove())
    await expectPending(mock, 0)
  })

  test('may be left behind at the end of a test', async ({ page, mock, browser }) => {
    await openPage(page)
    await block(page, mock)
    const own = await browser.newPage()
    await openPage(own)
    await block(own, mock)
    await own.evaluate(url => void setInterval(() => fetch(url).catch(() => {}), 50), matchmaker + list)
    // Nobody awaits them.
    void mock.next('lobbies.join')
    void mock.world.lobbies.create({}).catch(() => {})
  })
})

test.describe('a context', () => {
  test('of the test reaches the mock', async ({ browser }) => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await openPage(page)
    expect(await countLobbies(page)).toBe(1)
    await context.close()
  })

  test('of a browser of the test reaches the mock', async ({ playwright }) => {
    const browser = await playwright.chromium.launch()
    const page = await browser.newPage()
    await openPage(page)
    expect(await countLobbies(page)).toBe(1)
    await browser.close()
  })

  test('with a profile on disk reaches the mock', async ({ launchOptions }, testInfo) => {
    const context = await chromium.launchPersistentContext(testInfo.outputPath('profile'), launchOptions)
    const [page = await context.newPage()] = context.pages()
    await openPage(page)
    expect(await countLobbies(page)).toBe(1)
    await context.close()
  })
})

test.describe('a page of several tests', () => {
  test.describe.configure({ mode: 'serial' })
  const pages: Promise<import('@playwright/test').Page>[] = []
  test.beforeAll(async ({ browser }) => {
    pages.push(browser.newPage())
    await pages[0]
  })
  test.afterAll(async () => (await pages[0])?.close())

  for (const lobbies of [2, 3])
    test(`reaches the world of each: ${lobbies} lobbies`, async ({ mock }) => {
      const page = await pages[0]
      if (!page) throw new Error('beforeAll has opened no page')
      await openPage(page)
      for (let i = 1; i < lobbies; i++) await mock.world.lobbies.create({ game_mode_id: 'duel' })

      expect(await countLobbies(page)).toBe(lobbies)
    })
})

test.describe('the clock', () => {
  test('moves the world, and the pages that have a clock', { tag: '@server' }, async ({ page, mock }) => {
    await page.clock.install({ time: '2026-01-01T12:00:00Z' })
    await openPage(page)
    await page.evaluate(url => void setInterval(() => fetch(url), 2_000), matchmaker + list)
    const polled = mock.next('lobbies.list')
    const before = Date.parse((await mock.clock.get()).now)

    const { now } = await mock.clock.advance('2s')

    const { time } = await polled
    expect(Date.parse(now) - before).toBeGreaterThanOrEqual(2_000)
    expect(Date.parse(time)).toBeGreaterThanOrEqual(Date.parse(now))
    expect(await page.evaluate(() => Date.now())).toBeGreaterThanOrEqual(Date.parse('2026-01-01T12:00:02Z'))
  })

  test('fires each timer of a page on its way', async ({ page, mock }) => {
    await page.clock.install()
    await openPage(page)
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await page.evaluate(() => {
      document.title = '0'
      setInterval(() => {
        document.title = String(Number(document.title) + 1)
      }, 1_000)
    })

    await mock.clock.advance(10_000)

    expect(await page.title()).toBe('10')
  })

  test('leaves pages without a clock alone', async ({ page, mock }) => {
    await openPage(page)

    await mock.clock.advance('1h')

    expect(await page.evaluate(() => Date.now())).toBeLessThan(Date.parse((await mock.clock.get()).now))
  })
})

test.describe('the mock', () => {
  const ended: import('../../../src/testing/playwright/index.js').PageMock[] = []
  test.describe.configure({ mode: 'serial' })

  test('has its seed and its scenario', { tag: '@server' }, async ({ mock }) => {
    ended.push(mock)
    expect(await mock.world.describe()).toMatchObject({ seed: 7 })
    expect(await mock.world.gameModes.count()).toBe(1)
  })

  test('refuses all calls after its test', { tag: '@server' }, async () => {
    const [mock] = ended
    const sentence = 'this mock belongs to a test that has ended'
    await expect(mock?.reset()).rejects.toThrow(sentence)
    await expect(mock?.next('lobbies.list')).rejects.toThrow(sentence)
  })
})

test.describe('faults of the options', () => {
  test.use({ faults: [{ operation: 'lobbies.list', effect: { error: { status: 429 } }, times: 1 }] })

  test('apply from the start', { tag: '@server' }, async ({ page }) => {
    await openPage(page)
    expect((await send(page, list)).status).toBe(429)
    expect((await send(page, list)).status).toBe(200)
  })
})
