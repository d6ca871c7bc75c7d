import { join } from 'node:path'
import { test as base, mergeTests } from '@playwright/test'
import { test as withMock } from 'mockmaker/playwright'

/** Takes the place of the app's own server. */
const withApp = base.extend<{ openApp: () => Promise<void> }>({
  openApp: async ({ page }, use) => {
    await use(async () => {
      await page.route('http://localhost:3000/**', route => {
        const { pathname } = new URL(route.request().url())
        return route.fulfill({ path: join('app', pathname === '/' ? 'index.html' : pathname) })
      })
      await page.goto('/')
    })
  },
})

export const test = mergeTests(withMock, withApp)

export { expect } from 'mockmaker/playwright'
