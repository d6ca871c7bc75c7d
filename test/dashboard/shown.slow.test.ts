import { fc } from '@fast-check/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, inject } from 'vitest'
import type { ScenarioInput } from '../../src/core/scenario/index.js'
import { groupStories } from '../../src/dashboard/players/player-groups.js'
import { seatWords } from '../../src/dashboard/world/lobby-rows.js'
import { countStates, playerStates, stateOf } from '../../src/dashboard/world/player-state.js'
import type { Mockmaker } from '../../src/index.js'
import { it } from '../support/dashboard-page.js'

const find = '/matchmaker/lobbies/find'

const scenario = {
  clock: 'frozen',
  regions: ['lnd-fra', 'lnd-lon', 'lnd-tok'],
  game_modes: [
    { game_mode_id: 'duel', max_players: 2 },
    { game_mode_id: 'ffa', max_players: 8 },
  ],
  lobbies: [{ game_mode_id: 'ffa', region_id: 'lnd-lon', total_player_count: 3 }],
} satisfies ScenarioInput

/** The columns of the lobbies that tell what the mock has. */
const columns = ['Mode', 'Region', 'Seats', 'Free', 'State', 'Server']

/** Those of the past, which the other columns compare with the present. */
const columnsThen = columns.slice(0, 3)

/** Closes the details of the first find, which open themselves. They may close by themselves meanwhile, too. */
async function closeDetails(page: Page): Promise<void> {
  await page.locator('.details [aria-label=Close]').evaluateAll(buttons => {
    for (const button of buttons) (button as HTMLElement).click()
  })
  await page.locator('.details').waitFor({ state: 'detached' })
}

/** What the page shows: the sums of the regions, the lobbies in any order, and the statuses of the requests. */
async function shown(page: Page, names = columns) {
  await closeDetails(page)
  return page.evaluate(columns => {
    const texts = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].map(element =>
        element.innerText.replace(/\s+/g, ' ').trim(),
      )
    const heads = texts('.lobbies [role=columnheader]').map(text => text.replace(/ [↑↓]| then/, ''))
    const rowText = (row: Element) => {
      const cells = [...row.children].map(cell => {
        const copy = cell.cloneNode(true) as Element
        copy.querySelector('.badge')?.remove()
        return copy.textContent?.trim()
      })
      return columns.map(name => cells[heads.indexOf(name)]).join(' ')
    }
    return {
      // The last column says where a find goes.
      regions: texts('.region-list tbody tr').map(text => text.replace(/(?<= of \d+) .*/, '')),
      lobbies: [...document.querySelectorAll('.lobbies .rows [role=row]')].map(rowText).sort(),
      requests: [...document.querySelectorAll('.requests .rows [role=row]:not(.later) .request')].flatMap(row =>
        // One row for repeated requests.
        Array<string>(Number(row.querySelector('.times')?.textContent?.slice(1) ?? 1)).fill(
          row.querySelector('.status')?.textContent ?? '',
        ),
      ),
    }
  }, names)
}

interface Rows {
  readonly lobbies: ReturnType<Mockmaker['world']['lobbies']['all']>
  readonly regions: ReturnType<Mockmaker['world']['regions']['all']>
}

/** What the page should show, by the rows of the mock. */
function expected({ lobbies, regions }: Rows, statuses: readonly number[], names = columns) {
  const running = lobbies.filter(({ status }) => status !== 'stopped')
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  return {
    regions: regions.map(({ region_id, region_display_name }) => {
      const there = running.filter(lobby => lobby.region_id === region_id)
      const players = sum(there.map(({ total_player_count }) => total_player_count))
      const reserved = sum(there.map(({ reserved_player_count }) => reserved_player_count))
      const taken = players + reserved
      return `${region_display_name} ${players}${reserved > 0 ? ` + ${reserved}` : ''} ${there.length} ${taken} of ${sum(there.map(lobby => lobby.max_players_normal))}`
    }),
    lobbies: running
      .map(lobby => {
        const { game_mode_id, region_id, total_player_count, max_players_normal, reserved_player_count } = lobby
        const name = regions.find(region => region.region_id === region_id)?.region_display_name
        const [more, onTheWay] =
          reserved_player_count > 0
            ? [` + ${reserved_player_count}`, `, ${reserved_player_count} on the way`]
            : ['', '']
        const free = lobby.is_closed ? 0 : max_players_normal - total_player_count - reserved_player_count
        const state = lobby.is_closed ? 'closed' : 'open'
        const seats = `${total_player_count}${more} / ${max_players_normal}${onTheWay}`
        return [game_mode_id, name, seats, free, state, 'mock'].slice(0, names.length).join(' ')
      })
      .sort(),
    requests: statuses.toReversed().map(String),
  }
}

