import { Query } from '@mswjs/data'
import { describe, expect } from 'vitest'
import { ClientError, createClient } from '../../src/client/index.js'
import type { LobbyRow } from '../../src/core/store/matchmaker-rows.js'
import type { Predicate } from '../../src/index.js'
import { serveDuringTest, serveListener } from '../support/http.js'
import { it } from '../support/served-mock.js'
import { slowWaits } from '../support/slow-waits.js'
import { ids, tokens } from '../support/tanks.js'
import { deferred, stateOf } from '../support/worlds.js'

describe('the client', () => {
  it('says that a server accepts its call, and answers nothing', async () => {
    const passTime = slowWaits()
    const asked = deferred()
    const url = await serveDuringTest(() => asked.resolve())
    const answer = createClient(url).clock.get()
    answer.catch(() => {})
    await asked.promise

    expect(passTime()).toEqual([`mockmaker: still waiting for ${url} to answer GET /__mock/clock`])
  })

  it('has the names of a mock in-process', async ({ serve }) => {
    const { mock, client } = await serve()
    const names = (remote: object, there: object) => Object.keys(remote).filter(name => !(name in there))

    expect(names(client, mock)).toEqual(['health'])
    expect(names(client.worlds, mock.worlds)).toEqual([])
    expect(names(client.journal, mock.journal)).toEqual([])
    expect(names(client.faults, mock.faults)).toEqual([])
    expect(names(client.world, mock.world)).toEqual(['describe'])
    expect(names(client.world.clock, mock.world.clock)).toEqual(['get'])
    expect(names(client.clock, mock.clock)).toEqual(['get'])
    expect(client.clock).toEqual(client.world.clock)
    expect(names(client.world.lobbies, mock.world.lobbies)).toEqual([])
  })

  it('has the methods of the tables', async ({ serve }) => {
    const { client, mock } = await serve()
    const { lobbies, gameModes } = client.world

    const made = await lobbies.create({ game_mode_id: 'ffa', state: { map: 'Quarry' } })
    const changed = await lobbies.update(made.lobby_id, { total_player_count: 3, state: null })

    expect(await lobbies.get(made.lobby_id)).toEqual(mock.world.lobbies.get(made.lobby_id))
    expect([changed.total_player_count, 'state' in changed]).toEqual([3, false])
    expect(await lobbies.count({ game_mode_id: 'ffa' })).toBe(2)
    expect((await lobbies.findFirst({ total_player_count: 3 }))?.lobby_id).toBe(made.lobby_id)
    expect((await lobbies.findMany({ is_closed: true })).map(({ lobby_id }) => lobby_id)).toEqual(['closed'])
    expect((await gameModes.get(`${ids.prod}/duel`))?.max_players_normal).toBe(2)
    expect((await lobbies.delete('closed')).lobby_id).toBe('closed')
    expect([await lobbies.get('closed'), (await lobbies.all()).length]).toEqual([undefined, 8])
  })

  it('rejects an unknown id, and names the nearest one', async ({ serve }) => {
    const { client, mock } = await serve()
    const before = stateOf(mock.world)
    const { lobbies } = client.world

    for (const call of [lobbies.update('closd', { is_closed: true }), lobbies.delete('closd')]) {
      const error = await call.catch(error => error)
      expect(error).toMatchObject({ name: 'ClientError', status: 404, code: 'API_NOT_FOUND' })
      expect(error.message).toContain('no record has the id "closd"')
      expect(error.message).toContain('Did you mean closed?')
    }
    expect(stateOf(mock.world)).toBe(before)
  })

  it('finds the same rows as in-process with each form of query', async ({ serve }) => {
    const { client, mock } = await serve()
    await mock.world.lobbies.update('closed', { state: { map: 'Quarry', round: 3 } })
    const queries: Predicate<LobbyRow>[] = [
      { 'state.map': 'Quarry' },
      { state: { map: 'Quarry' } },
      { is_closed: true, 'state.round': 3 },
      { total_player_count: count => count === 0, is_closed: true },
      q => q.where({ lobby_id: 'closed' }).or({ lobby_id: 'nobody' }),
      new Query<LobbyRow>().where({ lobby_id: 'closed' }),
    ]

    const found = await Promise.all(queries.map(query => client.world.lobbies.findMany(query)))

    expect(found).toEqual(queries.map(query => mock.world.lobbies.findMany(query)))
    expect(found.map(rows => rows.map(({ lobby_id }) => lobby_id))).toEqual(queries.map(() => ['closed']))
  })

  it('rejects if a strict query finds nothing', async ({ serve }) => {
    const { lobbies } = (await serve()).client.world
    const nobody = { lobby_id: 'nobody' }

    await expect(lobbies.findFirst(nobody, { strict: true })).rejects.toThrow('no record found matching the query')
    await expect(lobbies.findMany(nobody, { strict: true })).rejects.toThrow('no records found matching the query')
    expect(await lobbies.findFirst(nobody)).toBeUndefined()
  })

  it('encodes every id', async ({ serve }) => {
    const { client, mock } = await serve()
    const lobby_id = '?a=1&b#c%20..'
    await mock.world.lobbies.create({ lobby_id })

    expect((await client.world.lobbies.get(lobby_id))?.lobby_id).toBe(lobby_id)
  })

  it('controls the world in its URL or in its options', async ({ serve }) => {
    const { url, mock } = await serve()
    await mock.worlds.put('one')

    const clients = [createClient(`${url}/w/one`), createClient(`${url}/`, { world: 'one' }), createClient(`${url}//`)]

    expect(clients.map(client => client.id)).toEqual(['one', 'one', 'default'])
    expect(clients.map(client => client.url)).toEqual([`${url}/w/one`, `${url}/w/one`, url])
    const described = await Promise.all(clients.map(client => client.world.describe()))
    expect(described.map(({ id }) => id)).toEqual(['one', 'one', 'default'])
  })

  it('has a client for each world of the server', async ({ serve }) => {
    const { client, url } = await serve()
    const made = await client.worlds.put('test-42')

    const found = await made.worlds.get('test-42')

    expect([made.url, found?.url, await made.worlds.get('nobody')]).toEqual([
      `${url}/w/test-42`,
      `${url}/w/test-42`,
      undefined,
    ])
    expect((await client.worlds.list()).map(({ id }) => id)).toEqual(['default', 'test-42'])
  })

  it('names the owners of tokens', async ({ serve }) => {
    const { client } = await serve()

    expect(await client.tokens()).toContainEqual(
      expect.objectContaining({ kind: 'public', namespace: 'tanks/prod', token: tokens.public }),
    )
  })

  it('rejects with the message of the mock', async ({ serve }) => {
    const { client } = await serve()

    const error = await client.world.lobbies.create({ game_mode_id: 'duell' }).catch(error => error)

    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ status: 400, code: 'API_BAD_BODY', message: expect.stringContaining('duel') })
  })

  it.for(['127.0.0.1:4100', '', 'ftp://x', 'http://'])('refuses the URL %j', url => {
    expect(() => createClient(url)).toThrow('expected http://127.0.0.1:4100')
  })

  it.for(['%zz', 'a%20b', 'x'.repeat(65)])('refuses a URL that names the world %s', id => {
    const call = () => createClient(`http://127.0.0.1:4100/w/${id}`)

    expect(call).toThrow(ClientError)
    expect(call).toThrow('expected 1 to 64 of A-Z a-z 0-9 _ -')
  })

  it.for([
    [{ worlds: 'one' }, 'options.worlds is an unknown key. Known: world, controlToken, fetch. Did you mean world?'],
    [{ world: 5 }, 'options.world is 5: expected 1 to 64 of A-Z a-z 0-9 _ -'],
    [{ world: '' }, 'options.world is "": expected 1 to 64 of A-Z a-z 0-9 _ -'],
    [{ world: '../x' }, 'options.world is "../x": expected 1 to 64 of A-Z a-z 0-9 _ -'],
    [{ fetch: 'node-fetch' }, 'options.fetch is "node-fetch": expected a function'],
    [null, 'options is null: expected an object'],
    ['one', 'options is "one": expected an object'],
  ] as const)('refuses the options %j', ([options, message]) => {
    // The types do not allow these.
    const make = () => createClient('http://127.0.0.1:4100', options as never)

    expect(make).toThrow(message)
    expect(make).toThrow(ClientError)
  })

  it('refuses arguments that it cannot send', async ({ serve }) => {
    const { client } = await serve()
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const nothing = null as never

    await Promise.all(
      [
        () => client.journal.find(nothing),
        () => client.snapshot(nothing),
        () => client.endSimulation(nothing),
        () => client.explain('lobby' as never),
      ].map(call => expect(call).rejects.toThrow(/^argument is .*: expected an object$/)),
    )
    await Promise.all(
      [
        () => client.load(circle),
        () => client.lobby({ state: 1n }),
        () => client.worlds.get(Symbol('world') as never),
      ].map(call => expect(call).rejects.toMatchObject({ name: 'ClientError', code: 'MISUSED' })),
    )
  })

  it.for([5, null, undefined, {}])('refuses the URL %j', url => {
    expect(() => createClient(url as never)).toThrow('expected http://127.0.0.1:4100')
  })

  it('explains how to call its tables if a call is written as in-process', async ({ serve }) => {
    const { lobbies } = (await serve()).client.world
    const query = (() => ({})) as never

    const calls = [
      lobbies.get(5 as never),
      lobbies.create(undefined as never),
      lobbies.create([] as never),
      lobbies.create(Promise.resolve({}) as never),
      lobbies.update(query, {}),
      lobbies.update('closed', undefined as never),
      lobbies.update('closed', [] as never),
      lobbies.update('closed', Promise.resolve({}) as never),
      lobbies.delete(query),
      lobbies.delete(undefined as never),
    ]

    for (const call of calls) await expect(call).rejects.toThrow('wrong arguments: in the client, ')
  })

  it('reports that no mock answers', async ({ serve }) => {
    const { client, url, close } = await serve()
    await close()

    const error = await client.health().catch(error => error)

    expect(error).toMatchObject({ name: 'ClientError', status: 0, code: 'NO_ANSWER' })
    expect(error.message).toContain(url)
  })

  it.for([200, 418])('reports a server that is not a mock and answers %d', async status => {
    const { url, close } = await serveListener((_, response) => void response.writeHead(status).end('<p>no mock</p>'))

    const error = await createClient(url)
      .health()
      .catch(error => error)

    expect(error).toMatchObject({ status, code: 'NO_MOCK', message: expect.stringContaining('<p>no mock</p>') })
    await close()
  })

  it('uses a given fetch', async ({ serve }) => {
    const { url } = await serve()
    const asked: string[] = []
    const client = createClient(url, {
      fetch: (input, init) => {
        asked.push(String(input))
        return fetch(input, init)
      },
    })

    await client.health()

    expect(asked).toEqual([`${url}/__mock/health`])
  })
})
