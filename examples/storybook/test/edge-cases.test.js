import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { openStorybook } from './built-storybook.js'

let [storybook, page] = []
before(async () => {
  // msw-storybook-addon looks for its worker at the root of the server.
  storybook = await openStorybook('storybook-edge-cases', '/')
})
after(() => storybook.close())
beforeEach(async () => {
  page = await storybook.openPage()
})
afterEach(() => page.close())

describe('a story, beside msw-storybook-addon and in CSF factories', () => {
  it('leaves nothing behind', async () => {
    assert.equal(await page.open('edge-cases--untidy'), undefined)

    assert.equal(await page.show('edge-cases--tidy'), undefined)
  })

  it('can have other handlers', async () => {
    assert.equal(await page.open('edge-cases--other-handlers'), undefined)
  })

  it('can have a handler that wins over the mock', async () => {
    assert.equal(await page.open('edge-cases--own-handler'), undefined)
  })

  it('tells a second mock that it cannot listen', async () => {
    assert.equal(await page.open('edge-cases--two-tools'), undefined)
  })
})

describe('wrong parameters', () => {
  const expected = {
    'edge-cases--unknown-scenario': /^there is no scenario "fridaynight"\. .* Did you mean friday-night\?$/,
    'edge-cases--unknown-parameter': /^mockmaker\.scenarios is an unknown key\. .* Did you mean scenario\?$/,
    'edge-cases--unknown-code': /^fault\.effect\.error\.code is "API_RATELIMIT": .* Did you mean API_RATE_LIMIT\?$/,
  }

  for (const [storyId, message] of Object.entries(expected))
    it(`of ${storyId} are refused`, async () => {
      assert.match(await page.open(storyId), message)
    })
})

describe('stories without frames on a docs page', () => {
  it('reach their own worlds if the code calls `mock.url`', async () => {
    await page.openDocs('inline--docs')

    await page.page.locator('#story--inline--names-its-world--primary-inner').getByText('3 lobbies').waitFor()
    await page.page.locator('#story--inline--names-its-world-too-inner').getByText('0 lobbies').waitFor()
  })

  it('are refused a request that names none of them', async () => {
    await page.openDocs('inline--docs')

    await page.page.getByText('The matchmaker answers 404').waitFor()
  })
})

describe('stories without the parameter `mockmaker` on a docs page', () => {
  it('share a world, which follows the toolbar', async () => {
    const stories = ['#story--plain--one--primary-inner', '#story--plain--another-inner']
    const see = text => Promise.all(stories.map(id => page.page.locator(id).getByText(text).waitFor()))
    await page.openDocs('plain--docs')
    await see('7 lobbies')

    await page.select('ghost-town')

    await see('3 lobbies')
  })
})
