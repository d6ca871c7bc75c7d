import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, inject, vi } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { ask, failure, json, post } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { ids, tanks } from '../../support/tanks.js'
import { closedAfterTest, live, stateOf } from '../../support/worlds.js'
import { play, randomWorld } from '../scenario/random-world.js'

const find = (game_mode: string, token?: string) => post('/matchmaker/lobbies/find', { game_modes: [game_mode] }, token)

const frankfurt = { latitude: 50, longitude: 9 }

describe('an explained find', () => {
  it('takes a seat in the fullest lobby', async ({ serve }) => {
    const { mock, client } = await serve({ scenario: { ...tanks, client: frankfurt } })
    await mock.lobby({ lobby_id: 'full', game_mode_id: 'duel', players: 2 })
    await mock.lobby({ lobby_id: 'newer', game_mode_id: 'duel', players: 1 })

    const explained = mock.explain({ find: 'duel' })

    expect(explained).toEqual({
      verdict: `a seat in lobby ${ids.lobby}`,
      because: [
        'it is the fullest lobby that fits, with 1 of 2 seats taken. Others with as many free seats, but farther away or newer: 1',
        'it is in lnd-fra, 26 km from the player',
      ],
      region_id: 'lnd-fra',
      kilometers: 26,
      candidates: expect.any(Array),
    })
    expect(explained.candidates?.map(({ lobby_id, kilometers, because }) => [lobby_id, kilometers, because])).toEqual([
      [ids.lobby, 26, undefined],
      ['newer', 26, 'newer than the chosen one, or its game mode or region comes later in the request'],
      ['closed', 26, 'closed (is_closed)'],
      ['private', 26, 'private (publicity)'],
      ['full', 26, 'full'],
    ])
    expect(await client.explain({ find: 'duel' })).toEqual(explained)
  })

  it('creates a lobby in the nearest region if none has a free seat', async ({ serve }) => {
    const { mock } = await serve({ scenario: { ...tanks, client: { latitude: -33, longitude: 151 } } })
    for (const { lobby_id } of mock.world.lobbies.all()) await mock.world.lobbies.delete(lobby_id)

    expect(mock.explain({ find: 'ffa' })).toEqual({
      verdict: 'a new lobby in lnd-syd',
      because: [
        'no lobby of the game mode has a free seat for find',
        'lnd-syd is the nearest region of the game mode, 99 km from the player',
      ],
      region_id: 'lnd-syd',
      kilometers: 99,
      candidates: [],
    })
  })

  it('has no distances if the place of the player is unknown', async ({ serve }) => {
    const { mock } = await serve()
    await mock.world.lobbies.update('empty', { is_closed: true })

    const explained = mock.explain({ find: 'ffa' })

    expect(explained.because[1]).toBe(
      'lnd-syd is the first region of the game mode, because the place of the player is unknown',
    )
    expect(JSON.stringify(explained)).not.toContain('kilometers')
  })

  it.for([
    ['fit', 0],
    ['do not fit', 2],
  ] as const)('lists the first 50 of 60 lobbies that %s, and none that has stopped', async ([, players], { serve }) => {
    const lobbies = Array.from({ length: 60 }, (_, at) => ({ lobby_id: `l${at}`, total_player_count: players }))
    const { mock } = await serve({
      scenario: {
        game_modes: [{ game_mode_id: 'duel', max_players: 2 }],
        lobbies: [{ lobby_id: 'stopped', status: 'stopped' }, ...lobbies],
      },
    })

    const ids = mock.explain({ find: 'duel' }).candidates?.map(({ lobby_id }) => lobby_id)

    expect(ids).toEqual(lobbies.slice(0, 50).map(({ lobby_id }) => lobby_id))
  })

  it('lists equally full lobbies in the order of the regions, if the place of the player is unknown', async ({
    serve,
  }) => {
    const { mock } = await serve({
      scenario: {
        regions: ['lnd-fra', 'lnd-syd'],
        game_modes: [{ game_mode_id: 'ffa', regions: ['lnd-syd', 'lnd-fra'] }],
        lobbies: ['lnd-fra', 'lnd-syd'].map(region_id => ({ lobby_id: `in-${region_id}`, region_id })),
      },
    })

    const { candidates, because } = mock.explain({ find: 'ffa' })

    expect(candidates?.map(({ lobby_id }) => lobby_id)).toEqual(['in-lnd-syd', 'in-lnd-fra'])
    expect(because[1]).toBe('it is in lnd-syd. The place of the player is unknown: set client in the scenario')
  })

  it('says of a lobby that is farther away that it is', async ({ serve }) => {
    const { mock } = await serve({ scenario: { ...tanks, client: frankfurt } })
    await mock.lobby({ lobby_id: 'near', game_mode_id: 'ffa', region_id: 'lnd-fra' })

    const { candidates } = mock.explain({ find: 'ffa' })

    expect(candidates?.map(({ lobby_id, because }) => [lobby_id, because])).toEqual([
      ['near', undefined],
      ['empty', 'farther away than the chosen one'],
    ])
  })

  it.for([
    ['duell', {}, '400 MATCHMAKER_GAME_MODE_NOT_FOUND', 'Did you mean duel?'],
    ['', {}, '400 MATCHMAKER_GAME_MODE_NOT_FOUND', 'no game mode ""'],
    ['secret', {}, '400 MATCHMAKER_FIND_DISABLED', 'does not allow finding lobbies'],
    ['duel', { lobby_count_max: 1 }, '400 MATCHMAKER_TOO_MANY_LOBBIES', 'has 5 of at most 1 lobbies'],
    ['duel', { max_players: 0 }, '400 MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE', '127.0.0.1 has 0 of at most 0 players'],
  ] as const)('in %j, with %j, is refused as find is: %s', async ([mode, limits, verdict, message], { serve }) => {
    const { mock, client, send } = await serve()
    await mock.world.gameModes.update(`${ids.prod}/secret`, { disabled: ['find'] })
    await mock.world.namespaces.update(ids.prod, limits)
    await mock.world.lobbies.update(ids.lobby, { is_closed: true })

    const explained = await client.explain({ find: mode })

    expect(explained).toEqual({ verdict, because: [expect.stringContaining(message)] })
    expect(failure(await send(find(mode)))).toBe(verdict)
  })

  it('is in the default namespace, or in the one that you name', async ({ serve }) => {
    const { mock } = await serve()

    const verdicts = [undefined, 'tanks/closed', ids.closed].map(
      namespace => mock.explain({ find: 'solo', namespace }).verdict,
    )

    expect(verdicts).toEqual(['400 MATCHMAKER_GAME_MODE_NOT_FOUND', ...Array(2).fill('a seat in lobby arena')])
  })

  it.for([
    [{ find: 'duel', namespace: 'tanks/prd' }, 'Did you mean tanks/prod?'],
    [{ find: 'duel', exchange: 1 }, 'ask for one thing'],
  ] as const)('is refused if the question is %j', async ([question, message], { serve }) => {
    const { mock, client } = await serve()

    expect(() => mock.explain(question)).toThrow(message)
    await expect(client.explain(question)).rejects.toThrow(message)
  })

  it('runs the jobs that are due first', async ({ serve }) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { mock } = await serve({ scenario: { ...tanks, clock: 'running' } })
    const stops_at = mock.clock.now() + 1000
    await mock.world.lobbies.create({ lobby_id: 'short', game_mode_id: 'ffa', players: [{}], stops_at })
    const before = mock.explain({ find: 'ffa' }).verdict

    vi.setSystemTime(Date.now() + 1000)

    const after = mock.explain({ find: 'ffa' }).verdict
    vi.useRealTimers()
    expect([before, after]).toEqual(['a seat in lobby short', 'a seat in lobby empty'])
  })
})

