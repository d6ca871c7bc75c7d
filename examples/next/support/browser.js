import { chromium } from 'playwright-core'

export const startBrowser = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })

/** Clicks a button until something is shown, for a minute at most. Before React has hydrated a page, a click does nothing. */
export async function clickUntilShown(page, button, shown) {
  for (const end = Date.now() + 60_000; ; ) {
    await page.getByRole('button', { name: button }).click()
    try {
      await shown.waitFor({ timeout: 2_000 })
      return
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}
