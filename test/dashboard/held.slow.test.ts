import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it, type OpenDashboard } from '../support/dashboard-page.js'

const find = '/matchmaker/lobbies/find'
const scenario = {
  clock: 'frozen',
  now: '2026-11-20T20:05:00Z',
  regions: ['lnd-fra'],
  game_modes: [{ game_mode_id: 'duel', max_players: 2 }],
} as const

/** Sends a find that a fault holds, and opens it. */
async function hold({ mock, page, url }: OpenDashboard): Promise<{ answer: Promise<Response>; end(): void }> {
  const waiting = page.getByRole('list', { name: 'Requests that wait' })
  // A client may have its answer before the page knows.
  await waiting.waitFor({ state: 'detached' })
  mock.faults.add({ operation: 'lobbies.find', effect: { hold: true }, times: 1 })
  const client = new AbortController()
  const { signal } = client
  const answer = fetch(url + find, { method: 'POST', body: '{"game_modes":["duel"]}', signal })
  // A test that ends early does not wait for it.
  answer.catch(() => {})
  await waiting.getByText('lobbies.find held for').waitFor()
  await page.getByRole('button', { name: 'Edit the answer' }).press('Enter')
  await detailsOf(page).getByRole('textbox', { name: 'Body, as JSON' }).waitFor()
  return { answer, end: () => client.abort() }
}

const detailsOf = (page: Page) => page.getByRole('region', { name: 'The held request' })

const press = (page: Page, name: string) => detailsOf(page).getByRole('button', { name, exact: true }).press('Enter')

describe('a held request', () => {
  it('shows the answer that it would get, and gets another one', async ({ open }) => {
    const dashboard = await open({ scenario })
    const { page, mock } = dashboard
    const { answer } = await hold(dashboard)
    const details = detailsOf(page)
    await details.getByText('The client waits. It would get 200: ').waitFor()
    expect(mock.world.lobbies.count()).toBe(0)
    expect(await details.getByRole('button', { name: 'Release with this answer' }).isDisabled()).toBe(true)

    const body = details.getByRole('textbox', { name: 'Body, as JSON' })
    const draft = JSON.parse(await body.inputValue())
    draft.player.token = 'player.mock.other'
    await body.fill(JSON.stringify(draft, null, 2))
    const comparison = details.getByRole('region', { name: 'The draft and the edited answer' })
    await comparison.locator('ins', { hasText: '"token": "player.mock.other"' }).waitFor()
    expect(await comparison.locator('del').allInnerTexts()).toEqual([expect.stringContaining('"token": "player.mock.')])
    expect(await body.getAttribute('aria-invalid')).toBe('false')
    await press(page, 'Release with this answer')

    expect((await (await answer).json()).player.token).toBe('player.mock.other')
    const request = page.getByRole('region', { name: 'The chosen request' })
    await request.getByText('You changed this answer when you released the request.').waitFor()
    expect(mock.world.lobbies.count()).toBe(1)
  })

  it('says what the contract does not allow, and sends it all the same', async ({ open }) => {
    const dashboard = await open({ scenario })
    const { page } = dashboard
    const { answer } = await hold(dashboard)
    const details = detailsOf(page)
    const body = details.getByRole('textbox', { name: 'Body, as JSON' })

    await body.fill('{')
    await details.getByText(/^The body is no JSON: /).waitFor()
    expect(await details.getByRole('button', { name: 'Release with this answer' }).isDisabled()).toBe(true)
    await body.fill('{}')
    await details.getByText('body.lobby is missing').waitFor()
    await details.getByRole('textbox', { name: 'Status' }).fill('999')
    await details.getByText(/status is 999: expected/).waitFor()
    await press(page, 'Undo the changes')
    expect(JSON.parse(await body.inputValue())).toHaveProperty('lobby')
    await body.fill('{"a": 1}')
    await details.getByText('body.lobby is missing').waitFor()
    await press(page, 'Release with this answer')

    expect(await (await answer).json()).toEqual({ a: 1 })
  })

  it('goes on as it was, with an error, after a wait, without an answer, or never', async ({ open }) => {
    const dashboard = await open({ scenario })
    const { page, mock } = dashboard
    for (const [button, status] of [
      ['Release as it was', 200],
      ['Fail with 503', 503],
      ['429, retry after 1 s', 429],
    ] as const) {
      const { answer } = await hold(dashboard)
      await press(page, button)
      const { status: answered, headers } = await answer
      expect([answered, headers.get('retry-after')], button).toEqual([status, status === 429 ? '1' : null])
    }
    const cut = await hold(dashboard)
    await press(page, 'Cut the connection')
    await expect(cut.answer).rejects.toThrow()

    const never = await hold(dashboard)
    await press(page, 'Never answer')
    await page.getByRole('list', { name: 'Requests that wait' }).getByText('without an answer').waitFor()
    never.end()
    await expect(never.answer).rejects.toThrow()

    const late = await hold(dashboard)
    await detailsOf(page).getByRole('textbox', { name: 'Wait before the answer' }).fill('10s')
    const released = page.waitForResponse(/\/held\/[^/]+\/release$/)
    await press(page, 'Release as it was')
    await released
    await mock.clock.advance('10s')
    expect((await late.answer).status).toBe(200)

    const elsewhere = await hold(dashboard)
    mock.faults.clear()
    await elsewhere.answer
    await page.getByText('No fault holds this request any more.').waitFor()
  })
})

describe('a request that is sent again', () => {
  it('shows its new answer beside the old one, and is the chosen request', async ({ open }) => {
    const { page, mock, send } = await open({ scenario })
    await send(find, { game_modes: ['none'] })
    await page.getByRole('grid', { name: '1 request' }).press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Send again' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Send again' })

    await dialog.getByLabel('Body', { exact: true }).fill('{"game_modes": ["duel"]}')
    await dialog.getByRole('button', { name: 'Send', exact: true }).press('Enter')

    const comparison = dialog.getByRole('region', { name: 'The old and the new answer' })
    await comparison.getByText('Request 1: 400').waitFor()
    await comparison.getByText(/^Request \d+: 200$/).waitFor()
    await comparison.locator('del', { hasText: 'MATCHMAKER_GAME_MODE_NOT_FOUND' }).waitFor()
    await comparison.locator('ins', { hasText: '"lobby_id"' }).waitFor()
    const [, again] = mock.journal.find()
    expect(new URL(page.url()).searchParams.get('request')).toBe(String(again?.id))
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'The chosen request' }).getByText('200').first().waitFor()
  })
})
