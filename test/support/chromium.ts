import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(path => existsSync(path))

/** The path in Debian's packages. The one without windows opens a page in a third of the time. CHROMIUM can name another path. */
export const executablePath = process.env.CHROMIUM ?? installed ?? '/usr/bin/chromium-headless-shell'

/** Starts a browser that can reach only this machine. Throws if Chromium is not installed. */
export function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(
      `there is no ${executablePath}: apt-get install chromium-headless-shell, or set CHROMIUM to its path`,
    )
  return chromium.launch({ executablePath, args: [...quiet, ...args] })
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
]
