import { stripVTControlCharacters } from 'node:util'
import { describe, expect as vitestExpect } from 'vitest'
import { matchers } from '../../src/testing/matchers.js'
import { controls, messageOf } from '../support/controls.js'
import { ask, post } from '../support/http.js'
import { it } from '../support/served-mock.js'
import { bearer, tokens } from '../support/tanks.js'
import { warn, warned } from '../support/warn.js'
import type { Extended } from './extended-expect.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) } as const
const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] }, tokens.public)

// Vitest changes its own `expect`.
vitestExpect.extend(matchers)
const expect = vitestExpect as unknown as Extended

describe.each(controls)('toHaveNoWarnings, $where', ({ of }) => {
  it('passes until the mock warns, and then has the sentences', async ({ serve }) => {
    const served = await serve()
    const mock = of(served)
    await expect(mock).toHaveNoWarnings()
    const none = await messageOf(() => expect(mock).not.toHaveNoWarnings())

    for (let i = 0; i < 2; i++) warn(served.mock)

    await expect(mock).not.toHaveNoWarnings()
    vitestExpect(await messageOf(() => expect(mock).toHaveNoWarnings())).toBe(
      `expected no warnings, and found:\n  buffered output, 2 times: ${warned}`,
    )
    vitestExpect(none).toBe('expected a warning, and the mock has none')
  })
})

describe.each(controls)('toHaveAnswered, $where', ({ of }) => {
  it('passes if the mock has answered such requests', async ({ serve }) => {
    const served = await serve()
    const mock = of(served)
    await ask(served.mock, list)
    await ask(served.mock, find)

    await expect(mock).toHaveAnswered('lobbies.list')
    await expect(mock).toHaveAnswered('lobbies.*', { status: 200 }, 2)
    await expect(mock).toHaveAnswered('lobbies.find', { body: { game_modes: ['duel'] } }, { max: 1 })
    await expect(mock).not.toHaveAnswered('lobbies.join')
    await expect(mock).not.toHaveAnswered('lobbies.list', {}, 2)
  })

  it('shows the expectation, what was found, and the nearest requests', async ({ serve }) => {
    const served = await serve()
    const mock = of(served)
    await ask(served.mock, find)

    const message = await messageOf(() =>
      expect(mock).toHaveAnswered('lobbies.find', { body: { game_modes: ['ffa'] } }),
    )
    const unexpected = await messageOf(() => expect(mock).not.toHaveAnswered('lobbies.find'))
    const times = await messageOf(() => expect(mock).not.toHaveAnswered('lobbies.find', {}, 1))

    vitestExpect(stripVTControlCharacters(message)).toContain(
      'expected at least 1 request of lobbies.find that matches {"body":{"game_modes":["ffa"]}}, and found 0',
    )
    vitestExpect(stripVTControlCharacters(message)).toContain('POST /matchmaker/lobbies/find → 200')
    vitestExpect(stripVTControlCharacters(message)).toContain('body.game_modes.0: expected "ffa", and it is "duel"')
    vitestExpect(stripVTControlCharacters(unexpected)).toContain(
      'expected exactly 0 requests of lobbies.find, and found 1',
    )
    vitestExpect(stripVTControlCharacters(unexpected)).toContain('POST /matchmaker/lobbies/find → 200')
    vitestExpect(stripVTControlCharacters(times)).toContain('expected another number of requests than 1, and found 1')
  })

  it('refuses an operation that does not exist, also with not', async ({ serve }) => {
    const mock = of(await serve())

    for (const one of [expect(mock), expect(mock).not])
      vitestExpect(await messageOf(() => one.toHaveAnswered('lobies.list' as never))).toContain(
        'Did you mean lobbies.list?',
      )
  })
})

describe('a value that is no mock', () => {
  it.for([
    [undefined, 'got undefined.'],
    [{ journal: [] }, 'got {"journal":[]}. Pass the mock of the test, or what'],
    [fetch, 'got a function.'],
    [Promise.resolve(1), 'got a Promise. Await the promise first'],
  ] as const)('is refused: %o', async ([value, problem]) => {
    for (const one of [expect(value), expect(value).not]) {
      const message = await messageOf(() => one.toHaveAnswered('lobbies.list'))
      vitestExpect(message).toContain(`toHaveAnswered expects a mock, a world of a mock, or a client, and ${problem}`)
    }
  })
})

describe('the tables of a mock', () => {
  it('are refused, with the advice to pass the mock', async ({ serve }) => {
    const { mock, client } = await serve()

    for (const { world } of [mock, client])
      vitestExpect(await messageOf(() => matchers.toHaveAnswered(world as never, 'lobbies.list'))).toContain(
        'and got its tables, mock.world. Pass the mock itself',
      )
  })
})

describe('a matcher', () => {
  it('refuses a mock whose world was deleted', async ({ serve }) => {
    const { mock } = await serve()
    const world = await mock.worlds.put('w1')
    await mock.worlds.delete('w1')

    vitestExpect(await messageOf(() => matchers.toHaveAnswered(world, 'lobbies.list'))).toContain('was deleted')
  })
})
