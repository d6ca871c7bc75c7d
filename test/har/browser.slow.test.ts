import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { journalToHar } from '../../src/har/write.js'
import { createMock } from '../../src/mock/mock.js'
import { launchBrowser } from '../support/chromium.js'
import { folder } from '../support/command.js'
import { ask, post } from '../support/http.js'
import { tanks } from '../support/tanks.js'

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
