// @ts-check
import { chromium } from 'playwright-core'
import { args, executablePath } from '../chromium.js'

/**
 * Starts a browser, and closes it when the function is over.
 *
 * @template T
 * @param {(browser: import('playwright-core').Browser) => Promise<T>} use
 */
export async function withBrowser(use) {
  const browser = await chromium.launch({ executablePath, args })
  try {
    return await use(browser)
  } finally {
    await browser.close()
  }
}

/**
 * Opens the dashboard of a mock in a fresh profile, and waits until it follows the world.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 */
export async function openDashboard(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('[data-connection=live]').waitFor()
  return page
}
