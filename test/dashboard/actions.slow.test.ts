import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { mockOf } from '../../src/core/mock/facade.js'
import { parseScenario, type ScenarioInput, scenarios } from '../../src/core/scenario/index.js'
import { createMockmaker } from '../../src/index.js'
import { keepInFolder } from '../../src/server/http/data-folder.js'
import { it, type OpenDashboard } from '../support/dashboard-page.js'
import { dataPath } from '../support/kept-worlds.js'
import { deferred } from '../support/worlds.js'

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
    { lobby_id: 'open', game_mode_id: 'ffa', region_id: 'lnd-lon', players: [{ leaves_at: '2026-11-20T20:05:00Z' }] },
    { lobby_id: 'closed', game_mode_id: 'ffa', region_id: 'lnd-tok', is_closed: true },
  ],
  device_links: [{ token: 'device.mock.sofa' }],
} satisfies ScenarioInput

const list = '/matchmaker/lobbies/list'
const find = '/matchmaker/lobbies/find'

/** Sends a request before the page opens, so that it does not invite to the first one. */
const prepare = async ({ send }: Pick<OpenDashboard, 'send'>) => void (await send(list))

/** Presses a button with the keyboard. */
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).press('Enter')

/** Loads the page again, and holds the rows of the world. Returns the function that lets them go. */
async function reloadWithoutWorld(page: Page): Promise<() => void> {
  const release = deferred()
  await page.route('**/__mock/rows*', async route => {
    await release.promise
    await route.continue()
  })
  await page.reload()
  await page.locator('[data-connection=live]').waitFor()
  return () => release.resolve()
}

/** Opens the form of any other fault. */
async function openForm(page: Page): Promise<void> {
  const summary = page.getByText('Another fault')
  await summary.waitFor()
  await summary.press('Enter')
}

/** Chooses an option of a list with the arrow keys. */
async function choose(page: Page, label: string | RegExp, option: string): Promise<void> {
  const box = page.getByRole('combobox', { name: label, exact: typeof label === 'string' })
  await box.locator('option', { hasText: option }).first().waitFor({ state: 'attached' })
  const options = await box.locator('option').allInnerTexts()
  const chosen = () => box.evaluate((select: HTMLSelectElement) => select.selectedIndex)
  for (let at = await chosen(); at !== options.indexOf(option); at = await chosen()) {
    await box.press(at < options.indexOf(option) ? 'ArrowDown' : 'ArrowUp')
    await expect.poll(chosen).not.toBe(at)
  }
}

const rowsOf = (page: Page, panel: 'lobbies' | 'requests') => page.locator(`.${panel} .rows [role=row]`).allInnerTexts()
const notesOf = (page: Page) => page.locator('.region-list td:last-child').allInnerTexts()
const said = (page: Page) => page.getByRole('status')

