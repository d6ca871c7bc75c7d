import { describe, expect, vi } from 'vitest'
import { tools } from '../../../src/cli/mcp/tools.js'
import { limitedResponse } from '../../../src/core/lib/limited-response.js'
import { createMock } from '../../../src/core/mock/mock.js'
import { createMockmaker } from '../../../src/index.js'
import { createListener } from '../../../src/server/http/server.js'
import { freePort } from '../../support/command.js'
import { serveDuringTest } from '../../support/http.js'
import { it, type ServedMock, serveMock } from '../../support/served-mock.js'
import { showServers } from '../../support/shown-servers.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { warn } from '../../support/warn.js'
import { stateOf } from '../../support/worlds.js'
import { openSession } from './mcp-session.js'

/** Sends a find to a world. */
const find = (url: string) =>
  fetch(`${url}/matchmaker/lobbies/find`, {
    method: 'POST',
    headers: bearer(tokens.public),
    body: JSON.stringify({ game_modes: ['duel'] }),
  })

const worldsOf = ({ mock }: Pick<ServedMock, 'mock'>) => mock.worlds.list().map(({ id }) => id)

describe('the list of tools', () => {
  it('needs no mock, and has at most 8,000 characters', async () => {
    const { client } = await openSession(`http://127.0.0.1:${await freePort()}`)

    const list = await client.listTools()

    expect(list.tools.map(({ name }) => name)).toEqual(tools().map(({ name }) => name))
    expect(list.tools.length).toBeGreaterThanOrEqual(8)
    expect(list.tools.length).toBeLessThanOrEqual(12)
    expect(JSON.stringify(list).length).toBeLessThanOrEqual(8_000)
  })

  it('says which tools change nothing', async () => {
    const { client } = await openSession('http://127.0.0.1:1')

    const { tools: listed } = await client.listTools()

    expect(listed.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
      'change_world',
      'set_faults',
      'set_clock',
      'load_scenario',
    ])
  })

  it('comes with instructions', async () => {
    const { client } = await openSession('http://127.0.0.1:1')

    expect(client.getInstructions()).toContain('Point the game at the url of get_world')
  })
})

