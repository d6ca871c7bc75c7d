import { chromium } from 'playwright-core'

export async function startBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  // A busy machine needs more than 30 s for Next.js.
  return browser.on('context', context => context.setDefaultTimeout(120_000))
}

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
