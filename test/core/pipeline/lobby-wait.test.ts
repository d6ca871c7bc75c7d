import { describe, expect, it } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import { Executor } from '../../../src/core/pipeline/execute.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import {
  commandEntryPoint,
  expressEntryPoint,
  listenEntryPoint,
  localEntryPoints,
  mswEntryPoint,
  type OpenMock,
} from '../../support/entry-points.js'
import { ask, failure, json, type TestRequest, type TestResponse } from '../../support/http.js'
import { bearer } from '../../support/tanks.js'
import { closedAfterTest, flushPromises, live, stateOf } from '../../support/worlds.js'
import { executeCall } from './executed-calls.js'

const tokens = { public: 'pub.mock.one', development: 'dev.mock.one' }
const manual: ScenarioInput = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  servers: 'manual',
  tokens,
  game_modes: [{ game_mode_id: 'duel', max_players: 2 }],
}
const minute = 60_000

const call = (path: string, body: object, token = tokens.public): TestRequest => ({
  method: 'POST',
  path: `/matchmaker/${path}`,
  headers: bearer(token),
  body: JSON.stringify(body),
})
const find = call('lobbies/find', { game_modes: ['duel'] })
const ready = (id: string) => call('lobbies/ready', {}, lobbyTokenOf(id))
const joinOf = (got: TestResponse) => json(got) as Join

/** Waits until that many lobbies are listed, and returns them. */
async function listed({ send }: Pick<OpenMock, 'send'>, count: number): Promise<readonly string[]> {
  for (;;) {
    const got = await send({ method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) })
    const { lobbies } = json(got) as { lobbies: { lobby_id: string }[] }
    if (lobbies.length >= count) return lobbies.map(({ lobby_id }) => lobby_id)
  }
}

async function seats({ send }: Pick<OpenMock, 'send'>): Promise<number> {
  const got = await send({ method: 'GET', path: '/matchmaker/players/statistics', headers: bearer(tokens.public) })
  return (json(got) as { player_count: number }).player_count
}

describe.each([...localEntryPoints, commandEntryPoint])('through $name, with manual servers', ({ open }) => {
  it('find, join and create reserve a seat, and answer when the lobby is ready', async () => {
    const mock = closedAfterTest(await open(manual))
    const found = mock.send(find)
    const [id = ''] = await listed(mock, 1)
    const joined = mock.send(call('lobbies/join', { lobby_id: id }))
    const created = mock.send(call('lobbies/create', { game_mode: 'duel', publicity: 'public' }))
    const [, other = ''] = await listed(mock, 2)
    while ((await seats(mock)) < 3);

    await mock.send(ready(id))
    const first = await Promise.all([found, joined])
    await mock.send(ready(other))

    expect([...first, await created].map(got => [got.status, joinOf(got).lobby.lobby_id])).toEqual([
      [200, id],
      [200, id],
      [200, other],
    ])
  })
})

describe.each([mswEntryPoint, expressEntryPoint, listenEntryPoint])('through $name', ({ open }) => {
  it('answers a request that waits for a lobby when the world is reset', async () => {
    const mock = closedAfterTest(await open(manual))
    const found = mock.send(find)
    await listed(mock, 1)

    await mock.reset()

    expect(failure(await found)).toBe('400 MATCHMAKER_LOBBY_STOPPED')
  })
})

describe('on a socket', () => {
  it('a client that disconnects frees its seat', async () => {
    const mock = closedAfterTest(await listenEntryPoint.open(manual))
    const client = new AbortController()
    const { path, headers, body } = find
    const gone = fetch(`${mock.url}${path}`, {
      method: 'POST',
      headers: headers ?? {},
      body: String(body),
      signal: client.signal,
    })
    await listed(mock, 1)
    while ((await seats(mock)) === 0);

    client.abort()

    await expect(gone).rejects.toThrow()
    while ((await seats(mock)) > 0);
    expect(mock.world?.waiters).toBe(0)
  })
})

