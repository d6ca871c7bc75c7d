import { describe, expect, it } from 'vitest'
import { ApiError, createMockmaker } from '../../../src/index.js'
import { createApp, listen } from '../../../src/server/http/index.js'

/** Options that the types forbid. */
const make = (options: object) => () => createMockmaker(options)

describe('createMockmaker', () => {
  it.each([
    [
      { scnario: {} },
      'options.scnario is an unknown key. Known: scenario, seed, baseUrl, world, watchTimeoutMs, publicUrl, corsOrigins, maxWorlds, worldTtlMs, journalSize, history, strict, live. Did you mean scenario?',
    ],
    [{ scenario: 'friday-night' }, 'scenario is "friday-night": expected an object'],
    [{ scenario: null }, 'options.scenario is null: expected an object'],
    [{ seed: 1.5 }, 'seed is 1.5: expected an integer'],
    [{ seed: '7' }, 'seed is "7": expected an integer'],
    [{ publicUrl: 5 }, 'options.publicUrl is 5: expected a URL such as https://hub.example'],
    [{ publicUrl: 'hub.example' }, 'options.publicUrl is "hub.example": expected a URL'],
    [{ publicUrl: 'https://hub.example?a=b' }, 'options.publicUrl is "https://hub.example?a=b": expected a URL'],
    [{ watchTimeoutMs: '40s' }, 'watchTimeoutMs is "40s": expected a number of ms from 0'],
    [{ maxWorlds: 0 }, 'maxWorlds is 0: expected a whole number from 1'],
    [{ journalSize: -1 }, 'journalSize is -1: expected a whole number from 0'],
    [{ history: 0 }, 'history is 0: expected a duration such as 1h, or a whole number of change sets from 1'],
    [{ history: '1 hour' }, 'history is "1 hour": expected a duration such as 1h'],
    [{ corsOrigins: [5] }, 'corsOrigins[0] is 5: expected string'],
    [
      { corsOrigins: ['null', 'x'] },
      'options.corsOrigins[1] is "x": expected an origin such as https://game.example, or null',
    ],
    [{ baseUrl: 5 }, 'baseUrl is 5: expected string'],
    [{ live: 'yes' }, 'live is "yes": expected boolean'],
    [{ watchTimeoutMs: -1 }, 'watchTimeoutMs is -1: expected a number of ms from 0'],
    [{ corsOrigins: 'http://x' }, 'corsOrigins is "http://x": expected array'],
    [{ baseUrl: 'localhost:3000' }, 'baseUrl is "localhost:3000": expected an origin'],
  ])('refuses %j', (options, message) => {
    expect(make(options)).toThrow(message)
  })

  it('creates a mock whose methods work without their object', async () => {
    const { world, on, changes, reset, snapshot, close } = createMockmaker()
    const before = snapshot()
    const events = changes()
    on('lobbies.list', ({ original }) => original())

    await world.lobbies.create({ lobby_id: 'mine' })
    const { value } = await events.next()
    await reset()

    expect(value).toMatchObject({ type: 'change' })
    expect(snapshot().lobbies).toEqual(before.lobbies)
    await close()
  })
})

describe('listen', () => {
  it.each([
    [{ port: '4100' }, 'options.port is "4100": expected a port from 0 to 65535'],
    [{ port: 65_536 }, 'options.port is 65536: expected a port from 0 to 65535'],
    [{ host: 5 }, 'options.host is 5: expected string'],
    [{ allowedHosts: 'a' }, 'options.allowedHosts is "a": expected array'],
    [
      { allowedHosts: ['*'] },
      'options.allowedHosts[0] is "*": expected a name without a port, such as game.example, or .example for all names below it',
    ],
    [{ control: 'no' }, 'options.control is "no": expected boolean'],
    [
      { prt: 1 },
      'options.prt is an unknown key. Known: port, host, allowedHosts, control, controlHosts, controlToken, trustProxy, data, servers. Did you mean port?',
    ],
  ])('refuses %j', async (options, message) => {
    // The types forbid these.
    await expect(listen(createMockmaker(), options as never)).rejects.toThrow(message)
  })
})

describe('createApp', () => {
  it('takes names and IP addresses as allowed hosts', () => {
    const allowedHosts = ['game.example', '.game.example', 'game.example.', '192.168.1.5', '[fd00::5]']

    expect(() => createApp(createMockmaker(), { allowedHosts })).not.toThrow()
  })

  it.each([
    [{ allowedHosts: 'a' }, 'options.allowedHosts is "a": expected array'],
    [{ allowedHosts: ['a:1'] }, 'options.allowedHosts[0] is "a:1": expected a name without a port'],
    [
      { port: 1 },
      'options.port is an unknown key. Known: allowedHosts, control, controlHosts, controlToken, trustProxy, data, servers.',
    ],
  ])('refuses %j', (options, message) => {
    // The types forbid these.
    expect(() => createApp(createMockmaker(), options as never)).toThrow(message)
  })
})

describe('override', () => {
  it('refuses an unknown operation', () => {
    const mock = createMockmaker()

    const override = () => mock.override('lobby.list' as 'lobbies.list', ({ original }) => original())

    expect(override).toThrow(/^"lobby\.list" is an unknown operation\. Known: .* Did you mean lobbies\.list\?$/)
  })
})

describe('ApiError', () => {
  it('refuses an unknown code, which would be answered with 200', () => {
    expect(() => new ApiError('API_NOT_FUOND' as 'API_NOT_FOUND', 'gone')).toThrow('Did you mean API_NOT_FOUND?')
  })
})

describe('a table', () => {
  const cycle: { self?: unknown } = {}
  cycle.self = cycle

  it.each([
    ['a bigint', { n: 1n }],
    ['a date', { at: new Date(0) }],
    ['no number', [Number.NaN]],
    ['a function', { call: () => 1 }],
    ['a circular value', cycle],
  ])('refuses a state that is not JSON: %s', async (_, state) => {
    const { world } = createMockmaker()
    const { revision } = world

    await expect(world.lobbies.create({ state })).rejects.toThrow(/^lobbies\.create: state is .*expected JSON/)
    expect(world.revision).toBe(revision)
  })
})

describe('now', () => {
  it('sets the time at which a running clock starts, to the millisecond', () => {
    const { world } = createMockmaker({ scenario: { now: '2026-11-20T20:00:00Z', clock: 'running' } })

    expect(world.revision).toBe(Date.UTC(2026, 10, 20, 20))
  })
})
