import { describe, expect, vi } from 'vitest'
import { scenarios } from '../../../src/core/scenario/index.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { ask } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { completion, ids, tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'

const find = { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["duel"]}' } as const

describe('the history of a world', () => {
  it('lists change sets with their rows before and after, the oldest first', async ({ serve }) => {
    const { mock, client } = await serve()
    const start = mock.world.revision
    await client.world.games.create({ name_id: 'cars', game_id: 'cars' })
    await client.world.games.update('cars', { display_name: 'Cars' })
    await client.world.games.delete('cars')

    const history = await client.history({ table: 'games' })

    const before = { game_id: 'cars', display_name: 'cars' }
    const after = { game_id: 'cars', display_name: 'Cars' }
    expect(history).toMatchObject({
      oldest: start,
      newest: mock.world.revision,
      change_sets: [
        { changes: [{ table: 'games', id: 'cars', after: before }] },
        { changes: [{ table: 'games', id: 'cars', before, after }] },
        { changes: [{ table: 'games', id: 'cars', before: after }] },
      ],
    })
    expect(history.change_sets[0]?.changes[0]).not.toHaveProperty('before')
    expect(history.change_sets[2]?.changes[0]).not.toHaveProperty('after')
  })

  it('says which request caused a change set, and the exchange says which it caused', async ({ serve }) => {
    const { mock, client, send } = await serve()
    const answer = await send(completion)

    const [exchange] = mock.journal.find()
    const { change_sets } = await client.history({ request: String(answer.headers['rvt-ray-id']) })

    const cause = { kind: 'request', operation: 'devices.links.complete', request: answer.headers['rvt-ray-id'] }
    expect(change_sets).toMatchObject([{ cause }])
    expect(change_sets[0]?.changes[0]).toMatchObject({ table: 'deviceLinks', id: tokens.pending })
    expect(exchange?.revisions).toEqual(change_sets.map(({ revision }) => revision))
  })

  it('says what else caused one: a call, a job, code, a reset, and a load', async ({ serve }) => {
    const link = { token: 'device.sofa', completes_after: '5s', game: 'tanks' }
    const { mock, client } = await serve({ scenario: { ...tanks, device_links: [link] } })
    await client.world.games.create({ name_id: 'cars' })
    await client.clock.advance('5s')
    mock.world.transaction(tx => tx.games.create({ name_id: 'boats-2' }))
    await client.reset()
    await client.load('default')

    const { change_sets } = await client.history()

    expect(change_sets.map(({ cause }) => cause)).toEqual([
      { kind: 'control', call: 'POST /games' },
      { kind: 'job', table: 'deviceLinks', id: 'device.sofa' },
      { kind: 'control', call: 'clock' },
      { kind: 'code' },
      { kind: 'reset' },
      { kind: 'load' },
    ])
  })

  it('has change sets without rows: faults and their counters, random numbers, and the clock', async ({ serve }) => {
    const { client, send } = await serve()
    await client.faults.add({ effect: { error: { status: 503 } }, chance: 1 })
    await send(completion)
    await client.clock.set({ mode: 'frozen', rate: 3 })

    const { change_sets } = await client.history()

    expect(change_sets).toMatchObject([
      { cause: { call: 'faults.add' }, changes: [], faults: { before: [], after: [{ id: '1', struck: 0 }] } },
      { cause: { kind: 'request' }, faults: { before: [{ struck: 0 }], after: [{ struck: 1 }] } },
      { cause: { call: 'clock' }, clock: { before: { rate: 1 }, after: { rate: 3 } } },
    ])
  })

  it('lists the newest ones, or the next ones after a revision', async ({ serve }) => {
    const { mock, client } = await serve()
    const start = mock.world.revision
    for (let i = 0; i < 5; i++) await client.world.games.create({ name_id: `g${i}` })
    const named = async (options: object) =>
      (await client.history(options)).change_sets.map(({ changes }) => changes.map(({ after }) => after))

    expect(await named({ limit: 2 })).toMatchObject([[{ name_id: 'g3' }], [{ name_id: 'g4' }]])
    expect(await named({ limit: 2, since: start })).toMatchObject([[{ name_id: 'g0' }], [{ name_id: 'g1' }]])
  })

  it('is the same in-process', async ({ serve }) => {
    const { mock, client } = await serve()
    await client.world.games.create({ name_id: 'cars' })

    expect(JSON.parse(JSON.stringify(mock.history()))).toEqual(await client.history())
  })

  it.for([
    ['since=-1', 'query.since is'],
    ['limit=0', 'limit'],
    ['table=lobbys', 'table'],
    ['since=99999999999999', 'there is no revision 99999999999999 yet: the newest one is'],
    ['since=1', 'revision 1 is no longer kept: the oldest one is'],
  ] as const)('refuses ?%s', async ([query, reason], { serve }) => {
    const { send } = await serve()

    const answer = await send({ method: 'GET', path: '/__mock/history', query })

    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining(reason)])
  })
})

