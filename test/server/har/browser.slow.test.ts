import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../../src/core/mock/mock.js'
import { createMockmaker } from '../../../src/index.js'
import { journalToHar } from '../../../src/server/har/write.js'
import { launchBrowser } from '../../support/chromium.js'
import { folder } from '../../support/command.js'
import { ask, post } from '../../support/http.js'
import { runHere } from '../../support/run-here.js'
import { serveMock } from '../../support/served-mock.js'
import { tanks, tokens } from '../../support/tanks.js'

const url = 'https://matchmaker.example'

it('answers a page through page.routeFromHAR', async () => {
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
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
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

it.for(['embed', 'attach'] as const)('is made into a scenario if Playwright has recorded it with %s', async content => {
  const mock = createMockmaker({ scenario: tanks })
  const recorded = await serveMock(mock)
  const path = await folder()
  const file = join(path, 'session.har')
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const context = await browser.newContext({ recordHar: { path: file, content } })
  const page = await context.newPage()
  await page.goto(`${recorded}/healthz`)
  await page.evaluate(async token => {
    // A browser keeps the bodies that a page has read.
    const read = async (answer: Promise<Response>) => (await answer).text()
    await read(fetch('/matchmaker/lobbies/list', { headers: { authorization: `Bearer ${token}` } }))
    await read(fetch('/matchmaker/lobbies/find', { method: 'POST', body: '{"game_modes":["duel"]}' }))
    await fetch('/matchmaker/lobbies/list', { signal: AbortSignal.abort() }).catch(() => {})
  }, tokens.public)
  await context.close()

  const { code, stdout, stderr } = await runHere(['import', file])

  expect(stderr).toMatch(
    /^2 regions, 3 game modes, 2 lobbies, 1 game, 1 namespace, from 2 requests\. Not used: 1 for other paths \(entry 1\)\n$/,
  )
  expect(code).toBe(0)
  expect(stdout).not.toContain(tokens.public)
  const compared = await runHere(['diff', file])
  expect(compared.stdout).toMatch(/^2 requests compared, no difference\b/m)
})