describe('a session', () => {
  it('works in a fork, of which the world of the mock knows nothing', async ({ serve }) => {
    const served = await serve()
    const { use } = await openSession(served.url)
    const before = stateOf(served.mock.world)

    await use('change_world', { action: 'create', table: 'lobbies', fields: { lobby_id: 'mine' } })
    await use('set_faults', { add: [{ effect: { error: { status: 503 } } }] })
    await use('set_clock', { advance: '40s' })
    const { url } = await use('get_world')

    expect((await find(url)).status).toBe(503)
    expect(stateOf(served.mock.world)).toEqual(before)
    expect((await find(served.url)).status).toBe(200)
    expect((await use('get_world', { table: 'lobbies', where: { lobby_id: 'mine' } })).total).toBe(1)
    expect((await use('get_world', { of: 'mock', table: 'lobbies', where: { lobby_id: 'mine' } })).total).toBe(0)
  })

  it('does not see what another session changes', async ({ serve }) => {
    const { url } = await serve()
    const [one, other] = [await openSession(url), await openSession(url)]

    await Promise.all([
      one.use('change_world', { action: 'delete', table: 'lobbies', id: 'empty' }),
      other.use('change_world', { action: 'update', table: 'lobbies', id: 'empty', fields: { is_closed: true } }),
    ])

    expect((await one.use('get_world', { table: 'lobbies', where: { lobby_id: 'empty' } })).total).toBe(0)
    const seen = await other.use('get_world', { table: 'lobbies', where: { lobby_id: 'empty' } })
    expect(seen.records).toMatchObject([{ lobby_id: 'empty', is_closed: true }])
  })

  it('makes no world before a tool needs it, and one for calls at once', async ({ serve }) => {
    const served = await serve()
    const { client, use } = await openSession(served.url)

    await client.listTools()
    await use('get_world', { of: 'mock' })
    await use('validate_scenario', { text: '{}' }).catch(() => {})
    expect(worldsOf(served)).toEqual(['default'])

    await Promise.all([use('get_world'), use('list_requests'), use('get_story')])
    expect(worldsOf(served)).toEqual(['default', expect.stringMatching(/^mcp-[0-9a-f]{8}$/)])
  })

  it('copies the world that the URL names', async ({ serve }) => {
    const served = await serve()
    const named = await served.client.worlds.put('test-42', { scenario: 'empty' })
    const { use } = await openSession(named.url)

    const { url, world } = await use('get_world')

    expect(world).toMatchObject({ id: expect.stringMatching(/^mcp-/), title: (await named.world.describe()).title })
    expect(url).toBe(`${served.url}/w/${world.id}`)
    expect((await use('get_world', { of: 'mock' })).world.id).toBe('test-42')
  })

  it.for(['end', 'interrupt', 'crash'] as const)(
    'deletes its world at its %s, and leaves the others',
    async (way, { serve }) => {
      const served = await serve()
      const other = await openSession(served.url)
      const session = await openSession(served.url)
      await other.use('get_world')
      const [, kept] = worldsOf(served)
      await session.use('get_world')

      await session[way]()

      expect(worldsOf(served)).toEqual(['default', kept])
    },
  )

  it('deletes a world that is still being made at its end', async ({ serve }) => {
    const served = await serve()
    const said: string[] = []
    const noted: typeof fetch = async (input, init) => {
      said.push(`${init?.method} sent`)
      const response = await fetch(input, init)
      said.push(`${init?.method} answered`)
      return response
    }
    const session = await openSession(served.url, { fetch: noted })
    session.use('get_world').catch(() => {})
    await vi.waitUntil(() => said.length === 1, { interval: 0 })

    await session.interrupt()

    expect(said.slice(0, 3)).toEqual(['PUT sent', 'PUT answered', expect.stringMatching(/sent$/)])
    expect(said).toContain('DELETE answered')
    expect(worldsOf(served)).toEqual(['default'])
  })

  it('deletes a world that it could make, and not read', async ({ serve }) => {
    const served = await serve()
    const failing: typeof fetch = (input, init) =>
      init?.method === 'GET' && String(input).includes('/worlds/')
        ? Promise.reject(new TypeError('fetch failed'))
        : fetch(input, init)
    const session = await openSession(served.url, { fetch: failing })
    await session.fail('get_world')
    expect(worldsOf(served)).toHaveLength(2)

    await session.end()

    expect(worldsOf(served)).toEqual(['default'])
  })

  it('ends without a word if the mock has ended before', async ({ serve }) => {
    const served = await serve()
    const session = await openSession(served.url)
    await session.use('get_world')
    await served.close()

    await expect(session.end()).resolves.toBeUndefined()
  })
})

