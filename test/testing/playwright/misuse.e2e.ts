import { expect, test } from '../../../src/testing/playwright/index.js'
import { list, matchmaker, openPage, send } from './pages.js'

const server = process.env.MOCK_SERVER ?? ''
const noMock = process.env.NO_MOCK ?? ''

/** Options that are wrong. The runner compares the errors with their titles. */
const wrong = {
  'no matchmaker': {},
  'no URL': { matchmaker: 'matchmaker.example' },
  'a query': { matchmaker: 'https://matchmaker.example/?a=1' },
  'a world': { matchmaker: 'https://matchmaker.example/w/one' },
  'no scenario': { matchmaker, scenario: 'friday-nite' as never },
  'no file': { matchmaker, scenario: './none.yaml' as const },
  'no seed': { matchmaker, seed: 'one' as never },
  'no fault': { matchmaker, faults: [{ operation: 'lobbies.lost', effect: { hold: true } }] as never },
  'no URL of a server': { matchmaker, server: '127.0.0.1' },
  'no server': { matchmaker, server: 'http://127.0.0.1:1' },
  'no mock': { matchmaker, server: noMock },
  'no scenario of the server': { matchmaker, server, scenario: 'friday-nite' as never },
  'an option of the server': { matchmaker, server, live: true },
}

for (const [title, options] of Object.entries(wrong))
  test.describe(title, () => {
    test.use(options)
    test.fail('fails', { tag: '@server' }, async ({ mock }) => {
      await mock.reset()
    })
  })

test.describe('a resolver on a server', () => {
  test.use({ matchmaker, server })
  test.fail('fails', { tag: '@server' }, async ({ mock }) => {
    mock.on('lobbies.list', async ({ original }) => original())
  })
})

test.describe('a resolver in-process', () => {
  test.use({ matchmaker })
  test('passes', { tag: '@server' }, async ({ mock, page }) => {
    mock.on('lobbies.list', async ({ original }) => ({ ...(await original()), lobbies: [] }))
    await openPage(page)
    expect(JSON.parse((await send(page, list)).body).lobbies).toEqual([])
  })
})
