import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import type { ScenarioInput } from '../../src/core/scenario/index.js'
import type { Mockmaker } from '../../src/index.js'
import { type DashboardOptions, it, type OpenDashboard } from '../support/dashboard-page.js'

const find = '/matchmaker/lobbies/find'

const scenario = {
  clock: 'frozen',
  now: '2026-11-20T20:00:00Z',
  regions: ['lnd-fra', 'lnd-tok'],
  game_modes: [{ game_mode_id: 'duel', max_players: 8 }],
  lobbies: [
    {
      lobby_id: 'berlin',
      game_mode_id: 'duel',
      region_id: 'lnd-fra',
      players: [{ leaves_at: '2026-11-20T20:30:00Z' }],
    },
    { lobby_id: 'tokyo', game_mode_id: 'duel', region_id: 'lnd-tok' },
  ],
} satisfies ScenarioInput

interface Task {
  readonly name: string
  readonly keys: readonly string[]
}

/** Each begins on a page that was just opened. A text in the palette or in a field is typed. */
const tasks: readonly Task[] = [
  { name: 'See why a request failed', keys: ['Ctrl+K', 'find 400', 'Enter'] },
  { name: 'Copy a request as curl', keys: ['J', 'Enter', 'C'] },
  { name: 'Make a fault of a request', keys: ['J', 'Enter', 'F', 'Enter'] },
  { name: 'Send a request again', keys: ['J', 'Enter', 'Ctrl+K', 'send again', 'Enter', 'Enter'] },
  { name: 'See the world at a request', keys: ['J', 'Enter', 'T'] },
  { name: 'Hold the next find', keys: ['H'] },
  { name: 'Let a held request go on', keys: ['Ctrl+K', 'held', 'Enter', 'Ctrl+K', 'as it was', 'Enter'] },
  { name: 'Find a player by name', keys: ['Ctrl+K', 'SilentOtter', 'Enter'] },
  { name: 'Search the lobbies', keys: ['/', 'duel'] },
  { name: 'Open a lobby', keys: ['Ctrl+K', 'lobby tokyo', 'Enter'] },
  { name: 'Add a player to a lobby', keys: ['Ctrl+K', 'lobby tokyo', 'Enter', 'Ctrl+K', 'add a player', 'Enter'] },
  { name: 'Make a lobby', keys: ['N', 'Enter'] },
  { name: 'Add a game mode', keys: ['Ctrl+K', 'game mode', 'Enter', 'arena', 'Enter'] },
  { name: 'Freeze the clock, or let it run', keys: ['Space'] },
  { name: 'Move the clock forward by a minute', keys: ['+'] },
  { name: 'Set the clock to a time', keys: ['Ctrl+K', '21:00', 'Enter'] },
  { name: 'Go to the next event', keys: ['.'] },
  { name: 'See the world a change ago, and come back', keys: ['←', 'Esc'] },
  { name: 'Fork the past', keys: ['←', 'Ctrl+K', 'fork', 'Enter'] },
  { name: 'Load a scenario', keys: ['Ctrl+K', 'quiet', 'Enter'] },
]

const names: Readonly<Record<string, string>> = {
  'Ctrl+K': 'Control+k',
  Esc: 'Escape',
  '←': 'ArrowLeft',
  Space: ' ',
}

/** Presses the keys of a task, each when the page is ready for it. Types everything else. */
async function perform(page: Page, { keys }: Task, nameOfPlayer: string): Promise<void> {
  for (const [i, written] of keys.entries()) {
    const isKey = written.length === 1 || written in names || written === 'Enter'
    const before = keys[i - 1] ?? ''
    if (!isKey) {
      // A text after Enter goes into the form that Enter has opened.
      if (before === 'Enter') await page.locator('dialog[open] form').waitFor()
      // People write the two words of a name with a space.
      const text = written === 'SilentOtter' ? nameOfPlayer.replace(/(?=[A-Z][a-z]+$)/, ' ').toLowerCase() : written
      await page.keyboard.type(text)
      if (await page.locator('[role=combobox]').count()) await foundFirst(page, text)
      continue
    }
    // What the key before has opened is there: a form, or details.
    if (written === 'Enter' && ['N', 'Enter'].includes(before)) await page.locator('dialog[open] form').waitFor()
    else if (before === 'Enter') await page.locator('.details .foot button:enabled').first().waitFor()
    const key = names[written] ?? written
    await page.keyboard.press(key.length === 1 ? key.toLowerCase() : key)
    if (written === 'F') await page.locator('form button:focus').waitFor()
    if (written === 'Ctrl+K') await page.locator('[role=combobox]').waitFor()
    if (written === '←') await page.getByRole('region', { name: 'The past' }).waitFor()
  }
}