/** What may happen to a world. The number picks a lobby. */
const steps: {
  readonly [name: string]: (mock: Mockmaker, send: (body: object) => Promise<number>, pick: number) => unknown
} = {
  lobby: (mock, _, pick) =>
    mock.lobby({ game_mode_id: pick % 2 ? 'duel' : 'ffa', region_id: pick % 3 ? 'lnd-fra' : 'lnd-tok' }),
  find: (_, send, pick) => send({ game_modes: [pick % 2 ? 'duel' : 'ffa'] }),
  refused: (_, send) => send({ game_modes: ['none'] }),
  close: (mock, _, pick) => mock.world.lobbies.update(lobbyAt(mock, pick), { is_closed: true }),
  delete: (mock, _, pick) => mock.world.lobbies.delete(lobbyAt(mock, pick)),
  advance: mock => mock.clock.advance('3s'),
  clear: async mock => mock.journal.clear(),
  reset: mock => mock.reset(),
}

function lobbyAt(mock: Mockmaker, pick: number): string {
  const lobbies = mock.world.lobbies.all()
  return lobbies[pick % Math.max(1, lobbies.length)]?.lobby_id ?? ''
}

/** What may happen to a player besides. */
const playerSteps: typeof steps = {
  player: mock => mock.player({ status: 'connected' }),
  remove: (mock, _, pick) => {
    const players = mock.world.players.all()
    return mock.world.players.delete(players[pick % Math.max(1, players.length)]?.player_token ?? '')
  },
}

/** The number of players, the buttons of their states, and what the rows in view tell of them. */
async function shownStories(page: Page) {
  return page.evaluate(() => {
    const texts = (selector: string, parent: ParentNode) =>
      [...parent.querySelectorAll<HTMLElement>(selector)].map(element => (element.textContent ?? '').trim())
    return {
      count: document.querySelector('.players [role=grid]')?.getAttribute('aria-label'),
      states: texts('.players .tools .count', document).map(Number),
      rows: [...document.querySelectorAll('.players .rows [role=row]')].map(row => {
        const [player = '', , , state] = texts('[role=gridcell]', row)
        const head = [...row.querySelectorAll('.contents > b')].map(one => one.textContent)
        return row.classList.contains('group') ? head.join(' ') : `${player} ${state}`
      }),
    }
  })
}

/** The same by the mock. */
function expectedStories(mock: Mockmaker): Awaited<ReturnType<typeof shownStories>> {
  const { stories, total } = mock.stories.list({ simulated: false, limit: 200 })
  const { plays, way, never, left } = countStates(stories)
  const rows = groupStories(stories, 'lobby').map(row => {
    if ('story' in row) return `${row.story.name} ${playerStates[stateOf(row.story)].word}`
    const { game_mode_id, region_id } = row.first
    const region = mock.world.regions.all().find(one => one.region_id === region_id)?.region_display_name
    const lobby = mock.world.lobbies.get(row.lobbyId ?? '')
    const name = game_mode_id === undefined ? 'No seat' : `${game_mode_id}, ${region}`
    return lobby && lobby.status !== 'stopped' ? `${name} ${seatWords(lobby)}` : name
  })
  return {
    count: total === 1 ? '1 player' : `${total} players`,
    states: [stories.length, plays, way, never, left],
    rows,
  }
}

/** The most changes to go back one by one: the history grows with each run. */
const mostPresses = 20

/** The rows that are in view at least. */
const leastInView = 6

async function expectStories(page: Page, mock: Mockmaker): Promise<void> {
  const expected = expectedStories(mock)
  const shown = async () => {
    const { rows, ...others } = await shownStories(page)
    const isEnough = rows.length >= Math.min(expected.rows.length, leastInView)
    return { ...others, rows: isEnough ? [...rows, ...expected.rows.slice(rows.length)] : rows }
  }
  await expect.poll(shown).toEqual(expected)
}

/** What the details of a player tell. */
async function shownStory(page: Page) {
  return page.evaluate(() => {
    const details = document.querySelector('[aria-label="The chosen player"]')
    const texts = (selector: string) =>
      [...(details?.querySelectorAll(selector) ?? [])].map(element => element.textContent?.trim())
    return {
      sentence: texts('.sentence')[0],
      steps: [...(details?.querySelectorAll('.steps li > span:last-child') ?? [])].map(step => {
        const text = step.querySelector('span')?.cloneNode(true) as Element
        text.querySelector('button')?.remove()
        return `${step.querySelector('b')?.textContent} ${text.textContent?.trim()}`
      }),
      notes: texts('.block > p.muted:not(.actions)'),
    }
  })
}