describe('the header', () => {
  it('moves the clock, lets it run, and goes to the next event', async ({ open }) => {
    const { page, mock } = await open({ scenario })
    const start = mock.clock.now()

    await press(page, /^Clock: Frozen/)
    await page
      .getByRole('button', { name: /^Next event/ })
      .getByText('5 min: a player leaves')
      .waitFor()
    await press(page, '+1 min')
    await expect.poll(() => mock.clock.now()).toBe(start + 60_000)
    await press(page, /^Next event/)
    await expect.poll(() => mock.clock.now()).toBe(start + 300_000)
    await press(page, '+1 h')
    await expect.poll(() => page.locator('.clock-menu time').innerText()).toBe('2026-11-20 21:05:00 UTC')

    await choose(page, 'Speed of the clock', '×60')
    await expect.poll(() => mock.clock.rate).toBe(60)
    await press(page, 'Run')
    await expect.poll(() => mock.clock.mode).toBe('running')
    await press(page, 'Freeze')
    await expect.poll(() => mock.clock.mode).toBe('frozen')
  })

  it('copies the world, and deletes the copy', async ({ open }) => {
    const { page, mock, url } = await open({ scenario })

    await press(page, /^World: default/)
    await page.getByLabel('A copy of this world').fill('mine')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/w/mine/`)

    expect(mock.worlds.get('mine')?.world.lobbies.count()).toBe(3)
    for (const id of ['a', 'b', 'c', 'd', 'minor']) await mock.worlds.put(id)
    await press(page, /^World: mine/)
    await page.getByRole('searchbox', { name: 'Search the worlds' }).fill('MIN')
    await expect.poll(() => page.locator('.worlds .choice b').allInnerTexts()).toEqual(['mine', 'minor'])
    await page.getByRole('searchbox', { name: 'Search the worlds' }).fill('none')
    await page.getByText('No world matches.').waitFor()
    for (const id of ['a', 'b', 'c', 'd', 'minor']) await mock.worlds.delete(id)
    await expect.poll(() => page.getByRole('searchbox', { name: 'Search the worlds' }).count()).toBe(0)
    await press(page, 'Delete this world')
    await page.waitForURL(`${url}/`)
    await expect.poll(() => mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
  })

  it('says where the worlds are kept, and which of them are asleep', async ({ open }) => {
    const data = dataPath()
    const before = createMockmaker({ scenario })
    keepInFolder(mockOf(before, 'test'), { data, report: () => {} })
    await before.worlds.put('yesterday')
    await before.close()

    const { page, complaints } = await open({ scenario, data })

    await press(page, /^World: default/)
    await page.getByText(/^The worlds are kept in .*: \d.* KB\.$/).waitFor()
    const asleep = page.getByRole('button', {
      name: /^yesterday Two modes 3 players, \d+ s old, used \d+ s ago asleep, its clock at 2026-11-20 20:00:00$/,
    })
    await asleep.press('Enter')
    await page.waitForURL(/\/w\/yesterday\/$/)
    await press(page, /^World: yesterday/)
    await page.getByRole('button', { name: /^yesterday Two modes 3 players, .* ago$/ }).waitFor()
    expect(complaints).toEqual([])
  })

  it('resets the world, says what is lost and keeps what it is told to keep, and loads another scenario, with what each is for', async ({
    open,
  }) => {
    const { page, mock, send } = await open({ scenario })
    await send(list)
    mock.faults.add({ effect: { hold: true } })
    await mock.world.lobbies.delete('open')

    await press(page, /^Scenario/)
    await page.getByText('You lose all changes of the world, 1 request, 1 fault, the time of the clock.').waitFor()
    await page.getByRole('checkbox', { name: 'faults' }).press('Space')
    await page.getByText('You lose all changes of the world, 1 request, the time of the clock.').waitFor()
    await press(page, 'Reset to the start')

    await said(page).getByText('Two modes begins again.').waitFor()
    expect([mock.world.lobbies.count(), mock.journal.find().length, mock.faults.list().length]).toEqual([3, 0, 1])

    await press(page, /^Scenario/)
    await press(page, /^A quiet evening A small game with seven lobbies/)

    await expect.poll(() => mock.world.title).toBe('A quiet evening')
    await page
      .getByRole('button', { name: /^Scenario/ })
      .getByText('A quiet evening')
      .waitFor()
  })
})

describe('the faults', () => {
  it('are switched on for once, and off, and hold every find until they are released', async ({ open }) => {
    const { page, mock, send } = await open({ scenario })

    await press(page, /^Faults/)
    await page.getByRole('group', { name: 'Rate limited' }).getByRole('button', { name: 'Once' }).press('Enter')
    await page.getByRole('list', { name: 'Faults' }).getByText('error API_RATE_LIMIT, every request, once').waitFor()
    await page.getByRole('group', { name: 'Rate limited' }).getByRole('button', { name: 'Once' }).press('Enter')
    await said(page).getByText('This fault is on already.').waitFor()
    expect(mock.faults.list()).toHaveLength(1)

    expect([await send(list), await send(list)]).toEqual([429, 200])
    await page.getByRole('list', { name: 'Faults' }).getByText('over').waitFor()
    await press(page, 'Remove')
    await page.getByText('No fault is on.').waitFor()
    expect(mock.faults.list()).toEqual([])

    await page
      .getByRole('group', { name: 'Hold every find until you release it' })
      .getByRole('button', { name: 'Until off' })
      .press('Enter')
    await expect.poll(() => mock.faults.list().length).toBe(1)

    const seat = send(find, { game_modes: ['ffa'] })
    await mock.blocked(1)
    await press(page, 'Release')

    expect(await seat).toBe(200)
  })

  it('can be any other, and are refused with the sentence of the mock', async ({ open }) => {
    const { page, mock } = await open({ scenario })

    await press(page, /^Faults/)
    await openForm(page)
    await page.getByLabel('Operation', { exact: true }).last().fill('lobbies.lst')
    await press(page, 'Turn it on')
    await said(page).getByText('Did you mean lobbies.list?').waitFor()
    expect(mock.faults.list()).toEqual([])
    await page.getByLabel('Operation', { exact: true }).last().fill('lobbies.*')
    await page.getByLabel('Status').fill('503')
    await page.getByLabel('Message').fill('down for now')
    await page.getByLabel('Times').fill('2')
    await page.getByLabel('Of 100 requests').fill('50')
    await press(page, 'Turn it on')

    await expect
      .poll(() => mock.faults.list())
      .toMatchObject([
        { operation: 'lobbies.*', effect: { error: { status: 503, message: 'down for now' } }, times: 2, chance: 0.5 },
      ])

    await choose(page, 'Effect', 'Shift the date header')
    await page.getByRole('textbox', { name: 'Shift' }).fill('-5m')
    await press(page, 'Turn it on')
    await expect.poll(() => mock.faults.list()).toMatchObject([{}, { effect: { date: '-5m' } }])
    await choose(page, 'Effect', 'Take a region down')
    await choose(page, 'Region', 'Tokyo')
    await page.getByLabel('For').fill('10s')
    await press(page, 'Turn it on')
    await expect
      .poll(() => mock.faults.list())
      .toMatchObject([{}, {}, { region: 'lnd-tok', effect: { outage: true }, for: '10s' }])
  })
})

describe('the map', () => {
  it('moves the player with the arrow keys, and says what a find gets there', async ({ open }) => {
    const { page, mock } = await open({ scenario, prepare })
    await expect.poll(() => notesOf(page)).toEqual(['next find, 424 km', '', ''])

    const you = page.getByRole('button', { name: /^you, at/ })
    for (let i = 0; i < 9; i++) {
      const before = await you.getAttribute('aria-label')
      await you.press('Shift+ArrowRight')
      await expect.poll(() => you.getAttribute('aria-label')).not.toBe(before)
    }

    await expect.poll(() => notesOf(page)).toEqual(['', '', expect.stringMatching(/^next find, [\d,]+ km$/)])
    expect(mock.explain({ find: 'duel' }).region_id).toBe('lnd-tok')
  })

  it('moves the player one step after the other, however slow the mock answers', async ({ open }) => {
    const { page, mock } = await open({ scenario })
    const you = page.getByRole('button', { name: /^you, at/ })
    const { longitude = 0 } = mock.world.settings.all()[0]?.client ?? {}
    let answerFirst = () => {}
    const held = new Promise<void>(resolve => {
      answerFirst = resolve
    })
    let sent = 0
    await page.route('**/__mock/client', async route => {
      sent += 1
      if (sent === 1) await held
      await route.continue()
    })

    await you.press('ArrowRight')
    await you.press('ArrowRight')
    await expect.poll(() => sent).toBe(1)
    answerFirst()

    await expect.poll(() => mock.world.settings.all()[0]?.client?.longitude).toBeCloseTo(longitude + 2)
    expect(sent).toBe(2)
  })

  it('moves the player with the pointer', async ({ open }) => {
    const { page, mock } = await open({ scenario })
    const box = await page.getByRole('button', { name: /^you, at/ }).boundingBox()
    if (!box) throw new Error('the place is not shown')

    await page.mouse.move(box.x + 5, box.y + 5)
    await page.mouse.down()
    await page.mouse.move(box.x - 60, box.y + 100, { steps: 4 })
    await page.mouse.up()

    await expect.poll(() => mock.snapshot().client?.latitude).toBeLessThan(45)
    expect(mock.snapshot().client?.longitude).toBeLessThan(5)
  })

  it('names the next find always, and regions without room while the pointer is over them', async ({ open }) => {
    const { page } = await open({
      scenario: {
        clock: 'frozen',
        game_modes: ['duel'],
        regions: Array.from({ length: 9 }, (_, i) => ({
          region_id: `near-${i}`,
          datacenter_coord: { latitude: 50, longitude: 8 },
          region_display_name: `Near ${i}`,
        })),
        lobbies: [{ game_mode_id: 'duel', region_id: 'near-4', players: [{}] }],
      },
      size: { width: 390, height: 844 },
      prepare,
    })
    await page.locator('.map text:visible', { hasText: 'Near 4 1next find' }).waitFor()
    // The last circle is the top one.
    const hidden = page.locator('.map .region:has([data-hidden])').last()
    expect(await hidden.locator('text').isVisible()).toBe(false)

    await hidden.locator('.disc').hover({ force: true })

    await hidden.locator('text:visible').waitFor()
  })

  it('moves in 150 ms or at once, and is a table too, which selects the lobbies of a region', async ({ open }) => {
    const { page } = await open({ scenario, prepare })
    const seconds = () =>
      page
        .locator('.map .disc')
        .first()
        .evaluate(one => getComputedStyle(one).transitionDuration)
    expect(await seconds()).toBe('0s')
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect(await seconds()).toContain('0.15s')

    await expect
      .poll(() => page.locator('.region-list tbody tr').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Frankfurt\t2\t1\t2 of 2\tnext find/),
        expect.stringContaining('London\t1\t1\t1 of 8'),
        expect.stringContaining('Tokyo\t0\t1\t0 of 8'),
      ])
    await press(page, 'London')
    await press(page, 'Show its lobbies 1')

    await expect.poll(() => rowsOf(page, 'lobbies')).toEqual([expect.stringContaining('London')])
  })

  it('finds a seat in a region by its menu, takes it down, says so, and brings it back', async ({ open }) => {
    const { page, mock, send } = await open({ scenario, size: { width: 1440, height: 900 } })
    const focused = () => page.evaluate(() => document.activeElement?.textContent)

    await page.locator('.map .region', { hasText: 'London' }).locator('.disc').click({ button: 'right' })
    await page.locator('.map .region[data-selected]', { hasText: 'London' }).waitFor()
    // The find opens itself. Who closes it before the page has asked for it does not see it again.
    const release = deferred()
    await page.route('**/__mock/journal?*', async route => {
      await release.promise
      await route.continue()
    })
    await press(page, 'Find a seat here')
    await page
      .getByRole('region', { name: 'The chosen request' })
      .getByText(/^London won/)
      .waitFor()
    expect(mock.journal.find()).toMatchObject([{ body: { game_modes: ['ffa'], regions: ['lnd-lon'] } }])
    await page.keyboard.press('Escape')
    await page.locator('.details').waitFor({ state: 'detached' })
    const answered = page.waitForResponse('**/__mock/journal?*')
    release.resolve()
    await answered

    await press(page, 'Frankfurt')
    await page.getByText('Take down Frankfurt…').waitFor()
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await page.getByText('1 lobby stops, 2 players lose seats').waitFor()
    await expect.poll(focused).toBe('for 30 s Enter')
    await page.keyboard.press('Enter')

    await expect
      .poll(() => mock.faults.list())
      .toMatchObject([{ region: 'lnd-fra', effect: { outage: true }, for: '30s' }])
    await page.locator('.map-title', { hasText: '2 of 3 regions' }).getByText('Frankfurt down').waitFor()
    await expect.poll(() => notesOf(page)).toContain('down, back in 30 s')
    await expect
      .poll(() => rowsOf(page, 'lobbies'))
      .toContainEqual(expect.stringMatching(/had 2 \/ 2\s+–\s+stopped, region down[\s\S]*ended/))
    await page.getByText('1 of 2 has a free seat, 1 stopped in Frankfurt').waitFor()
    await send('/matchmaker/regions')
    await page.locator('.request', { hasText: 'Frankfurt is down, and stays listed.' }).waitFor()
    await press(page, 'Bring Frankfurt back')
    await expect.poll(() => mock.faults.list()).toEqual([])
    await expect.poll(() => page.locator('[data-kind=down]').count()).toBe(0)

    await page.keyboard.press('Control+k')
    await page.keyboard.type('take down tok')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'until I bring it back' }).press('Enter')
    await expect.poll(() => mock.faults.list()).toMatchObject([{ region: 'lnd-tok' }])
    await expect.poll(() => notesOf(page)).toContain('down')
  })
})

describe('the lobbies', () => {
  it('can be filtered, and made', async ({ open }) => {
    const { page, mock } = await open({ scenario })
    await expect.poll(() => rowsOf(page, 'lobbies')).toHaveLength(3)

    await choose(page, 'Which lobbies', 'Free seats')
    await expect.poll(() => rowsOf(page, 'lobbies')).toEqual([expect.stringContaining('London')])
    await choose(page, 'Which lobbies', 'Not listed')
    await expect.poll(() => rowsOf(page, 'lobbies')).toEqual([expect.stringMatching(/Tokyo[\s\S]*closed/)])
    await choose(page, 'Which lobbies', 'All lobbies')
    await choose(page, 'Game mode', 'duel')
    await expect.poll(() => rowsOf(page, 'lobbies')).toEqual([expect.stringMatching(/duel[\s\S]*Harbour[\s\S]*2 \/ 2/)])

    await press(page, 'Make a lobby')
    const region = page.getByRole('combobox', { name: /^Region/ })
    expect(await region.locator('option:checked').innerText()).toBe('Frankfurt')
    await choose(page, /^Region/, 'Tokyo')
    await page.getByLabel('Players who play in it').fill('2')
    await press(page, 'Make the lobby')

    await page.getByRole('heading', { name: 'duel in Tokyo' }).waitFor()
    expect(mock.world.lobbies.all().at(-1)).toMatchObject({
      game_mode_id: 'duel',
      region_id: 'lnd-tok',
      total_player_count: 2,
    })
  })

  it('cannot be made without a game mode, and lead to the scenarios', async ({ open }) => {
    const { page, mock } = await open({ scenario: { title: 'A new game' } })
    const lobbies = page.getByRole('region', { name: 'Lobbies' })

    await lobbies.getByText('This world has no game mode.').waitFor()
    await lobbies.getByRole('button', { name: 'Make a lobby' }).press('Enter')
    await page
      .getByRole('dialog', { name: 'Make a lobby' })
      .getByRole('button', { name: 'Load a scenario' })
      .press('Enter')
    await press(page, /^A quiet evening/)

    await expect.poll(() => mock.world.title).toBe('A quiet evening')
    await lobbies.getByText('This world has no game mode.').waitFor({ state: 'detached' })
  })

  it('have an age, which is at least known, also if they are older than the page', async ({ open }) => {
    // A narrower table leaves the age out.
    const { page, mock, url } = await open({ scenario, size: { width: 1440, height: 900 } })
    await mock.clock.advance('2m')
    await mock.lobby({ game_mode_id: 'duel' })
    await mock.clock.advance('5m')

    await page.goto(`${url}/?sort=age`)

    const ages = page.locator('.lobbies .rows [role=row]')
    await expect.poll(() => ages.allInnerTexts()).toHaveLength(4)
    const texts = await ages.allInnerTexts()
    expect(texts.map(text => text.split('\n').at(-1)?.trim())).toEqual(['5 min', '> 7 min', '> 7 min', '> 7 min'])
  })

  it('can be found once a game mode is added', async ({ open }) => {
    const { page, mock, send } = await open({ scenario: { title: 'A new game', regions: ['lnd-fra'] } })

    await page.getByRole('region', { name: 'Lobbies' }).getByRole('button', { name: 'Add a game mode' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add a game mode' })
    await dialog.getByLabel('Name').fill('a b')
    await dialog.getByRole('button', { name: 'Add the game mode' }).press('Enter')
    await dialog.getByText(/game_mode_id/).waitFor()
    expect(mock.world.gameModes.count()).toBe(0)
    await dialog.getByLabel('Name').fill('duel')
    await dialog.getByLabel('Seats of a lobby').fill('2')
    await dialog.getByLabel('Seats of a lobby').press('Enter')

    await expect.poll(() => mock.world.gameModes.all()).toMatchObject([{ game_mode_id: 'duel', max_players_normal: 2 }])
    expect(await send(find, { game_modes: ['duel'] })).toBe(200)
  })

  it('get a game mode in the first namespace from a form that was asked for before the page had the world', async ({
    open,
  }) => {
    const { page, mock } = await open({ scenario: scenarios.nasty })
    const before = mock.world.gameModes.count()
    const [first] = mock.world.namespaces.all()
    const release = await reloadWithoutWorld(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Add a game mode')
    await page.keyboard.press('Enter')

    release()

    const dialog = page.getByRole('dialog', { name: 'Add a game mode' })
    await dialog.getByLabel('Name', { exact: true }).fill('made-early')
    expect(await dialog.getByRole('combobox', { name: 'Namespace' }).inputValue()).toBe(first?.namespace_id)
    await dialog.getByLabel('Name', { exact: true }).press('Enter')
    await expect.poll(() => mock.world.gameModes.count()).toBe(before + 1)
    expect(mock.world.gameModes.all().at(-1)).toMatchObject({
      game_mode_id: 'made-early',
      namespace_id: first?.namespace_id,
    })
  })

  it('are opened with the arrow keys and Enter, and closed, filled, emptied and stopped', async ({ open }) => {
    const { page, mock } = await open({ scenario })
    const lobby = () => mock.world.lobbies.get('open')

    await page.getByRole('grid', { name: '3 lobbies' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    const details = page.getByRole('region', { name: 'The chosen lobby' })
    await details.getByRole('heading', { name: 'ffa in London' }).waitFor()
    await details.getByText('leaves in 5 min').waitFor()

    await press(page, 'Add a player')
    await expect.poll(() => lobby()?.total_player_count).toBe(2)
    await press(page, 'Fill')
    await expect.poll(() => lobby()?.total_player_count).toBe(8)
    await press(page, 'Empty')
    await expect.poll(() => lobby()?.total_player_count).toBe(0)
    await details.getByRole('button', { name: 'Close', exact: true }).last().press('Enter')
    await expect.poll(() => lobby()?.is_closed).toBe(true)
    await page.getByText('Why is it not in my list?').waitFor()
    await details.getByText('it is closed (is_closed)').waitFor()
    await press(page, 'Stop')
    await expect.poll(() => lobby()?.status).toBe('stopped')
  })

  it('without a game server get one by the first player, or are passed by until they are yours', async ({ open }) => {
    const { page, mock } = await open({ scenario, path: '/?lobby=full' })
    const { world } = mockOf(mock, 'test').default
    const leave = (starts: boolean) => {
      world.starter = { starts: () => starts, serves: () => false, endText: () => undefined }
      mock.world.lobbies.update(q => q.where({ lobby_id: 'full' }), {
        data(lobby) {
          lobby.run_by = 'none'
        },
      })
    }

    leave(false)
    await page.getByText('Finds pass this lobby by.').waitFor()
    await press(page, 'Treat as mine')
    await expect.poll(() => mock.world.lobbies.get('full')?.run_by).toBe('server')
    await page.getByText('Finds pass this lobby by.').waitFor({ state: 'hidden' })
    leave(true)

    await page.getByText('No server here: the first player starts one.').waitFor()
    await page.getByRole('heading', { name: 'Game server: none' }).waitFor()
  })

  it('show the variables for a game server of your own, and get another state, unless that is no JSON', async ({
    open,
  }) => {
    const { page, mock, url } = await open({ scenario, path: '/?lobby=full' })

    const shown = await page.getByRole('region', { name: 'Environment of the game server' }).innerText()
    expect(shown).toContain(`export RIVET_TOKEN=${mock.lobbyEnvironment('full', { url }).RIVET_TOKEN}\n`)
    await page.getByLabel('State, as JSON').fill('{"map": ')
    await press(page, 'Save the state')
    await said(page).getByText('The state is no JSON').waitFor()
    await page.getByLabel('State, as JSON').fill('{"map": "Old Town"}')
    await press(page, 'Save the state')

    await expect.poll(() => mock.world.lobbies.get('full')?.state).toEqual({ map: 'Old Town' })
  })
})

describe('the requests', () => {
  it('say how each ended, and can be filtered, paused and cleared', async ({ open }) => {
    const { page, mock, send } = await open({ scenario })
    await send(list)
    await send(find, { game_modes: ['none'] })
    await send(find, { game_modes: ['ffa'] })

    await expect
      .poll(() => rowsOf(page, 'requests'))
      .toEqual([
        expect.stringMatching(/200\s+lobbies\.find[\s\S]*seat in London/),
        expect.stringMatching(/400\s+lobbies\.find[\s\S]*The namespace has no game mode "none"/),
        expect.stringMatching(/200\s+lobbies\.list[\s\S]*2 lobbies/),
      ])
    await press(page, /^Errors/)
    await expect.poll(() => rowsOf(page, 'requests')).toHaveLength(1)
    await press(page, /^Errors/)
    await choose(page, 'Operation', 'lobbies.list')
    await expect.poll(() => rowsOf(page, 'requests')).toHaveLength(1)
    await press(page, 'Pause')
    await send(list)
    await expect.poll(() => mock.journal.find().length).toBe(4)
    expect(await rowsOf(page, 'requests')).toEqual([expect.not.stringContaining('×2')])
    await press(page, 'Pause')
    await expect.poll(() => rowsOf(page, 'requests')).toEqual([expect.stringContaining('×2')])
    await press(page, 'Clear')
    await expect.poll(() => mock.journal.find()).toEqual([])
    await page.getByText('Or send the first request from your code').waitFor()
  })

  it('say why they were answered so and what they changed, or why that cannot be read, if the mock still has them', async ({
    open,
  }) => {
    const { page, mock, send } = await open({ scenario })
    await send(find, { game_modes: ['ffa'] })
    const [entry] = mock.journal.find()

    await page.getByRole('grid', { name: '1 request' }).press('ArrowDown')
    await page.keyboard.press('Enter')
    const details = page.getByRole('region', { name: 'The chosen request' })

    const { because } = mock.explain({ exchange: entry?.id })
    await details.getByText('London won: no other lobby had a free seat that fits.').waitFor()
    await page.getByText('2 regions compared, 1 beyond this map').waitFor()
    const rows = details.locator('.candidates .rows [role=row]')
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/open\s*London\s*1 \/ 8[\s\S]*chosen/),
      expect.stringMatching(/closed\s*Tokyo\s*0 \/ 8[\s\S]*closed/),
    ])
    await details.getByText('What else the mock knows').press('Enter')
    expect(await details.locator('.reasons li').allInnerTexts()).toEqual(because)
    expect(await details.getByRole('region', { name: 'Body of the request' }).innerText()).toContain('"ffa"')
    await press(page, 'Answer')
    expect(await details.getByRole('region', { name: 'Body of the answer' }).innerText()).toContain(
      '"lobby_id": "open"',
    )
    await press(page, 'Changed')
    await details.getByText('reserved_player_count: 0 → 1').waitFor()
    await details
      .getByText(/expires_at: "?2026-11-/)
      .first()
      .waitFor()

    await page.route('**/__mock/explain*', route =>
      route.fulfill({ status: 500, json: { code: 'INTERNAL', message: 'the mock has a bug' } }),
    )
    await send(list)
    await page.getByRole('grid', { name: '2 requests' }).waitFor()
    await page.locator('.requests .rows [role=row]').first().click()
    await details.getByText('the mock has a bug').waitFor()
    expect(await details.getByText('no longer kept').count()).toBe(0)
  })

  it('are copied as curl with the whole token, and save the world before them', async ({ open }) => {
    const { page, mock, url } = await open({ scenario })
    const token = mock.tokens.find(({ kind }) => kind === 'public')?.token
    await fetch(url + find, {
      method: 'POST',
      body: '{"game_modes":["it\'s"]}',
      headers: { authorization: `Bearer ${token}`, 'x-coords': '1,2' },
    })
    await page.getByRole('grid', { name: '1 request' }).press('ArrowDown')
    await page.keyboard.press('Enter')

    await page.locator('.foot').getByRole('button', { name: 'Copy' }).press('Enter')
    // The button says so for a moment only.
    await Promise.all([page.getByRole('button', { name: 'Copied ✓' }).waitFor(), press(page, 'Copy as curl')])

    const line = await page.evaluate(() => navigator.clipboard.readText())
    expect(line).toContain(`'authorization: Bearer ${token}'`)
    expect(line).toContain(String.raw`--data-raw '{"game_modes":["it'\''s"]}' ${url}${find}`)

    const [entry] = mock.journal.find()
    await press(page, 'More')
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Save the world before this')])

    expect(download.suggestedFilename()).toBe('world.yaml')
    const saved = parseScenario(await readFile(await download.path(), 'utf8'))
    expect(saved).toEqual(JSON.parse(JSON.stringify(mock.snapshot({ before: entry?.id, with: ['faults'] }))))
  })
})