/** Waits until the first line of the palette has all words. */
async function foundFirst(page: Page, text: string): Promise<void> {
  const first = page.locator('[role=option]').first()
  for (const word of text.split(' ')) await first.filter({ hasText: new RegExp(word, 'i') }).waitFor()
}

/** A world with two requests, the newest one refused, whose page has just been opened. */
async function openWorld(open: (options: DashboardOptions) => Promise<OpenDashboard>): Promise<OpenDashboard> {
  const dashboard = await open({
    scenario,
    async prepare({ mock, send }) {
      await send(find, { game_modes: ['duel'] })
      await mock.clock.advance('10s')
      await send(find, { game_modes: ['none'] })
    },
  })
  const { page } = dashboard
  await page.getByRole('grid', { name: '2 requests' }).waitFor()
  await page.getByRole('slider', { name: 'Revision' }).waitFor()
  return dashboard
}

const timeOf = (mock: Mockmaker) => new Date(mock.clock.now()).toISOString().slice(11, 19)

/** Sees that a task is done, by its name. */
const done: { readonly [name: string]: (dashboard: OpenDashboard) => Promise<unknown> } = {
  'See why a request failed': ({ page }) =>
    page.locator('.details .sentence', { hasText: 'has no game mode "none"' }).waitFor(),
  'Copy a request as curl': async ({ page, url }) => {
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(url + find)
  },
  'Make a fault of a request': ({ mock }) =>
    expect
      .poll(() => mock.faults.list())
      .toMatchObject([
        {
          operation: 'lobbies.find',
          effect: { error: { status: 400, code: 'MATCHMAKER_GAME_MODE_NOT_FOUND' } },
          times: 1,
        },
      ]),
  'Send a request again': ({ mock }) => expect.poll(() => mock.journal.find()).toHaveLength(3),
  'See the world at a request': ({ page }) => page.getByRole('region', { name: 'The past' }).waitFor(),
  'Hold the next find': ({ mock }) => expect.poll(() => mock.faults.list()).toMatchObject([{ effect: { hold: true } }]),
  'Let a held request go on': ({ mock }) =>
    expect.poll(() => mock.journal.find().map(({ status }) => status)).toEqual([200, 400, 200]),
  'Find a player by name': ({ page }) => page.getByRole('region', { name: 'The chosen player' }).waitFor(),
  'Search the lobbies': ({ page }) => expect.poll(() => page.url()).toContain('q=duel'),
  'Open a lobby': ({ page }) => expect.poll(() => page.url()).toContain('lobby=tokyo'),
  'Add a player to a lobby': ({ mock }) =>
    expect.poll(() => mock.world.lobbies.get('tokyo')?.total_player_count).toBe(1),
  'Make a lobby': ({ mock }) => expect.poll(() => mock.world.lobbies.count()).toBe(3),
  'Add a game mode': ({ mock }) =>
    expect.poll(() => mock.world.gameModes.all()).toMatchObject([{}, { game_mode_id: 'arena' }]),
  'Freeze the clock, or let it run': ({ mock }) => expect.poll(() => mock.clock.mode).toBe('running'),
  'Move the clock forward by a minute': ({ mock }) => expect.poll(() => timeOf(mock)).toBe('20:01:10'),
  'Set the clock to a time': ({ mock }) => expect.poll(() => timeOf(mock)).toBe('21:00:00'),
  'Go to the next event': ({ mock }) => expect.poll(() => timeOf(mock)).not.toBe('20:00:10'),
  'See the world a change ago, and come back': ({ page }) =>
    page.getByRole('region', { name: 'The past' }).waitFor({ state: 'detached' }),
  'Fork the past': ({ page, url }) => page.waitForURL(`${url}/w/*/`),
  'Load a scenario': ({ mock }) => expect.poll(() => mock.world.title).toBe('A quiet evening'),
}

