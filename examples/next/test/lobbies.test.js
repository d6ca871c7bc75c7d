import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
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
  assert.deepEqual(await mock.warnings.list(), [])
  await page.close()
})

test('a build has the real service, and nothing of the mock', async () => {
  const { MOCKMAKER_URL, ...env } = process.env
  const build = spawn('npx', ['next', 'build'], { env: { ...env, NODE_ENV: 'production' }, stdio: 'inherit' })
  const [code] = await once(build, 'close')
  assert.equal(code, 0)

  const files = await readdir('.next/static', { recursive: true, withFileTypes: true })
  const scripts = files.filter(file => file.isFile() && file.name.endsWith('.js'))
  const texts = await Promise.all(scripts.map(file => readFile(`${file.parentPath}/${file.name}`, 'utf8')))
  assert.ok(texts.some(text => text.includes('https://matchmaker.example')))
  assert.ok(!texts.some(text => text.includes('mockmaker') || text.includes(MOCKMAKER_URL)))
})
