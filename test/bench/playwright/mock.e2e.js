// @ts-check
import { test } from 'mockmaker/playwright'
import { askForList, count, matchmaker } from './list.js'

test.use({ matchmaker, scenario: { game_modes: ['duel'] } })

for (let i = 0; i < count; i++)
  test(`asks ${i}`, async ({ page }) => {
    await askForList(page)
  })
