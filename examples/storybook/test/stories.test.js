import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { openStorybook } from './built-storybook.js'

let [storybook, page] = []
before(async () => {
  storybook = await openStorybook('storybook-static', '/design/')
})
after(() => storybook.close())
beforeEach(async () => {
  page = await storybook.openPage()
})
afterEach(async () => {
  assert.deepEqual(page.escaped, [])
  await page.close()
})

describe('a story', () => {
  it('has the scenario of its parameters', async () => {
    await page.open('lobbylist--empty')
    await page.sees('0 lobbies')

    await page.open('lobbylist--busy')
    await page.sees('330 lobbies')
  })

  it('has the faults of its parameters', async () => {
    await page.open('lobbylist--broken')

    await page.sees('The matchmaker answers 503')
  })

  it('changes its world in `play`', async () => {
    assert.equal(await page.open('lobbylist--new-lobby'), undefined)
  })

  it('sees nothing of the stories before', async () => {
    await page.open('lobbylist--broken')
    await page.show('lobbylist--new-lobby')
    await page.sees('1 lobbies')

    await page.show('lobbylist--empty')

    await page.sees('0 lobbies')
  })

  it('prints its requests if it fails', async () => {
    assert.equal(await page.open('failing--failing-play'), 'as it should')

    const [report] = page.printed.filter(text => text.includes('failing--failing-play, which failed'))
    assert.match(report, /GET \/matchmaker\/lobbies\/list → 200/)
  })

  it('fails if it is strict and a fault never applied', async () => {
    assert.match(await page.open('failing--unused-fault'), /never applied to a request/)
  })
})

describe('the toolbar', () => {
  it('stands beside that of the preview, puts a scenario under the story that is shown, and takes it away', async () => {
    await page.openManager('lobbylist--empty')
    await page.sees('0 lobbies')

    await page.click('Scenario of the story')
    await page.click('Ghost town (ghost-town)')
    await page.sees('3 lobbies')

    await page.click('Ghost town (ghost-town)')
    await page.click('Scenario of the story')
    await page.sees('0 lobbies')

    await page.click('English')
    await page.click('French')
    await page.page.getByText('French', { exact: true }).waitFor()
  })

  it('follows a second selection while the story starts with the first', async () => {
    await page.open('lobbylist--busy')
    await page.sees('330 lobbies')

    await page.selectTwice('empty', 'ghost-town')

    await page.sees('3 lobbies')
  })

  it('keeps the scenario for the next story', async () => {
    await page.open('lobbylist--empty', 'mockmaker:ghost-town')
    await page.sees('3 lobbies')

    await page.show('lobbylist--busy')

    await page.sees('3 lobbies')
  })
})

describe('a docs page', () => {
  it('shows each story with its own world', async () => {
    await page.openDocs('lobbylist--docs')

    await page.frameSees('lobbylist--empty', '0 lobbies')
    await page.frameSees('lobbylist--busy', '330 lobbies')
    await page.frameSees('lobbylist--broken', 'The matchmaker answers 503')
    await page.frameSees('lobbylist--new-lobby', '1 lobbies')
  })

  it('shows all stories with the scenario of the toolbar', async () => {
    await page.openDocs('lobbylist--docs')
    await page.frameSees('lobbylist--busy', '330 lobbies')

    await page.select('ghost-town')

    await page.frameSees('lobbylist--empty', '3 lobbies')
    await page.frameSees('lobbylist--busy', '3 lobbies')
  })
})
