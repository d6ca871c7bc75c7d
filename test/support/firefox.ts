import { existsSync } from 'node:fs'
import { type Browser, firefox } from 'playwright-core'

/** The path in Debian's package. FIREFOX can name another path. */
const executablePath = process.env.FIREFOX ?? '/usr/bin/firefox-esr'

/** Starts an unchanged Firefox by WebDriver BiDi. Throws if it is not installed. */
export async function launchFirefox(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(`there is no ${executablePath}: apt-get install firefox-esr, or set FIREFOX to its path`)
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath,
    firefoxUserPrefs: { 'ui.prefersReducedMotion': 1 },
  })
  skipMediaFeatures(browser)
  return browser
}

const mediaFeatures = 'emulation.setMediaFeaturesOverride'

type Send = (method: string, params: object) => Promise<unknown>

/** Keeps a command of Playwright from the browser: it sends it for each new page, and Firefox 153 does not know it. */
function skipMediaFeatures(browser: Browser): void {
  // Playwright has no option for it. Its connection leads to the objects behind the public ones.
  const { _connection: connection } = browser as unknown as {
    _connection: { toImpl(of: Browser): { _browserSession: { send: Send } } }
  }
  const session = connection.toImpl(browser)._browserSession
  const send = session.send.bind(session)
  session.send = (method, params) => (method === mediaFeatures ? Promise.resolve({}) : send(method, params))
}
