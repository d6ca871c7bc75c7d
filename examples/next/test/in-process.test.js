import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { clickUntilShown, startBrowser } from '../support/browser.js'
import { startNext } from '../support/next-app.js'

let next
let browser

before(async () => {
  execFileSync('npx', ['msw', 'init', 'public', '--no-save'])
  const { MOCKMAKER_URL: _, ...env } = process.env
  next = await startNext({ ...env, MOCK: 'in-process' })
  browser = await startBrowser()
})
after(async () => {
  await browser?.close()
  await next?.stop()
})

test('the server has a mock of its own', async () => {
  const page = await (await fetch(next.url)).text()

  assert.match(page, /<p id="from-server">harbour<\/p>/)
})

test('the page has a mock of its own', async () => {
  const page = await browser.newPage()
  await page.goto(next.url)

  await clickUntilShown(page, 'Refresh', page.locator('#from-page').getByText('harbour'))
  await page.close()
})
