import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { scenarios } from '../../src/core/scenario/index.js'
import { it } from '../support/dashboard-page.js'

const find = '/matchmaker/lobbies/find'
const scenario = { ...scenarios['friday-night'], clock: 'frozen' } as const

/** Opens the palette, types a text, and chooses the first thing that it finds. */
async function choose(page: Page, text: string, found: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.locator('[role=combobox]').waitFor()
  await page.keyboard.type(text)
  await page.locator('[role=option]').first().filter({ hasText: found }).waitFor()
  await page.keyboard.press('Enter')
}

describe('the keys', () => {
  it('press the buttons of the details from the palette, and open it again at once after a choice', async ({
    open,
  }) => {
    const { page, send } = await open({ scenario })
    await send(find, { game_modes: ['none'] })
    await page.getByRole('grid', { name: '1 request' }).waitFor()

    await choose(page, 'find 400', 'lobbies.find')
    await page.getByRole('region', { name: 'The chosen request' }).waitFor()
    // The button says so for a moment only.
    const copied = page.getByRole('button', { name: 'Copied ✓' }).waitFor()
    await Promise.all([copied, choose(page, 'copy as test', 'Copy as test')])
    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]').fill('clock forward')
    await page.getByRole('option', { name: 'Clock forward by 1 h' }).waitFor()

    // Between the two keys, the browser neither reports that the dialog is closed, nor paints.
    await page.locator('[role=combobox]').evaluate(field => {
      for (const key of [{ key: 'Enter' }, { key: 'k', ctrlKey: true }])
        field.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }))
    })

    await expect.poll(() => page.locator('.palette[open] [role=combobox]').inputValue()).toBe('')
  })

  it('choose the view, freeze the clock, close what is on top first, and can be switched off', async ({ open }) => {
    const { page, mock } = await open({ scenario: { ...scenario, clock: 'running' } })

    await page.keyboard.press(' ')
    await expect.poll(() => mock.clock.mode).toBe('frozen')
    await page.keyboard.press('s')
    await page.getByRole('region', { name: 'Servers' }).waitFor()
    await page.keyboard.press('w')
    await page.keyboard.press('/')
    await page.keyboard.type('duel')
    await expect.poll(() => page.url()).toContain('q=duel')
    // In a field the letters are letters.
    expect(page.url()).not.toContain('view=')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.url()).not.toContain('q=duel')
    await page.keyboard.press('Escape')

    await page.locator('.lobbies .rows [role=row]').first().click()
    await page.getByRole('region', { name: 'The chosen lobby' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    // A closed dialog is hidden before the page hears of it.
    await expect.poll(() => page.locator('dialog').count()).toBe(0)
    await page.getByRole('region', { name: 'The chosen lobby' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('region', { name: 'The chosen lobby' }).count()).toBe(0)

    await choose(page, 'single letters', 'Switch single letters off')
    await expect.poll(() => page.locator('[role=combobox]').count()).toBe(0)
    await page.keyboard.press('s')
    await choose(page, 'single letters', 'Switch single letters on')
    expect(page.url()).not.toContain('view=')
  })
})

describe('the address', () => {
  it('shows a lobby at a moment again, and Back leaves it', async ({ open }) => {
    const { page, mock, url } = await open({ scenario: { game_modes: ['duel'], clock: 'frozen' } })
    const { lobby_id } = await mock.lobby({ game_mode_id: 'duel' })
    await mock.clock.advance('1s')
    await mock.world.lobbies.update(lobby_id, { is_closed: true })
    const { change_sets } = mock.history({ limit: 10 })
    const [first] = change_sets

    await page.goto(`${url}/?lobby=${lobby_id}&at=change:${first?.revision}`)
    const details = page.getByRole('region', { name: 'The chosen lobby' })
    await details.getByRole('heading', { name: /^duel in / }).waitFor()
    await page.getByRole('region', { name: 'The past' }).waitFor()
    await page.keyboard.press('w')
    await expect.poll(() => details.count()).toBe(0)
    await page.goBack()

    await details.getByRole('heading', { name: /^duel in / }).waitFor()
  })

  it('of a world that does not exist says so, makes none, and offers to make it', async ({ open }) => {
    const { page, mock, url } = await open({ scenario: { game_modes: ['duel'] } })

    await page.goto(`${url}/w/nope/`)
    await page.getByRole('status').getByText('There is no world called nope.').waitFor()
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
    await page.getByRole('button', { name: 'Make it' }).press('Enter')

    await page.locator('[data-connection=live]').waitFor()
    await expect.poll(() => page.title()).toBe('World – Untitled – nope – mockmaker')
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default', 'nope'])
  })
})

describe('the tables', () => {
  it('sort by each column, and by the other end', async ({ open }) => {
    const { page } = await open({ scenario })
    const texts = (column: number) =>
      page
        .locator(`.lobbies .rows [role=row] > :nth-child(${column})`)
        .evaluateAll(cells => cells.map(cell => cell.textContent ?? ''))

    const head = page.locator('.lobbies').getByRole('columnheader', { name: 'Region' })
    await head.getByRole('button').click()
    await expect.poll(async () => (await texts(3))[0]).toBe('Atlanta')
    expect(await texts(3)).toEqual((await texts(3)).sort())
    await head.getByRole('button').click()
    await expect.poll(async () => (await texts(3))[0]).toBe('Washington, DC')
    expect(await texts(3)).toEqual((await texts(3)).sort().reverse())
    expect(page.url()).toContain('sort=-region')
    expect(await head.getAttribute('aria-sort')).toBe('descending')
  })
})

