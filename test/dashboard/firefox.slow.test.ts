import { existsSync } from 'node:fs'
import { type Browser, firefox } from 'playwright-core'
import { describe, expect } from 'vitest'
import type { ScenarioInput } from '../../src/core/scenario/index.js'
import { patient } from '../support/chromium.js'
import { openCopy } from '../support/copy-page.js'
import { it as inChromium } from '../support/dashboard-page.js'

/** The path in Debian's package. FIREFOX can name another path. */
const executablePath = process.env.FIREFOX ?? '/usr/bin/firefox-esr'

/** Starts an unchanged Firefox by WebDriver BiDi. Throws if it is not installed. */
async function launchFirefox(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(`there is no ${executablePath}: apt-get install firefox-esr, or set FIREFOX to its path`)
  const options = { channel: 'moz-firefox', executablePath, firefoxUserPrefs: { 'ui.prefersReducedMotion': 1 } }
  const browser = patient(await firefox.launch(options))
  skipMediaFeatures(browser)
  return browser
}

const mediaFeatures = 'emulation.setMediaFeaturesOverride'

type Send = (method: string, params: object) => Promise<unknown>

/** Keeps a command of Playwright from the browser: it sends it for each new page, and Firefox 153 does not know it. */
function skipMediaFeatures(browser: Browser): void {
  // Playwright has no option for it. Its connection leads to the objects behind the public ones.
  const { _connection: connection } = browser as unknown as {
    _connection: { toImpl(of: Browser): { _browserSession: { send: Send } } }
  }
  const session = connection.toImpl(browser)._browserSession
  const send = session.send.bind(session)
  session.send = (method, params) => (method === mediaFeatures ? Promise.resolve({}) : send(method, params))
}

const scenario = {
  title: 'Two modes',
  clock: 'frozen',
  now: '2026-11-20T20:00:00Z',
  client: { latitude: 52.52, longitude: 13.4 },
  regions: ['lnd-fra', 'lnd-lon', 'lnd-tok'],
  game_modes: [
    { game_mode_id: 'duel', max_players: 2 },
    { game_mode_id: 'ffa', max_players: 8 },
  ],
  lobbies: [
    { lobby_id: 'full', game_mode_id: 'duel', region_id: 'lnd-fra', players: [{}, {}], state: { map: 'Harbour' } },
    { lobby_id: 'open', game_mode_id: 'ffa', region_id: 'lnd-lon', players: [{}] },
  ],
} satisfies ScenarioInput

const find = '/matchmaker/lobbies/find'
const ffa = { game_modes: ['ffa'] }

const it = inChromium.extend({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    async ({}, use) => {
      const browser = await launchFirefox()
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
})

// Chromium proves what the page does. This is a first visit, in another engine.
describe('the page in Firefox', () => {
  it('shows the world, a request and its reasons, the past, a found lobby, and a move of the player', async ({
    open,
  }) => {
    const { page, mock, complaints, send } = await open({ scenario })
    await page.getByRole('grid', { name: '2 lobbies' }).getByText('London').waitFor()
    expect(await page.title()).toBe('World – Two modes – default – mockmaker')

    await send(find, ffa)
    await page.getByRole('grid', { name: '1 request' }).press('ArrowDown')
    await page.keyboard.press('Enter')
    const request = page.getByRole('region', { name: 'The chosen request' })
    await request.getByRole('region', { name: 'The lobbies that find compared' }).waitFor()
    await request.getByRole('region', { name: 'Body of the request' }).getByText('"ffa"').waitFor()
    await page.keyboard.press('t')
    await page.getByRole('button', { name: /^Clock: Past/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Clock: Frozen/ }).waitFor()

    await page.keyboard.press('Control+k')
    await page.keyboard.type('harbour')
    await page.getByRole('option', { name: /duel, Frankfurt, Harbour/ }).waitFor()
    await page.keyboard.press('Enter')
    const lobby = page.getByRole('region', { name: 'The chosen lobby' })
    await lobby.getByRole('heading', { name: 'duel in Frankfurt' }).waitFor()
    await page.goBack()
    await lobby.waitFor({ state: 'detached' })

    const { longitude = 0 } = mock.snapshot().client ?? {}
    await page.getByRole('button', { name: /^you, at/ }).press('ArrowRight')
    await expect.poll(() => mock.snapshot().client?.longitude).toBeGreaterThan(longitude)
    expect(complaints).toEqual([])
  })

  it('opens a copy from its file, and saves it', async ({ open }) => {
    const opened = await open({ scenario })
    const { mock, send } = opened
    const browser = opened.page.context().browser() as Browser // the one of this file
    await send(find, { game_modes: ['none'] })
    const { page, complaints } = await openCopy(browser, await mock.capsule())
    await page.getByRole('button', { name: 'first error of 1' }).waitFor()
    await page.getByRole('grid', { name: '2 lobbies' }).getByText('London').waitFor()
    await page.keyboard.press('+')
    await page.getByRole('button', { name: 'Clock: Frozen 20:01:00 ×1' }).waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
    expect(complaints).toEqual([])
  })
})