describe('a revision of a world', () => {
  it('comes back as a snapshot, whatever has happened since', async ({ serve }) => {
    const { mock, client, send } = await serve()
    await client.faults.add({ effect: { delay: '0ms' }, chance: 0.5 })
    await send(find)
    const { revision } = mock.world
    const before = await client.snapshot({ with: ['faults', 'journal'] })

    await send(completion)
    await client.clock.advance('30m')
    await client.load('default')
    await client.world.games.create({ name_id: 'cars' })

    const parts = { with: ['faults'], revision } as const
    const { journal: _, ...expected } = before
    expect(await client.snapshot(parts)).toEqual(expected)
    expect(mock.snapshot(parts)).toEqual(expected)
  })

  it('has only the exchanges until then', async ({ serve }) => {
    const { mock, client, send } = await serve()
    await send(completion)
    const { revision } = mock.world
    const before = await client.snapshot({ with: ['journal'] })
    await send(find)

    const found = mock.journal.find().at(-1)?.id ?? 0
    const journals = [
      (await client.snapshot({ with: ['journal'], revision })).journal,
      mock.snapshot({ with: ['journal'], before: found }).journal,
    ]

    for (const journal of journals)
      expect(journal?.map(({ path }) => path)).toEqual(before.journal?.map(({ path }) => path))
  })

  it('can be the start of another world, which is independent', async ({ serve }) => {
    const { mock, client, send } = await serve()
    const { revision } = mock.world
    await send(completion)

    const fork = await client.worlds.put('past', { fork: 'default', revision })

    expect(await fork.world.deviceLinks.get(tokens.pending)).toMatchObject({ status: 'pending' })
    expect(mock.world.deviceLinks.get(tokens.pending)?.status).toBe('complete')
    const done = await send({ ...completion, path: `/w/past${completion.path}` })
    expect(done.status).toBe(200)
    expect((await fork.world.describe()).revision).toBeGreaterThan(mock.world.revision)
  })

  it('is refused without fork, or if it is unknown, and changes nothing', async ({ serve }) => {
    const { mock, client } = await serve()
    const { revision } = mock.world

    await expect(client.worlds.put('past', { revision })).rejects.toThrow('expected fork too')
    await expect(client.worlds.put('past', { fork: 'default', revision: revision + 1 })).rejects.toThrow(
      `there is no revision ${revision + 1} yet: the newest one is ${revision}`,
    )
    await expect(client.snapshot({ revision: 1 })).rejects.toThrow(
      `revision 1 is no longer kept: the oldest one is ${revision}`,
    )
    expect([mock.worlds.list().length, mock.world.revision]).toEqual([1, revision])
  })

  it('is kept for an hour of the clock of its world', async ({ serve }) => {
    const { mock } = await serve()
    const { revision } = mock.world
    const began = mock.clock.now()
    rename(mock, 'Tanks 1')
    await mock.clock.advance('1h')
    expect(mock.snapshot({ revision }).games).toEqual((await serve()).mock.snapshot().games)

    await mock.clock.advance(1)

    expect(() => mock.snapshot({ revision })).toThrow(`revision ${revision} is no longer kept`)
    expect(mock.history()).toMatchObject({ oldest_at: new Date(began).toISOString(), change_sets: [{}, {}] })
  })

  it.for([
    ['2s', 3],
    [5, 5],
  ] as const)('is kept as long as the option history says: %s', async ([history, kept], { serve }) => {
    const { mock } = await serve({ history })

    for (let i = 0; i < 10; i++) await mock.clock.advance('1s')

    expect(mock.history().change_sets).toHaveLength(kept)
  })

  it('is kept when a reset or a load sets the clock back or forth', async ({ serve }) => {
    const { mock } = await serve({ history: '10s' })
    const { revision } = mock.world
    rename(mock, 'Tanks 1')

    await mock.reset()
    await mock.load({ clock: 'frozen', now: '2030-01-01T00:00:00Z' })
    await mock.load({ clock: 'frozen', now: '2020-01-01T00:00:00Z' })

    expect(mock.history()).toMatchObject({ oldest: revision })
    expect(mock.history().change_sets).toHaveLength(4)
  })
})