describe('the texts', () => {
  it('of the modes are whole, and beside open details nothing is covered or cut that tells a number', async ({
    open,
  }) => {
    const { page, send } = await open({ scenario, size: { width: 1280, height: 800 } })
    const names = page.locator('.lobbies .named .cut')
    await send('/matchmaker/lobies/list')
    await page.getByRole('grid', { name: '1 request' }).waitFor()
    await page.locator('.lobbies .badge').first().waitFor()
    expect(await names.evaluateAll(all => all.filter(one => one.scrollWidth > one.clientWidth).length)).toBe(0)
    const numbers = page.locator('.lobbies .rows .cell > *', { hasText: /\d/ })
    const cutNumbers = () =>
      numbers.evaluateAll(all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent))
    expect(await cutNumbers()).toEqual([])
    await page.getByRole('button', { name: /^Scenario: / }).click()
    const lines = await page.locator('.checks label').evaluateAll(all => all.map(one => one.clientHeight))
    expect(new Set(lines).size).toBe(1)
    await page.keyboard.press('Escape')

    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('region', { name: 'The chosen request' }).getByText('did you mean').first().waitFor()
    const cut = await page.evaluate(() => {
      const isCut = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth
      const seats = [...document.querySelectorAll('.lobbies .seats, .lobbies .seats > :last-child')]
      const name = document.querySelector('.details h2')
      const [title, number] = ['.map-title', '.map-title b'].map(one => document.querySelector(one))
      const isCovered = title && number && number.getBoundingClientRect().right > title.getBoundingClientRect().right
      const cells = [...document.querySelectorAll('.lobbies .table, .lobbies .rows .cell')]
      return {
        seats: seats.filter(isCut).length,
        withoutBar: seats.filter(one => (one.querySelector('.seat-bar')?.clientWidth ?? 64) < 32).length,
        name: name ? isCut(name) : 'none',
        players: isCovered,
        cells: cells.filter(isCut).map(cell => cell.textContent),
      }
    })
    expect(cut).toEqual({ seats: 0, withoutBar: 0, name: false, players: false, cells: [] })
    expect(await cutNumbers()).toEqual([])
    const ends = await page.locator('.request .reason').evaluate(reason => {
      const [row, text] = [reason, reason.querySelector('bdi')].map(one => one?.getBoundingClientRect())
      return { end: reason.textContent?.slice(-40), isInSight: text && row && text.right <= row.right + 1 }
    })
    expect(ends).toEqual({ end: 'did you mean GET /matchmaker/lobbies/list?'.slice(-40), isInSight: true })

    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name: 'Save the world before this' }).click()
    const [notice, actions] = [page.locator('.notice'), page.locator('.details .foot')]
    await notice.filter({ hasText: 'Saved the world' }).waitFor()
    const [upper, lower] = [await notice.boundingBox(), await actions.boundingBox()]
    expect((upper?.y ?? 0) + (upper?.height ?? 0)).toBeLessThanOrEqual(lower?.y ?? 0)

    await send(find, { game_modes: ['free-for-all'] })
    await page.getByRole('grid', { name: '2 requests' }).waitFor()
    await page.locator('.requests .rows [role=row]').first().click()
    const distances = page.locator('.candidates .rows [role=row] > :nth-child(4) > *')
    await distances.first().waitFor()
    const shown = await distances.evaluateAll(cells =>
      cells.map(({ textContent, scrollWidth, clientWidth }) => ({ textContent, isCut: scrollWidth > clientWidth })),
    )
    expect(shown.map(({ textContent }) => textContent)).toContainEqual(expect.stringMatching(/^\d,\d{3} km$/))
    expect(shown.filter(({ isCut }) => isCut)).toEqual([])

    // Beside details, the past leaves columns out.
    await page.getByRole('slider', { name: 'Revision' }).press('Home')
    await page.getByRole('region', { name: 'The past' }).waitFor()
    await page.locator('.lobbies').getByRole('columnheader', { name: 'Seats then' }).waitFor()
    expect(await cutNumbers()).toEqual([])
  })
})

describe('the controls', () => {
  it('stay where they are while time runs', async ({ open }) => {
    const { page, mock, send } = await open({ scenario })
    /** Returns the boxes of all controls that the user has not moved. */
    const boxes = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('button, select, input, summary, h2, .table')]
          .filter(element => !element.closest('.rows, .region-list, .map'))
          .map(element => {
            const { x, y, width, height } = element.getBoundingClientRect()
            return `${element.tagName} ${element.getAttribute('aria-label') ?? ''} ${[x, y, width, height].map(Math.round)}`
          }),
      )
    await send(find, { game_modes: ['duel'] })
    await page.getByRole('grid', { name: '1 request' }).waitFor()
    await page.locator('.requests .operation').first().waitFor()
    // The story of the first find, which opens itself, grows.
    await page.getByRole('region', { name: 'The chosen request' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Whole world' }).waitFor({ state: 'detached' })
    const before = await boxes()

    for (let second = 1; second <= 12; second++) {
      await mock.clock.advance('1s')
      if (second % 5 === 0) await send(find, { game_modes: [second % 2 ? 'duel' : 'none'] })
      const time = `20:00:${String(second).padStart(2, '0')}`
      await page.getByRole('button', { name: `Clock: Frozen ${time}` }).waitFor()
      // The names of some controls count.
      const places = (all: readonly string[]) =>
        all.map(text =>
          text.replace(
            /Clock: Frozen [\d:]+|Players [\d,]+ \+ [\d,]+ on the way|(\d[\d,]*) (requests|lobbies|lobby|request)/,
            '',
          ),
        )
      expect(places(await boxes()), time).toEqual(places(before))
    }
  })
})
