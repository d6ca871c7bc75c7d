import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { describe, expect, onTestFinished } from 'vitest'
import { ownWorld } from '../../src/cli/key-world.js'
import { writeWorldFile } from '../../src/cli/keys.js'
import { createMock } from '../../src/core/mock/mock.js'
import type { ScenarioInput } from '../../src/core/scenario/index.js'
import { folder, lineLike, start } from '../support/command.js'
import { it } from '../support/dashboard-page.js'
import { ask } from '../support/http.js'
import { closedAfterTest } from '../support/worlds.js'

const scenario = {
  title: 'Two modes',
  clock: 'frozen',
  now: '2026-11-20T20:00:00Z',
  regions: ['lnd-fra', 'lnd-tok'],
  game_modes: ['duel', 'ffa'],
  lobbies: [{ lobby_id: 'open', game_mode_id: 'ffa', region_id: 'lnd-fra' }],
} satisfies ScenarioInput

const list = '/matchmaker/lobbies/list'
const said = (page: Page) => page.getByRole('status')
const rowsOf = (page: Page, panel: 'lobbies' | 'requests') => page.locator(`.${panel} .rows [role=row]`)

interface DroppedFile {
  readonly name: string
  readonly content: string | Uint8Array
}

/** Drops files on the page, as from the desktop. */
async function drop(page: Page, files: readonly DroppedFile[]): Promise<void> {
  const encoded = files.map(({ name, content }) => ({ name, base64: Buffer.from(content).toString('base64') }))
  await page.evaluate(all => {
    const dataTransfer = new DataTransfer()
    for (const { name, base64 } of all) {
      const bytes = Uint8Array.from(atob(base64), one => one.charCodeAt(0))
      dataTransfer.items.add(new File([bytes], name))
    }
    for (const type of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
  }, encoded)
}

describe('a mock that is gone', () => {
  it('is reported, nothing can be changed, and the page shows all changes when it is back', async ({ open }) => {
    const { page, mock, disconnect, send } = await open({ scenario })

    await disconnect()
    await said(page).getByText('You see its last state.').waitFor()
    expect(await page.getByRole('button', { name: 'Make a lobby' }).isDisabled()).toBe(true)
    const filters = () =>
      page.locator('main, .timeline').evaluateAll(parts => parts.map(part => getComputedStyle(part).filter))
    expect(await filters()).toEqual(['grayscale(1)', 'grayscale(1)'])
    mock.lobby({ game_mode_id: 'duel' })
    await send(list)
    await page.context().setOffline(false)

    await page.locator('[data-connection=live]').waitFor()
    await expect.poll(() => rowsOf(page, 'lobbies').count()).toBe(2)
    await expect.poll(() => rowsOf(page, 'requests').count()).toBe(1)
    expect(await said(page).getByText('You see its last state.').count()).toBe(0)
    expect(await page.getByText('was away for too long').count()).toBe(0)
    expect(await filters()).toEqual(['none', 'none'])
  })

  it('is said to be restarted when a new one answers at its URL', async ({ open }) => {
    const { page, mock, restart, send } = await open({ scenario })
    mock.lobby({ game_mode_id: 'duel' })
    await send(list)
    await expect.poll(() => rowsOf(page, 'lobbies').count()).toBe(2)

    restart()

    await said(page).getByText('A new mock runs. The old world is gone.').waitFor()
    await expect.poll(() => rowsOf(page, 'lobbies').count()).toBe(1)
    await expect.poll(() => rowsOf(page, 'requests').count()).toBe(0)
    await said(page).getByRole('button', { name: 'Dismiss' }).click()
    expect(await said(page).getByText('A new mock runs.').count()).toBe(0)
  })

  it('has dropped events or a revision: the page says so, shows the world as it is, and stays in the present', async ({
    open,
  }) => {
    const { page, mock, disconnect } = await open({ scenario, history: 20 })

    await disconnect()
    await said(page).getByText('You see its last state.').waitFor()
    for (let i = 0; i < 30; i++) mock.lobby({ game_mode_id: 'duel' })
    await page.context().setOffline(false)

    await said(page).getByText('The page was away for too long').waitFor()
    await page.getByRole('grid', { name: '31 lobbies' }).waitFor()

    const slider = page.getByRole('slider', { name: 'Revision' })
    await slider.waitFor()
    // The mock drops the revision while the page asks for it.
    await page.route('**/__mock/rows*', route => {
      for (let i = 0; i < 30; i++) mock.lobby({ game_mode_id: 'duel' })
      return route.continue()
    })

    await slider.press('Home')

    await said(page).getByText('is no longer kept').waitFor()
    expect(await page.getByRole('region', { name: 'The past' }).count()).toBe(0)
  })
})

describe('a world that is deleted elsewhere', () => {
  it('is still shown, and is not created again', async ({ open }) => {
    const { page, mock, url } = await open({ scenario })
    await mock.worlds.put('mine', { fork: 'default' })
    await page.goto(`${url}/w/mine/`)
    await page.getByRole('grid', { name: '1 lobby' }).waitFor()

    await mock.worlds.delete('mine')

    await said(page).getByText('The world mine has been deleted. You see how it was.').waitFor()
    await page.getByRole('grid', { name: '1 lobby' }).waitFor()
    const calls: string[] = []
    page.on('request', request => void calls.push(request.url()))
    await page.getByRole('button', { name: 'Open the default world' }).click()
    await page.waitForURL(`${url}/`)
    expect(calls.filter(call => call.includes('/w/mine'))).toEqual([])
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
  })
})

describe('a name of a world that is taken', () => {
  it('is refused, and the world with that name stays, and is not used for the second copy of a moment', async ({
    open,
  }) => {
    const { page, mock, url } = await open({ scenario })
    const { world } = await mock.worlds.put('mine', { fork: 'default' })
    world.lobbies.delete('open')

    await page.getByRole('button', { name: /^World: default/ }).click()
    await page.getByLabel('A copy of this world').fill('mine')
    await page.getByLabel('A copy of this world').press('Enter')

    await said(page).getByText('There is a world mine already.').waitFor()
    expect(mock.worlds.get('mine')?.world.lobbies.count()).toBe(0)
    expect(page.url()).toBe(`${url}/`)

    await page.keyboard.press('Escape')
    mock.lobby({ game_mode_id: 'duel' })
    const taken = 'default-before-20-00-00'
    await mock.worlds.put(taken, { fork: 'default' })

    await page.getByRole('slider', { name: 'Revision' }).press('Home')
    await page.getByRole('button', { name: 'Fork from here' }).click()

    await page.waitForURL(`${url}/w/${taken}-2/`)
    expect(mock.worlds.get(taken)?.world.lobbies.count()).toBe(2)
    expect(mock.worlds.get(`${taken}-2`)?.world.lobbies.count()).toBe(1)
  })
})

describe('a dropped file', () => {
  it('is refused with its first problem, and the world stays, or is loaded as the scenario', async ({ open }) => {
    const { page, mock } = await open({ scenario })
    const cases: readonly (readonly [content: string | Uint8Array, at: string])[] = [
      ['lobbies:\n  - game_mode_id: none\n', 'bad.yaml:2:19'],
      ['title: [', 'bad.yaml:1:9'],
      ['clock: frozen\nlobies: []\n', 'bad.yaml:2:1'],
      [Uint8Array.from({ length: 4_096 }, (_, i) => (i * 7) % 256), 'bad.yaml:1'],
      ['', 'bad.yaml'],
      ['servers: { command: ./server }\n', 'servers.command starts a program'],
    ]
    for (const [content, at] of cases) {
      await drop(page, [{ name: 'bad.yaml', content }])
      await expect.poll(() => said(page).locator('.notice.bad').innerText()).toContain(at)
      expect([mock.world.title, mock.world.lobbies.count()]).toEqual(['Two modes', 1])
      expect(await page.getByText('Drop the file to load it').count()).toBe(0)
      await said(page).getByRole('button', { name: 'Dismiss' }).click()
    }

    await drop(page, [
      { name: 'a.yaml', content: 'title: A' },
      { name: 'b.yaml', content: 'title: B' },
    ])
    await said(page).getByText('Drop one file, not 2: a world has one scenario.').waitFor()
    expect(mock.world.title).toBe('Two modes')

    await drop(page, [{ name: 'other.yaml', content: 'title: Other\ngame_modes: [race]\n' }])
    await said(page).getByText('Loaded Other from other.yaml.').waitFor()
    expect(mock.world.gameModes.all().map(({ game_mode_id }) => game_mode_id)).toEqual(['race'])
  })

  it('is no dragged text, which a field takes, and is refused while the page shows the past', async ({ open }) => {
    const { page, mock } = await open({ scenario })
    const isTaken = await page.evaluate(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.setData('text/plain', 'title: Text')
      return ['dragover', 'drop'].map(type =>
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })),
      )
    })
    expect(isTaken).toEqual([true, true])
    mock.lobby({ game_mode_id: 'duel' })
    await page.getByRole('slider', { name: 'Revision' }).press('Home')
    await page.getByRole('region', { name: 'The past' }).waitFor()

    await drop(page, [{ name: 'a.yaml', content: 'title: A' }])

    await said(page).getByText('a.yaml is not loaded: the page can change nothing now.').waitFor()
    expect(mock.world.title).toBe('Two modes')
  })

  it('that is gone since it was chosen says so, also if the menu gets its list of scenarios late', async ({ open }) => {
    const { page } = await open({ scenario })
    const path = join(await folder(), 'gone.yaml')
    await writeFile(path, 'title: Gone')
    let answer = () => Promise.resolve()
    const holdList = (route: Route) => {
      answer = () => route.continue()
    }
    await page.route('**/__mock/scenarios', holdList, { times: 1 })
    const asked = page.waitForRequest('**/__mock/scenarios')
    await page.getByRole('button', { name: /^Scenario/ }).click()
    await asked
    const input = page.getByLabel('Load a file')
    await page.evaluate(() => {
      File.prototype.text = () => Promise.reject(new DOMException('gone', 'NotFoundError'))
    })

    await input.setInputFiles(path)

    const message = said(page).getByText('gone.yaml cannot be read. Is it a folder?')
    await message.waitFor()
    const answered = page.waitForResponse('**/__mock/scenarios')
    await answer()
    await (await answered).finished()
    await page.getByRole('button', { name: /^Scenario/ }).click()
    await page.getByRole('button', { name: 'A quiet evening' }).waitFor()
    expect(await message.isVisible()).toBe(true)
  })
})

