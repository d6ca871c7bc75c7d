// @ts-check
import { expect, test } from '@playwright/test'

export const matchmaker = 'https://matchmaker.example'

/** The static answer. */
export const answer = { game_modes: [{ game_mode_id: 'duel' }], lobbies: [], regions: [] }

/** The tests of a subject. The first ones start the browser and compile the code. */
export const count = 30

/**
 * Opens a page without a server, and lets it ask for the lobbies.
 *
 * @param {import('@playwright/test').Page} page
 */
export async function askForList(page) {
  const { user, system } = process.cpuUsage()
  // What the worker process has used until now, in ms. It holds Playwright and the mock, and not the browser.
  test.info().annotations.push({ type: 'cpu', description: String((user + system) / 1_000) })
  await page.route('http://localhost:3000/', route => route.fulfill({ contentType: 'text/html', body: '<p>app' }))
  await page.goto('http://localhost:3000/')
  const status = await page.evaluate(async url => (await fetch(url)).status, `${matchmaker}/matchmaker/lobbies/list`)
  expect(status).toBe(200)
}
