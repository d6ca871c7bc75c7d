import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStorybook } from './built-storybook.js'

let storybook
before(async () => {
  // msw-storybook-addon looks for its worker at the root of the server.
  storybook = await openStorybook('storybook-static', '/')
})
after(() => storybook.close())

describe('stories with `mswLoader` of msw-storybook-addon', () => {
  it('have the handlers of their parameters beside the mock, and none of other stories', async () => {
    const page = await storybook.openPage()

    assert.equal(await page.open('msw-loader--other-handlers'), undefined)
    assert.equal(await page.show('msw-loader--own-handler'), undefined)
    assert.equal(await page.show('msw-loader--without-handlers'), undefined)

    await page.close()
  })
})