/** Asks what find would do in each game mode, and then lets it do so. Returns the verdicts. */
async function checkChoices(mock: Mockmaker): Promise<string[]> {
  const { world } = mock
  const verdicts: string[] = []
  for (const { namespace_id, game_mode_id } of world.gameModes.all()) {
    const { token } = await world.tokens.create({ kind: 'public', namespace_id })
    const known = new Set(world.lobbies.all().map(({ lobby_id }) => lobby_id))
    const before = stateOf(world)

    const { verdict, region_id, candidates = [] } = mock.explain({ find: game_mode_id, namespace: namespace_id })

    expect(stateOf(world)).toBe(before)
    const answer = await ask(mock, find(game_mode_id, token))
    const { lobby } = json(answer) as { lobby?: { lobby_id: string; region: { region_id: string } } }
    const isKnown = lobby && known.has(lobby.lobby_id)
    const success = isKnown ? `a seat in lobby ${lobby.lobby_id}` : `a new lobby in ${lobby?.region.region_id}`
    expect(verdict).toBe(lobby ? success : failure(answer))
    expect(region_id).toBe(lobby?.region.region_id)
    const chosen = candidates.filter(({ because }) => because === undefined).map(({ lobby_id }) => lobby_id)
    expect(chosen).toEqual(isKnown ? [lobby.lobby_id] : [])
    verdicts.push(verdict)
  }
  return verdicts
}

describe('the explained choice', () => {
  property.prop([randomWorld], { numRuns: inject('runs') })('is what find then does', async ({ scenario, steps }) => {
    const mock = closedAfterTest(createMockmaker({ scenario }))
    for (const step of steps) await play(step, live(mock.world))
    await mock.clock.set({ mode: 'frozen' })

    await checkChoices(mock)
  })

  const regions = ['lnd-fra', 'lnd-lon', 'lnd-ewr', 'lnd-syd']
  const place = fc.record({
    latitude: fc.integer({ min: -90, max: 90 }),
    longitude: fc.integer({ min: -180, max: 180 }),
  })
  const lobby = fc.record({ region_id: fc.constantFrom(...regions), total_player_count: fc.nat(2) })

  property.prop([fc.option(place, { nil: undefined }), fc.array(lobby, { maxLength: 12 })], { numRuns: 20 })(
    'is what find then does, for players anywhere',
    async (client, lobbies) => {
      const game_modes = [{ game_mode_id: 'duel', max_players: 2, regions }]
      const scenario: ScenarioInput = { clock: 'frozen', regions, game_modes, lobbies, ...(client && { client }) }
      const mock = closedAfterTest(createMockmaker({ scenario }))

      for (let players = 0; players < 12; players++) await checkChoices(mock)

      expect(mock.world.players.count({ status: 'reserved' })).toBe(12)
    },
  )
})
