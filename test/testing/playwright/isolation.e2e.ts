import { expect, test } from '../../../src/testing/playwright/index.js'
import { block, countLobbies, list, matchmaker, openPage, send } from './pages.js'

const count = Number(process.env.TEST_COUNT)

test.describe.configure({ mode: 'parallel', retries: 1 })
test.use({ matchmaker, server: process.env.MOCK_SERVER })

for (let i = 0; i < count; i++) {
  const lobbies = i % 7
  test.describe(`world ${i}`, () => {
    test.use({ scenario: { game_modes: [`mode-${i}`], lobbies: Array.from({ length: lobbies }, () => ({})) }, seed: i })

    test(`sees only what test ${i} did`, async ({ page, mock }, { retry }) => {
      expect(await mock.journal.find()).toEqual([])
      expect(await mock.faults.list()).toEqual([])
      expect((await mock.world.gameModes.all()).map(({ game_mode_id }) => game_mode_id)).toEqual([`mode-${i}`])
      await openPage(page)
      expect(await countLobbies(page)).toBe(lobbies)
      await mock.world.lobbies.create({ game_mode_id: `mode-${i}` })
      await mock.faults.add({ operation: 'lobbies.list', effect: { error: { status: 500 } }, times: 1, after: 1 })

      expect(await countLobbies(page)).toBe(lobbies + 1)
      expect((await send(page, list)).status).toBe(500)
      expect(await mock.journal.find({ operation: 'lobbies.list' })).toHaveLength(3)

      // What the test leaves behind must not reach another one.
      await block(page, mock)
      await page.evaluate(url => void setInterval(() => fetch(url).catch(() => {}), 100), matchmaker + list)
      // Some tests fail at first, and pass when they are repeated.
      if (i % 10 === 3) expect(retry).toBe(1)
    })
  })
}
