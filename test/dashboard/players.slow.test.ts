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

// That the list and the details tell what the mock tells, also in the past, is proved for any changes in `shown.slow.test.ts`.
describe('the players', () => {
  it('are found by a word, lead to their requests, and are said to be gone', async ({ open }) => {
    const { page, mock, url, send } = await open({ scenario, path: '/?view=players&player=player.mock.none' })
    await page.getByText('The story of this player is no longer kept.').waitFor()
    await page.getByText('No players yet. Each find tells a story here.').waitFor()
    const answer = await fetch(url + find, { method: 'POST', body: '{"game_modes":["duel"]}' })
    const { player } = await answer.json()
    await send(find, { game_modes: ['ffa'] })

    await page.getByRole('grid', { name: '2 players' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search the players' }).fill('duel')
    await page
      .getByRole('grid', { name: '1 player' })
      .getByText(mock.stories.get(player.token)?.name ?? '')
      .click()

    const details = page.getByRole('region', { name: 'The chosen player' })
    await expect.poll(() => page.url()).toContain(`player=${player.token}`)
    await details
      .getByText(/^\d\d:00:00\.000$/)
      .first()
      .waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await details.getByRole('button', { name: 'Copy as diagram' }).click()
    const diagram = mock.stories.get(player.token, { mermaid: true })?.mermaid
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(diagram)
    await details.getByRole('button', { name: 'lobbies.find' }).first().click()
    await page.getByRole('region', { name: 'The chosen request' }).getByText('POST').waitFor()
  })

  it('are listed once the mock is back, if the connection broke while they were asked for, and with the number of those that were dropped', async ({
    open,
  }) => {
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
    // `story-memory.test.ts` proves what the mock counts.
    await page.route('**/__mock/stories?*', async route => {
      const response = await route.fetch()
      const stories = await response.json()
      await route.fulfill({ response, json: { ...stories, counts: { ...stories.counts, dropped: 3 } } })
    })
    await send(find, { game_modes: ['duel'] })
    await page.getByText('3 older stories were dropped to make room for these.').waitFor()
  })
})
