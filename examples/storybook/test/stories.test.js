import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { openStorybook } from './built-storybook.js'

let [storybook, page] = []
before(async () => {
  storybook = await openStorybook('storybook-static', '/design/')
})
after(() => storybook.close())
afterEach(() => assert.deepEqual(page.escaped, []))

/** A page loads Storybook and all stories, so the tests of a group share one. */
async function openPage() {
  await page?.close()
  page = await storybook.openPage()
}

describe('a story', () => {
  before(openPage)
  it('has the scenario of its parameters', async () => {
    await page.open('lobbylist--empty')
    await page.sees('0 lobbies')

    await page.show('lobbylist--busy')
    await page.sees('330 lobbies')
  })

  it('has the faults of its parameters', async () => {
    await page.show('lobbylist--broken')

    await page.sees('The matchmaker answers 503')
  })

  it('changes its world in `play`, and sees nothing of the stories before', async () => {
    assert.equal(await page.show('lobbylist--new-lobby'), undefined)
    await page.sees('1 lobbies')

    await page.show('lobbylist--empty')

    await page.sees('0 lobbies')
  })

  it('prints its requests if it fails', async () => {
    assert.equal(await page.show('failing--failing-play'), 'as it should')

    const [report] = page.printed.filter(text => text.includes('failing--failing-play, which failed'))
    assert.match(report, /GET \/matchmaker\/lobbies\/list → 200/)
  })

  it('fails if it is strict and a fault never applied', async () => {
    assert.match(await page.open('failing--unused-fault'), /never applied to a request/)
  })
})

describe('the toolbar', () => {
  before(openPage)
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

  it('follows a second selection while the story starts with the first, and keeps it for the next story', async () => {
    await page.open('lobbylist--busy')
    await page.sees('330 lobbies')

    await page.selectTwice('empty', 'ghost-town')
    await page.sees('3 lobbies')

    await page.show('lobbylist--empty')
    await page.sees('3 lobbies')
  })
})

describe('a docs page', () => {
  before(openPage)
  it('shows each story with its own world, and all with the scenario of the toolbar', async () => {
    await page.openDocs('lobbylist--docs')
    await page.frameSees('lobbylist--empty', '0 lobbies')
    await page.frameSees('lobbylist--busy', '330 lobbies')
    await page.frameSees('lobbylist--broken', 'The matchmaker answers 503')
    await page.frameSees('lobbylist--new-lobby', '1 lobbies')

    await page.select('ghost-town')

    await page.frameSees('lobbylist--empty', '3 lobbies')
    await page.frameSees('lobbylist--busy', '3 lobbies')
  })
})