/** Returns a function that joins a lobby, by default one that is starting, with a low limit of waiting requests. */
function joining({ maxWaiters }: { maxWaiters: number }) {
  const mock = createMockmaker({ scenario: { ...manual, lobbies: [{ lobby_id: 'slow', status: 'starting' }] } })
  const world = live(mock.world)
  const { execute } = new Executor({ world, watchTimeoutMs: 0, maxWaiters, isClosed: () => false })
  const [namespace] = world.namespaces.all()
  const join = (lobby_id = 'slow') =>
    executeCall(execute, {
      id: 'lobbies.join',
      caller: { kind: 'public', namespaceId: namespace?.namespace_id ?? '' },
      input: { lobby_id },
    })
  return { world, join }
}

/** Sends a find that waits, and returns it with the id of its lobby. */
async function waiting(mock: Mockmaker, signal?: AbortSignal) {
  const answer = ask(mock, find, signal)
  await flushPromises()
  const { lobby_id } = mock.world.lobbies.all().at(-1) ?? { lobby_id: '' }
  return { answer, lobby_id, player: () => mock.world.players.all().at(-1) }
}

/** Ways to end the seat of a player. */
const endsOfSeat: [string, (mock: Mockmaker) => Promise<unknown>][] = [
  ['deleted', async mock => void mock.world.players.deleteMany()],
  [
    'removed by a call of another lobby',
    async mock => {
      const [{ player_token } = { player_token: '' }] = mock.world.players.all()
      await mock.world.lobbies.create({ lobby_id: 'other' })
      await ask(mock, call('players/disconnected', { player_token }, lobbyTokenOf('other')))
    },
  ],
]

