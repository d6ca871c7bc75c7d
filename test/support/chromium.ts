import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { it as base } from 'vitest'

const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(path => existsSync(path))

/** The path in Debian's packages. The one without windows opens a page in a third of the time. CHROMIUM can name another path. */
export const executablePath = process.env.CHROMIUM ?? installed ?? '/usr/bin/chromium-headless-shell'

/** Starts a browser. Throws if Chromium is not installed. */
async function launchBrowser(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(
      `there is no ${executablePath}: apt-get install chromium-headless-shell, or set CHROMIUM to its path`,
    )
  return patient(await chromium.launch({ executablePath, args: quiet }))
}

/** Gives pages two minutes for each step, and not 30 s: a busy machine needs time. */
export function patient(browser: Browser): Browser {
  return browser.on('context', context => context.setDefaultTimeout(120_000))
}

/** Without these, a browser looks for updates when it starts. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Names of this machine that are not loopback to a mock: a page from there has a foreign origin.
  '--host-resolver-rules=MAP *.example 127.0.0.1',
]

let shared: Promise<Browser> | undefined

/** A test with a browser, which all files of a worker share until it ends: vitest shares it only between tests of one `it`. */
export const it = base.extend<{ browser: Browser }>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    async ({}, use) => {
      shared ??= launchBrowser()
      const browser = await shared
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
})