describe('a tool', () => {
  it('gives the URL of the world with tokens, so that a game can play there', async ({ serve }) => {
    const { url } = await serve()
    const { use } = await openSession(url)

    const world = await use('get_world')

    expect(world).toMatchObject({ clock: { mode: 'frozen' }, faults: 0 })
    expect(world.scenarios).toContain('party')
    const { token } = world.tokens.find((one: { kind: string }) => one.kind === 'public')
    const response = await fetch(`${world.url}/matchmaker/lobbies/list`, { headers: bearer(token) })
    expect(response.status).toBe(200)
    expect(world.tokens.filter((one: { kind: string }) => one.kind === 'lobby')).toEqual([])
  })

  it('lists the newest records of a table, the servers, and the schedule', async ({ serve }) => {
    const { url } = await serve()
    const { use, fail } = await openSession(url)

    const lobbies = await use('get_world', { table: 'lobbies', limit: 1 })
    const modes = await use('get_world', { table: 'game-modes', where: { game_mode_id: 'duel' } })

    expect(lobbies.total).toBeGreaterThan(1)
    expect(lobbies.records).toHaveLength(1)
    expect(modes.records).toMatchObject([{ game_mode_id: 'duel' }])
    expect(await use('get_world', { table: 'servers' })).toEqual({ servers: [] })
    expect(await use('get_world', { table: 'schedule' })).toEqual({ jobs: [] })
    expect(await fail('get_world', { table: 'servers', where: { a: 'b' } })).toBe(
      'where is for tables, and servers is none',
    )
  })

  it('creates, changes and deletes records', async ({ serve }) => {
    const { url } = await serve()
    const { use } = await openSession(url)
    const lobbies = { action: 'create', table: 'lobbies', fields: { game_mode_id: 'ffa', players: 2 }, count: 3 }

    const created = await use('change_world', lobbies)
    const [{ lobby_id }] = created.lobbies
    const player = await use('change_world', { action: 'create', table: 'players', fields: { lobby_id } })
    const mode = await use('change_world', { action: 'create', table: 'game-modes', fields: { game_mode_id: 'race' } })
    const closed = await use('change_world', {
      action: 'update',
      table: 'lobbies',
      id: lobby_id,
      fields: { is_closed: true },
    })
    await use('change_world', { action: 'delete', table: 'players', id: player.player_token })

    expect(created.lobbies).toHaveLength(3)
    expect(player).toMatchObject({ lobby_id, status: 'connected' })
    expect(mode).toMatchObject({ game_mode_id: 'race' })
    expect(closed).toMatchObject({ is_closed: true, total_player_count: 3 })
    expect((await use('get_world', { table: 'lobbies', where: { lobby_id } })).records[0].total_player_count).toBe(2)
  })

  it('refuses an integer that the protocol has rounded', async ({ serve }) => {
    const { client, use, fail } = await openSession((await serve()).url)
    const rounded = (state: object) => fail('change_world', { action: 'create', table: 'lobbies', fields: { state } })

    for (const id of [2 ** 53, -(2 ** 63)])
      expect(await rounded({ ids: [{ id }] })).toContain('an integer above 9007199254740991 loses its digits here')

    await use('load_scenario', { text: '{"game_modes":["duel"],"lobbies":[{"state":9007199254740993}]}' })
    const { content } = await client.callTool({ name: 'take_snapshot', arguments: {} })
    expect(JSON.stringify(content)).toContain('9007199254740993')
  })

  it('completes and expires device links', async ({ serve }) => {
    const { url } = await serve()
    const { use } = await openSession(url)
    const link = { table: 'device-links', id: tokens.pending }

    const complete = await use('change_world', { action: 'complete', ...link, fields: { game: 'tanks' } })

    expect(complete).toMatchObject({ status: 'complete' })
    const other = await openSession(url)
    await expect(other.use('change_world', { action: 'expire', ...link })).resolves.toBeTypeOf('object')
  })

  it('lists requests, and says why they got their answers', async ({ serve }) => {
    const { url, send } = await serve()
    await send({
      method: 'POST',
      path: '/matchmaker/lobbies/find',
      headers: bearer(tokens.public),
      body: '{"game_modes":["duel"]}',
    })
    const { use } = await openSession(url)
    const own = (await use('get_world')).url
    await find(own)
    await find(own)

    const { requests, total } = await use('list_requests', { operation: 'lobbies.*', status: 200, limit: 1 })
    const users = await use('list_requests', { of: 'mock' })

    expect([total, requests.length, requests[0].operation]).toEqual([2, 1, 'lobbies.find'])
    expect([users.total, users.requests[0].operation]).toEqual([1, 'lobbies.find'])
    expect((await use('explain', { request: requests[0].id })).because[0]).toContain('the fullest lobby that fits')
    expect((await use('explain', { of: 'mock', lobby_id: 'closed' })).verdict).toBe('not listed')
    expect((await use('explain', { find: 'duel' })).candidates).toBeDefined()
  })

  it('tells the story of a player', async ({ serve }) => {
    const { url } = await serve()
    const { use } = await openSession(url)
    const { player } = (await (await find((await use('get_world')).url)).json()) as { player: { token: string } }

    const { stories } = await use('get_story', { limit: 1 })

    expect(stories).toMatchObject([{ token: player.token }])
    expect((await use('get_story', { player: player.token })).steps.length).toBeGreaterThan(0)
    expect((await use('get_story', { q: 'nobody at all' })).total).toBe(0)
  })

  it('lists warnings, and reads the log of a game server without its environment', async ({ serve }) => {
    const served = await serve()
    const { use, fail } = await openSession(served.url)
    const last_lines = ['one', 'two'].map(text => ({ at: '2026-11-20T20:00:00.000Z', text }))
    showServers(served.mock, [{ lobby_id: 'arena', status: 'crashed', message: 'it crashed', lines: 2, last_lines }])
    warn(served.mock)

    const { warnings } = await use('list_warnings', { of: 'mock' })
    const { log, ...server } = await use('read_server_log', { of: 'mock', lobby_id: 'arena', limit: 1 })

    expect(warnings.map(({ rule }: { rule: string }) => rule)).toEqual(['buffered output'])
    expect(await use('list_warnings')).toEqual({ warnings: [], dropped: 0 })
    expect(log).toEqual([last_lines[1]])
    expect(server).toMatchObject({ status: 'crashed', message: 'it crashed', lines: 2 })
    expect(server).not.toHaveProperty('environment')
    expect(await fail('read_server_log', { lobby_id: 'arena' })).toContain('the mock has started no game server')
  })

  it('adds, releases and removes faults', async ({ serve }) => {
    const { url } = await serve()
    const { use } = await openSession(url)
    const own = (await use('get_world')).url
    const { faults } = await use('set_faults', {
      add: [
        { operation: 'lobbies.find', effect: { hold: true } },
        { effect: { delay: '1h' }, operation: 'regions.list' },
      ],
    })
    const ids = faults.map(({ id }: { id: string }) => id)
    const [first, second] = [find(own), find(own)]
    await expect.poll(async () => (await use('list_requests')).pending.length).toBe(2)

    const released = await use('set_faults', { release: [ids[0]] })
    expect([(await first).status, (await second).status]).toEqual([200, 200])
    const removed = await use('set_faults', { remove: [ids[1]], add: [{ effect: { error: { status: 500 } } }] })
    const cleared = await use('set_faults', { clear: true })

    expect(released.faults).toHaveLength(2)
    expect(removed.faults.map(({ id }: { id: string }) => id)).toEqual([ids[0], expect.any(String)])
    expect(cleared.faults).toEqual([])
  })

  it('adds no fault if one of them is wrong', async ({ serve }) => {
    const { url } = await serve()
    const { use, fail } = await openSession(url)

    const message = await fail('set_faults', {
      add: [{ effect: { hold: true } }, { effect: { error: { status: 9 } } }],
    })

    expect(message).toContain('error.status')
    expect(await fail('set_faults', { remove: ['f_9'], clear: true })).toBe(
      'there is no fault f_9: call set_faults without arguments to list them',
    )
    expect((await use('set_faults')).faults).toEqual([])
  })

  it('sets the clock, and moves it', async ({ serve }) => {
    const { url } = await serve()
    const { use, fail } = await openSession(url)

    expect(await use('set_clock')).toMatchObject({ mode: 'frozen', now: '2026-11-20T20:00:00.000Z' })
    expect(await use('set_clock', { advance: '40s' })).toMatchObject({ now: '2026-11-20T20:00:40.000Z' })
    expect(await use('set_clock', { now: '2026-11-20T21:00:00Z' })).toMatchObject({ now: '2026-11-20T21:00:00.000Z' })
    expect(await use('set_clock', { mode: 'frozen', rate: 2, advance: '1s' })).toMatchObject({ rate: 2 })
    expect(await fail('set_clock', { advance: '1s', now: '2026-11-20T22:00:00Z' })).toBe('give either now or advance')
    expect(await fail('set_clock', { advance: 'soon' })).toContain('soon')
  })

  it('loads a scenario by name and as text, goes back, and refuses a wrong one as a whole', async ({ serve }) => {
    const { url } = await serve()
    const { use, fail } = await openSession(url)
    const title = async () => (await use('get_world')).world.title

    await use('load_scenario', { text: 'title: Mine\ngame_modes: [race]\n' })
    expect(await title()).toBe('Mine')
    const message = await fail('load_scenario', { text: 'game_modes: [race]\nlobbies:\n  - game_mode_id: rcae\n' })
    expect(message).toMatch(/^scenario:3:19: lobbies\[0\]\.game_mode_id is "rcae"/)
    expect(await title()).toBe('Mine')
    await use('load_scenario', { name: 'party' })
    expect(await title()).not.toBe('Mine')
    await use('load_scenario', { reset: true })
    expect(await fail('load_scenario', { name: 'prty' })).toContain('party')
    expect(await fail('load_scenario', { name: 'party', reset: true })).toBe('give one of name, text and reset')
  })

  it.for(['servers: { command: ./server }', 'players: { command: ./client, concurrent: 2 }'])(
    'loads no scenario that starts a process: %s',
    async (commands, { serve }) => {
      const { url } = await serve()
      const { use, fail } = await openSession(url)
      const text = `title: Mine\ngame_modes: [duel]\n${commands}\n`

      expect(await fail('load_scenario', { text })).toContain('command')
      expect((await use('get_world')).world.title).toBe('Tanks')
    },
  )

  it('validates a scenario without a mock', async () => {
    const { use, fail } = await openSession(`http://127.0.0.1:${await freePort()}`)

    expect(await use('validate_scenario', { text: 'game_modes: [duel]\nservers: { command: ./server }\n' })).toBe(
      'valid',
    )
    expect(await fail('validate_scenario', { text: 'game_modes: [duel]\nlobbys: []\n' })).toMatch(
      /^scenario:2:1: .*Did you mean lobbies\?/,
    )
  })

  it('takes a snapshot that can be loaded again', async ({ serve }) => {
    const { url } = await serve()
    const { use } = await openSession(url)
    await use('change_world', { action: 'create', table: 'lobbies', fields: { lobby_id: 'mine' } })
    await use('set_faults', { add: [{ effect: { hold: true } }] })

    const snapshot = await use('take_snapshot', { with: 'faults' })
    const before = await use('take_snapshot', { of: 'mock' })
    await use('load_scenario', { reset: true })
    await use('load_scenario', { text: JSON.stringify(snapshot) })

    expect(snapshot.faults).toHaveLength(1)
    expect(JSON.stringify(before)).not.toContain('"mine"')
    expect((await use('get_world', { table: 'lobbies', where: { lobby_id: 'mine' } })).total).toBe(1)
  })

  it('refuses an answer that would fill the context of an agent', async ({ serve }) => {
    const { url } = await serve()
    const { use, fail } = await openSession(url)
    await use('load_scenario', { name: 'friday-night' })

    expect(await fail('take_snapshot')).toContain('the answer is too long: ask for less, with limit or where')
  })

  it('refuses an answer of which the command reads no more', async ({ serve }) => {
    const { url } = await serve()
    const limitedFetch: typeof fetch = async (input, init) =>
      limitedResponse(await fetch(input, init), { bytes: 5_000, signal: new AbortController().signal })
    const { fail } = await openSession(url, { fetch: limitedFetch })

    const reason = await fail('take_snapshot', { of: 'mock' })
    expect(reason).toContain('the answer is too long: ask for less, with where, operation or status')
  })
})

