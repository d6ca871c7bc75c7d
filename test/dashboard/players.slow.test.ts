import { describe, expect } from 'vitest'
import { it } from '../support/dashboard-page.js'

const find = '/matchmaker/lobbies/find'
const scenario = {
  title: 'Duel night',
  clock: 'frozen',
  now: '2026-11-20T20:00:00Z',
  regions: ['lnd-fra', 'lnd-lon'],
  game_modes: [{ game_mode_id: 'duel', max_players: 2 }, 'ffa'],
} as const

describe('the players', () => {
  it('have a story each, which is found by a word, and told with its steps', async ({ open }) => {
    const { page, mock, url, send } = await open({ scenario, path: '/?view=players' })
    await page.getByText('No players yet. Each find tells a story here.').waitFor()
    const answer = await fetch(url + find, { method: 'POST', body: '{"game_modes":["duel"]}' })
    const { player } = await answer.json()
    await send(find, { game_modes: ['ffa'] })
    await mock.clock.advance('10s')
    const story = mock.stories.get(player.token)

    await page.getByRole('grid', { name: '2 players' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search the players' }).fill('duel')
    await page
      .getByRole('grid', { name: '1 player' })
      .getByText(story?.name ?? '')
      .click()

    const details = page.getByRole('region', { name: 'The chosen player' })
    await details.getByRole('heading', { name: story?.sentence ?? '' }).waitFor()
    expect(await details.locator('.steps b').allInnerTexts()).toEqual(story?.steps.map(({ title }) => title))
    expect(page.url()).toContain(`player=${player.token}`)
    await details.getByRole('button', { name: 'lobbies.find' }).first().click()
    await page.getByRole('region', { name: 'The chosen request' }).getByText('POST').waitFor()
  })

  it('follow the world, and lead to the moment of a story', async ({ open }) => {
    const { page, mock, url } = await open({ scenario })
    const answer = await fetch(url + find, { method: 'POST', body: '{"game_modes":["duel"]}' })
    const { player } = await answer.json()
    await page.goto(`${url}/?view=players&player=${player.token}`)
    const details = page.getByRole('region', { name: 'The chosen player' })
    await details.getByText('has not connected yet').waitFor()

    await mock.clock.advance('10s')
    await details.getByRole('heading', { name: /^Plays duel in / }).waitFor()
    await page.locator('.players .rows [role=row]', { hasText: 'plays' }).waitFor()
    await details.getByRole('button', { name: 'See the world then' }).click()

    await expect.poll(() => page.url()).toContain('at=change:')
    await expect.poll(() => page.getByRole('region', { name: 'The chosen player' }).count()).toBe(0)
  })

  it('are listed once the mock is back, if the connection broke while they were asked for', async ({ open }) => {
    const { page, disconnect, send } = await open({ scenario, path: '/?view=players' })
    await page.getByText('No players yet. Each find tells a story here.').waitFor()
    await page.route('**/__mock/stories?*', route => route.abort())
    const failed = page.waitForEvent('requestfailed')
    await send(find, { game_modes: ['duel'] })
    await failed

    await page.unroute('**/__mock/stories?*')
    await disconnect()
    await page.context().setOffline(false)

    await page.getByRole('grid', { name: '1 player' }).waitFor()
  })

  it('that are too many are counted', async ({ open }) => {
    const players = Array.from({ length: 20_003 }, (_, i) => ({ token: `player.${i}` }))
    const lobbies = [{ game_mode_id: 'duel', max_players: 30_000, players }]
    const { page } = await open({ scenario: { ...scenario, lobbies }, path: '/?view=players' })

    await page.getByText('3 older stories have given way to these.').waitFor()
  })

  it('whose story is gone are said to be gone', async ({ open }) => {
    const { page } = await open({ scenario, path: '/?view=players&player=player.mock.none' })

    await page.getByText('The story of this player is no longer kept.').waitFor()
  })
})
