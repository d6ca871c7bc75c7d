import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { createClient } from 'mockmaker/client'
import { clickUntilShown, startBrowser } from '../support/browser.js'
import { startNext } from '../support/next-app.js'

// `mockmaker exec` serves the mock, and tells its URL to the tests and to Next.
const mock = createClient(process.env.MOCKMAKER_URL)
let next
let app
let browser

before(async () => {
  next = await startNext()
  app = next.url
  browser = await startBrowser()
})
afterEach(() => mock.reset())
after(async () => {
  await browser?.close()
  await next?.stop()
})

test('the server shows the lobbies of the scenario', async () => {
  const page = await (await fetch(app)).text()

  assert.match(page, /<p id="from-server">harbour<\/p>/)
})

test('the server shows a new lobby', async () => {
  const { lobby_id } = await mock.lobby()

  const page = await (await fetch(app)).text()

  assert.ok(page.includes(lobby_id))
})

test('the page asks the same mock', async () => {
  const page = await browser.newPage()
  await page.goto(app)
  const { lobby_id } = await mock.lobby()

  await clickUntilShown(page, 'Refresh', page.locator('#from-page').getByText(lobby_id))
  await page.close()
})

test('without the mock, the app has the real service', async () => {
  const { MOCKMAKER_URL } = process.env
  delete process.env.MOCKMAKER_URL
  const { default: config } = await import('../next.config.js')
  process.env.MOCKMAKER_URL = MOCKMAKER_URL

  assert.deepEqual(config.env, { MATCHMAKER_URL: 'https://matchmaker.example', MOCK: '' })
})