describe('an error', () => {
  it('says that no mock answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const { fail } = await openSession(url)

    expect(await fail('get_world')).toBe(
      `no mock answers at ${url}: is npx mockmaker running there? More in the package: docs/something-is-wrong.md`,
    )
  })

  it('passes, and the next call works, once a mock runs', async ({ serve }) => {
    const { mock, url } = await serve()
    const { fail, use } = await openSession(`${url}/w/later`)

    expect(await fail('get_world')).toContain('there is no world "later"')
    await mock.worlds.put('later', {})

    expect(await use('get_world')).toMatchObject({ world: { id: expect.stringMatching(/^mcp-/) } })
  })

  it('says that the mock has lost the world, and the next call makes another one', async ({ serve }) => {
    const { mock, url } = await serve()
    const { use, fail } = await openSession(url)
    const { world } = await use('get_world')
    await mock.worlds.delete(world.id)

    expect(await fail('set_clock')).toContain('the mock no longer has your world')
    expect((await use('get_world')).world.id).toBe(world.id)
  })

  it('says so too if a request of the game has made a plain world in its place', async ({ serve }) => {
    const { mock, url } = await serve()
    const { use, fail } = await openSession(url)
    await use('change_world', { action: 'create', table: 'lobbies', fields: { lobby_id: 'mine' } })
    const { url: forkUrl, world } = await use('get_world')
    // As a restart does.
    await mock.worlds.delete(world.id)
    await mock.world.lobbies.create({ lobby_id: 'new', game_mode_id: 'duel', region_id: 'lnd-fra' })
    await fetch(`${forkUrl}/matchmaker/lobbies/list`)

    const changed = await fail('change_world', { action: 'create', table: 'lobbies', fields: { lobby_id: 'lost' } })

    expect(changed).toContain('the mock no longer has your world')
    const { records } = await use('get_world', { table: 'lobbies', limit: 500 })
    const named = (records as { lobby_id: string }[]).filter(({ lobby_id }) =>
      ['mine', 'lost', 'new'].includes(lobby_id),
    )
    expect(named.map(({ lobby_id }) => lobby_id)).toEqual(['new'])
  })

  it('of an unknown record names it', async ({ serve }) => {
    const { url } = await serve()
    const { fail } = await openSession(url)

    expect(await fail('change_world', { action: 'delete', table: 'lobbies', id: 'nope' })).toContain('"nope"')
    expect(await fail('get_story', { player: 'nobody' })).toContain('has no story of such a player')
    expect(await fail('explain', { request: 12 })).toContain('12')
  })

  it.for([
    [{ action: 'update', table: 'lobbies', id: ids.lobby }, 'update needs fields'],
    [{ action: 'update', table: 'lobbies', fields: {} }, 'update needs the id of a record, as get_world lists it'],
    [{ action: 'create', table: 'lobbies', id: 'mine' }, 'create takes no id: a record has it among its fields'],
    [{ action: 'create', table: 'regions', count: 2 }, 'count is for new lobbies: remove it'],
    [{ action: 'delete', table: 'lobbies', id: ids.lobby, fields: {} }, 'delete takes no fields'],
    [{ action: 'expire', table: 'lobbies', id: ids.lobby }, 'expire is for device-links, and the table is lobbies'],
  ] as const)('of change_world %j', async ([args, message], { serve }) => {
    const { mock, url } = await serve()
    const { fail } = await openSession(url)

    expect(await fail('change_world', args)).toBe(message)
    expect(mock.worlds.list()).toHaveLength(1)
  })

  it.for([
    ['explain', {}, 'ask for one of request, lobby_id, find and path'],
    ['explain', { request: 1, find: 'duel' }, 'ask for one of request, lobby_id, find and path'],
    ['explain', { method: 'POST' }, 'ask for one of request, lobby_id, find and path'],
    ['get_world', { where: { game_mode_id: 'duel' } }, 'where needs a table'],
  ] as const)('of %s with %j', async ([tool, args, message]) => {
    const { fail } = await openSession('http://127.0.0.1:1')

    expect(await fail(tool, args)).toBe(message)
  })

  it.for([
    ['get_world', { table: 'lobbys' }],
    ['get_world', { tabel: 'lobbies' }],
    ['list_requests', { limit: 0 }],
    ['set_clock', { mode: 'slow' }],
    ['validate_scenario', {}],
  ] as const)('of %s with %j names the argument', async ([tool, args]) => {
    const { fail } = await openSession('http://127.0.0.1:1')

    expect(await fail(tool, args)).toContain(Object.keys(args)[0] ?? 'text')
  })

  it('says that the control token is missing, and a session with it works', async () => {
    const mock = createMockmaker()
    const token = 'Secret-control-token-0123456789'
    const url = await serveMock(mock, { controlToken: token })
    const [without, having] = [await openSession(url), await openSession(url, { token })]

    expect(await without.fail('get_world')).toContain('control token')
    expect(await having.use('get_world', { of: 'mock' })).toMatchObject({ world: { id: 'default' } })
    await having.use('get_world')
    await having.end()
    expect(mock.worlds.list()).toHaveLength(1)
  })

  it('says why a mock that only shows a world takes no changes, and reads work', async () => {
    const mock = createMock({ scenario: tanks })
    const because = 'this mock only shows world.yaml'
    const url = await serveDuringTest(createListener(mock, {}, { readOnlyBecause: because }))
    const { use, fail } = await openSession(url)

    expect(await fail('get_world')).toContain(because)
    expect(await use('get_world', { of: 'mock', table: 'lobbies' })).toMatchObject({ total: 8 })
  })
})
