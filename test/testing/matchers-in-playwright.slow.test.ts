import { stripVTControlCharacters } from 'node:util'
import { expect as playwrightExpect } from '@playwright/test'
import { describe, expect } from 'vitest'
import { matchers } from '../../src/testing/matchers.js'
import { controls, messageOf } from '../support/controls.js'
import type { Extended } from '../support/extended-expect.js'
import { ask, post } from '../support/http.js'
import { it } from '../support/served-mock.js'
import { tokens } from '../support/tanks.js'

const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] }, tokens.public)
const extended = playwrightExpect.extend(matchers) as unknown as Extended

describe.each(controls)("toHaveAnswered with Playwright's expect, $where", ({ of }) => {
  it('passes and fails as in vitest', async ({ serve }) => {
    const served = await serve()
    const mock = of(served)
    await ask(served.mock, find)

    await extended(mock).toHaveAnswered('lobbies.find', { body: { game_modes: ['duel'] } }, 1)
    await extended(mock).not.toHaveAnswered('lobbies.join')
    const missing = await messageOf(() => extended(mock).toHaveAnswered('lobbies.join'))
    const unexpected = await messageOf(() => extended(mock).not.toHaveAnswered('lobbies.find'))
    const noMock = await messageOf(() => extended({}).not.toHaveAnswered('lobbies.find'))

    expect(stripVTControlCharacters(missing)).toContain('expected at least 1 request of lobbies.join, and found 0')
    expect(stripVTControlCharacters(unexpected)).toContain('expected exactly 0 requests of lobbies.find, and found 1')
    expect(stripVTControlCharacters(noMock)).toContain('toHaveAnswered expects a mock')
  })
})