describe('a find that waits for its lobby', () => {
  // rivet v23.2.0-rc1, svc/pkg/mm/worker/tests/lobby_ready_set.rs: empty
  it('has a seat at once, which lasts for 2 minutes after the lobby is ready', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: manual }))
    const { answer, lobby_id, player } = await waiting(mock)
    expect(mock.world.waiters).toBe(1)
    await mock.world.clock.advance(4 * minute)
    expect(player()).toMatchObject({ status: 'reserved' })

    await ask(mock, ready(lobby_id))
    const { token } = joinOf(await answer).player
    await mock.world.clock.advance(2 * minute - 1)
    const before = mock.world.players.get(token)?.status
    await mock.world.clock.advance(1)

    expect([before, mock.world.players.get(token)?.status, mock.world.waiters]).toEqual(['reserved', 'expired', 0])
    const [entry] = mock.journal.find({ operation: 'lobbies.find' })
    expect(entry).toMatchObject({ status: 200, blocked_ms: expect.any(Number) })
    expect(entry?.blocked_ms).toBeGreaterThan(0)
  })

  it('answers when a job makes the lobby ready', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: manual }))
    const { answer, lobby_id, player } = await waiting(mock)

    await mock.world.lobbies.update(q => q.where({ lobby_id }), {
      data(lobby) {
        Object.assign(lobby, { status: 'ready' })
        Reflect.deleteProperty(lobby, 'ready_by')
      },
    })

    expect((await answer).status).toBe(200)
    expect(player()).toMatchObject({ expires_at: mock.world.clock.now() + 2 * minute })
  })

  // rivet v23.2.0-rc1, svc/pkg/mm/worker/tests/lobby_find.rs: lobby_crash_immediate
  it('has no watch deadline, and answers after 5 minutes that the lobby has stopped', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: manual }))
    const { answer, player } = await waiting(mock)

    // The timer of the change alone.
    expect(live(mock.world).clock.pending).toBe(1)
    await mock.world.clock.advance(5 * minute - 1)
    expect(mock.world.waiters).toBe(1)
    await mock.world.clock.advance(1)

    expect(failure(await answer)).toBe('400 MATCHMAKER_LOBBY_STOPPED')
    expect([player()?.status, mock.world.waiters]).toEqual(['removed', 0])
  })

  it.each<[string, (mock: Mockmaker) => Promise<unknown>]>([
    ['reset', mock => mock.reset()],
    ['load', mock => mock.load(manual)],
    ['close', mock => mock.close()],
  ])('answers that the lobby has stopped on %s', async (_, end) => {
    const mock = closedAfterTest(createMockmaker({ scenario: manual }))
    const { answer } = await waiting(mock)

    await end(mock)

    expect(failure(await answer)).toBe('400 MATCHMAKER_LOBBY_STOPPED')
    expect(mock.world.waiters).toBe(0)
  })

  it('frees its seat when its client disconnects, before or during the wait', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: manual }))
    const client = new AbortController()
    const { answer, lobby_id, player } = await waiting(mock, client.signal)

    client.abort()
    expect((await answer).status).toBe(499)
    expect([player()?.status, mock.world.waiters]).toEqual(['removed', 0])
    expect((await ask(mock, find, client.signal)).status).toBe(499)

    expect(mock.world.lobbies.get(lobby_id)).toMatchObject({ reserved_player_count: 0 })
  })

  it.each(endsOfSeat)('is refused if its seat is %s', async (_, end) => {
    const mock = closedAfterTest(createMockmaker({ scenario: manual }))
    const { answer, lobby_id } = await waiting(mock)

    await end(mock)
    await ask(mock, ready(lobby_id))

    expect(failure(await answer)).toBe('400 MATCHMAKER_PLAYER_REMOVED')
  })

  it.each(endsOfSeat)('frees no seat that is %s when its client disconnects', async (_, end) => {
    const mock = closedAfterTest(createMockmaker({ scenario: manual }))
    const client = new AbortController()
    const { answer } = await waiting(mock, client.signal)
    await end(mock)
    const before = mock.world.players.all()
    await mock.world.clock.advance(1_000)

    client.abort()

    expect((await answer).status).toBe(499)
    expect(mock.world.players.all()).toEqual(before)
  })

  it('is refused at the limit of waiting requests, and changes nothing', async () => {
    const { world, join } = joining({ maxWaiters: 1 })

    const first = join()
    const before = stateOf(world)

    expect(join).toThrow(expect.objectContaining({ code: 'API_RATE_LIMIT' }))
    expect(join).toThrow(expect.objectContaining({ code: 'API_RATE_LIMIT' }))
    expect([stateOf(world), world.players.count()]).toEqual([before, 1])
    world.endWaiters()
    await expect(first).rejects.toMatchObject({ code: 'MATCHMAKER_LOBBY_STOPPED' })
  })

  it('is answered at the limit of waiting requests if its lobby is ready', async () => {
    const { world, join } = joining({ maxWaiters: 1 })
    const first = join()
    await world.lobbies.create({ lobby_id: 'quick' })

    const second = join('quick')

    expect(second).toMatchObject({ lobby: { lobby_id: 'quick' } })
    world.endWaiters()
    await expect(first).rejects.toMatchObject({ code: 'MATCHMAKER_LOBBY_STOPPED' })
  })

  it('does not wait in a closed mock', async () => {
    const mock = createMockmaker({ scenario: manual })
    await mock.close()

    expect(failure(await ask(mock, find))).toBe('400 MATCHMAKER_LOBBY_STOPPED')
    expect(mock.world.waiters).toBe(0)
  })

  it.each([
    ['with a development token', manual, tokens.development],
    ['with simulated servers', { ...manual, servers: 'auto' as const }, tokens.public],
  ])('does not wait %s', async (_, scenario, token) => {
    const mock = closedAfterTest(createMockmaker({ scenario }))

    expect((await ask(mock, { ...find, headers: bearer(token) })).status).toBe(200)
  })

  it('is not part of a snapshot, in which the seat still lasts 2 minutes after the lobby is ready', async () => {
    const mock = createMockmaker({ scenario: manual })
    const { lobby_id } = await waiting(mock)
    const copy = createMockmaker({ scenario: mock.snapshot() })

    await ask(copy, ready(lobby_id))

    expect(copy.world.waiters).toBe(0)
    expect(copy.world.players.all()).toMatchObject([{ expires_at: copy.world.clock.now() + 2 * minute }])
    await Promise.all([mock.close(), copy.close()])
  })
})
