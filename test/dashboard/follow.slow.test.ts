import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { createClient } from '../../src/client/index.js'
import { it } from '../support/dashboard-page.js'
import { showServers } from '../support/shown-servers.js'

const list = '/matchmaker/lobbies/list'
const scenario = { title: 'Evening', game_modes: ['duel'], lobbies: [{ lobby_id: 'first' }] }

/** Returns the paths of the control calls that the page makes from now on. */
function controlCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname.includes('/__mock/')) calls.push(`${request.method()} ${pathname}`)
  })
  return calls
}

/** Waits until the page has asked for nothing for half a second. */
async function settled(page: Page, calls: readonly string[]): Promise<void> {
  for (let before = -1; before !== calls.length; ) {
    before = calls.length
    await page.waitForTimeout(500)
  }
}

describe('the page', () => {
  it('sends no request while the world changes for two seconds, and shows the changes', async ({ open }) => {
    // Before the first request, the page reads where a find would get a seat, each time that changes.
    const { page, mock, url, send } = await open({ scenario, prepare: ({ send: first }) => first('/nowhere') })
    const calls = controlCalls(page)
    await settled(page, calls)
    calls.length = 0
    const client = createClient(url)

    const end = performance.now() + 2_000
    for (let i = 0; performance.now() < end; i += 1) {
      await client.world.lobbies.create({ lobby_id: `l${i}`, game_mode_id: 'duel', players: [{}] })
      await send('/nowhere')
      const { id } = await client.faults.add({ operation: 'regions.list', effect: { error: { status: 503 } } })
      await client.faults.remove(id)
      await client.clock.set({ rate: 1 + (i % 5) })
      await page.waitForTimeout(100)
    }
    await client.clock.set({ mode: 'frozen', now: '2126-11-20T21:30:00Z' })
    mock.hold('lobbies.list')
    void send(list).catch(() => {})

    await page.getByText('21:30:00').first().waitFor()
    await page.getByRole('list', { name: 'Requests that wait' }).getByText('lobbies.list').waitFor()
    await page.getByRole('button', { name: 'Faults 1, 1 held' }).waitFor()
    expect(calls).toEqual([])

    mock.faults.clear()
    await client.load({ title: 'Another title', game_modes: ['duel'], clock: 'frozen' })
    await expect.poll(() => page.title()).toBe('World – Another title – default – mockmaker')
    // The new world has no request yet.
    await expect.poll(() => [...new Set(calls)]).toEqual(['GET /__mock/explain'])
  })

  it('sends no request for a minute in any view while nothing happens', async ({ open }) => {
    // No job of this player is due for hours.
    const lobbies = [{ run_by: 'server', players: [{}] }] as const
    const { page, url } = await open({ scenario: { ...scenario, lobbies } })
    const calls = controlCalls(page)
    await page.clock.install()
    const sent: Record<string, readonly string[]> = {}

    // The clock of the page is replaced when it loads.
    await page.goto(url)
    await page.locator('[data-connection=live]').waitFor()
    for (const view of ['world', 'players', 'servers', 'faults', 'devices']) {
      await page.locator('.views button', { hasText: new RegExp(`^${view}`, 'i') }).click()
      await page.clock.runFor(5_000)
      await settled(page, calls)
      calls.length = 0
      await page.clock.runFor(60_000)
      await settled(page, calls)
      sent[view] = calls.slice()
    }

    expect(sent).toEqual({ world: [], players: [], servers: [], faults: [], devices: [] })
  })

  it('shows the game server of a lobby, and a world that another client makes', async ({ open }) => {
    const { page, mock, url } = await open({ scenario: { ...scenario, servers: 'manual' } })
    const client = createClient(url)
    await page.getByRole('grid', { name: '1 lobby' }).getByRole('row').last().click()
    showServers(mock, [{ lobby_id: 'first', status: 'starting' }])
    await page.getByText('starting Open the server').waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: /^World: / }).click()
    await client.worlds.put('made-elsewhere')
    await page.getByRole('button', { name: 'made-elsewhere' }).waitFor()
    await client.worlds.delete('made-elsewhere')
    await expect.poll(() => page.getByRole('button', { name: 'made-elsewhere' }).count()).toBe(0)
  })
})