describe('twenty tasks by keyboard', () => {
  it('take few keys', () => {
    const keysOf = Object.fromEntries(tasks.map(({ name, keys }) => [name, keys.length]))

    expect(Object.keys(keysOf)).toEqual(Object.keys(done))
    expect(tasks).toHaveLength(20)
    expect(keysOf['See why a request failed']).toBeLessThanOrEqual(3)
    expect(keysOf['Make a fault of a request']).toBeLessThanOrEqual(6)
    expect(keysOf['Fork the past']).toBeLessThanOrEqual(5)
    expect(keysOf['Copy a request as curl']).toBeLessThanOrEqual(4)
  })

  /** They change nothing, so that Esc leads back to the start. */
  const reading = [
    'See why a request failed',
    'Copy a request as curl',
    'Find a player by name',
    'See the world a change ago, and come back',
    'Open a lobby',
    'Search the lobbies',
  ]

  it('of reading, one after the other', async ({ open }) => {
    const dashboard = await openWorld(open)
    const { mock, page } = dashboard
    const [{ name } = { name: '' }] = mock.stories.list({ outcome: 'playing' }).stories
    for (const task of tasks.filter(task => reading.includes(task.name))) {
      await perform(page, task, name)
      await done[task.name]?.(dashboard)
      // What was searched, what is chosen, and another view.
      for (const key of ['Escape', 'Escape', 'w']) await page.keyboard.press(key)
      await expect.poll(() => new URL(page.url()).search).toBe('')
      await page.locator('.details').waitFor({ state: 'detached' })
    }
    expect(mock.journal.find()).toHaveLength(2)
  })

  it.for(tasks.filter(({ name }) => !reading.includes(name)))('$name', async (task, { open }) => {
    const dashboard = await openWorld(open)
    const { mock, page, send } = dashboard
    if (task.name === 'Let a held request go on') {
      mock.hold('lobbies.find', { times: 1 })
      void send(find, { game_modes: ['duel'] })
      await page.getByRole('list', { name: 'Requests that wait' }).waitFor()
    }
    const [{ name } = { name: '' }] = mock.stories.list({ outcome: 'playing' }).stories

    await perform(page, task, name)

    await done[task.name]?.(dashboard)
  })
})

describe('a planted bug', () => {
  it('is found with two clicks at most', async ({ open }) => {
    const { page, mock } = await open({
      scenario: { ...scenario, device_links: [{ token: 'device.mock.tv' }] },
      async prepare({ mock, send }) {
        for (const id of ['berlin', 'tokyo']) await mock.world.lobbies.update(id, { is_closed: true })
        await send('/matchmaker/lobbies/list')
        const lobby_id = 'arena'
        await mock.lobby({ lobby_id, game_mode_id: 'duel', region_id: 'lnd-fra', max_players: 1, run_by: 'server' })
        await send(find, { game_modes: ['duel'] })
        await send('/matchmaker/lobbies/join', { lobby_id })
        await mock.clock.advance('3m')
        for (let i = 0; i < 6; i++) await send('/cloud/devices/links?device_link_token=device.mock.tv')
        mock.faults.add({ region: 'lnd-tok', effect: { outage: true } })
        await send(find, { game_modes: ['duel'], regions: ['lnd-tok'] })
        mock.faults.add({ effect: { date: '+90s' } })
      },
    })
    const tab = (name: string) => page.locator('.views button', { hasText: name })
    const request = (text: string) => page.locator('.request', { hasText: text }).first()
    const [kicked] = mock.stories.list({ outcome: 'never_connected' }).stories
    const bugs: { readonly [bug: string]: { clicks: readonly Locator[]; shows: string | RegExp } } = {
      'kicked player': { clicks: [tab('Players'), page.getByText(`${kicked?.name}`)], shows: `${kicked?.sentence}` },
      'region down': { clicks: [], shows: 'Tokyo down' },
      'region down, and a find that is refused': { clicks: [request('end fault')], shows: /^lnd-tok is down, so /i },
      'hot loop': { clicks: [tab('Warnings')], shows: /^One client asked for a device link \d times/ },
      'empty list': { clicks: [request('0 lobbies')], shows: /closed/ },
      'last seat': { clicks: [request('lobbies.join')], shows: /^duel in Frankfurt is full: \w+ / },
      skew: { clicks: [tab('Faults')], shows: 'date +90s, every request' },
    }
    for (const [bug, { clicks, shows }] of Object.entries(bugs)) {
      expect(clicks.length, bug).toBeLessThanOrEqual(2)
      for (const click of clicks) await click.click()
      await page.getByText(shows).filter({ visible: true }).first().waitFor()
      for (const key of ['Escape', 'w']) await page.keyboard.press(key)
      await page.locator('.details').waitFor({ state: 'detached' })
    }
  })
})
