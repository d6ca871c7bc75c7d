import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { scenarios } from '../../src/core/scenario/index.js'
import { createMockmaker } from '../../src/index.js'
import { openCopy } from '../support/copy-page.js'
import { it, type OpenDashboard } from '../support/dashboard-page.js'
import { closedAfterTest } from '../support/worlds.js'

/** `npm run pictures` sets it, and then the test writes the pictures of the docs. */
const shouldWrite = process.env.WRITE_PICTURES !== undefined

/** A JPEG is cheaper to make and to send, and its squares have the same mean colours. */
const type = shouldWrite ? 'png' : 'jpeg'

const quality = type === 'jpeg' && { quality: 90 }

const urlOf = (picture: Buffer) => `data:image/${type};base64,${picture.toString('base64')}`

const desktop = { width: 1280, height: 900 }

interface Picture {
  /** What to do before the picture is taken. */
  readonly go: (page: Page) => Promise<unknown>
  /** The part of the page. Default: all of it. */
  readonly part?: string
}

async function showRefusedFind(page: Page): Promise<void> {
  await page.locator('.requests .rows [role=row]', { hasText: '400' }).first().click()
  const details = page.getByRole('region', { name: 'The chosen request' })
  await details.locator('.sentence').waitFor()
  await details.getByRole('region', { name: 'Body of the request' }).waitFor()
}

async function showLobby(page: Page): Promise<void> {
  await page.locator('.lobbies .rows [role=row]').nth(6).click()
  await page.getByText('Why is it in my list?').waitFor()
  await page.getByRole('region', { name: 'Environment of the game server' }).waitFor()
}

async function goBack(page: Page): Promise<void> {
  await page.getByRole('slider', { name: 'Revision' }).press('Home')
  await page.getByRole('region', { name: 'The past' }).waitFor()
}

async function showPlayer(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Players/ }).click()
  await page.getByRole('row', { name: /^MerryJaguar/ }).click()
  await page.getByRole('heading', { name: 'MerryJaguar' }).waitFor()
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+K')
  await page.keyboard.type('tok')
  await page.getByRole('dialog').getByRole('option').first().waitFor()
}

const pictures: { readonly [name: string]: Picture } = {
  'dashboard-light': { go: showRefusedFind },
  lobby: { go: showLobby, part: '.details' },
  past: { go: goBack },
  player: { go: showPlayer },
  palette: { go: openPalette },
}

/** Sends the first find of the default scenario, which Toronto wins. */
async function takeFirstFind({ page, mock, url }: OpenDashboard): Promise<Buffer> {
  await mock.worlds.put('first', { scenario: { ...scenarios.default, clock: 'frozen', now: '2026-11-28T20:04:46Z' } })
  await page.goto(`${url}/w/first/`)
  await page.locator('.invitation').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/^Toronto won although Frankfurt is nearer/).waitFor()
  await page.getByText('4 regions compared').waitFor()
  await page.locator('.route[mask]').waitFor()
  // The page has heard of the request, of the player, of the seat, and of what a find gets next.
  await page.getByText('Gave the seat to SteadyWombat').waitFor()
  await page.getByRole('region', { name: 'Try next' }).waitFor()
  await page.locator('.lobbies .rows').getByText('11 + 1').waitFor()
  await page.locator('.lobbies .rows').getByText('next', { exact: true }).waitFor()
  await normalize(page)
  return page.screenshot({ type, clip: { x: 0, y: 0, width: desktop.width, height: 640 }, ...quality })
}

/** Plays four minutes, in which a player joins a lobby 5 ms too late. Opens a copy of that world from its file. */
async function takeCopy(browser: Browser): Promise<Buffer> {
  const places = ['lnd-fra', 'lnd-ewr', 'lnd-tok']
  const mock = closedAfterTest(
    createMockmaker({
      seed: 1,
      scenario: {
        title: 'Reef Rumble',
        clock: 'frozen',
        now: '2026-11-28T14:18:20Z',
        client: { latitude: 52.52, longitude: 13.4 },
        regions: places,
        game_modes: [
          { game_mode_id: 'reef', max_players: 8 },
          { game_mode_id: 'wreck', max_players: 2 },
        ],
        lobbies: [
          ...places.map(region_id => ({ game_mode_id: 'reef', region_id, total_player_count: 1 })),
          { lobby_id: 'wreck-1', game_mode_id: 'wreck', region_id: 'lnd-fra' },
        ],
      },
    }),
  )
  const send = (path: string, body: object) =>
    mock.answer({ method: 'POST', path, headers: {}, body: new TextEncoder().encode(JSON.stringify(body)) })
  for (const mode of ['reef', 'reef', 'reef', 'reef', 'wreck', 'wreck']) {
    await mock.clock.advance(mode === 'reef' ? '1m' : 5)
    await send('/matchmaker/lobbies/find', { game_modes: [mode] })
  }
  await mock.clock.advance(5)
  await send('/matchmaker/lobbies/join', { lobby_id: 'wreck-1' })
  await mock.clock.advance('20s')
  const { page } = await openCopy(browser, await mock.capsule(), { size: desktop })
  await page.getByText('Who sat there').waitFor()
  await page.getByRole('cell', { name: /^next find/ }).waitFor({ state: 'attached' })
  // The day on which the test runs.
  await page.getByText(/^Copy of .+ made/).evaluate(made => {
    made.textContent = 'Copy of Reef Rumble, made 28 Nov 2026, 14:22:40'
  })
  await normalize(page)
  return page.screenshot({ type, clip: { x: 0, y: 0, width: desktop.width, height: 400 }, ...quality })
}