describe('the timeline', () => {
  it('shows the past, in which nothing can be changed, and forks from there', async ({ open }) => {
    const { page, mock, url } = await open({ scenario })
    await mock.world.lobbies.delete('full')
    await mock.world.lobbies.delete('open')
    await expect.poll(() => rowsOf(page, 'lobbies')).toHaveLength(1)

    await page.getByRole('slider', { name: 'Revision' }).press('ArrowLeft')
    const banner = page.getByRole('region', { name: 'The past' })
    await banner.getByText(/^You see 20:00:00, 0 ms ago\. Change \d+ of \d+: .*\.$/).waitFor()
    await expect
      .poll(() => rowsOf(page, 'lobbies'))
      .toEqual([expect.stringMatching(/London[\s\S]*stopped\s*stopped/), expect.not.stringMatching('stopped')])
    expect(await page.getByRole('button', { name: 'Make a lobby' }).count()).toBe(0)
    await mock.world.lobbies.update('closed', { is_closed: false })
    await page.getByRole('grid', { name: '2 lobbies' }).getByText('opened', { exact: true }).waitFor()
    await press(page, /^Clock: Past/)
    expect(await page.getByRole('button', { name: '+1 min' }).isDisabled()).toBe(true)
    await page.getByRole('slider', { name: 'Revision' }).press('Home')
    await expect.poll(() => rowsOf(page, 'lobbies')).toHaveLength(3)
    await page.getByRole('slider', { name: 'Revision' }).press('ArrowRight')
    await expect.poll(() => rowsOf(page, 'lobbies')).toHaveLength(2)
    await page.getByRole('slider', { name: 'Revision' }).press('End')
    await expect.poll(() => rowsOf(page, 'lobbies')).toHaveLength(1)

    await page.getByRole('slider', { name: 'Revision' }).press('Home')
    await press(page, 'Fork from here')
    await page.waitForURL(`${url}/w/default-before-20-00-00/`)
    await expect.poll(() => rowsOf(page, 'lobbies')).toHaveLength(3)
    expect(mock.worlds.list()).toHaveLength(2)
  })

  it('moves a staged fault to the time that it gets', async ({ open }) => {
    const { page, mock } = await open({ scenario, path: '/?view=faults' })
    await openForm(page)
    await page.getByLabel('After').fill('20s')
    await page.getByLabel('For').fill('10s')
    await press(page, 'Turn it on')
    const begin = () => mock.faults.list().map(({ begins_at, ends_at }) => [begins_at, ends_at].join(' to '))
    await expect.poll(begin).toEqual(['2026-11-20T20:00:20.000Z to 2026-11-20T20:00:30.000Z'])
    const faults = page.getByRole('list', { name: 'Faults' })
    await faults.getByLabel('Begins in').waitFor()

    await faults.getByLabel('Begins in').fill('soon')
    await faults.getByLabel('Begins in').press('Enter')
    await said(page).getByText('Begins in is "soon": expected a number with ms, s, m, h or d').waitFor()
    await faults.getByLabel('Begins in').fill('1m')
    await faults.getByLabel('Begins in').press('Enter')
    await expect.poll(begin).toEqual(['2026-11-20T20:01:00.000Z to 2026-11-20T20:01:10.000Z'])
    await mock.clock.advance('1m')
    await faults.getByLabel('Begins in').waitFor({ state: 'detached' })
  })

  it('travels in time where the timeline is clicked, and selects requests when a span is dragged over', async ({
    open,
  }) => {
    const { page, mock, send } = await open({ scenario })
    await send(find, { game_modes: ['none'] })
    await mock.clock.advance('30s')
    await mock.world.lobbies.delete('full')
    await send(list)
    await expect.poll(() => rowsOf(page, 'requests')).toHaveLength(2)
    const canvas = page.locator('canvas')
    const { x, y, width } = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0 }
    const at = (seconds: number) => x + width * (2 / 3) * (1 - seconds / 60)
    const drag = async (from: number, to: number) => {
      await page.mouse.move(at(from), y + 60)
      await page.mouse.down()
      await page.mouse.move(at(to), y + 60, { steps: 5 })
      await page.mouse.up()
    }

    await page.mouse.move(at(19.5), y + 60)
    await page.getByText('20:00:10, click to go there').waitFor()
    await expect.poll(() => rowsOf(page, 'lobbies')).toHaveLength(2)
    await page.mouse.click(at(19.5), y + 60)
    await page
      .getByRole('region', { name: 'The past' })
      .getByText(/^You see 20:00:\d\d, \d+ s ago\./)
      .waitFor()
    await expect.poll(() => rowsOf(page, 'lobbies')).toHaveLength(3)
    await press(page, /^Back to now/)
    await expect.poll(() => rowsOf(page, 'lobbies')).toHaveLength(2)

    await drag(40, 25)
    await expect.poll(() => rowsOf(page, 'requests')).toHaveLength(1)
    await page.getByRole('button', { name: /Show all times/ }).press('Enter')
    await expect.poll(() => rowsOf(page, 'requests')).toHaveLength(2)
  })

  it('travels where it is clicked, also if the clock moves on during the click, and draws a span while it is brushed', async ({
    open,
  }) => {
    const { page, mock } = await open({ scenario })
    await mock.clock.advance('30s')
    await mock.world.lobbies.delete('full')
    await expect.poll(() => rowsOf(page, 'lobbies')).toHaveLength(2)
    const { x, y, width } = (await page.locator('canvas').boundingBox()) ?? { x: 0, y: 0, width: 0 }

    await page.mouse.move(x + width / 3, y + 60)
    await page.mouse.down()
    await mock.clock.advance('5s')
    await page.getByText(/^(now|frozen) 20:00:35$/).waitFor()
    await page.mouse.up()

    await page.getByRole('region', { name: 'The past' }).waitFor()
    expect(await page.getByRole('button', { name: /Show all times/ }).count()).toBe(0)

    // Nothing but the span changes.
    const draw = () => page.locator('canvas').evaluate(one => (one as HTMLCanvasElement).toDataURL())
    await page.mouse.move(x + 300, y + 60)
    await page.mouse.down()
    const before = await draw()
    await page.mouse.move(x + 500, y + 60, { steps: 5 })
    await expect.poll(draw).not.toBe(before)
    await page.mouse.up()
  })
})

