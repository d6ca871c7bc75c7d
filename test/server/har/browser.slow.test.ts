import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createMock } from '../../../src/core/mock/mock.js'
import { createMockmaker } from '../../../src/index.js'
import { journalToHar } from '../../../src/server/har/write.js'
import { it } from '../../support/chromium.js'
import { folder } from '../../support/command.js'
import { ask, post } from '../../support/http.js'
import { runHere } from '../../support/run-here.js'
import { serveMock } from '../../support/served-mock.js'
import { tanks, tokens } from '../../support/tanks.js'

const url = 'https://matchmaker.example'

it('answers a page through page.routeFromHAR', async ({ browser }) => {
  const mock = createMock({ scenario: tanks })
  const { body: list } = await ask(mock, {
    method: 'GET',
    path: '/matchmaker/lobbies/list',
    query: 'include_state=true',
  })
  await ask(mock, post('/matchmaker/lobbies/find', { game_modes: ['duel'] }))
  await ask(mock, post('/matchmaker/lobbies/find', { game_modes: ['none'] }))
  const har = journalToHar(mock.default.journal.find(), { url })
  await mock.close()
  const file = join(await folder(), 'session.har')
  await writeFile(file, JSON.stringify(har))
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.routeFromHAR(file)

  const answers = await page.evaluate(async base => {
    const send = async (path: string, body?: string) => {
      const answer = await fetch(base + path, body === undefined ? {} : { method: 'POST', body })
      return [answer.status, await answer.text()] as const
    }
    return [
      await send('/matchmaker/lobbies/list?include_state=true'),
      await send('/matchmaker/lobbies/find', '{"game_modes":["none"]}'),
      await send('/matchmaker/lobbies/find', '{"game_modes":["duel"]}'),
    ]
  }, url)

  const found = har.log.entries[1]?.response.content.text
  expect(answers).toEqual([
    [200, list],
    [400, expect.stringContaining('MATCHMAKER_GAME_MODE_NOT_FOUND')],
    [200, found],
  ])
})

/** Options of Playwright, and what import says of the recording. */
const options: readonly (readonly [
  { readonly content: 'embed' | 'attach' | 'omit'; readonly mode?: 'full' | 'minimal'; readonly worker?: true },
  string,
])[] = [
  [{ content: 'embed', mode: 'full' }, 'from 2 requests. Not used: 1 with nothing new, 1 for other paths (entry 1)'],
  [{ content: 'attach', mode: 'full' }, 'from 2 requests. Not used: 1 with nothing new, 1 for other paths (entry 1)'],
  [{ content: 'embed', mode: 'minimal' }, 'from 2 requests. Not used: 1 with nothing new, 1 for other paths (entry 1)'],
  [
    { content: 'attach', mode: 'minimal' },
    'from 2 requests. Not used: 1 with nothing new, 1 for other paths (entry 1)',
  ],
  [{ content: 'omit', mode: 'full' }, 'Not used: 1 for other paths (entry 1), 4 without a kept body (entries 2 to 5)'],
  [
    { content: 'embed', worker: true },
    'from 2 requests. Not used: 1 with nothing new, 2 for other paths (entries 1 to 2)',
  ],
]

it('is made into a scenario if Playwright has recorded it with any option, and says what is not there', async ({
  browser,
}) => {
  const recorded = await serveMock(createMockmaker({ scenario: tanks }))
  const origin = await servePage()
  for (const [{ worker = false, ...recordHar }, expected] of options) {
    const file = join(await folder(), 'session.har')
    const context = await browser.newContext({ recordHar: { path: file, ...recordHar } })
    const page = await context.newPage()
    await page.goto(origin)
    if (worker) await page.evaluate(forwardByWorker)
    await page.evaluate(play, [recorded, tokens.public] as const)
    await context.close()

    const { code, stdout, stderr } = await runHere(['import', file])

    // The requests of the worker are in any order.
    expect([recordHar, stderr]).toEqual([recordHar, expect.stringContaining(expected)])
    expect(stdout).not.toContain(tokens.public)
    if (recordHar.content === 'omit') continue
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 without a kept request body (entr')])
    const compared = await runHere(['diff', file])
    expect(compared.stdout).toMatch(/^3 requests compared, no difference\b/m)
  }
})

/** Serves an empty page, and a service worker that forwards its requests. Resolves with its URL. */
async function servePage(): Promise<string> {
  const script = `
    addEventListener('install', () => skipWaiting())
    addEventListener('activate', event => event.waitUntil(clients.claim()))
    addEventListener('fetch', event => event.respondWith(fetch(event.request)))`
  const server = createServer((request, response) => {
    const isScript = request.url === '/worker.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html').end(isScript ? script : '<p>')
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** In the page. */
async function forwardByWorker(): Promise<void> {
  const isControlled = new Promise(resolve => navigator.serviceWorker.addEventListener('controllerchange', resolve))
  await navigator.serviceWorker.register('/worker.js')
  await isControlled
}

/** In the page. */
async function play([url, token]: readonly [string, string]): Promise<void> {
  // A browser keeps the bodies that a page has read.
  const read = async (answer: Promise<Response>) => (await answer).text()
  const find = (body: BodyInit) => read(fetch(`${url}/matchmaker/lobbies/find`, { method: 'POST', body }))
  await read(fetch(`${url}/matchmaker/lobbies/list`, { headers: { authorization: `Bearer ${token}` } }))
  await find('{"game_modes":["duel"]}')
  await find('{"game_modes":["none"]}')
  // Without a content type, Playwright has no body.
  await find(new Blob(['{"game_modes":["duel"]}']))
  await fetch(`${url}/matchmaker/lobbies/list`, { signal: AbortSignal.abort() }).catch(() => {})
}
