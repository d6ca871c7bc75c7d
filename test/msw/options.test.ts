import { describe, expect } from 'vitest'
import { createMockmaker, UsageError } from '../../src/index.js'
import { setupMockmaker } from '../../src/msw/node.js'
import { folder } from '../support/command.js'
import { closedAfterTest } from '../support/worlds.js'
import { it } from './node-mock.js'

describe('answer', () => {
  const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: {} }

  it.for([
    [{ ...list, headers: undefined }, "the request's headers is undefined"],
    [{}, "the request's method is undefined"],
    [undefined, "the request's method is undefined"],
    [{ ...list, method: '' }, `the request's method is "": expected a text, such as GET`],
    [{ ...list, path: 'matchmaker' }, `the request's path is "matchmaker": expected a path that begins with /`],
    [{ ...list, basePath: 1 }, "the request's basePath is 1: expected a text, such as /api"],
    [{ ...list, query: null }, "the request's query is null: expected a text without ?"],
    [{ ...list, body: '{}' }, `the request's body is "{}": expected bytes`],
    [{ ...list, body: {} }, "the request's body is {}: expected bytes"],
  ] as const)('refuses %j', ([request, message]) => {
    const mock = closedAfterTest(createMockmaker())

    for (const answer of [mock.answer, mock.worlds.default.answer])
      expect(() => answer(request as never)).toThrow(message)
  })
})

describe('the scenario of setupMockmaker', () => {
  it('can be the name of a shipped scenario', () => {
    expect(closedAfterTest(setupMockmaker({ scenario: 'friday-night' })).world.title).toBe('Friday night')
  })

  it('is the default scenario if none is given', () => {
    expect(closedAfterTest(setupMockmaker()).world.title).toBe('A quiet evening')
  })

  it('can be the path of a YAML or JSON file', async () => {
    const path = await folder({ 'a.yaml': 'title: From YAML\nseed: 3\n', 'b.json': '{"title": "From JSON"}' })

    const titles = [`${path}/a.yaml` as const, `${path}/b.json` as const].map(
      scenario => setupMockmaker({ scenario }).world.title,
    )

    expect(titles).toEqual(['From YAML', 'From JSON'])
  })

  it.for([
    ['a mistyped name', 'friday-nigth', /there is no scenario file friday-nigth.*Did you mean friday-night\?/],
    ['a missing file', './nowhere.yaml', /there is no scenario file \.\/nowhere\.yaml/],
  ] as const)('throws UsageError at once for %s', ([, name, message]) => {
    const scenario = name as './nowhere.yaml' // TypeScript refuses the other one
    expect(() => setupMockmaker({ scenario })).toThrow(UsageError)
    expect(() => setupMockmaker({ scenario })).toThrow(message)
  })
})
