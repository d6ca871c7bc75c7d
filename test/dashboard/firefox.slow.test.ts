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

const list = '/matchmaker/lobbies/list'
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

// Chromium proves what the page does. These are the steps of a first visit, in another engine.
describe('the page in Firefox', () => {
  it('shows the world, its map and its lobbies', async ({ open }) => {
    const { page, complaints } = await open({ scenario })

    await page.getByRole('grid', { name: '2 lobbies' }).getByText('London').waitFor()
    await page.getByRole('button', { name: /^you, at/ }).waitFor()

    expect(await page.title()).toBe('World – Two modes – default – mockmaker')
    expect(complaints).toEqual([])
  })

  it('shows a request when it comes, and why it was answered so', async ({ open }) => {
    const { page, mock, send } = await open({ scenario })

    await send(find, ffa)
    await page.getByRole('grid', { name: '1 request' }).press('ArrowDown')
    await page.keyboard.press('Enter')

    const details = page.getByRole('region', { name: 'The chosen request' })
    await details.getByRole('region', { name: 'The lobbies that find compared' }).waitFor()
    await details.getByRole('region', { name: 'Body of the request' }).getByText('"ffa"').waitFor()
    expect(new URL(page.url()).search).toBe(`?request=${mock.journal.find()[0]?.id}`)
  })

  it('goes to the past of a request, and back', async ({ open }) => {
    const { page, send } = await open({ scenario })
    await send(find, ffa)
    await page.getByRole('grid', { name: '1 request' }).press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'See the world then' }).waitFor()

    await page.keyboard.press('t')
    await page.getByRole('button', { name: /^Clock: Past/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: /^Clock: Frozen/ }).waitFor()
  })

  it('sorts the lobbies by a column', { tags: ['matrix'] }, async ({ open }) => {
    const { page } = await open({ scenario })
    const rows = page.getByRole('grid', { name: '2 lobbies' }).locator('.rows [role=row]')

    await page.getByRole('grid', { name: '2 lobbies' }).getByRole('columnheader', { name: 'Region' }).click()
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual(['Frankfurt', 'London'].map(name => expect.stringContaining(name)))
    await page.getByRole('grid', { name: '2 lobbies' }).getByRole('columnheader', { name: 'Region' }).click()

    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual(['London', 'Frankfurt'].map(name => expect.stringContaining(name)))
  })

  it('finds a lobby in the palette, and Back closes it', async ({ open }) => {
    const { page } = await open({ scenario })

    await page.keyboard.press('Control+k')
    await page.keyboard.type('harbour')
    await page.getByRole('option', { name: /duel, Frankfurt, Harbour/ }).waitFor()
    await page.keyboard.press('Enter')
    const details = page.getByRole('region', { name: 'The chosen lobby' })
    await details.getByRole('heading', { name: 'duel in Frankfurt' }).waitFor()
    expect(new URL(page.url()).search).toBe('?lobby=full')
    await page.goBack()

    await details.waitFor({ state: 'detached' })
  })

  it('makes a lobby', { tags: ['matrix'] }, async ({ open }) => {
    const { page, mock } = await open({ scenario })

    await page.keyboard.press('n')
    await page.getByLabel('Players who play in it').fill('2')
    await page.getByRole('button', { name: 'Make the lobby' }).press('Enter')

    await page.getByRole('grid', { name: '3 lobbies' }).waitFor()
    expect(mock.world.lobbies.all().at(-1)?.total_player_count).toBe(2)
  })

  it('switches a fault on for one request', { tags: ['matrix'] }, async ({ open }) => {
    const { page, mock, send } = await open({ scenario })

    await page.getByRole('button', { name: /^Faults/ }).press('Enter')
    await page.getByRole('group', { name: 'Rate limited' }).getByRole('button', { name: 'Once' }).press('Enter')
    await expect.poll(() => mock.faults.list().length).toBe(1)

    expect([await send(list), await send(list)]).toEqual([429, 200])
    await page.getByRole('list', { name: 'Faults' }).getByText('over').waitFor()
  })

  it('holds a find, and releases it', async ({ open }) => {
    const { page, mock, send } = await open({ scenario })

    await page.keyboard.press('h')
    await expect.poll(() => mock.faults.list().length).toBe(1)
    const seat = send(find, ffa)
    await page.getByRole('list', { name: 'Requests that wait' }).getByText('lobbies.find').waitFor()
    await page.getByRole('button', { name: /^Faults/ }).press('Enter')
    await page.getByRole('button', { name: 'Release', exact: true }).first().press('Enter')

    expect(await seat).toBe(200)
  })

  it('moves the clock, and lets it run', { tags: ['matrix'] }, async ({ open }) => {
    const { page, mock } = await open({ scenario })
    const start = mock.clock.now()

    await page.keyboard.press('+')
    await expect.poll(() => mock.clock.now()).toBe(start + 60_000)
    await page.keyboard.press('Space')

    await page.getByRole('button', { name: /^Clock: Live/ }).waitFor()
    expect(mock.clock.mode).toBe('running')
  })

  it('moves the place of the player on the map, and shows which region a find gets', async ({ open }) => {
    const { page, mock } = await open({ scenario })
    const you = page.getByRole('button', { name: /^you, at/ })
    const before = await you.getAttribute('aria-label')
    const { longitude = 0 } = mock.snapshot().client ?? {}

    await you.press('ArrowRight')

    await expect.poll(() => mock.snapshot().client?.longitude).toBeGreaterThan(longitude)
    await expect.poll(() => you.getAttribute('aria-label')).not.toBe(before)
  })
})
