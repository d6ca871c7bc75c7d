import { describe, expect, it } from 'vitest'
import { createMock } from '../../../src/core/mock/mock.js'
import { createMockmaker, type Fault, type ScenarioInput } from '../../../src/index.js'
import { ask, failure, json, ok, post, request } from '../../support/http.js'

const [fra, lon] = ['f', 'a'].map(digit => digit.repeat(8).concat('-4444-4444-8444-444444444444')) as [string, string]

/** A frozen world with two regions, and a lobby in each. The player is in Berlin. */
const scenario: ScenarioInput = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  client: { latitude: 52.52, longitude: 13.4 },
  regions: ['lnd-fra', 'lnd-lon'],
  game_modes: [{ game_mode_id: 'duel', max_players: 4 }],
  lobbies: [
    { lobby_id: fra, region_id: 'lnd-fra', players: [{ token: 'player.mock.one' }, { token: 'player.mock.two' }] },
    { lobby_id: lon, region_id: 'lnd-lon', players: [{ token: 'player.mock.three' }] },
  ],
  tokens: { public: 'pub_prod.mock.a' },
}

const outage: Fault = { region: 'lnd-fra', effect: { outage: true }, for: '30s' }
const token = 'pub_prod.mock.a'
const find = (body: object = {}) => post('/matchmaker/lobbies/find', { game_modes: ['duel'], ...body }, token)
const create = (body: object = {}) => post('/matchmaker/lobbies/create', { game_mode: 'duel', ...body }, token)
const join = (lobby_id: string) => post('/matchmaker/lobbies/join', { lobby_id }, token)
const regions = request('GET', '/matchmaker/regions', token)
const list = request('GET', '/matchmaker/lobbies/list', token)

function mockOf(more: ScenarioInput = {}) {
  return createMockmaker({ scenario: { ...scenario, ...more } })
}
type Mock = Pick<ReturnType<typeof mockOf>, 'answer' | 'world'>

async function regionOf(mock: Mock, sent: ReturnType<typeof find>): Promise<string> {
  return (ok(await ask(mock, sent)) as { lobby: { region: { region_id: string } } }).lobby.region.region_id
}
const statuses = ({ world }: Pick<Mock, 'world'>) => [fra, lon].map(id => world.lobbies.get(id)?.status)
const messageOf = async (mock: Mock, sent: ReturnType<typeof find>) =>
  (json(await ask(mock, sent)) as { message: string }).message