describe('large data', () => {
  it('a state of 2 MB is shown in the list, and can be copied but not edited', async ({ open }) => {
    const state = { items: Array.from({ length: 2_000 }, () => 'x'.repeat(1_000)) }
    const { page } = await open({ scenario: { ...scenario, lobbies: [{ lobby_id: 'big', state }] } })

    await rowsOf(page, 'lobbies').first().click()

    await page.getByText(/^The state has 2(\.\d)? MB, which is too long to edit here\.$/).waitFor()
    await page.getByRole('button', { name: 'Copy the state' }).click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText().then(text => text.length)))
      .toBe(JSON.stringify(state, null, 2).length)
  })

  it('a long body and a long answer are cut, and can be copied whole', async ({ open }) => {
    const { page, mock, send } = await open({ scenario: { ...scenario, generate: { lobbies: 1_000 } } })
    await send('/matchmaker/lobbies/find', { game_modes: ['none'], note: 'z'.repeat(200_000) })
    await send(list)

    await rowsOf(page, 'requests').nth(1).click()
    await page.getByText('Only the start of 200 KB.').waitFor()
    await page.getByRole('button', { name: 'Copy all' }).click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText().then(text => text.length)))
      .toBeGreaterThan(200_000)
    await rowsOf(page, 'requests').first().click()
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await page.getByText(/Only the start of 2\d\d KB/).waitFor()
    expect(mock.journal.find()).toHaveLength(2)
  })

  it('of a flood of requests only the newest are shown at once, and when it is over the first and the last', async ({
    open,
  }) => {
    const { page, mock } = await open({ scenario, journalSize: 2_000 })

    for (let i = 0; i < 2_000; i++) await ask(mock, { method: 'GET', path: list })

    await page.getByText('shown; the others follow when fewer come').waitFor()
    const grid = page.getByRole('grid', { name: '2,000 requests' })
    await grid.waitFor()
    await expect.poll(() => page.getByText('the others follow').count()).toBe(0)
    // Equal requests have one row.
    for (let i = 0; i < 300; i++) await ask(mock, { method: 'GET', path: `/nowhere/${i}` })
    await page.getByText('/nowhere/299').first().waitFor()
    await expect.poll(() => page.getByText('the others follow').count()).toBe(0)
    await grid.press('End')
    await expect.poll(() => rowsOf(page, 'requests').last().getAttribute('aria-rowindex')).toBe('301')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'The chosen request' }).waitFor()
  })
})

