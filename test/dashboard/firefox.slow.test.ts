import { describe, expect } from 'vitest'
import type { ScenarioInput } from '../../src/scenario/index.js'
import { it as inChromium } from '../support/dashboard-page.js'
import { launchFirefox } from '../support/firefox.js'

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
  it('shows the world, a request and its reasons, the past, a found lobby, a held find, and a move of the player', async ({
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

    await page.keyboard.press('h')
    await expect.poll(() => mock.faults.list().length).toBe(1)
    const seat = send(find, ffa)
    await page.getByRole('list', { name: 'Requests that wait' }).getByText('lobbies.find').waitFor()
    await page.getByRole('button', { name: /^Faults/ }).press('Enter')
    await page.getByRole('button', { name: 'Release', exact: true }).first().press('Enter')
    expect(await seat).toBe(200)

    await page.keyboard.press('w')
    const { longitude = 0 } = mock.snapshot().client ?? {}
    await page.getByRole('button', { name: /^you, at/ }).press('ArrowRight')
    await expect.poll(() => mock.snapshot().client?.longitude).toBeGreaterThan(longitude)
    expect(complaints).toEqual([])
  })
})
