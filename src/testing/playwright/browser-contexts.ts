import type { Browser, BrowserContext, BrowserType, PlaywrightWorkerArgs } from '@playwright/test'

type Playwright = PlaywrightWorkerArgs['playwright']

/** Calls back for each new context of any browser in this process, also a persistent one, before anybody gets it. */
export function onNewContext(playwright: Playwright, callback: (context: BrowserContext) => Promise<void>): void {
  /** Replaces a method of an object by one that does more with its result. */
  function extend<Name extends string, Result>(
    owner: { readonly [Key in Name]: (...args: never[]) => Promise<Result> },
    name: Name,
    more: (result: Result) => Promise<void>,
  ): void {
    const original: (...args: never[]) => Promise<Result> = owner[name]
    const extended = async (...args: never[]) => {
      const result = await original.apply(owner, args)
      await more(result)
      return result
    }
    Object.assign(owner, { [name]: extended })
  }

  const onBrowser = async (browser: Browser) => {
    extend(browser, 'newContext', callback)
    await Promise.all(browser.contexts().map(callback))
  }
  const types: readonly BrowserType[] = [playwright.chromium, playwright.firefox, playwright.webkit]
  for (const type of types) {
    extend(type, 'launch', onBrowser)
    extend(type, 'connect', onBrowser)
    extend(type, 'connectOverCDP', onBrowser)
    extend(type, 'launchPersistentContext', callback)
  }
}