describe('a file that the page shows', () => {
  it('can be read and explained, and nothing of it can be changed', async ({ browser }) => {
    const mock = closedAfterTest(createMock({ scenario: { ...scenario, clock: 'running' } }))
    await ask(mock, { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["none"]}' })
    const path = await folder()
    await writeWorldFile(ownWorld(mock), path)
    const command = start(['show', join(path, 'mockmaker-world.html')])
    const line = await lineLike(command, { like: /^ {2}page/ })
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(/http:\S+/.exec(line)?.[0] ?? '')

    await said(page).getByText('This world is only shown. Nothing can be changed.').waitFor()
    await page.getByRole('button', { name: /^Clock/ }).click()
    for (const name of ['Make a lobby', '+1 min', 'Clear', 'Run'])
      expect(await page.getByRole('button', { name, exact: true }).isDisabled(), name).toBe(true)
    await page.keyboard.press('Escape')
    await rowsOf(page, 'requests').first().click()
    const details = page.getByRole('region', { name: 'The chosen request' })
    await details.locator('.sentence', { hasText: 'The namespace has no game mode "none"' }).waitFor()
    expect(
      await details
        .locator('.foot')
        .getByRole('button', { name: /^(Copy|Send again)$/ })
        .allInnerTexts(),
    ).toEqual(['Send again'])
    expect(await details.getByRole('button', { name: 'Send again' }).isDisabled()).toBe(true)
  })
})
