import { expect } from 'vitest'
import type { Join } from '../../src/core/contract/lobbies.js'
import { lobbyTokenOf } from '../../src/core/store/tokens.js'
import type { OpenMock } from '../support/entry-points.js'
import { failure, json, type TestResponse, uuid } from '../support/http.js'
import { bearer, ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

type Mock = Pick<OpenMock, 'send'>
type Headers = Readonly<Record<string, string>>

const call = (method: string, path: string) => (mock: Mock, body: unknown, headers: Headers) =>
  mock.send({ method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })

const find = call('POST', '/matchmaker/lobbies/find')
const join = call('POST', '/matchmaker/lobbies/join')
const create = call('POST', '/matchmaker/lobbies/create')
const ready = call('POST', '/matchmaker/lobbies/ready')
const close = call('PUT', '/matchmaker/lobbies/closed')
const setState = call('PUT', '/matchmaker/lobbies/state')
const connected = call('POST', '/matchmaker/players/connected')
const disconnected = call('POST', '/matchmaker/players/disconnected')

const open = bearer(tokens.public)
const closed = bearer(tokens.publicClosed)
const development = bearer(tokens.development)
const arena = bearer(tokens.arena)
/** Returns the headers of a player at an address. */
const from = (address: string, headers: Headers = open) => ({ ...headers, 'x-forwarded-for': address })

const ok = (got: TestResponse) => {
  expect(got.status, got.body).toBe(200)
  return json(got)
}
const seat = (got: TestResponse) => ok(got) as Join
const lobbyId = (got: TestResponse) => seat(got).lobby.lobby_id

interface Listed {
  readonly lobby_id: string
  readonly total_player_count: number
}

async function list(mock: Mock, headers: Headers = open): Promise<readonly Listed[]> {
  const got = await mock.send({ method: 'GET', path: '/matchmaker/lobbies/list', headers })
  return (ok(got) as { lobbies: Listed[] }).lobbies
}

const ports = {
  default: { hostname: '127.0.0.1', host: '127.0.0.1:7777', port: 7777, is_tls: true },
  voice: { hostname: '127.0.0.1', port_range: { min: 26_000, max: 26_010 }, is_tls: false },
}
const long = (bytes: number) => 'x'.repeat(bytes)
const config = (mock: Mock, body: object) =>
  mock.send({
    method: 'POST',
    path: `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/mm-config`,
    headers: bearer(tokens.cloud),
    body: JSON.stringify({ lobby_count_max: 128, max_players: 8, ...body }),
  })

/** Specifies the matchmaker, for a mock of tanks without earlier requests. */
export function specifyMatchmaker(frame: Frame): void {
  findSpecification(frame)
  joinSpecification(frame)
  createSpecification(frame)
  serverSpecification(frame)
  countSpecification(frame)
}

function findSpecification({ describe, it }: Frame): void {
  describe('lobbies.find', () => {
    it('takes a seat in the fullest lobby, and returns its address', async ({ mock }) => {
      const got = seat(await find(mock, { game_modes: ['duel'] }, open))

      const player = { token: expect.stringMatching(/^player\.mock\.[0-9a-z]{24}$/) }
      expect(got).toEqual({
        lobby: { lobby_id: ids.lobby, region: { region_id: 'lnd-fra', display_name: 'Frankfurt' }, ports, player },
        ports,
        player,
      })
      expect(got.lobby.player).toEqual(got.player)
    })

    it('gives each player a different token', async ({ mock }) => {
      const [first, second] = [
        seat(await find(mock, { game_modes: ['ffa'] }, open)),
        seat(await find(mock, { game_modes: ['ffa'] }, open)),
      ]

      expect(first.player.token).not.toBe(second.player.token)
    })

    it('creates a lobby if none has a free seat, which is listed with no player connected', async ({ mock }) => {
      const first = lobbyId(await find(mock, { game_modes: ['duel'] }, open))
      const second = lobbyId(await find(mock, { game_modes: ['duel'] }, open))
      const third = lobbyId(await find(mock, { game_modes: ['duel'] }, open))

      expect([first, second === first, third === second]).toEqual([ids.lobby, false, true])
      expect(await list(mock)).toContainEqual(
        expect.objectContaining({
          lobby_id: second,
          game_mode_id: 'duel',
          total_player_count: 0,
          max_players_normal: 2,
        }),
      )
    })

    it('creates no lobby if prevent_auto_create_lobby is set', async ({ mock }) => {
      const asked = { game_modes: ['duel'], prevent_auto_create_lobby: true }

      expect(lobbyId(await find(mock, asked, open))).toBe(ids.lobby)
      expect(failure(await find(mock, asked, open))).toBe('400 MATCHMAKER_NO_AVAILABLE_LOBBIES')
    })

    it('treats a list with repeated names like the list without them', async ({ mock }) => {
      const doubled = (...names: string[]) => Array.from({ length: 2_000 }, () => names).flat()
      const asked = { game_modes: doubled('ffa', 'duel'), regions: doubled('lnd-syd', 'lnd-fra') }

      expect(lobbyId(await find(mock, asked, open))).toBe(ids.lobby)
      const made = seat(await find(mock, { ...asked, max_players: 1 }, open))
      expect(made.lobby.region.region_id).toBe('lnd-syd')
      expect(failure(await find(mock, { ...asked, regions: doubled('lnd-atl') }, open))).toBe(
        '400 MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE',
      )
    })

    it('finds a lobby of a mode that is not listable', async ({ mock }) => {
      expect(lobbyId(await find(mock, { game_modes: ['secret'] }, open))).toBe('unlisted')
    })

    it('takes the fullest lobby of all given modes', async ({ mock }) => {
      expect(lobbyId(await find(mock, { game_modes: ['ffa', 'duel'] }, open))).toBe(ids.lobby)
    })

    it('searches the given regions only', async ({ mock }) => {
      const there = await find(mock, { game_modes: ['ffa'], regions: ['lnd-syd'] }, open)
      const made = seat(await find(mock, { game_modes: ['ffa'], regions: ['lnd-fra'] }, open))

      expect(lobbyId(there)).toBe('empty')
      expect(made.lobby).toMatchObject({ lobby_id: expect.stringMatching(uuid), region: { region_id: 'lnd-fra' } })
    })

    it.for([
      ['50.1, 8.7', 'lnd-fra'],
      ['-33.9, 151.2', 'lnd-syd'],
    ] as const)(
      'takes the nearest of equally full lobbies: from %s, that in %s',
      async ([coords, region], { mock }) => {
        // Each has a player, and 7 free seats.
        await create(mock, { game_mode: 'ffa', region: 'lnd-fra', publicity: 'public' }, open)
        await join(mock, { lobby_id: 'empty' }, open)

        const got = seat(await find(mock, { game_modes: ['ffa'] }, { ...open, 'x-coords': coords }))

        expect(got.lobby.region.region_id).toBe(region)
      },
    )

    it('creates a lobby in the nearest region if none is given, or else in the first', async ({ mock }) => {
      const near = { ...open, 'x-coords': '50.1, 8.7' }
      const made = { game_modes: ['ffa'], max_players: 3 }

      const nearest = seat(await find(mock, made, near))
      const asked = seat(await find(mock, { ...made, regions: ['lnd-syd', 'lnd-fra'], max_players: 4 }, near))

      expect([nearest, asked].map(({ lobby }) => lobby.region.region_id)).toEqual(['lnd-fra', 'lnd-syd'])
    })

    it('finds a lobby by its tags, and gives them to a lobby that it creates', async ({ mock }) => {
      const tagged = (tags: object) => find(mock, { game_modes: ['ffa'], tags }, open)
      const first = lobbyId(await tagged({ map: 'dust', level: '1' }))

      expect(lobbyId(await tagged({ map: 'dust', level: '1' }))).toBe(first)
      expect(lobbyId(await tagged({ level: '1' }))).toBe(first)
      expect(lobbyId(await tagged({ map: 'ice' }))).not.toBe(first)
      expect(lobbyId(await tagged({ toString: 'x' }))).not.toBe(first)
    })

    it('finds a lobby by its maximum of players, and creates one with that maximum', async ({ mock }) => {
      const small = () => find(mock, { game_modes: ['ffa'], max_players: 2 }, open)
      const ids = [lobbyId(await small()), lobbyId(await small()), lobbyId(await small())]

      expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false])
      expect(await list(mock)).toContainEqual(
        expect.objectContaining({
          lobby_id: ids[0],
          max_players_normal: 2,
          max_players_direct: 2,
          max_players_party: 2,
        }),
      )
    })

    it('accepts a tag with the name of an Object prototype property', async ({ mock }) => {
      const tags = JSON.parse('{"__proto__":"a"}') as object
      const tagged = (asked: object) => find(mock, { game_modes: ['ffa'], tags: asked }, open)

      const made = lobbyId(await tagged(tags))

      expect(lobbyId(await tagged(tags))).toBe(made)
      expect(lobbyId(await tagged(JSON.parse('{"__proto__":"b"}')))).not.toBe(made)
    })

    it('accepts eight tags of the maximum length', async ({ mock }) => {
      const tags = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`${i}${long(127)}`, long(512)]))

      expect((await find(mock, { game_modes: ['ffa'], tags }, open)).status).toBe(200)
    })

    it.for([
      ['no game mode', { game_modes: [] }, 'MATCHMAKER_NO_GAME_MODE_PROVIDED'],
      ['an unknown game mode', { game_modes: ['duel', 'dual'] }, 'MATCHMAKER_GAME_MODE_NOT_FOUND'],
      ["another namespace's game mode", { game_modes: ['race'] }, 'MATCHMAKER_GAME_MODE_NOT_FOUND'],
      ['an unknown region', { game_modes: ['duel'], regions: ['lnd-fra', 'x'] }, 'MATCHMAKER_REGION_NOT_FOUND'],
      [
        'a region that no mode enables',
        { game_modes: ['duel'], regions: ['lnd-syd'] },
        'MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE',
      ],
      [
        'nine tags',
        { game_modes: ['duel'], tags: Object.fromEntries([...'123456789'].map(name => [name, ''])) },
        'MATCHMAKER_TOO_MANY_TAGS',
      ],
      ['a long name of a tag', { game_modes: ['duel'], tags: { [long(129)]: '' } }, 'MATCHMAKER_TAG_NAME_TOO_LONG'],
      [
        'a long name in bytes',
        { game_modes: ['duel'], tags: { ['é'.repeat(65)]: '' } },
        'MATCHMAKER_TAG_NAME_TOO_LONG',
      ],
      ['a long tag', { game_modes: ['duel'], tags: { a: long(513) } }, 'MATCHMAKER_TAG_TOO_LONG'],
      ['a mode of names of objects', { game_modes: ['__proto__'] }, 'MATCHMAKER_GAME_MODE_NOT_FOUND'],
      ['a lobby of 0 players', { game_modes: ['ffa'], max_players: 0 }, 'MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID'],
      // The party maximum, 12, does not apply.
      ['more than a mode takes', { game_modes: ['ffa'], max_players: 11 }, 'MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID'],
      [
        'more than one of the modes takes',
        { game_modes: ['ffa', 'duel'], max_players: 3 },
        'MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID',
      ],
      ['players that are no number', { game_modes: ['ffa'], max_players: '2' }, 'API_BAD_BODY'],
    ] as const)('refuses %s', async ([, body, code], { mock }) => {
      expect(failure(await find(mock, body, open))).toBe(`400 ${code}`)
    })

    it.for([
      ['a number of players', { max_players: 1 }, '400 MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED'],
      ['no players', { max_players: 0 }, '400 MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID'],
      ['tags', { tags: { map: 'ice' } }, '400 MATCHMAKER_TAGS_DISABLED'],
    ] as const)('refuses %s if the mode does not allow a choice', async ([, wish, expected], { mock }) => {
      expect(failure(await find(mock, { game_modes: ['solo'], ...wish }, closed))).toBe(expected)
      expect((await find(mock, { game_modes: ['solo'], tags: {} }, closed)).status).toBe(200)
    })

    it('accepts max_players up to the maximum of the mode', async ({ mock }) => {
      expect((await find(mock, { game_modes: ['ffa'], max_players: 10 }, open)).status).toBe(200)
    })

    it('refuses a mode that disables find', async ({ mock }) => {
      expect(failure(await find(mock, { game_modes: ['solo', 'walled'] }, closed))).toBe('400 MATCHMAKER_FIND_DISABLED')
    })

    it('refuses a ninth player from one address, but not from this machine', async ({ mock }) => {
      const asked = { game_modes: ['ffa'] }
      const statuses = async (headers: Headers) => {
        const answers: number[] = []
        for (let i = 0; i < 9; i++) answers.push((await find(mock, asked, headers)).status)
        return answers
      }

      expect(await statuses(from('203.0.113.1, 10.0.0.1'))).toEqual([...Array(8).fill(200), 400])
      expect(failure(await find(mock, asked, from('203.0.113.1')))).toBe('400 MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE')
      expect((await find(mock, asked, from('203.0.113.2'))).status).toBe(200)
      expect(await statuses(open)).toEqual(Array(9).fill(200))
    })

    it('counts players from this machine if max_players is set', async ({ mock }) => {
      await config(mock, { max_players: 1 })

      expect((await find(mock, { game_modes: ['ffa'] }, open)).status).toBe(200)
      expect(failure(await find(mock, { game_modes: ['ffa'] }, open))).toBe(
        '400 MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE',
      )
    })

    it('creates no lobby above lobby_count_max, and finds existing ones', async ({ mock }) => {
      await config(mock, { lobby_count_max: 5 })

      expect(lobbyId(await find(mock, { game_modes: ['duel'] }, open))).toBe(ids.lobby)
      expect(failure(await find(mock, { game_modes: ['duel'] }, open))).toBe('400 MATCHMAKER_TOO_MANY_LOBBIES')
    })

    it('needs no token in a tokenless namespace, but in another one', async ({ mock }) => {
      expect(lobbyId(await find(mock, { game_modes: ['duel'] }, {}))).toBe(ids.lobby)
      const origin = { origin: 'https://tanks--closed.mock.localhost' }
      expect(failure(await find(mock, { game_modes: ['solo'] }, origin))).toBe('401 CLAIMS_MISSING_ENTITLEMENT')
    })
  })

  describe('a development token', () => {
    const player = { token: expect.stringMatching(/^dev_player\.mock\.[0-9a-z]{24}$/) }
    const lobby_id = '00000000-0000-0000-0000-000000000000'
    const answer = {
      lobby: { lobby_id, region: { region_id: 'dev-lcl', display_name: 'Local' }, ports, player },
      ports,
      player,
    }

    it.for([
      ['find', find, { game_modes: [] }],
      ['join', join, { lobby_id: 'nobody' }],
      ['create', create, { game_mode: 'nobody', tags: { a: long(513) } }],
    ] as const)(
      'in %s returns its own server, whatever the request, and changes nothing',
      async ([, ask, body], { mock }) => {
        const before = await list(mock)
        const headers = { ...development, 'x-coords': 'nowhere' }

        const [first, second] = [seat(await ask(mock, body, headers)), seat(await ask(mock, body, headers))]

        expect(first).toEqual(answer)
        expect(second.player.token).not.toBe(first.player.token)
        expect(await list(mock)).toEqual(before)
      },
    )

    it('does not accept a body of the wrong shape', async ({ mock }) => {
      expect(failure(await find(mock, { game_modes: 1 }, development))).toBe('400 API_BAD_BODY')
    })

    it.for([
      ['an invalid token', 'nobody', '400 TOKEN_ERROR'],
      ['an empty text', '', '400 TOKEN_ERROR'],
      ['a token with a wrong signature', 'dev_player.mock.012345678901234567890123', '400 TOKEN_ERROR'],
      ['a token of a player of a lobby', tokens.connected, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['a token of its namespace', tokens.public, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['a token that has expired', tokens.expired, '400 TOKEN_ERROR'],
    ] as const)(
      'does not accept %s as the player_token of its player',
      async ([, player_token, expected], { mock }) => {
        expect(failure(await connected(mock, { player_token }, development))).toBe(expected)
        expect(failure(await disconnected(mock, { player_token }, development))).toBe(expected)
      },
    )

    it('creates a player token that is known as a bearer, but of the wrong kind', async ({ mock }) => {
      const { token } = seat(await find(mock, { game_modes: ['duel'] }, development)).player

      expect(failure(await ready(mock, undefined, bearer(token)))).toBe('401 CLAIMS_MISSING_ENTITLEMENT')
      expect(failure(await find(mock, { game_modes: ['duel'] }, bearer(token)))).toBe('401 CLAIMS_MISSING_ENTITLEMENT')
    })

    it('lets its server call as if its lobby existed', async ({ mock }) => {
      const { token: player_token } = seat(await find(mock, { game_modes: ['duel'] }, development)).player

      expect(ok(await ready(mock, undefined, development))).toEqual({})
      expect(ok(await connected(mock, { player_token }, development))).toEqual({})
      expect(ok(await setState(mock, { map: 'ice' }, development))).toEqual({})
      expect(ok(await call('GET', `/matchmaker/lobbies/${lobby_id}/state`)(mock, undefined, development))).toEqual({})
      expect(ok(await close(mock, { is_closed: true }, development))).toEqual({})
      expect(ok(await disconnected(mock, { player_token }, development))).toEqual({})
      expect(ok(await call('GET', '/matchmaker/players/statistics')(mock, undefined, development))).toEqual({
        player_count: 0,
        game_modes: {},
      })
      const { regions } = ok(await call('GET', '/matchmaker/regions')(mock, undefined, development)) as {
        regions: object[]
      }
      expect(regions).toEqual([expect.objectContaining({ region_id: 'dev-lcl' })])
    })
  })
}

function joinSpecification({ describe, it }: Frame): void {
  describe('lobbies.join', () => {
    it('takes a seat in a lobby, even a private one', async ({ mock }) => {
      expect(lobbyId(await join(mock, { lobby_id: ids.lobby }, open))).toBe(ids.lobby)
      expect(lobbyId(await join(mock, { lobby_id: 'private' }, open))).toBe('private')
    })

    it('takes a seat in a closed lobby, which find skips', async ({ mock }) => {
      await close(mock, { is_closed: true }, bearer(lobbyTokenOf('empty')))

      expect(failure(await find(mock, { game_modes: ['ffa'], prevent_auto_create_lobby: true }, open))).toBe(
        '400 MATCHMAKER_NO_AVAILABLE_LOBBIES',
      )
      expect(lobbyId(await join(mock, { lobby_id: 'empty' }, open))).toBe('empty')
      expect(lobbyId(await join(mock, { lobby_id: 'closed' }, open))).toBe('closed')
    })

    it('fills a lobby up to max_players_direct, above the maximum of find', async ({ mock }) => {
      for (let i = 0; i < 10; i++) expect((await join(mock, { lobby_id: 'empty' }, open)).status).toBe(200)

      expect(failure(await join(mock, { lobby_id: 'empty' }, open))).toBe('400 MATCHMAKER_LOBBY_FULL')
    })

    it.for([
      ['a lobby that has stopped', 'stopped', closed, 'MATCHMAKER_LOBBY_STOPPED'],
      ['a lobby of a mode in which it is disabled', 'walled', closed, 'MATCHMAKER_JOIN_DISABLED'],
      ['an unknown lobby', 'nobody', open, 'MATCHMAKER_LOBBY_NOT_FOUND'],
      ['a lobby of another namespace', ids.lobby, closed, 'MATCHMAKER_LOBBY_NOT_FOUND'],
    ] as const)('refuses %s', async ([, lobby_id, headers, code], { mock }) => {
      expect(failure(await join(mock, { lobby_id }, headers))).toBe(`400 ${code}`)
    })

    it('refuses a ninth player from one address', async ({ mock }) => {
      for (let i = 0; i < 8; i++) await join(mock, { lobby_id: 'empty' }, from('2001:db8::1'))

      expect(failure(await join(mock, { lobby_id: 'empty' }, from('2001:db8::1')))).toBe(
        '400 MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE',
      )
    })
  })
}

function createSpecification({ describe, it }: Frame): void {
  describe('lobbies.create', () => {
    it('creates a public lobby with a seat for the caller', async ({ mock }) => {
      const made = lobbyId(await create(mock, { game_mode: 'ffa', region: 'lnd-fra', publicity: 'public' }, open))

      expect(made).toMatch(uuid)
      expect(await list(mock)).toContainEqual(
        expect.objectContaining({ lobby_id: made, region_id: 'lnd-fra', total_player_count: 0 }),
      )
      expect(lobbyId(await find(mock, { game_modes: ['ffa'] }, open))).toBe(made)
    })

    it.for([{}, { publicity: 'private' }, { publicity: null }])(
      'with %j creates a private lobby, which is unlisted and can be joined by its id',
      async (publicity, { mock }) => {
        const made = lobbyId(await create(mock, { game_mode: 'ffa', ...publicity }, open))

        expect((await list(mock)).map(lobby => lobby.lobby_id)).not.toContain(made)
        expect(lobbyId(await find(mock, { game_modes: ['ffa'] }, open))).toBe('empty')
        expect(lobbyId(await join(mock, { lobby_id: made }, open))).toBe(made)
      },
    )

    it('creates the lobby in the nearest region if none is given', async ({ mock }) => {
      const { lobby } = seat(await create(mock, { game_mode: 'ffa' }, { ...open, 'x-coords': '50.1, 8.7' }))

      expect(lobby.region).toEqual({ region_id: 'lnd-fra', display_name: 'Frankfurt' })
    })

    it.for([
      ['an unknown game mode', { game_mode: 'dual' }, open, 'MATCHMAKER_GAME_MODE_NOT_FOUND'],
      ['a mode in which it is disabled', { game_mode: 'walled' }, closed, 'MATCHMAKER_CUSTOM_LOBBIES_DISABLED'],
      ['an unknown region', { game_mode: 'duel', region: 'x' }, open, 'MATCHMAKER_REGION_NOT_FOUND'],
      [
        'a region that the mode does not enable',
        { game_mode: 'duel', region: 'lnd-syd' },
        open,
        'MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE',
      ],
      ['a lobby of 0 players', { game_mode: 'duel', max_players: 0 }, open, 'MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID'],
      [
        'more players than the mode takes by id',
        { game_mode: 'ffa', max_players: 11 },
        open,
        'MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID',
      ],
      [
        'a number of players in a mode without a choice',
        { game_mode: 'solo', max_players: 1 },
        closed,
        'MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED',
      ],
      ['tags in a mode without tags', { game_mode: 'solo', tags: { a: '' } }, closed, 'MATCHMAKER_TAGS_DISABLED'],
      ['a publicity that is none', { game_mode: 'duel', publicity: 'friends' }, open, 'API_BAD_BODY'],
      ['max_players below 0', { game_mode: 'duel', max_players: -1 }, open, 'MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID'],
      ['max_players above 32 bits', { game_mode: 'duel', max_players: 2 ** 31 }, open, 'API_BAD_BODY'],
      [
        'a config above 16 KiB of JSON',
        { game_mode: 'duel', lobby_config: long(16 * 1024 - 1) },
        open,
        'MATCHMAKER_CUSTOM_LOBBY_CONFIG_INVALID',
      ],
      [
        'a config above 16 KiB in bytes',
        { game_mode: 'duel', lobby_config: { a: 'é'.repeat(8 * 1024) } },
        open,
        'MATCHMAKER_CUSTOM_LOBBY_CONFIG_INVALID',
      ],
      ['a long tag', { game_mode: 'duel', tags: { a: long(513) } }, open, 'MATCHMAKER_TAG_TOO_LONG'],
    ] as const)('refuses %s', async ([, body, headers, code], { mock }) => {
      const before = await list(mock, headers)

      expect(failure(await create(mock, body, headers))).toBe(`400 ${code}`)
      expect(await list(mock, headers)).toEqual(before)
    })

    it('takes a config of 16 KiB, with two quotes', async ({ mock }) => {
      expect((await create(mock, { game_mode: 'duel', lobby_config: long(16 * 1024 - 2) }, open)).status).toBe(200)
    })

    it('refuses a lobby above lobby_count_max', async ({ mock }) => {
      await config(mock, { lobby_count_max: 6 })

      expect((await create(mock, { game_mode: 'duel' }, open)).status).toBe(200)
      expect(failure(await create(mock, { game_mode: 'duel' }, open))).toBe('400 MATCHMAKER_TOO_MANY_LOBBIES')
    })
  })
}

function serverSpecification({ describe, it }: Frame): void {
  const state = (mock: Mock, id: string, headers: Headers) =>
    mock.send({ method: 'GET', path: `/matchmaker/lobbies/${id}/state`, headers })

  /** Returns the token of a player with a seat in the arena. */
  const newPlayer = async (mock: Mock) => seat(await join(mock, { lobby_id: 'arena' }, closed)).player.token

  describe("a lobby's server", () => {
    it('connects a player, who is listed until it disconnects', async ({ mock }) => {
      const { lobby, player } = seat(await find(mock, { game_modes: ['ffa'] }, open))
      const server = bearer(lobbyTokenOf(lobby.lobby_id))
      const count = async () =>
        (await list(mock)).find(({ lobby_id }) => lobby_id === lobby.lobby_id)?.total_player_count

      expect(ok(await ready(mock, undefined, server))).toEqual({})
      expect(await count()).toBe(0)
      expect(ok(await connected(mock, { player_token: player.token }, server))).toEqual({})
      expect(await count()).toBe(1)
      expect(ok(await disconnected(mock, { player_token: player.token }, server))).toEqual({})
      expect(await count()).toBe(0)
    })

    it('closes its lobby, which is then not listed or found, and opens it again', async ({ mock }) => {
      const server = bearer(lobbyTokenOf('empty'))
      const isListed = async () => (await list(mock)).some(({ lobby_id }) => lobby_id === 'empty')

      expect(ok(await close(mock, { is_closed: true }, server))).toEqual({})
      expect(await isListed()).toBe(false)
      expect(lobbyId(await find(mock, { game_modes: ['ffa'] }, open))).not.toBe('empty')
      expect(ok(await close(mock, { is_closed: false }, server))).toEqual({})
      expect(await isListed()).toBe(true)
    })

    it.for([{ map: 'ice' }, [1, null], 'text', 7, false, null, {}])('sets its state to %j', async (value, { mock }) => {
      expect(ok(await setState(mock, value, arena))).toEqual({})

      const got = await state(mock, 'arena', arena)
      expect([got.status, got.body]).toEqual([200, JSON.stringify(value)])
    })

    it('clears its state with an empty body', async ({ mock }) => {
      await setState(mock, { map: 'ice' }, arena)

      expect(ok(await setState(mock, undefined, arena))).toEqual({})
      expect((await state(mock, 'arena', arena)).body).toBe('null')
    })

    it.for([
      ['no JSON', '{"map":', '400 API_BAD_BODY'],
      ['what nests too deep', `${'['.repeat(65)}${']'.repeat(65)}`, '400 API_BAD_BODY'],
      ['too long', `"${long(1024 * 1024)}"`, '400 API_BODY_TOO_LARGE'],
    ] as const)('keeps its state if the new one is %s', async ([, body, expected], { mock }) => {
      await setState(mock, { map: 'ice' }, arena)

      const got = await mock.send({ method: 'PUT', path: '/matchmaker/lobbies/state', headers: arena, body })

      expect(failure(got)).toBe(expected)
      expect((await state(mock, 'arena', arena)).body).toBe('{"map":"ice"}')
    })

    it('reads the state of a lobby of its namespace only', async ({ mock }) => {
      expect(ok(await state(mock, ids.lobby, bearer(lobbyTokenOf('empty'))))).toEqual({ map: 'dust' })
      expect(failure(await state(mock, ids.lobby, arena))).toBe('400 MATCHMAKER_LOBBY_NOT_FOUND')
      expect(failure(await state(mock, 'nobody', arena))).toBe('400 MATCHMAKER_LOBBY_NOT_FOUND')
    })

    it.for([
      ['is connected', tokens.connected, '400 MATCHMAKER_PLAYER_ALREADY_CONNECTED'],
      ['is too late', tokens.late, '400 MATCHMAKER_PLAYER_REGISTRATION_EXPIRED'],
      ['is removed', tokens.gone, '400 MATCHMAKER_PLAYER_REMOVED'],
      ['is unknown', 'player.mock.nobody', '400 TOKEN_ERROR'],
      ['is empty', '', '400 TOKEN_ERROR'],
      ['has 100,000 characters', long(100_000), '400 TOKEN_ERROR'],
      ['is unknown', 'dev_player.mock.012345678901234567890123', '400 TOKEN_ERROR'],
      ['belongs to a namespace', tokens.public, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['belongs to a game', tokens.cloud, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['belongs to a device link', tokens.pending, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['belongs to the lobby', tokens.arena, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['belongs to an expired device link', tokens.expired, '400 TOKEN_ERROR'],
    ] as const)('cannot connect a player whose token %s', async ([, player_token, expected], { mock }) => {
      const before = await list(mock, closed)

      expect(failure(await connected(mock, { player_token }, arena))).toBe(expected)
      expect(await list(mock, closed)).toEqual(before)
    })

    it.for([
      ['is unknown', 'player.mock.nobody', '400 TOKEN_ERROR'],
      ['belongs to a namespace', tokens.public, '401 CLAIMS_MISSING_ENTITLEMENT'],
    ] as const)('cannot disconnect a player whose token %s', async ([, player_token, expected], { mock }) => {
      expect(failure(await disconnected(mock, { player_token }, arena))).toBe(expected)
      // This does not depend on its own lobby.
      expect(failure(await disconnected(mock, { player_token }, bearer(lobbyTokenOf('stopped'))))).toBe(expected)
    })

    it('cannot connect a player of a development server', async ({ mock }) => {
      const { token: player_token } = seat(await find(mock, { game_modes: ['duel'] }, development)).player

      expect(failure(await connected(mock, { player_token }, arena))).toBe('401 CLAIMS_MISSING_ENTITLEMENT')
    })

    it('cannot connect a player twice', async ({ mock }) => {
      const player_token = await newPlayer(mock)

      expect(ok(await connected(mock, { player_token }, arena))).toEqual({})
      expect(failure(await connected(mock, { player_token }, arena))).toBe('400 MATCHMAKER_PLAYER_ALREADY_CONNECTED')
    })

    it.for([
      ['connected', connected],
      ['disconnected', disconnected],
    ] as const)('is refused to say %s of a player of another lobby, who is removed', async ([, say], { mock }) => {
      const { lobby, player } = seat(await find(mock, { game_modes: ['ffa'] }, open))
      const player_token = player.token
      const server = bearer(lobbyTokenOf(lobby.lobby_id))

      for (let i = 0; i < 2; i++)
        expect(failure(await say(mock, { player_token }, arena))).toBe('400 MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY')
      expect(failure(await connected(mock, { player_token }, server))).toBe('400 MATCHMAKER_PLAYER_REMOVED')
    })

    it('can disconnect a player who has given up its seat or has already left', async ({ mock }) => {
      const reserved = await newPlayer(mock)

      for (const player_token of [reserved, tokens.late, tokens.gone, tokens.gone])
        expect(ok(await disconnected(mock, { player_token }, arena))).toEqual({})
      expect(failure(await connected(mock, { player_token: reserved }, arena))).toBe('400 MATCHMAKER_PLAYER_REMOVED')
    })

    it.for([
      ['ready', ready, undefined],
      ['closed', close, { is_closed: true }],
      ['state', setState, {}],
      ['connected', connected, { player_token: tokens.connected }],
      ['disconnected', disconnected, { player_token: tokens.connected }],
    ] as const)('of a stopped lobby is refused to say %s', async ([, say, body], { mock }) => {
      expect(failure(await say(mock, body, bearer(lobbyTokenOf('stopped'))))).toBe('400 MATCHMAKER_LOBBY_STOPPED')
    })

    it.for([
      ['none', {}, '401 API_UNAUTHORIZED'],
      ['a public one', open, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['that of a player', bearer(tokens.connected), '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['an unknown one', bearer('lobby.mock.nobody'), '400 TOKEN_INVALID'],
    ] as const)('needs the token of the lobby: with %s it is refused', async ([, headers, expected], { mock }) => {
      for (const [say, body] of [
        [ready, undefined],
        [close, { is_closed: true }],
        [setState, {}],
        [connected, { player_token: tokens.connected }],
        [disconnected, { player_token: tokens.connected }],
      ] as const)
        expect(failure(await say(mock, body, headers))).toBe(expected)
    })
  })
}

function countSpecification({ describe, it }: Frame): void {
  describe('players.getStatistics', () => {
    const statistics = (mock: Mock, headers: Headers) =>
      mock.send({ method: 'GET', path: '/matchmaker/players/statistics', headers })

    it('counts seats by mode and region, reserved ones too, and empty modes', async ({ mock }) => {
      await join(mock, { lobby_id: 'private' }, open)

      expect(ok(await statistics(mock, open))).toEqual({
        player_count: 2,
        game_modes: {
          duel: { player_count: 2, regions: { 'lnd-fra': { player_count: 2 } } },
          ffa: { player_count: 0, regions: { 'lnd-syd': { player_count: 0 }, 'lnd-fra': { player_count: 0 } } },
          secret: { player_count: 0, regions: { 'lnd-fra': { player_count: 0 } } },
        },
      })
    })

    it('counts as many seats as the game', async ({ mock }) => {
      const total = async () => {
        const got = await mock.send({ method: 'GET', path: `/cloud/games/${ids.tanks}`, headers: bearer(tokens.cloud) })
        return (ok(got) as { game: { total_player_count: number } }).game.total_player_count
      }
      const before = await total()
      await join(mock, { lobby_id: 'private' }, open)

      expect([before, await total()]).toEqual([2, 3])
    })

    it.for([
      ['no token', {}, '401 API_UNAUTHORIZED'],
      ["a lobby's", arena, '401 CLAIMS_MISSING_ENTITLEMENT'],
    ] as const)('refuses %s', async ([, headers, expected], { mock }) => {
      expect(failure(await statistics(mock, headers))).toBe(expected)
    })
  })

  describe('regions.list', () => {
    it('lists the same regions as lobbies.list', async ({ mock }) => {
      const headers = { ...open, 'x-coords': '1,2' }
      const asked = (path: string) => mock.send({ method: 'GET', path, headers })
      const { regions } = ok(await asked('/matchmaker/lobbies/list')) as { regions: object[] }

      expect(ok(await asked('/matchmaker/regions'))).toEqual({ regions })
      expect(regions).toHaveLength(2)
    })
  })
}
