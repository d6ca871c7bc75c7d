import { describe, expect, it } from 'vitest'
import { ApiError, createMockmaker } from '../src/index.js'

/** Options as somebody without a compiler may write them. */
const make = (options: object) => () => createMockmaker(options)

describe('createMockmaker', () => {
  it.each([
    [
      { scnario: {} },
      'scnario is an unknown option. Known: scenario, seed, baseUrl, watchTimeoutMs, publicUrl, corsOrigins, maxWorlds, worldTtlMs, journalSize, journalBytes, totalJournalBytes, eventBytes, totalEventBytes, live. Did you mean scenario?',
    ],
    [{ scenario: 'friday-night' }, 'scenario is "friday-night": expected an object'],
    [{ seed: 1.5 }, 'seed is 1.5: expected an integer'],
    [{ live: 'yes' }, 'live is "yes": expected true or false'],
    [{ watchTimeoutMs: -1 }, 'watchTimeoutMs is -1: expected a number of ms from 0'],
    [{ corsOrigins: 'http://x' }, 'corsOrigins is "http://x": expected an array of texts'],
    [{ baseUrl: 'localhost:3000' }, 'baseUrl is "localhost:3000": expected an origin'],
  ])('refuses %j', (options, message) => {
    expect(make(options)).toThrow(message)
  })
})

describe('override', () => {
  it('refuses an operation that is none', () => {
    const mock = createMockmaker()

    const override = () => mock.override('lobby.list' as 'lobbies.list', ({ original }) => original())

    expect(override).toThrow(/^lobby\.list is an unknown operation\. Known: .* Did you mean lobbies\.list\?$/)
  })
})

describe('ApiError', () => {
  it('refuses a code that is none, so that it is not answered with 200', () => {
    expect(() => new ApiError('API_NOT_FUOND' as 'API_NOT_FOUND', 'gone')).toThrow('Did you mean API_NOT_FOUND?')
  })
})

describe('a table', () => {
  it('says what a query is to somebody who hands it something else', async () => {
    const { world } = createMockmaker()

    expect(() => world.lobbies.findMany({ game_mode_id: 'duel' } as never)).toThrow(
      '{"game_mode_id":"duel"} is no query: write a function of one, as in q => q.where({ lobby_id })',
    )
  })

  const cycle: { self?: unknown } = {}
  cycle.self = cycle

  it.each([
    ['a bigint', { n: 1n }],
    ['a date', { at: new Date(0) }],
    ['no number', [Number.NaN]],
    ['a function', { call: () => 1 }],
    ['what holds itself', cycle],
  ])('refuses a state that is no JSON: %s', async (_, state) => {
    const { world } = createMockmaker()
    const { revision } = world

    await expect(world.lobbies.create({ state })).rejects.toThrow(/^lobbies\.create: state is .*expected JSON/)
    expect(world.revision).toBe(revision)
  })
})

describe('now', () => {
  it('is where a running clock starts, to the millisecond', () => {
    const { world } = createMockmaker({ scenario: { now: '2026-11-20T20:00:00Z', clock: 'running' } })

    expect(world.revision).toBe(Date.UTC(2026, 10, 20, 20))
  })
})
