import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { operations } from '../../../src/core/contract/operations.js'
import { scenarios } from '../../../src/core/scenario/index.js'
import { createMockmaker, type Explanation, type Mockmaker } from '../../../src/index.js'
import { ask, json, post } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { showServers } from '../../support/shown-servers.js'
import { ids, startAt, tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
const find = (body: object) =>
  ({ method: 'POST', path: '/matchmaker/lobbies/find', body: JSON.stringify(body) }) as const
const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Explains the newest request of a mock. */
function explainNewest(mock: Pick<Mockmaker, 'journal' | 'explain'>) {
  return mock.explain({ exchange: mock.journal.find().at(-1)?.id ?? 0 })
}

const placeless = '. The place of the player is unknown: set client in the scenario'

describe('an explained request', () => {
  it.for([
    [
      find({ game_modes: ['duel'] }),
      '200, answered by lobbies.find',
      [
        'it is the fullest lobby that fits, with 1 of 2 seats taken',
        'it had no token, and tanks/prod needs none',
        'it changed 1 lobby and 1 player',
      ],
    ],
    [
      find({ game_modes: ['ffa'], regions: ['lnd-fra'] }),
      '200, answered by lobbies.find',
      [
        'no lobby in the requested game modes and regions had a free seat that fits, so the mock created one',
        'it had no token, and tanks/prod needs none',
        'it changed 1 lobby and 1 player',
      ],
    ],
    [
      { method: 'POST', path: '/matchmaker/lobbies/join', body: JSON.stringify({ lobby_id: ids.lobby }) },
      '200, answered by lobbies.join',
      [
        'the lobby had a free seat for join: 1 of 2 were taken',
        'it had no token, and tanks/prod needs none',
        'it changed 1 lobby and 1 player',
      ],
    ],
    [
      { method: 'POST', path: '/matchmaker/lobbies/create', body: JSON.stringify({ game_mode: 'duel' }) },
      '200, answered by lobbies.create',
      [
        'every create makes a new lobby, in the requested region or else in the nearest one',
        'it had no token, and tanks/prod needs none',
        'it changed 1 lobby and 1 player',
      ],
    ],
    [
      { ...list, ...withToken(tokens.public) },
      '200, answered by lobbies.list',
      [
        'tanks/prod has 5 running lobbies, and 2 are listed. The others are hidden: 1 closed (is_closed), 1 private (publicity), 1 of a game mode that is not listable',
        'it had a public token of tanks/prod',
        'it changed nothing in the world',
      ],
    ],
    [
      { ...list, ...withToken(tokens.development) },
      '200, answered by lobbies.list',
      [
        'a development token gets a canned answer, whatever the world has',
        'it had a development token of tanks/prod',
        'it changed nothing in the world',
      ],
    ],
    [
      { method: 'GET', path: '/matchmaker/players/statistics', ...withToken(tokens.development) },
      '200, answered by players.getStatistics',
      [
        'a development token gets a canned answer, whatever the world has',
        'it had a development token of tanks/prod',
        'it changed nothing in the world',
      ],
    ],
    [
      {
        ...post(`/cloud/games/${ids.tanks}/namespaces/validate`, { display_name: 'B', name_id: 'b' }),
        ...withToken(tokens.development),
      },
      '200, answered by games.namespaces.validateGameNamespace',
      [
        operations['games.namespaces.validateGameNamespace'].summary,
        'it had a development token of tanks/prod',
        'it changed nothing in the world',
      ],
    ],
    [
      { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${tokens.pending}` },
      '200, answered by devices.links.get',
      [
        'it sent no watch_index, so it did not wait',
        'it had no token, and needs none',
        'it changed nothing in the world',
      ],
    ],
    [
      { method: 'GET', path: '/matchmaker/regions' },
      '200, answered by regions.list',
      [
        'Lists the regions that the game modes of a namespace enable.',
        'it had no token, and tanks/prod needs none',
        'it changed nothing in the world',
      ],
    ],
    [
      find({ game_modes: ['duell'] }),
      '400 MATCHMAKER_GAME_MODE_NOT_FOUND',
      [
        expect.stringContaining('Did you mean duel?'),
        'it had no token, and tanks/prod needs none',
        'it changed nothing in the world',
      ],
    ],
    [
      { method: 'GET', path: '/nowhere' },
      '404 API_NOT_FOUND',
      [expect.stringContaining('nothing is at /nowhere'), 'it changed nothing in the world'],
    ],
  ] as const)('%j has the verdict %s', async ([request, verdict, because], { serve }) => {
    const { mock, client, send } = await serve()
    await send(request)

    const explained = explainNewest(mock)

    expect(explained).toMatchObject({ verdict, because })
    expect(await client.explain({ exchange: mock.journal.find().at(-1)?.id })).toEqual(explained)
  })

  it.for([
    [{ error: { status: 503 } }, '503 ERROR', ['fault 1 applied to it: {"error":{"status":503}}']],
    [
      { delay: '1ms' },
      '200, answered by lobbies.list',
      ['fault 1 applied to it: {"delay":"1ms"}', expect.stringContaining('2 are listed')],
    ],
  ] as const)('names a fault with the effect %j', async ([effect, verdict, because], { serve }) => {
    const { mock, send } = await serve({ scenario: { ...tanks, clock: 'running' } })
    mock.faults.add({ effect })
    await send(list)

    expect(explainNewest(mock)).toMatchObject({ verdict, because: [...because, 'it changed nothing in the world'] })
  })

  it('says how long a watch has waited, and what for', async ({ serve }) => {
    const { mock, send } = await serve()
    const watch = { method: 'GET', path: '/cloud/devices/links' } as const
    const query = `device_link_token=${tokens.pending}`
    const { watch: at } = json(await send({ ...watch, query })) as { watch: { index: string } }
    const blocked = send({ ...watch, query: `${query}&watch_index=${at.index}` })
    await mock.blocked(1)
    await mock.completeDeviceLink(tokens.pending, { game: 'tanks' })
    await blocked

    expect(explainNewest(mock).because[0]).toMatch(/^it waited [\d.]+ m?s, until a change of what it watches$/)

    const idle = send({ ...watch, query: `device_link_token=device.mock.sofa&watch_index=1` })
    expect((await idle).status).toBe(400)
    const { watch: now } = json(await send({ ...watch, query })) as { watch: { index: string } }
    await send({ ...watch, query: `${query}&watch_index=${Number(now.index) - 1}` })

    expect(explainNewest(mock).because[0]).toBe('what it watches had changed since its watch_index, so it did not wait')
  })

  it('names who took the seats of a full lobby, and when', async ({ serve }) => {
    const { mock, send } = await serve()
    await mock.lobby({ lobby_id: 'full', game_mode_id: 'duel', run_by: 'server' })
    const join = {
      method: 'POST',
      path: '/matchmaker/lobbies/join',
      body: JSON.stringify({ lobby_id: 'full' }),
    } as const
    const seated: string[] = []
    for (const pause of ['5ms', '119997ms'] as const) {
      const { player } = json(await send(join)) as { player: { token: string } }
      seated.push(player.token)
      await mock.clock.advance(pause)
    }
    // The first one has lost its seat by now.
    const { player } = json(await send(join)) as { player: { token: string } }
    await mock.clock.advance('1ms')
    await send(join)

    const explained = explainNewest(mock)
    const [, second = '', third = ''] = [...seated, player.token].map(token => mock.stories.get(token)?.name)
    expect(explained.because).toEqual([
      `duel in Frankfurt is full: ${second} holds a seat since 20:00:00.005, and ${third} took the last one 1 ms before this request`,
      'it had no token, and tanks/prod needs none',
      'it changed nothing in the world',
    ])
    expect(explained.seats).toEqual([
      { player: seated[1], name: second, since: '2026-11-20T20:00:00.005Z', state: 'on_the_way' },
      { player: player.token, name: third, since: '2026-11-20T20:02:00.002Z', state: 'on_the_way' },
    ])
  })

  it('says of a full lobby whose players are only counted that all seats were taken', async ({ serve }) => {
    const { mock, send } = await serve()
    await mock.lobby({ lobby_id: 'full', game_mode_id: 'duel', total_player_count: 2 })
    await send({ method: 'POST', path: '/matchmaker/lobbies/join', body: '{"lobby_id":"full"}' })

    const { because, seats } = explainNewest(mock)
    expect(because[0]).toBe('duel in Frankfurt is full: all 2 seats were taken')
    expect(seats).toEqual([])
  })

  it.for([
    [
      'by its process',
      async mock => {
        await mock.world.lobbies.update('gone', { status: 'stopped' })
        showServers(mock, [{ lobby_id: 'gone', status: 'crashed', exit_code: 3, ended_at: '2026-11-20T20:00:00.000Z' }])
      },
      'its game server ended with exit code 3',
    ],
    [
      'before its process started',
      async mock => {
        await mock.world.lobbies.update('gone', { status: 'stopped' })
        showServers(mock, [{ lobby_id: 'gone', status: 'crashed', message: 'not started: no such command' }])
      },
      'its game server was not started: no such command',
    ],
    ['by code', mock => mock.world.lobbies.update('gone', { status: 'stopped' }), 'your code stopped it'],
    ['without a server', mock => mock.clock.advance('5m'), 'no server called lobbies.ready in time'],
  ] as const satisfies readonly (readonly [string, (mock: Mockmaker) => unknown, string])[])(
    'says how a lobby stopped: %s',
    async ([, stop, how], { serve }) => {
      const { mock, send } = await serve()
      await mock.lobby({
        lobby_id: 'gone',
        game_mode_id: 'duel',
        run_by: 'server',
        status: 'starting',
        ready_by: startAt + 300_000,
      })
      await stop(mock)
      await mock.clock.advance('18s')
      await send({ method: 'POST', path: '/matchmaker/lobbies/join', body: '{"lobby_id":"gone"}' })

      expect(explainNewest(mock).because[0]).toBe(`duel in Frankfurt stopped 18 s before this answer: ${how}`)
    },
  )

  it('lists why find did not choose the other lobbies', async ({ serve }) => {
    const { mock, send } = await serve()
    await mock.lobby({ lobby_id: 'full', game_mode_id: 'duel', players: 2 })
    await mock.lobby({ lobby_id: 'newer', game_mode_id: 'duel', players: 1 })
    await mock.lobby({ lobby_id: 'shut', game_mode_id: 'duel', players: 1, is_closed: true })
    await send(find({ game_modes: ['duel', 'ffa'] }))

    const { because, candidates = [] } = explainNewest(mock)

    expect(because[0]).toBe(
      `it is the fullest lobby that fits, with 1 of 2 seats taken. Others with as many free seats, but farther away or newer: 1${placeless}`,
    )
    expect(candidates.map(({ lobby_id, because, lost_by }) => [lobby_id, because, lost_by])).toEqual([
      [ids.lobby, undefined, undefined],
      ['newer', 'newer than the chosen one, or its game mode or region comes later in the request', 'order'],
      ['empty', 'emptier than the chosen one', 'seats'],
      ['closed', 'closed (is_closed)', 'closed'],
      ['private', 'private (publicity)', 'private'],
      ['full', 'full', 'full'],
      ['shut', 'closed (is_closed)', 'closed'],
    ])
  })

  it('is about the world of its answer, if it changes nothing', async ({ serve }) => {
    const { mock, send } = await serve()
    mock.on('lobbies.find', async ({ world, original }) => {
      await world.lobbies.update(q => q.where({ lobby_id: ids.lobby }), {
        data(lobby) {
          lobby.is_closed = true
        },
      })
      return original()
    })
    await send(find({ game_modes: ['duel'], prevent_auto_create_lobby: true }))

    const { verdict, candidates = [] } = explainNewest(mock)

    expect(verdict).toBe('400 MATCHMAKER_NO_AVAILABLE_LOBBIES')
    expect(candidates.find(({ lobby_id }) => lobby_id === ids.lobby)).toMatchObject({ lost_by: 'closed' })
  })

  it('is about the world before it, whatever happened since', async ({ serve }) => {
    const { mock, send } = await serve()
    await send(find({ game_modes: ['duel'] }))
    const explained = explainNewest(mock)
    const [{ id } = { id: 0 }] = mock.journal.find()

    for (const { lobby_id } of mock.world.lobbies.all()) await mock.world.lobbies.delete(lobby_id)
    await send(find({ game_modes: ['ffa'] }))

    expect(mock.explain({ exchange: id })).toEqual(explained)
  })

  it.for([
    find({ game_modes: ['duel'] }),
    find({ game_modes: ['duel'], prevent_auto_create_lobby: true, regions: ['lnd-fra'], max_players: 3 }),
    list,
    { method: 'POST', path: '/matchmaker/lobbies/join', body: JSON.stringify({ lobby_id: ids.lobby }) },
  ] as const)(
    'keeps its reasons when the history no longer has the world before it: %j',
    async (request, { serve }) => {
      const { mock, client, send } = await serve({ history: 2 })
      await send(request)
      const [{ id } = { id: 0 }] = mock.journal.find()
      const { reasons: early, ...entry } = mock.journal.get(id) ?? {}
      const reasons = explainNewest(mock)

      mock.world.lobbies.deleteMany()
      for (const name of ['one', 'two', 'three'])
        mock.world.transaction(tx => tx.games.update(ids.tanks, { display_name: name }))

      expect(() => mock.snapshot({ before: id })).toThrow('is no longer kept')
      expect([explainNewest(mock), await client.explain({ exchange: id })]).toEqual([reasons, reasons])
      expect([early, mock.journal.get(id)]).toEqual([undefined, { ...entry, reasons }])
      await mock.restore(mock.snapshot({ with: ['journal'] }))
      expect(explainNewest(mock)).toEqual(reasons)
    },
  )

  const action = fc.oneof(
    fc.record({ modes: fc.uniqueArray(fc.constantFrom('duel', 'ffa'), { minLength: 1 }) }),
    fc.record({ advanceMs: fc.nat(60_000) }),
    fc.constant('list' as const),
  )

  property.prop([fc.array(action, { maxLength: 20 }), fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant('20s'))], {
    numRuns: inject('runs'),
  })('keeps its reasons, whatever happens in a busy world after it', async (actions, history) => {
    const scenario = { ...tanks, clock: 'frozen' } as const
    const mock = closedAfterTest(createMockmaker({ scenario, history }))
    await mock.simulate({ concurrent: 100, session: '30s' })
    const expected: Explanation[] = []

    for (const action of actions) {
      if (typeof action === 'object' && 'advanceMs' in action) await mock.clock.advance(action.advanceMs)
      else {
        await ask(mock, action === 'list' ? list : find({ game_modes: action.modes }))
        expected.push(explainNewest(mock))
      }
    }

    expect(mock.journal.find().map(({ id }) => mock.explain({ exchange: id }))).toEqual(expected)
  })

  it('is about the world in which a held request is resolved', async ({ serve }) => {
    const { mock, send } = await serve()
    const fault = mock.hold('lobbies.find')
    const answer = send(find({ game_modes: ['duel'] }))
    await mock.blocked(1)
    mock.world.lobbies.deleteMany()

    fault.release()
    await answer

    expect(explainNewest(mock).because).toContain(
      'no lobby in the requested game modes and regions had a free seat that fits, so the mock created one',
    )
  })

  it.for([find({ game_modes: ['duel'] }), list] as const)(
    'of a snapshot keeps its verdict, without the world before it: %j',
    async (request, { serve }) => {
      const { mock, send } = await serve()
      await send(request)
      const changed = mock.journal.find()[0]?.revisions !== undefined

      await mock.restore(mock.snapshot({ with: ['journal'] }))

      const [{ id } = { id: 0 }] = mock.journal.find()
      expect(explainNewest(mock)).toEqual({
        verdict: expect.stringContaining('200, answered by lobbies.'),
        because: [
          'the history does not have the world before this request',
          'it had no token, and the namespace needs none',
          changed
            ? 'it changed the world, and the history does not have the change'
            : 'it changed nothing in the world',
        ],
      })
      expect(() => mock.snapshot({ before: id })).toThrow(`request ${id} is from a snapshot`)
    },
  )

  it('of a snapshot is not about a lobby that this world changed at such a revision', async ({ serve }) => {
    const { mock, send } = await serve()
    await send({ method: 'POST', path: '/matchmaker/players/connected', body: '{}' })
    const snapshot = mock.snapshot({ with: ['journal'] })
    const answer = { code: 'MATCHMAKER_LOBBY_STOPPED', message: 'it stopped' }
    const revisions = Array.from({ length: 100 }, (_, i) => mock.world.revision + i)
    const journal = snapshot.journal?.map(entry => ({ ...entry, answer, revisions }))
    await mock.restore({ ...snapshot, journal })
    await mock.world.lobbies.update('arena', { status: 'stopped' })

    expect(explainNewest(mock).because[0]).toBe('it stopped')
  })

  it('is refused if the journal does not have it', async ({ serve }) => {
    const { mock, client } = await serve()

    expect(() => mock.explain({ exchange: 99 })).toThrow('the journal has no request 99: GET /__mock/journal lists')
    await expect(client.explain({ exchange: 99 })).rejects.toThrow('the journal has no request 99')
    expect(() => mock.explain({ exchange: 1, lobby_id: 'x' })).toThrow('ask for one thing')
    await expect(client.explain({ exchange: 'one' as never })).rejects.toThrow('exchange')
  })
})

describe('the candidates of a find', () => {
  const modes = ['free-for-all', 'team-battle', 'duel', 'tournament', 'sandbox']
  const regions = ['lnd-fra', 'lnd-lon', 'lnd-ewr', 'lnd-tok', 'lnd-syd']
  const friday: Mockmaker = createMockmaker({ scenario: { ...scenarios['friday-night'], clock: 'frozen' } })

  property.prop(
    [
      fc.uniqueArray(fc.constantFrom(...modes), { minLength: 1 }),
      fc.option(fc.uniqueArray(fc.constantFrom(...regions), { minLength: 1 }), { nil: undefined }),
      fc.constantFrom(undefined, 2, 16, 40),
    ],
    { numRuns: inject('runs') },
  )('begin with the lobby that find chose, if there was one', async (game_modes, wanted, max_players) => {
    const mock = closedAfterTest(friday)
    const known = new Set(mock.world.lobbies.all().map(({ lobby_id }) => lobby_id))
    const answer = await ask(
      mock,
      find({ game_modes, ...(wanted && { regions: wanted }), ...(max_players && { max_players }) }),
    )
    const { lobby } = json(answer) as { lobby?: { lobby_id: string } }
    const { candidates = [] } = explainNewest(mock)

    const chosen = candidates.filter(({ because }) => because === undefined).map(({ lobby_id }) => lobby_id)

    expect(chosen).toEqual(lobby && known.has(lobby.lobby_id) ? [lobby.lobby_id] : [])
  })
})
