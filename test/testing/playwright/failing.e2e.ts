import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '../../../src/testing/playwright/index.js'
import { block, find, list, matchmaker, openPage, send } from './pages.js'

// The tests of this file fail. The runner looks at their messages and attachments.
test.use({ matchmaker, server: process.env.MOCK_SERVER, seed: 5, scenario: { game_modes: ['duel'], lobbies: [{}] } })

test('has a page that shows no lobby', { tag: '@server' }, async ({ page, mock }) => {
  await openPage(page)
  await mock.fail('lobbies.list', 503, { times: 1, after: 1 })
  await send(page, list)
  await mock.lobby({ players: 1 })
  await block(page, mock)
  await send(page, find, { method: 'POST', body: '{"game_modes":["duel"]}' })
  const failed = await send(page, list)
  await mock.lobby()
  test.info().annotations.push({ type: 'answer', description: failed.body })

  expect(failed.status).toBe(200)
})

test('expects a request that did not come, and one of what is no mock', async ({ page, mock }) => {
  await openPage(page)
  await send(page, find, { method: 'POST', body: '{"game_modes":["duel"]}' })

  await expect.soft(mock).toHaveAnswered('lobbies.find', { body: { game_modes: ['ffa'] } })
  await expect({}).toHaveAnswered('lobbies.find')
})

test('has a route of its own', async ({ page, mock }) => {
  await page.route(`${matchmaker}/**`, route => route.fulfill({ json: { lobbies: [] } }))
  await openPage(page)

  await expect(mock).toHaveAnswered('lobbies.list')
})

test('has an app that mocks itself', async ({ page }) => {
  const app = createServer(({ url }, response) => {
    const [type, text] = url === '/worker.js' ? ['text/javascript', answerAll] : ['text/html', '<!doctype html>']
    response.setHeader('content-type', type).end(text)
  })
  await new Promise<void>(done => app.listen(0, '127.0.0.1', done))
  await page.goto(`http://127.0.0.1:${(app.address() as AddressInfo).port}/`)
  await page.evaluate(async () => {
    const claimed = new Promise(resolve => navigator.serviceWorker.addEventListener('controllerchange', resolve))
    await navigator.serviceWorker.register('/worker.js')
    await claimed
  })
  const { body } = await send(page, list)
  app.close()
  app.closeAllConnections()

  expect(JSON.parse(body).lobbies).toHaveLength(1)
})

/** A service worker that answers all requests, as a mock in the app does. */
const answerAll = `
  self.addEventListener('activate', event => event.waitUntil(self.clients.claim()))
  self.addEventListener('fetch', event => event.respondWith(Response.json({ lobbies: [] })))
`

test.describe('strict', () => {
  test.use({ strict: true })

  test('has a fault that never applied', async ({ mock }) => {
    await mock.fail('lobbies.join', 503)
  })
})

test.describe('expected to fail', () => {
  test('has no attachments', async ({ mock }) => {
    test.fail()
    await mock.lobby()
    expect(1).toBe(2)
  })
})

test('times out', async ({ page, mock }) => {
  await openPage(page)
  await block(page, mock)
  // The time of a test counts from its beginning, which is after that of its process.
  test.setTimeout(1_000 * process.uptime() + 2_000)
  await mock.next('lobbies.join')
})