describe('the page', () => {
  it('lists the warnings with what proves them, and marks that', async ({ open }) => {
    const { page, send } = await open({ scenario, path: '/?view=warnings' })
    await page.getByText('No warnings. 14 rules watch this world.').waitFor()
    await send('/v1/lobbies/find')
    const warning = page.locator('.warning')

    await warning.hover()
    await page.locator('.requests .marked').waitFor()
    await page.locator('h1').hover()
    await page.locator('.requests .marked').waitFor({ state: 'detached' })
    await warning.click()

    expect((await warning.locator('.badge').innerText()).trim()).toBe('no such call')
    expect(await page.locator('.views button[aria-current]').innerText()).toMatch(/^Warnings\s1$/)
    // The row of the request may come a moment after the warning.
    await expect.poll(() => page.locator('.requests .warned [aria-label=Warning]').count()).toBe(1)
    await warning.getByRole('button', { name: 'request 1' }).click()
    await page
      .getByRole('region', { name: 'The chosen request' })
      .getByText('POST /matchmaker/lobbies/find')
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Show the warnings' }).click()
    await warning.waitFor()
  })

  it('shows what the mock has after any changes, without a connection for a while, and in the past', async ({
    open,
  }) => {
    const { page, mock, disconnect, send } = await open({ scenario })
    const rows = (): Rows => ({ lobbies: mock.world.lobbies.all(), regions: mock.world.regions.all() })
    const step = fc.record({ name: fc.constantFrom(...Object.keys(steps)), pick: fc.nat(20), isOffline: fc.boolean() })

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), fc.nat(), async (all, back) => {
        for (const { name, pick, isOffline } of all) {
          if (isOffline) await disconnect()
          else await page.context().setOffline(false)
          await Promise.resolve()
            .then(() => steps[name]?.(mock, body => send(find, body), pick))
            // The world may have no lobby for the step.
            .catch(() => {})
        }
        await page.context().setOffline(false)
        const statuses = () => mock.journal.find().map(({ status }) => status)
        await expect.poll(() => shown(page)).toEqual(expected(rows(), statuses()))

        const { oldest, change_sets } = mock.history({ limit: 1_000 })
        // The page does not know the revisions after the last change of a row.
        const changed = change_sets.filter(({ changes }) => changes.length > 0).map(({ revision }) => revision)
        const [least = oldest, newest = oldest] = [changed.at(-mostPresses), changed.at(-1)]
        const isOldest = back % 4 === 0
        const wanted = isOldest ? oldest : newest - (back % (newest - least + 1))
        if (wanted === newest) return
        const slider = page.getByRole('slider', { name: 'Revision' })
        const revisionOf = async (name: 'now' | 'max') => Number(await slider.getAttribute(`aria-value${name}`))
        // The world may look the same before its last changes.
        await expect.poll(() => revisionOf('max')).toBeGreaterThanOrEqual(newest)
        for (let now = await revisionOf('now'); now > wanted; now = await revisionOf('now')) {
          await slider.press(isOldest ? 'Home' : 'ArrowLeft')
          await expect.poll(() => revisionOf('now')).toBeLessThan(now)
        }
        const revision = await revisionOf('now')
        const { world } = await mock.worlds.put('past', { fork: 'default', revision })
        const { journal: before = [] } = mock.snapshot({ revision, with: ['journal'] })
        await expect
          .poll(() => shown(page, columnsThen))
          .toEqual(
            expected(
              { lobbies: world.lobbies.all(), regions: world.regions.all() },
              before.map(({ status }) => status),
              columnsThen,
            ),
          )
        await page.getByRole('button', { name: /^Back to now/ }).click()
      }),
      // Each run takes more than a second.
      { numRuns: Math.ceil(inject('runs') / 20), endOnFailure: true },
    )
  })

  it('tells the stories that the mock tells, without a connection for a while, after a restart, and in the past', async ({
    open,
  }) => {
    const { page, mock: first, disconnect, restart, send } = await open({ scenario, path: '/?view=players' })
    let mock = first
    const names = [...Object.keys(steps), 'find', 'player', 'remove', 'restart']
    const step = fc.record({ name: fc.constantFrom(...names), pick: fc.nat(20), isOffline: fc.boolean() })

    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 14 }),
        fc.boolean(),
        fc.nat(),
        async (all, isSafe, pick) => {
          for (const { name, pick, isOffline } of all) {
            if (isOffline && !isSafe) await disconnect()
            else await page.context().setOffline(false)
            if (name === 'restart' && !isSafe) mock = restart()
            await Promise.resolve()
              .then(() => (steps[name] ?? playerSteps[name])?.(mock, body => send(find, body), pick))
              // The world may have no lobby for the step.
              .catch(() => {})
          }
          await page.context().setOffline(false)
          await expectStories(page, mock)

          const rows = page.locator('.players .rows [role=row]:not(.group)')
          const { stories } = mock.stories.list({ simulated: false, limit: 200 })
          if (stories.length === 0) return
          const chosen = pick % Math.min(stories.length, leastInView)
          await rows.nth(chosen).click()
          const listed = groupStories(stories, 'lobby').flatMap(row => ('story' in row ? [row.story.id] : []))
          const story = mock.stories.get(listed[chosen] ?? 0)
          await expect
            .poll(() => shownStory(page))
            .toEqual({
              sentence: story?.sentence,
              steps: story?.steps.map(({ title, text }) => `${title} ${text}`),
              notes: story?.notes,
            })

          await page.getByRole('button', { name: 'See the world then' }).click()
          await expect.poll(() => page.url()).toContain(`at=change:${story?.revision}`)
          await page.keyboard.press('p')
          await expectStories(page, mock)
          await page.getByRole('button', { name: /^Back to now/ }).click()
          await page.keyboard.press('p')
        },
      ),
      { numRuns: Math.ceil(inject('runs') / 20), endOnFailure: true },
    )
  })
})