function rename(mock: Mockmaker, display_name: string): void {
  mock.world.transaction(tx => tx.games.update(ids.tanks, { display_name }))
}

const evenings = [
  { name: 'night-shift', simulated: 200, tags: [] },
  { name: 'friday-night', simulated: 4_000, tags: ['slow', 'matrix'] },
] as const

describe('an hour of an evening', () => {
  for (const { name, simulated, tags } of evenings)
    it(`fits in a history with the reasons of the first find, and leaves each client its story: ${name}`, {
      tags: [...tags],
    }, async () => {
      vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
      const mock = closedAfterTest(createMockmaker({ scenario: scenarios[name] }))
      await mock.clock.set({ rate: 60 })
      const findOnce = () => ask(mock, { ...find, body: '{"game_modes":["free-for-all"]}' })
      const { revision } = mock.world
      const { games, now = '' } = mock.snapshot()
      await findOnce()
      const [{ id } = { id: 0 }] = mock.journal.find()
      const reasons = mock.explain({ exchange: id })

      // A minute at this rate is an hour.
      for (let second = 0; second < 59; second++) {
        vi.advanceTimersByTime(1_000)
        await findOnce()
      }

      expect(mock.journal.find()).toHaveLength(60)
      expect(mock.clock.now() - Date.parse(now)).toBe(3_540_000)
      expect(mock.journal.get(id)).not.toHaveProperty('reasons')
      expect(mock.explain({ exchange: id })).toEqual(reasons)
      expect(reasons.candidates?.length).toBeGreaterThan(1)
      expect(mock.snapshot({ before: id }).games).toEqual(games)
      const fork = await mock.worlds.put('before', { fork: 'default', revision })
      expect(fork.snapshot().games).toEqual(games)
      const { counts, stories } = mock.stories.list({ simulated: false, limit: 500 })
      expect(counts.players).toBe(60)
      expect(counts.simulated).toBeGreaterThan(simulated)
      expect(stories.filter(({ token }) => mock.stories.get(token)?.steps[0]?.kind === 'found')).toHaveLength(60)
    })
})

describe('the history without rows', () => {
  it('names the changed rows of each change set, and the cause', async ({ serve }) => {
    const { client, mock } = await serve()
    const { game_id } = await client.world.games.create({ name_id: 'cars' })
    await client.lobbies(2, { game_mode_id: 'duel' })
    await client.world.games.update(game_id, { display_name: 'Cars' })
    await client.world.games.delete(game_id)
    await client.faults.add({ effect: { delay: '1s' } })

    const { change_sets, ...range } = await client.history()

    const expected = change_sets.map(({ revision, at, cause, changes }) => ({
      revision,
      at,
      cause,
      changes: changes.map(({ table, id, before, after }) => {
        const became = before === undefined ? 'created' : after === undefined ? 'deleted' : undefined
        return { table, id, ...(became && { became }) }
      }),
    }))
    expect(await client.history({ rows: false })).toEqual({ ...range, change_sets: expected })
    expect(mock.history({ rows: false, limit: 2 })).toEqual({ ...range, change_sets: expected.slice(-2) })
    expect(expected.map(({ changes }) => changes.length)).toEqual([1, 2, 1, 1, 0])
  })
})
