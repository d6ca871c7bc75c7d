import { describe, expect } from 'vitest'
import { failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { ids, tokens } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

describe('GET /__mock/{table}', () => {
  it.for([
    ['games', 2],
    ['namespaces', 3],
    ['game-modes', 6],
    ['regions', 3],
    ['lobbies', 8],
    ['players', 3],
    ['simulations', 0],
    ['device-links', 3],
    ['tokens', 16],
  ] as const)('lists the %s', async ([table, count], { serve }) => {
    const { steer } = await serve()

    const got = json(await steer('GET', `/__mock/${table}`)) as Readonly<Record<string, unknown[]>>

    expect(got[table.replaceAll('-', '_')]).toHaveLength(count)
  })

  it.for([
    ['game_mode_id=duel', ['closed', 'private', ids.lobby].sort()],
    ['is_closed=true', ['closed']],
    ['total_player_count=1', [ids.lobby, 'arena']],
    ['state.map=dust', [ids.lobby]],
    ['game_mode_id=duel&publicity=private', ['private']],
    ['state=[1]', []],
    ['state=1', ['empty']],
    ['lobby_id=nobody', []],
  ] as const)('filters the lobbies by %s', async ([query, expected], { serve }) => {
    const { steer } = await serve()

    const { lobbies } = json(await steer('GET', `/__mock/lobbies?${query}`)) as { lobbies: { lobby_id: string }[] }

    expect(lobbies.map(({ lobby_id }) => lobby_id).sort()).toEqual(expected)
  })

  it('filters by an item of a list', async ({ serve }) => {
    const { steer } = await serve()

    const got = json(await steer('GET', `/__mock/game-modes?regions=lnd-syd&namespace_id=${ids.prod}`))

    expect(got).toMatchObject({ game_modes: [{ game_mode_id: 'ffa' }] })
  })

  it('names the fields if one is unknown', async ({ serve }) => {
    const { steer } = await serve()

    const got = await steer('GET', '/__mock/lobbies?game_mod_id=duel')

    expect(failure(got)).toBe('400 API_BAD_QUERY')
    expect(got.body).toContain('Did you mean game_mode_id?')
  })

  it.for([
    ['lobies', ' Did you mean lobbies?'],
    ['helth', ' Did you mean health?'],
    ['%68ealth', ' Did you mean health?'],
    ['nothing-like-these', ''],
  ])('names the tables if %s is none, and a near table or call', async ([path, question], { serve }) => {
    const { steer } = await serve()

    const got = await steer('GET', `/__mock/${path}`)

    expect(failure(got)).toBe('404 API_NOT_FOUND')
    const known = 'games, namespaces, game-modes, regions, lobbies, players, simulations, device-links, tokens'
    expect(json(got)).toMatchObject({
      message: `nothing is at /__mock/${path}, and no table is called "${decodeURIComponent(path ?? '')}". Known: ${known}.${question}`,
    })
  })

  it('names the owner of a token, as the mock does at its start', async ({ serve }) => {
    const { steer } = await serve()

    const got = json(await steer('GET', '/__mock/tokens'))

    expect(got).toMatchObject({
      tokens: expect.arrayContaining([
        expect.objectContaining({ kind: 'development', namespace: 'tanks/prod', token: tokens.development }),
        expect.objectContaining({ kind: 'cloud', game: 'tanks', token: tokens.cloud }),
      ]),
    })
  })
})

describe('POST /__mock/{table}', () => {
  it('takes the keys of a scenario', async ({ serve }) => {
    const { mock, steer } = await serve()

    const got = json(
      await steer('POST', '/__mock/lobbies', {
        lobby_id: 'new',
        game_mode_id: 'duel',
        max_players: 3,
        players: [{ token: 'mine' }, { status: 'reserved' }],
        stops_at: '2026-11-20T21:00:00Z',
      }),
    )

    expect(got).toMatchObject({ max_players_party: 3, total_player_count: 1, reserved_player_count: 1 })
    expect(got).toHaveProperty('stops_at', Date.UTC(2026, 10, 20, 21))
    expect(mock.world.players.get('mine')).toMatchObject({ lobby_id: 'new', status: 'connected' })
  })

  it('creates an open, public and empty lobby of the default namespace and its first mode', async ({ serve }) => {
    const { mock, steer } = await serve()

    const got = json(await steer('POST', '/__mock/lobbies', { lobby_id: 'new' }))

    expect(got).toEqual({
      lobby_id: 'new',
      namespace_id: ids.prod,
      game_mode_id: 'duel',
      region_id: 'lnd-fra',
      max_players_normal: 2,
      max_players_direct: 2,
      max_players_party: 2,
      total_player_count: 0,
      publicity: 'public',
      is_closed: false,
      reserved_player_count: 0,
      run_by: 'mock',
      status: 'ready',
    })
    expect(mock.world.lobbies.get('new')).toEqual(got)
  })

  it.for([
    ['games', { name_id: 'cars' }, { display_name: 'cars' }],
    ['namespaces', { name_id: 'beta' }, { tokenless: true, lobby_count_max: 128 }],
    ['game-modes', { game_mode_id: 'solo' }, { max_players_normal: 32, listable: true }],
    ['regions', { region_id: 'attic' }, { provider_display_name: 'Own' }],
    ['lobbies', { status: 'starting' }, { run_by: 'server' }],
    ['players', { lobby_id: ids.lobby }, { status: 'connected', namespace_id: ids.prod, address: '127.0.0.1' }],
    ['simulations', {}, { namespace_id: ids.prod, concurrent: 100, session_ms: 720_000 }],
    ['device-links', {}, { status: 'pending' }],
    ['tokens', { kind: 'public', namespace_id: ids.prod }, { namespace: 'tanks/prod' }],
  ] as const)('fills in the absent fields of one of the %s', async ([table, input, expected], { serve }) => {
    const { steer } = await serve()

    expect(json(await steer('POST', `/__mock/${table}`, input))).toMatchObject(expected)
  })

  it.for([
    ['lobbies', { game_mode_id: 'duell' }, 'Did you mean duel?'],
    ['lobbies', { total_player_count: 3 }, 'expected at most 2'],
    ['lobbies', { lobby_id: ids.lobby }, 'exists already'],
    ['lobbies', { gamemode_id: 'duel' }, 'lobbies.create: gamemode_id is an unknown key. Known: lobby_id'],
    ['device-links', { statu: 'pending' }, 'Did you mean status?'],
    ['tokens', { kind: 'dev' }, 'kind is \\"dev\\": expected development, public or cloud'],
    ['lobbies', [], 'expected an object'],
    ['players', { lobby_id: 'nobody' }, 'lobby_id is \\"nobody\\", which does not exist'],
    ['players', { lobby_id: ids.lobby, status: 'conected' }, 'expected reserved, connected, expired or removed'],
    ['simulations', { modes: { dual: 1 } }, 'Did you mean duel?'],
    ['tokens', { kind: 'public', namespace_id: 'nowhere' }, 'which does not exist'],
  ] as const)('refuses one of the %s that is %j, and changes nothing', async ([table, input, message], { serve }) => {
    const { mock, steer } = await serve()
    const before = stateOf(mock.world)

    const got = await steer('POST', `/__mock/${table}`, input)

    expect(failure(got)).toBe('400 API_BAD_BODY')
    expect(got.body).toContain(message)
    expect(stateOf(mock.world)).toBe(before)
  })
})

describe('PATCH /__mock/{table}/{id}', () => {
  it('changes the given fields, and removes those that are null', async ({ serve }) => {
    const { mock, steer } = await serve()

    const got = await steer('PATCH', `/__mock/lobbies/${ids.lobby}`, { total_player_count: 2, state: null })

    expect(json(got)).toEqual(mock.world.lobbies.get(ids.lobby))
    expect(json(got)).toMatchObject({ total_player_count: 2, game_mode_id: 'duel' })
    expect(json(got)).not.toHaveProperty('state')
  })

  it('finds a game mode by its namespace and its id', async ({ serve }) => {
    const { steer } = await serve()

    const got = await steer('PATCH', `/__mock/game-modes/${encodeURIComponent(`${ids.prod}/duel`)}`, {
      listable: false,
    })
    const asWritten = await steer('GET', `/__mock/game-modes/${ids.prod}/duel`)

    expect(json(got)).toMatchObject({ game_mode_id: 'duel', listable: false })
    expect(json(asWritten)).toEqual(json(got))
  })

  it('refuses another id and wrong values, and changes nothing', async ({ serve }) => {
    const { mock, steer } = await serve()
    const before = stateOf(mock.world)

    const answers = [
      await steer('PATCH', `/__mock/lobbies/${ids.lobby}`, { lobby_id: 'other' }),
      await steer('PATCH', `/__mock/lobbies/${ids.lobby}`, { region_id: 'lnd-syd' }),
      await steer('PATCH', `/__mock/lobbies/${ids.lobby}`, { region_id: null }),
      await steer('PATCH', '/__mock/lobbies/nobody', {}),
    ]

    const bad = '400 API_BAD_BODY'
    expect(answers.map(failure)).toEqual([bad, bad, bad, '404 API_NOT_FOUND'])
    expect(stateOf(mock.world)).toBe(before)
  })
})

describe('/__mock/players', () => {
  it('seats a player in a lobby, connects it, and removes it', async ({ serve }) => {
    const { mock, steer } = await serve()
    const seats = () => {
      const lobby = mock.world.lobbies.get('empty')
      return [lobby?.reserved_player_count, lobby?.total_player_count]
    }
    const counts = [seats()]

    await steer('POST', '/__mock/players', { lobby_id: 'empty', player_token: 'player.mock.own', status: 'reserved' })
    counts.push(seats())
    await steer('PATCH', '/__mock/players/player.mock.own', { status: 'connected', expires_at: null })
    counts.push(seats())
    await steer('DELETE', '/__mock/players/player.mock.own')
    counts.push(seats())

    expect(counts).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
      [0, 0],
    ])
  })
})

describe('DELETE /__mock/{table}/{id}', () => {
  it('deletes a record once', async ({ serve }) => {
    const { mock, steer } = await serve()

    const [first, second] = [
      await steer('DELETE', '/__mock/lobbies/closed'),
      await steer('DELETE', '/__mock/lobbies/closed'),
    ]

    expect([first.status, failure(second)]).toEqual([200, '404 API_NOT_FOUND'])
    expect(mock.world.lobbies.get('closed')).toBeUndefined()
  })

  it('refuses a record that others refer to', async ({ serve }) => {
    const { mock, steer } = await serve()

    const got = await steer('DELETE', `/__mock/games/${ids.tanks}`)

    expect(failure(got)).toBe('400 API_BAD_BODY')
    expect(mock.world.games.get(ids.tanks)).toBeDefined()
  })
})