describe('the devices', () => {
  it('are completed as a game, and expire', async ({ open }) => {
    const { page, mock, url } = await open({ scenario })

    await press(page, 'Devices 1')
    const devices = page.getByRole('region', { name: 'Devices' })
    expect(await devices.getByRole('link', { name: 'Open its page' }).getAttribute('href')).toBe(
      `${url}/devices/link/device.mock.sofa`,
    )
    await devices.getByRole('img', { name: 'QR code of the page of the link' }).waitFor()
    await press(page, 'Complete as Game')
    await devices.getByText('complete: the device has a cloud token').waitFor()
    expect(mock.world.deviceLinks.get('device.mock.sofa')?.status).toBe('complete')

    await mock.world.deviceLinks.create({ token: 'device.mock.tv' })
    await press(page, 'Expire now')
    await devices.getByText('expired', { exact: true }).waitFor()
  })
})

describe('the first minute', () => {
  it('has a find that opens its reasons, its way and its story, wherever it comes from, and says what to try next', async ({
    open,
  }) => {
    const { page, mock, url, complaints } = await open({ scenario: { ...scenarios.default, clock: 'frozen' } })
    const invitation = page.locator('.invitation')
    await invitation
      .getByText(
        'You are 424 km from Frankfurt, and three lobbies of free-for-all have a seat. Which one will you get?',
      )
      .waitFor()
    await expect
      .poll(() => notesOf(page))
      .toEqual(expect.arrayContaining(['1 seat free, 6,494 km', '3 seats free, 424 km', '8 seats free, 16,089 km']))
    await expect.poll(() => page.locator('.badge').count()).toBe(0)
    await page.locator('.lane-hints').getByText('never connected').waitFor()
    await invitation.locator('li button', { hasText: 'Toronto' }).hover()
    await page.locator('.map .region[data-selected]', { hasText: 'Toronto' }).waitFor()
    for (const name of ['curl', 'fetch', 'Godot', 'Unity', 'MSW']) {
      await press(page, name)
      await expect.poll(() => invitation.locator('pre').innerText()).toContain(url)
    }
    // A world in which no lobby fits.
    await choose(page, 'Mode', 'duel')
    await mock.world.lobbies.update(mock.explain({ find: 'duel' }).candidates?.[0]?.lobby_id ?? '', { is_closed: true })
    await invitation.getByText('No lobby of duel has a free seat. A find makes one.').waitFor()
    await choose(page, 'Mode', 'free-for-all')
    await page.locator('h1').click()
    await page.keyboard.press('Enter')

    const details = page.getByRole('region', { name: 'The chosen request' })
    await details
      .getByText(
        'Toronto won although Frankfurt is nearer: a find takes the fullest lobby that fits, and this one had 11 of 12 seats taken.',
      )
      .waitFor()
    const { name = '', token = '' } = mock.stories.list().stories[0] ?? {}
    await details.getByText(`Gave the seat to ${name} in free-for-all, Toronto.`).waitFor()
    await details.getByText('on the way', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Players 39 + 1 on the way' }).waitFor()
    await page.getByText('4 regions compared, 2 beyond this map').waitFor()
    await expect.poll(() => notesOf(page)).toEqual(expect.arrayContaining(['chosen, 6,494 km', 'lost, 424 km']))
    await page.locator('.route[mask]').waitFor()
    await mock.clock.advance('10s')
    await page.getByText(`the seat of ${name}`).waitFor()
    await expect
      .poll(() => details.locator('.steps b').allInnerTexts())
      .toEqual(['Found', 'Seat reserved', 'Connected'])
    await page.getByRole('region', { name: 'Try next' }).getByText('Toronto is full now: who wins?').waitFor()

    // F makes a fault of the open request. Without one, it fails the next find.
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    await page.keyboard.press('f')
    await expect.poll(() => mock.faults.list()).toMatchObject([{ operation: 'lobbies.find', times: 1 }])
    await page.keyboard.press('Enter')
    await details.getByText('503', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByRole('region', { name: 'Try next' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    await press(page, 'Clear')
    await invitation.waitFor()
    mock.hold('lobbies.find')
    const answer = fetch(url + find, { method: 'POST', body: '{"game_modes":["free-for-all"]}' })
    await page.getByRole('list', { name: 'Requests that wait' }).getByText('lobbies.find').waitFor()
    await invitation.waitFor({ state: 'detached' })
    mock.faults.clear()
    await answer
    await details.getByText(/^Frankfurt won/).waitFor()
    await details.getByRole('button', { name: 'Open the story' }).press('Enter')
    await page.getByRole('region', { name: 'The chosen player' }).waitFor()
    expect(page.url()).not.toContain(token)
    expect(complaints.filter(text => !text.includes('503'))).toEqual([])
  })
})

describe('connecting a client', () => {
  it('has code for each client, with the URL and a token', async ({ open }) => {
    const { page, mock, url } = await open({ scenario })
    const { token = '' } = mock.tokens.find(({ kind }) => kind === 'public') ?? {}
    await press(page, 'Connect a client')
    const dialog = page.getByRole('dialog', { name: 'Connect a client' })

    for (const name of ['Godot', 'Unity', 'Unreal', 'JavaScript', 'fetch', 'MSW', 'curl', 'PowerShell']) {
      await dialog.getByRole('button', { name, exact: true }).press('Enter')
      const code = await dialog.getByRole('region', { name: `Code for ${name}` }).innerText()
      expect(code).toContain(url)
      expect(code).toContain(token)
    }
  })
})
