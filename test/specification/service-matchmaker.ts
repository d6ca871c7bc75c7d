import { expect } from 'vitest'
import type { Join } from '../../src/core/contract/lobbies.js'
import { lobbyTokenOf } from '../../src/core/store/tokens.js'
import type { OpenMock } from '../support/entry-points.js'
import { failure, ok, post, type TestResponse } from '../support/http.js'
import { bearer, ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

type Mock = Pick<OpenMock, 'send'>
type Headers = Readonly<Record<string, string>>

const prod = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}`
const open = bearer(tokens.public)
const closed = bearer(tokens.publicClosed)
const captcha = { hcaptcha: { client_response: '10000000-aaaa-bbbb-cccc-000000000001' } }

const send = (mock: Mock, path: string, { body = {}, headers = open }: { body?: object; headers?: Headers } = {}) =>
  mock.send({ method: 'POST', path: `/matchmaker/${path}`, headers, body: JSON.stringify(body) })
const read = async (mock: Mock, path: string, headers: Headers = open) =>
  ok(await mock.send({ method: 'GET', path: `/matchmaker/${path}`, headers }))
const find = (mock: Mock, body: object, headers?: Headers) =>
  send(mock, 'lobbies/find', { body: { captcha, ...body }, ...(headers && { headers }) })
const join = (mock: Mock, lobby_id: string, headers?: Headers) =>
  send(mock, 'lobbies/join', { body: { lobby_id, captcha }, ...(headers && { headers }) })
const create = (mock: Mock, body: object) => send(mock, 'lobbies/create', { body: { captcha, ...body } })
const callAsServer = (mock: Mock, how: 'connected' | 'disconnected', { token, by }: { token: string; by: string }) =>
  send(mock, `players/${how}`, { body: { player_token: token }, headers: bearer(by) })
const close = (mock: Mock, by: string, is_closed: boolean) =>
  mock.send({ ...post('/matchmaker/lobbies/closed', { is_closed }, by), method: 'PUT' })
const limit = (mock: Mock, limits: { lobby_count_max: number; max_players: number }) =>
  mock.send(post(`${prod}/mm-config`, limits, tokens.cloud))
const seat = (got: TestResponse) => ok(got) as Join
const lobbyId = (got: TestResponse) => seat(got).lobby.lobby_id
const playerCount = async (mock: Mock) =>
  ((await read(mock, 'players/statistics')) as { player_count: number }).player_count

interface List {
  readonly lobbies: readonly { readonly lobby_id: string; readonly max_players_normal: number }[]
  readonly game_modes: readonly object[]
  readonly regions: readonly { readonly region_id: string }[]
}
const list = async (mock: Mock) => (await read(mock, 'lobbies/list')) as List

/**
 * The assertions of the service's own public tests, in our words and for the world of tanks. They are in the repository
 * rivet, v23.2.0-rc1. Each test names its source. `lobby_crash_immediate` and `lobby_ready_set` are in
 * test/core/pipeline/lobby-wait.test.ts, and `lobby_cleanup` is in test/core/simulation/life.test.ts.
 */
export function specifyServiceMatchmakerTests(frame: Frame): void {
  apiTests(frame)
  lobbyTests(frame)
  findTests(frame)
  tagTests(frame)
  playerTests(frame)
}

function apiTests({ describe, it }: Frame): void {
  describe('svc/api/matchmaker/tests', () => {
    it.for(['https://tanks--prod.mock.localhost', 'https://tanks.example'])(
      'auth.rs: find_domain_auth, from %s',
      async (origin, { mock }) => {
        expect(lobbyId(await find(mock, { game_modes: ['duel'] }, { origin }))).toBe(ids.lobby)
      },
    )

    it('custom_lobby.rs: create_custom_lobby', async ({ mock }) => {
      const asked = { game_mode: 'ffa', region: 'lnd-fra', publicity: 'public', lobby_config: { foo: 'bar' } }

      const { lobby } = seat(await create(mock, asked))

      expect(lobby.region.region_id).toBe('lnd-fra')
      expect((await list(mock)).lobbies.map(one => one.lobby_id)).toContain(lobby.lobby_id)
    })

    it.for([{ regions: ['lnd-fra'] }, {}])(
      'find.rs: find_with_regions, find_without_regions: %j',
      async (regions, { mock }) => {
        expect(lobbyId(await find(mock, { game_modes: ['duel'], ...regions }))).toBe(ids.lobby)
      },
    )

    it('lifecycle.rs: lobby_lifecycle', async ({ mock }) => {
      const a = seat(await find(mock, { game_modes: ['ffa'] }))
      const by = lobbyTokenOf(a.lobby.lobby_id)
      ok(await callAsServer(mock, 'connected', { token: a.player.token, by }))
      const b = seat(await join(mock, a.lobby.lobby_id))
      ok(await callAsServer(mock, 'connected', { token: b.player.token, by }))

      // The second call of the source repeats the first player.
      for (const { player } of [a, a, b]) ok(await callAsServer(mock, 'disconnected', { token: player.token, by }))

      expect(b.lobby.lobby_id).toBe(a.lobby.lobby_id)
    })

    it('lifecycle.rs: lobby_lifecycle_dev', async ({ mock }) => {
      const lobby_ports = [80, 8080, 5050].map(port => ({
        label: `test-${port}`,
        target_port: port,
        proxy_protocol: 'https',
      }))
      const body = { hostname: '127.0.0.1', lobby_ports }
      const { token: by } = ok(await mock.send(post(`${prod}/tokens/development`, body, tokens.cloud))) as {
        token: string
      }
      const a = seat(await find(mock, { game_modes: ['duel'] }, bearer(by)))
      const b = seat(await join(mock, a.lobby.lobby_id, bearer(by)))

      expect(Object.entries(a.lobby.ports).map(([label, { port, is_tls }]) => [label, port, is_tls])).toEqual([
        ['test-80', 80, true],
        ['test-8080', 8080, true],
        ['test-5050', 5050, true],
      ])
      for (const how of ['connected', 'disconnected'] as const)
        for (const { player } of [a, b]) ok(await callAsServer(mock, how, { token: player.token, by }))
      for (const is_closed of [true, false]) ok(await close(mock, by, is_closed))
    })

    it('list.rs: list_lobbies, player_statistics', async ({ mock }) => {
      const before = new Set((await list(mock)).lobbies.map(lobby => lobby.lobby_id))
      const made: string[] = []
      for (let i = 0; i < 3; i++) made.push(lobbyId(await create(mock, { game_mode: 'ffa', publicity: 'public' })))
      for (const id of made) ok(await join(mock, id))

      const { lobbies, game_modes, regions } = await list(mock)

      expect(lobbies.map(lobby => lobby.lobby_id).filter(id => !before.has(id))).toEqual(made)
      expect([game_modes.length, regions.map(region => region.region_id)]).toEqual([3, ['lnd-fra', 'lnd-syd']])
      expect(await playerCount(mock)).toBe(1 + 2 * made.length)
    })

    it('regions.rs: list_regions, list_regions_dev', async ({ mock }) => {
      const idsOf = async (headers: Headers) => {
        const { regions } = (await read(mock, 'regions', headers)) as Pick<List, 'regions'>
        return regions.map(region => region.region_id)
      }

      expect(await idsOf(open)).toEqual(['lnd-fra', 'lnd-syd'])
      expect(await idsOf(bearer(tokens.development))).toEqual(['dev-lcl'])
    })
  })
}

function lobbyTests({ describe, it }: Frame): void {
  describe('svc/pkg/mm/worker/tests, lobbies', () => {
    it('lobby_closed_set.rs: empty', async ({ mock }) => {
      ok(await close(mock, lobbyTokenOf('empty'), true))

      expect((await list(mock)).lobbies.map(lobby => lobby.lobby_id)).not.toContain('empty')
    })

    it('lobby_create.rs: lobby_create', async ({ mock }) => {
      const id = lobbyId(await create(mock, { game_mode: 'ffa', publicity: 'public' }))

      const maxima = { max_players_normal: 8, max_players_direct: 10, max_players_party: 12 }
      expect((await list(mock)).lobbies.find(lobby => lobby.lobby_id === id)).toMatchObject(maxima)
    })

    it('lobby_create.rs: custom_private_lobby_create', async ({ mock }) => {
      const id = lobbyId(await create(mock, { game_mode: 'ffa', publicity: 'private', lobby_config: { foo: 'bar' } }))

      expect((await list(mock)).lobbies.map(lobby => lobby.lobby_id)).not.toContain(id)
    })

    it('lobby_create.rs: lobby_create_max_lobby_count', async ({ mock }) => {
      // Five exist already.
      await limit(mock, { lobby_count_max: 8, max_players: 32 })

      for (let i = 0; i < 3; i++) ok(await create(mock, { game_mode: 'ffa' }))
      expect(failure(await create(mock, { game_mode: 'ffa' }))).toBe('400 MATCHMAKER_TOO_MANY_LOBBIES')
    })

    it('lobby_state_set.rs: set_lobby_state', async ({ mock }) => {
      const by = lobbyTokenOf('empty')
      ok(await mock.send({ ...post('/matchmaker/lobbies/state', { foo: 'bar' }, by), method: 'PUT' }))

      expect(await read(mock, 'lobbies/empty/state', bearer(by))).toEqual({ foo: 'bar' })
    })
  })
}

const noCreate = { prevent_auto_create_lobby: true }

function findTests({ describe, it }: Frame): void {
  describe('svc/pkg/mm/worker/tests/lobby_find.rs', () => {
    it('direct, direct_closed', async ({ mock }) => {
      expect(lobbyId(await join(mock, 'empty'))).toBe('empty')
      ok(await close(mock, lobbyTokenOf('empty'), true))
      expect(lobbyId(await join(mock, 'empty'))).toBe('empty')
    })

    it('lobby_group_existing, lobby_group_closed, lobby_group_closed_auto_create', async ({ mock }) => {
      const asked = { game_modes: ['ffa'] }
      expect(lobbyId(await find(mock, asked))).toBe('empty')
      ok(await close(mock, lobbyTokenOf('empty'), true))
      expect(failure(await find(mock, { ...asked, ...noCreate }))).toBe('400 MATCHMAKER_NO_AVAILABLE_LOBBIES')
      ok(await close(mock, lobbyTokenOf('empty'), false))
      expect(lobbyId(await find(mock, { ...asked, ...noCreate }))).toBe('empty')
      ok(await close(mock, lobbyTokenOf('empty'), true))
      expect(lobbyId(await find(mock, asked))).not.toBe('empty')
    })

    it('max_players_per_client', async ({ mock }) => {
      await limit(mock, { lobby_count_max: 32, max_players: 3 })
      const from = { ...open, 'x-forwarded-for': '203.0.113.7' }

      for (let i = 0; i < 3; i++) ok(await join(mock, 'empty', from))
      for (let i = 0; i < 2; i++)
        expect(failure(await join(mock, 'empty', from))).toBe('400 MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE')
    })

    it('lobby_group_auto_create, lobby_group_no_auto_create', async ({ mock }) => {
      const asked = { game_modes: ['ffa'], regions: ['lnd-fra'] }

      expect(failure(await find(mock, { ...asked, ...noCreate }))).toBe('400 MATCHMAKER_NO_AVAILABLE_LOBBIES')
      ok(await find(mock, asked))
    })

    it('join_disabled', async ({ mock }) => {
      expect(failure(await join(mock, 'walled', closed))).toBe('400 MATCHMAKER_JOIN_DISABLED')
    })

    it('dynamic_max_players', async ({ mock }) => {
      const id = lobbyId(await find(mock, { game_modes: ['ffa'], max_players: 1 }))

      expect(failure(await join(mock, id))).toBe('400 MATCHMAKER_LOBBY_FULL')
    })
  })
}

function tagTests({ describe, it }: Frame): void {
  describe('svc/pkg/mm/worker/tests/lobby_find.rs, tags', () => {
    const tagged = (mock: Mock, tags: object, asked: object = {}) => find(mock, { game_modes: ['ffa'], tags, ...asked })

    it('tagged, tagged_no_auto_create', async ({ mock }) => {
      const tags = { mytag: '1234' }
      expect(failure(await tagged(mock, tags, noCreate))).toBe('400 MATCHMAKER_NO_AVAILABLE_LOBBIES')
      const first = lobbyId(await tagged(mock, tags))

      expect(lobbyId(await tagged(mock, tags))).toBe(first)
      expect(lobbyId(await tagged(mock, { ...tags, othertag: 'foobar' }))).not.toBe(first)
    })

    it('tagged_multiple_game_modes, tagged_multiple_lobbies', async ({ mock }) => {
      ok(await tagged(mock, { mytag: '1234' }))
      const duel = lobbyId(await tagged(mock, { mytag: '4321' }, { game_modes: ['duel'] }))
      const ffa = lobbyId(await tagged(mock, { mytag: '5678' }))

      const both = { game_modes: ['ffa', 'duel'], ...noCreate }
      expect(lobbyId(await tagged(mock, { mytag: '4321' }, both))).toBe(duel)
      expect(lobbyId(await tagged(mock, { mytag: '5678' }, noCreate))).toBe(ffa)
    })

    it('tagged_subset', async ({ mock }) => {
      const id = lobbyId(await tagged(mock, { mytag: '1234', othertag: 'foobar' }))

      expect(lobbyId(await tagged(mock, { mytag: '1234' }, noCreate))).toBe(id)
    })
  })
}

function playerTests({ describe, it }: Frame): void {
  describe('svc/pkg/mm/worker/tests, players', () => {
    it('player_register.rs: player_register', async ({ mock }) => {
      const { player } = seat(await join(mock, 'empty'))
      const call = { token: player.token, by: lobbyTokenOf('empty') }
      ok(await callAsServer(mock, 'connected', call))

      expect((await list(mock)).lobbies.find(lobby => lobby.lobby_id === 'empty')).toMatchObject({
        total_player_count: 1,
      })
      expect(failure(await callAsServer(mock, 'connected', call))).toBe('400 MATCHMAKER_PLAYER_ALREADY_CONNECTED')
    })

    it('player_register.rs: wrong_lobby', async ({ mock }) => {
      const before = await playerCount(mock)
      const { player } = seat(await join(mock, 'empty'))

      expect(failure(await callAsServer(mock, 'connected', { token: player.token, by: lobbyTokenOf('private') }))).toBe(
        '400 MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY',
      )
      expect(await playerCount(mock)).toBe(before)
    })

    it('player_remove.rs: player_remove', async ({ mock }) => {
      const before = await playerCount(mock)
      const seats: Join[] = []
      for (let i = 0; i < 3; i++) seats.push(seat(await join(mock, 'empty')))
      const [first] = seats
      expect(await playerCount(mock)).toBe(before + 3)

      expect(
        failure(
          await callAsServer(mock, 'disconnected', { token: first?.player.token ?? '', by: lobbyTokenOf('private') }),
        ),
      ).toBe('400 MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY')
      for (const [i, { player }] of seats.entries()) {
        ok(await callAsServer(mock, 'disconnected', { token: player.token, by: lobbyTokenOf('empty') }))
        expect(await playerCount(mock)).toBe(before + 2 - i)
      }
    })
  })
}