/** Plays the same 40 seconds each time: lists, finds, a watch that waits, and a fault. */
async function play({ mock, url, send }: OpenDashboard): Promise<void> {
  const { device_link_token } = await mock.world.deviceLinks.create({ token: 'device.mock.tv' })
  const link = `${url}/cloud/devices/links?device_link_token=${device_link_token}`
  const { watch } = await (await fetch(link)).json()
  await mock.clock.advance('10s')
  // The watch ends with the mock.
  void fetch(`${link}&watch_index=${watch.index}`).catch(() => {})
  await mock.blocked(1)
  for (let i = 0; i < 6; i++) {
    await mock.clock.advance('5s')
    await send('/matchmaker/lobbies/list')
    await send('/matchmaker/lobbies/find', { game_modes: [i % 3 === 2 ? 'capture' : 'free-for-all'] })
  }
  mock.faults.add({ operation: 'lobbies.join', effect: { delay: '2s' } })
}

/** Waits until the page shows all that `play` did. */
async function waitForAll({ mock, page }: OpenDashboard): Promise<void> {
  await page.locator('.views button', { hasText: /^Faults 1/ }).waitFor({ state: 'attached' })
  const running = mock.world.lobbies.all().filter(({ status }) => status !== 'stopped')
  await page
    .getByRole('grid', { name: `${running.length} lobbies`, includeHidden: true })
    .waitFor({ state: 'attached' })
  const players = running.reduce((sum, { total_player_count }) => sum + total_player_count, 0).toLocaleString('en')
  await page.getByText(`${players} players`).first().waitFor({ state: 'attached' })
  await page.getByRole('grid', { name: `${mock.journal.find().length} requests` }).waitFor()
  // A long answer comes later.
  await page.locator('.request', { hasText: /\d lobbies/ }).waitFor()
  const { kilometers = 0 } = mock.explain({ find: 'free-for-all' })
  const note = `next find, ${Math.round(kilometers).toLocaleString('en')} km`
  await page.getByRole('cell', { name: note }).waitFor({ state: 'attached' })
  await page.getByText('20:00:40').first().waitFor({ state: 'attached' })
}

/** Replaces what differs from run to run: times in real ms, and the port. */
const normalize = (page: Page) =>
  page.evaluate(() => {
    for (const element of document.querySelectorAll('.took')) element.textContent = '1 ms'
    for (const element of document.querySelectorAll('pre'))
      element.textContent = (element.textContent ?? '').replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4100')
  })

/** Compares two pictures by the mean colours of small squares, so that another rendering of the letters is no difference. */
function differenceOf(page: Page, taken: string, kept: string): Promise<number> {
  return page.evaluate(
    async urls => {
      const square = 16
      const colours = await Promise.all(
        urls.map(async url => {
          const image = await createImageBitmap(await (await fetch(url)).blob())
          const canvas = new OffscreenCanvas(Math.ceil(image.width / square), Math.ceil(image.height / square))
          const context = canvas.getContext('2d')
          if (!context) throw new Error('there is no canvas')
          context.imageSmoothingQuality = 'high'
          context.drawImage(image, 0, 0, canvas.width, canvas.height)
          return context.getImageData(0, 0, canvas.width, canvas.height).data
        }),
      )
      const [one, other] = colours
      if (!one || !other || one.length !== other.length) return 1
      let different = 0
      for (let i = 0; i < one.length; i += 4) {
        const distance = Math.max(
          ...[0, 1, 2].map(channel => Math.abs((one[i + channel] ?? 0) - (other[i + channel] ?? 0))),
        )
        if (distance > 40) different += 1
      }
      return different / (one.length / 4)
    },
    [taken, kept],
  )
}

/** Encodes a picture as WebP, which is a quarter of PNG. */
function toWebp(page: Page, png: string): Promise<string> {
  return page.evaluate(async url => {
    const image = await createImageBitmap(await (await fetch(url)).blob())
    const canvas = new OffscreenCanvas(image.width, image.height)
    canvas.getContext('2d')?.drawImage(image, 0, 0)
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.9 })).arrayBuffer())
    return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
  }, png)
}

it('the pictures of the docs show the page as it is', async ({ browser, open }) => {
  const dashboard = await open({ scenario: { ...scenarios['friday-night'], clock: 'frozen' } })
  const { page, url } = dashboard
  await play(dashboard)
  const taken: Record<string, string> = {}
  for (const [name, { go, part }] of Object.entries(pictures)) {
    await page.goto(url)
    await page.locator('[data-connection=live]').waitFor()
    await waitForAll(dashboard)
    await go(page)
    await normalize(page)
    const target = part === undefined ? page : page.locator(part)
    taken[name] = urlOf(await target.screenshot({ type, ...quality }))
  }
  taken['first-find'] = urlOf(await takeFirstFind(dashboard))
  taken.capsule = urlOf(await takeCopy(browser))

  // A page without a content security policy, which would forbid the URLs of the pictures.
  await page.goto('about:blank')
  const differences: Record<string, number> = {}
  for (const [name, picture] of Object.entries(taken)) {
    const file = `docs/pictures/${name}.webp`
    if (shouldWrite) {
      mkdirSync('docs/pictures', { recursive: true })
      writeFileSync(file, Buffer.from(await toWebp(page, picture), 'base64'))
    }
    expect(existsSync(file), `${file} is missing: run npm run pictures`).toBe(true)
    const kept = `data:image/webp;base64,${readFileSync(file).toString('base64')}`
    differences[name] = await differenceOf(page, picture, kept)
  }

  const wrong = Object.entries(differences).filter(([, difference]) => difference >= 0.01)
  expect(wrong, 'these pictures show another page: look at them, and run npm run pictures').toEqual([])
})