describe('an outage', () => {
  it('stops the lobbies of its region, and no others', () => {
    const mock = mockOf()

    const state = mock.faults.add(outage)

    expect(statuses(mock)).toEqual(['stopped', 'ready'])
    expect(mock.world.players.all().map(({ status }) => status)).toEqual(['removed', 'removed', 'connected'])
    expect(state).toMatchObject({ region: 'lnd-fra', struck: 1, ends_at: '2026-11-20T20:00:30.000Z' })
    expect(mock.history().change_sets.at(-1)?.cause).toEqual({ kind: 'fault', fault: state.id })
  })

  it('that begins with another one has a change set of its own', async () => {
    const mock = mockOf()
    const later = { effect: { outage: true }, after: '5s' } as const
    const ids = ['lnd-fra', 'lnd-lon', 'lnd-fra'].map(region => mock.faults.add({ ...later, region }).id)

    await mock.clock.advance('10s')

    const sets = mock.history().change_sets.filter(({ cause }) => cause.kind === 'fault')
    expect(statuses(mock)).toEqual(['stopped', 'stopped'])
    expect(mock.faults.list().map(({ struck }) => struck)).toEqual([1, 1, 1])
    expect(
      sets.map(({ cause, changes }) => [cause, changes.filter(({ table }) => table === 'lobbies').map(({ id }) => id)]),
    ).toEqual([
      [{ kind: 'fault', fault: ids[0] }, [fra]],
      [{ kind: 'fault', fault: ids[1] }, [lon]],
      [{ kind: 'fault', fault: ids[2] }, []],
    ])
  })

  it('ends the stories of its players', () => {
    const mock = mockOf()

    mock.faults.add(outage)

    const { stories } = mock.stories.list()
    expect(stories.filter(({ region_id }) => region_id === 'lnd-fra').map(({ sentence }) => sentence)).toEqual([
      'Played at least 0 ms of duel in Frankfurt, until its region went down.',
      'Played at least 0 ms of duel in Frankfurt, until its region went down.',
    ])
    expect(mock.stories.get('player.mock.one')?.steps.at(-1)).toMatchObject({
      kind: 'region_down',
      title: 'Region down',
      text: 'The region went down, so duel in Frankfurt stopped and the seat was lost.',
    })
  })

  it('sends find and create elsewhere, until it ends', async () => {
    const mock = mockOf()
    mock.faults.add(outage)

    const during = [await regionOf(mock, find()), await regionOf(mock, create())]
    await mock.clock.advance('29999ms')
    const late = await regionOf(mock, create())
    await mock.clock.advance('1ms')
    const after = await regionOf(mock, create())

    expect([...during, late, after]).toEqual(['lnd-lon', 'lnd-lon', 'lnd-lon', 'lnd-fra'])
  })

  it.for([
    ['find', find({ regions: ['lnd-fra'] }), '400 MATCHMAKER_LOBBY_STOPPED'],
    [
      'find without a new lobby',
      find({ regions: ['lnd-fra'], prevent_auto_create_lobby: true }),
      '400 MATCHMAKER_NO_AVAILABLE_LOBBIES',
    ],
    ['create', create({ region: 'lnd-fra' }), '400 MATCHMAKER_LOBBY_STOPPED'],
    ['join', join(fra), '400 MATCHMAKER_LOBBY_STOPPED'],
  ] as const)('refuses %s in its region', async ([, sent, code]) => {
    const mock = mockOf()
    mock.faults.add(outage)

    expect(failure(await ask(mock, sent))).toBe(code)
  })

  it('says why, and how to end it', async () => {
    const mock = mockOf()
    mock.faults.add(outage)

    expect(await messageOf(mock, find({ regions: ['lnd-fra'] }))).toBe(
      'lnd-fra is down, so a new lobby there stops before it is ready: ask for another region, or end fault 1',
    )
    expect(await messageOf(mock, join(fra))).toContain('has stopped, and its region lnd-fra is down')
  })

  it('takes the region from no list of regions, and its lobbies from the list', async () => {
    const mock = mockOf()
    const before = ok(await ask(mock, regions))
    mock.faults.add(outage)

    expect(ok(await ask(mock, regions))).toEqual(before)
    expect(ok(await ask(mock, list))).toMatchObject({ lobbies: [{ lobby_id: lon }] })
  })

  it('is in the reasons of answers, also after its end', async () => {
    const mock = mockOf()
    mock.faults.add(outage)
    await ask(mock, find())
    await ask(mock, regions)

    const now = mock.explain({ find: 'duel' })
    await mock.clock.advance('1m')
    const reasons = mock.journal.find().map(({ id }) => mock.explain({ exchange: id }).because)

    expect(now.because).toContain('of its two regions only London is up')
    expect(reasons[0]).toContain('of its two regions only London is up')
    expect(reasons[1]).toContain('Frankfurt is down, and stays listed')
    expect(mock.explain({ find: 'duel' }).because.join()).not.toContain('up')
  })

  it('ends when it is removed, and when its fault gets another effect', async () => {
    const mock = mockOf()
    const { id } = mock.faults.add({ ...outage, for: undefined })
    mock.faults.remove(id)
    const removed = await regionOf(mock, create())
    const other = mock.faults.add({ ...outage, for: undefined })
    mock.faults.replace(other.id, { operation: 'devices.*', effect: { hold: true } })

    expect([removed, await regionOf(mock, create())]).toEqual(['lnd-fra', 'lnd-fra'])
  })

  it('begins later if it is staged, and can be moved', async () => {
    const mock = mockOf()
    const { id } = mock.faults.add({ ...outage, after: '10s' })
    const due = mock.schedule().map(({ table, at, what }) => `${table} ${at.slice(14, 19)} ${what}`)
    mock.faults.replace(id, { ...outage, after: '20s' })

    await mock.clock.advance('19999ms')
    const before = statuses(mock)
    await mock.clock.advance('1ms')

    expect(due).toEqual(['faults 00:10 Frankfurt goes down', 'faults 00:40 Frankfurt is back'])
    expect([before, statuses(mock)]).toEqual([
      ['ready', 'ready'],
      ['stopped', 'ready'],
    ])
    expect(mock.faults.list()).toMatchObject([{ struck: 1, last_at: '2026-11-20T20:00:20.000Z' }])
  })

  it('begins and ends on the way of a long move of the clock', async () => {
    const mock = mockOf()
    mock.faults.add({ ...outage, after: '10s' })

    await mock.clock.advance('1h')

    expect(statuses(mock)).toEqual(['stopped', 'ready'])
    expect(await regionOf(mock, create())).toBe('lnd-fra')
  })

  it('of a scenario stops its lobbies from the start, and again after a reset', async () => {
    const mock = mockOf({ faults: [outage] })
    const { revision } = mock.world

    const first = statuses(mock)
    const seats = mock.world.players.all().map(({ status }) => status)
    const answer = failure(await ask(mock, join(fra)))
    await mock.clock.advance('1m')
    await mock.reset()

    expect(first).toEqual(['stopped', 'ready'])
    expect(seats).toEqual(['removed', 'removed', 'connected'])
    expect(mock.world.lobbies.get(fra)).toMatchObject({ total_player_count: 0, reserved_player_count: 0 })
    expect(answer).toBe('400 MATCHMAKER_LOBBY_STOPPED')
    expect([statuses(mock), await regionOf(mock, create())]).toEqual([first, 'lnd-lon'])
    expect(revision).toBeLessThan(mock.world.revision)
  })

  it('that a reset keeps stops the lobbies that come back', async () => {
    const mock = mockOf()
    mock.faults.add({ ...outage, for: undefined })

    await mock.reset({ keep: ['faults'] })

    expect(statuses(mock)).toEqual(['stopped', 'ready'])
  })

  it('that a restored snapshot leaves alone stops the lobbies that come back', async () => {
    const mock = mockOf()
    const snapshot = mock.snapshot()
    mock.faults.add({ ...outage, for: undefined })

    await mock.restore(snapshot)

    expect(statuses(mock)).toEqual(['stopped', 'ready'])
  })

  it('that a reload of the scenario adds begins at once', async () => {
    const mock = createMock({ scenario })

    await mock.reload({ ...scenario, faults: [outage] })

    expect(statuses(mock.default)).toEqual(['stopped', 'ready'])
    expect(mock.default.faults.list()).toMatchObject([{ struck: 1 }])
  })

  it('goes on in a fork and in a snapshot', async () => {
    const mock = mockOf()
    mock.faults.add(outage)
    await mock.clock.advance('10s')
    const fork = await mock.worlds.put('copy', { fork: 'default' })
    const loaded = createMockmaker({ scenario: mock.snapshot({ with: ['faults'] }) })

    for (const copy of [fork, loaded]) {
      expect(statuses(copy)).toEqual(['stopped', 'ready'])
      expect(copy.faults.list()).toEqual(mock.faults.list())
      await copy.clock.advance('19999ms')
      expect(await regionOf(copy, create())).toBe('lnd-lon')
      await copy.clock.advance('1ms')
      expect(await regionOf(copy, create())).toBe('lnd-fra')
    }
  })

  it('is in no snapshot once its region is gone', async () => {
    const mock = mockOf({ game_modes: [{ game_mode_id: 'duel', regions: ['lnd-lon'] }], lobbies: [] })
    mock.faults.add(outage)
    mock.world.regions.delete('lnd-fra')

    const snapshot = mock.snapshot({ with: ['faults'] })

    expect(snapshot.faults).toEqual([])
    await mock.restore(snapshot)
    expect(mock.world.regions.count()).toBe(1)
  })

  it('refuses a lobby that code creates there', async () => {
    const mock = mockOf()
    mock.faults.add(outage)

    await expect(mock.world.lobbies.create({ region_id: 'lnd-fra' })).rejects.toThrow(
      'lobbies.create: region_id is lnd-fra, which is down: end fault 1, or choose another region',
    )
  })

  it('applies to no request, and is not unused once it has begun', async () => {
    const mock = mockOf()
    mock.faults.add(outage)

    await ask(mock, list)

    expect(mock.faults.list({ unused: true })).toEqual([])
    expect(mock.journal.find()).toEqual([expect.not.objectContaining({ fault: expect.anything() })])
  })

  it('keeps simulated players out of its region', async () => {
    const mock = mockOf({ players: { concurrent: 50, session: '1m' }, lobbies: [] })
    mock.faults.add({ ...outage, for: undefined })

    await mock.clock.advance('5m')

    const running = mock.world.lobbies.findMany(q => q.where({ status: 'ready' }))
    expect(new Set(running.map(({ region_id }) => region_id))).toEqual(new Set(['lnd-lon']))
  })
})

it('an outage stops a lobby once, when it begins', async () => {
  const mock = mockOf()
  mock.faults.add(outage)
  const before = mock.world.lobbies.get(fra)

  await mock.clock.advance('10s')
  mock.faults.add({ operation: 'regions.list', effect: { error: { status: 500 } } })

  expect(mock.world.lobbies.get(fra)).toEqual(before)
  expect(before?.status).toBe('stopped')
  await mock.close()
})
