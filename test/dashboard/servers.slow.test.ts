import { describe, expect } from 'vitest'
import { mockOf } from '../../src/core/mock/facade.js'
import { stopLobby } from '../../src/core/operations/game-server.js'
import type { RunningLobby } from '../../src/core/store/lobby-rules.js'
import { it } from '../support/dashboard-page.js'
import { showServers } from '../support/shown-servers.js'

const scenario = {
  clock: 'frozen',
  now: '2026-11-20T20:05:00Z',
  regions: ['lnd-fra'],
  game_modes: [{ game_mode_id: 'duel', max_players: 16 }],
  lobbies: [{ lobby_id: 'open', game_mode_id: 'duel', region_id: 'lnd-fra' }],
} as const

const line = (text: string) => ({ at: '2026-11-20T20:04:10.000Z', text })

const crashed = {
  lobby_id: 'broken',
  pid: 6991,
  ports: { default: 7783 },
  status: 'crashed',
  started_at: '2026-11-20T20:04:00.000Z',
  ready_at: '2026-11-20T20:04:01.000Z',
  ready_ms: 812,
  ended_at: '2026-11-20T20:04:10.000Z',
  exit_code: 1,
  lines: 2,
  last_lines: [line('TypeError: no turret'), line('    at fire')],
} as const

const ended = { lobby_id: 'empty', status: 'ended', ended_at: '2026-11-20T20:04:00.000Z', exit_code: 0 } as const

describe('the servers', () => {
  it('are listed by urgency, and show how the chosen one crashed', async ({ open }) => {
    const { page, mock, complaints } = await open({ scenario })
    const { world } = mockOf(mock, 'test').default
    await mock.lobby({ lobby_id: 'broken', game_mode_id: 'duel' })
    const before = world.revision
    const lobby = world.tables.lobbies.get('broken') as RunningLobby
    const stop = () => stopLobby(lobby, world.tables, world.clock.now())
    world.write(stop, { cause: { kind: 'server' } })
    await mock.lobby({ lobby_id: 'later' })
    showServers(mock, [
      ended,
      { lobby_id: 'open' },
      { lobby_id: 'new', game_mode_id: 'siege', status: 'starting' },
      crashed,
    ])

    await page.getByRole('button', { name: 'Servers 4, 1 crashed', exact: true }).click()
    const lanes = page.locator('.lane-names > span:nth-last-child(-n + 2) > .cut')
    await expect.poll(() => lanes.allInnerTexts()).toEqual(['duel, Frankfurt', 'siege, Frankfurt'])
    await page.getByRole('button', { name: /^\d more lanes?$/ }).click()
    await expect.poll(() => lanes.allInnerTexts()).toEqual(['siege, Frankfurt', 'duel, Frankfurt'])
    // A server that ended with exit code 0 gives no notice.
    expect(await page.getByText('Game server crashed').count()).toBe(1)
    const rows = page.locator('.servers .rows [role=row]')
    await expect
      .poll(async () => (await rows.locator('.cell:first-child').allInnerTexts()).map(text => text.trim()))
      .toEqual(['crashed', 'starting', 'ready', 'ended'])
    await rows.first().click()
    const details = page.getByRole('region', { name: 'The chosen server' })
    await details.getByRole('heading', { name: 'Crashed 10 s after its start, exit code 1.' }).waitFor()
    expect(await details.locator('.life li').allInnerTexts()).toEqual([
      'Started\n20:04:00',
      'Ready in 812 ms\n20:04:01',
      'Crashed\n20:04:10',
    ])
    const log = details.getByRole('region', { name: 'Log', exact: true })
    await expect.poll(() => log.innerText()).toBe('20:04:10 TypeError: no turret\n20:04:10     at fire')
    await page.getByRole('button', { name: 'Servers 4', exact: true }).waitFor()
    expect(await page.getByText('Game server crashed').count()).toBe(0)
    await details.getByRole('button', { name: 'See the world then' }).click()
    await page.getByRole('region', { name: 'The past' }).waitFor()
    // The change before the crash: its lobby still runs.
    expect(new URL(page.url()).searchParams.get('at')).toBe(`change:${before}`)
    await page.getByRole('grid', { name: '2 lobbies' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('tell at most three crashes, until each is dismissed or opened', async ({ open }) => {
    const { page, mock } = await open({ scenario })
    showServers(
      mock,
      [1, 2, 3, 4].map(number => ({ ...crashed, lobby_id: `broken-${number}` })),
    )
    const notices = page.getByText('Game server crashed: duel, Frankfurt')

    await page.getByRole('button', { name: 'Servers 4, 4 crashed' }).waitFor()
    expect(await notices.count()).toBe(3)
    await page.getByRole('button', { name: 'Dismiss' }).first().click()
    await page.getByRole('button', { name: 'Servers 4, 3 crashed' }).waitFor()
    await page.getByRole('button', { name: 'Show log' }).first().click()
    await page.getByRole('button', { name: 'Servers 4, 2 crashed' }).waitFor()
    expect(new URL(page.url()).search).toBe('?view=servers&server=broken-3')
    expect(await notices.count()).toBe(2)
  })

  it('are opened from their lobbies, and open them and their players', async ({ open }) => {
    const { page, mock, send } = await open({ scenario })
    await send('/matchmaker/lobbies/join', { lobby_id: 'open' })
    showServers(mock, [{ lobby_id: 'open' }])
    const [player] = mock.stories.list().stories

    await page.locator('.lobbies .rows [role=row]').first().click()
    await page
      .getByRole('list', { name: 'Players' })
      .getByRole('button', { name: player?.name ?? '' })
      .click()
    await page.getByRole('region', { name: 'The chosen player' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Open the server' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?view=servers&server=open')
    for (let i = 0; i < 9; i++) await send('/matchmaker/lobbies/join', { lobby_id: 'open' })
    await page.getByText('10 players: ').getByRole('button', { name: '2 more' }).click()
    await page.getByRole('grid', { name: '10 players' }).waitFor()
    await page.goBack()
    await page.getByText('10 players: ').getByRole('button').first().click()
    await page.getByRole('region', { name: 'The chosen player' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Open its lobby' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?lobby=open')
  })

  it('are killed by a button', async ({ open }) => {
    const { page, mock } = await open({ scenario })
    showServers(mock, [{ lobby_id: 'open' }])
    await page.goto(`${page.url()}?view=servers&server=open`)
    const asked = page.waitForRequest(request => request.method() === 'POST')

    await page.getByRole('button', { name: 'Kill' }).click()

    expect(new URL((await asked).url()).pathname).toBe('/__mock/servers/open/kill')
  })
})
