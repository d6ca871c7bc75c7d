// @ts-check
import { test } from '@playwright/test'
import { askForList, count, matchmaker } from './list.js'

const json = { game_modes: [{ game_mode_id: 'duel' }], lobbies: [], regions: [] }

for (let i = 0; i < count; i++)
  test(`asks ${i}`, async ({ page }) => {
    await page.route(`${matchmaker}/**`, route => route.fulfill({ json }))
    await askForList(page)
  })
