import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { createMockmaker } from '../../../src/index.js'
import { ask, json, post } from '../../support/http.js'
import { closedAfterTest } from '../../support/worlds.js'

const now = '2026-11-20T20:00:00Z'
const disabled = ['find', 'join', 'create'] as const
const scenario: ScenarioInput = {
  now,
  regions: ['lnd-fra', 'lnd-syd'],
  game_modes: [
    { game_mode_id: 'duel', max_players: 2, regions: ['lnd-fra'] },
    { game_mode_id: 'nowhere', regions: [] },
    { game_mode_id: 'none', max_players: 0 },
    { game_mode_id: 'walled', disabled: [...disabled] },
  ],
  lobbies: [
    {
      lobby_id: 'full',
      players: [
        { token: 'player.mock.here' },
        { token: 'player.mock.late', status: 'expired' },
        { token: 'player.mock.gone', status: 'removed' },
      ],
      total_player_count: 2,
    },
    { lobby_id: 'other', players: [{ token: 'player.mock.other', status: 'reserved' }] },
    { lobby_id: 'stopped', status: 'stopped' },
    { lobby_id: 'walled', game_mode_id: 'walled' },
  ],
  bearer_tokens: [{ token: 'pub.mock.old', kind: 'public', namespace: 'game/prod', expires_at: now }],
}

describe('a refusal of the matchmaker says what to do:', () => {
  it.for([
    [
      'lobbies/join',
      { lobby_id: 'nobody' },
      'the namespace has no lobby "nobody": GET /matchmaker/lobbies/list shows the open ones',
    ],
    [
      'lobbies/join',
      { lobby_id: 'stopped' },
      'lobby stopped has stopped: GET /matchmaker/lobbies/list shows the open ones',
    ],
    [
      'lobbies/join',
      { lobby_id: 'full' },
      'lobby full is full: 2 of 2 seats are taken. Disconnect a player, or find or create another lobby',
    ],
    [
      'lobbies/join',
      { lobby_id: 'walled' },
      'game mode walled does not allow joining lobbies by id: remove join from its "disabled" list in the scenario',
    ],
    [
      'lobbies/find',
      { game_modes: ['walled'] },
      'game mode walled does not allow finding lobbies: remove find from its "disabled" list in the scenario',
    ],
    [
      'lobbies/find',
      { game_modes: ['duell'] },
      'the namespace has no game mode "duell". Known: duel, nowhere, none, walled. Did you mean duel?',
    ],
    [
      'lobbies/find',
      { game_modes: ['duel', 'nowhere'], regions: ['lnd-syd'] },
      'the request asks for "lnd-syd", but the game modes enable: duel (lnd-fra); nowhere (none)',
    ],
    [
      'lobbies/find',
      { game_modes: ['duel'], regions: [] },
      'the request asks for no region, but the game modes enable: duel (lnd-fra)',
    ],
    [
      'lobbies/create',
      { game_mode: 'walled' },
      'game mode walled does not allow creating lobbies: remove create from its "disabled" list in the scenario',
    ],
    [
      'lobbies/create',
      { game_mode: 'none' },
      'a lobby of game mode none has 0 seats: send max_players, or raise it in the scenario',
    ],
    [
      'lobbies/create',
      { game_mode: 'nowhere' },
      'the request asks for any region, but the game modes enable: nowhere (none)',
    ],
    [
      'players/connected',
      { player_token: 'player.mock.here' },
      'the player is already connected: report each player once, or get a new token with find, join or create',
    ],
    [
      'players/connected',
      { player_token: 'player.mock.gone' },
      'the player has left the lobby: get a new token with find, join or create',
    ],
    [
      'players/connected',
      { player_token: 'player.mock.late' },
      'the player did not connect within 2 minutes, so the seat is free again: get a new token with find, join or create',
    ],
    [
      'players/connected',
      { player_token: 'player.mock.other' },
      'player_token is of a player of lobby other, but the call comes from lobby full. The mock has removed the player: get a new token with find, join or create',
    ],
    [
      'players/connected',
      { player_token: 'nobody' },
      'player_token is not a token of this world: find, join and create return one as player.token',
    ],
    [
      'players/connected',
      { player_token: 'lobby.mock.nobody' },
      'player_token is not a token of this world: find, join and create return one as player.token',
    ],
    [
      'players/connected',
      { player_token: 'pub.mock.old' },
      'player_token is not a token of this world: find, join and create return one as player.token',
    ],
    [
      'players/connected',
      { player_token: 'lobby.mock.full' },
      'player_token is a lobby token, but it has to be a player token: find, join and create return one as player.token',
    ],
  ] as const)('POST /matchmaker/%s of %j', async ([path, body, message]) => {
    const mock = closedAfterTest(createMockmaker({ scenario }))

    const got = await ask(
      mock,
      post(`/matchmaker/${path}`, body, path.startsWith('players') ? 'lobby.mock.full' : undefined),
    )

    expect(json(got)).toMatchObject({ message })
  })
})

const findDuel = post('/matchmaker/lobbies/find', { game_modes: ['duel'] })

/** Sends finds to a namespace with limits, and returns the message of the last answer. */
async function messageOfLast(
  matchmaker: { max_players_per_client?: number; lobby_count_max?: number },
  finds: number,
): Promise<string> {
  const mock = createMockmaker({ scenario: { game_modes: [{ game_mode_id: 'duel', max_players: 1 }], matchmaker } })
  for (let i = 1; i < finds; i++) await ask(mock, findDuel)
  return (json(await ask(mock, findDuel)) as { message: string }).message
}

it('a find in a namespace without game modes says how to get one', async () => {
  const mock = closedAfterTest(createMockmaker({ scenario: {} }))

  const { message } = json(await ask(mock, findDuel)) as { message: string }

  expect(message).toBe(
    'the namespace has no game mode "duel". There are none. Add one to game_modes in the scenario, or load another scenario.',
  )
})

describe('a find above a limit of the namespace', () => {
  it.for([
    [
      1,
      '127.0.0.1 has 1 of at most 1 players in the namespace: raise max_players in mm-config, or disconnect a player',
    ],
    [0, '127.0.0.1 has 0 of at most 0 players in the namespace: raise max_players in mm-config'],
  ] as const)('says what to do if max_players is %i', async ([max_players, message]) => {
    expect(await messageOfLast({ max_players_per_client: max_players }, max_players + 1)).toBe(message)
  })

  it.for([
    [1, 'the namespace has 1 of at most 1 lobbies: stop one, or raise lobby_count_max in mm-config'],
    [0, 'the namespace has 0 of at most 0 lobbies: raise lobby_count_max in mm-config'],
  ] as const)('says what to do if lobby_count_max is %i', async ([lobby_count_max, message]) => {
    expect(await messageOfLast({ lobby_count_max }, lobby_count_max + 1)).toBe(message)
  })
})

describe('a disabled call of a game mode', () => {
  it.for([
    ['find', [400, 200, 200]],
    ['join', [200, 400, 200]],
    ['create', [200, 200, 400]],
  ] as const)('does not affect the other calls: %s', async ([way, statuses]) => {
    const lobby_id = 'here'
    const mock = createMockmaker({
      scenario: { game_modes: [{ game_mode_id: 'duel', disabled: [way] }], lobbies: [{ lobby_id }] },
    })
    const join = post('/matchmaker/lobbies/join', { lobby_id })
    const create = post('/matchmaker/lobbies/create', { game_mode: 'duel' })

    const got = []
    for (const asked of [findDuel, join, create]) got.push((await ask(mock, asked)).status)

    expect(got).toEqual(statuses)
  })
})

describe('a call that has nothing to do', () => {
  it.for([
    ['POST', 'lobbies/ready', undefined],
    ['GET', 'lobbies/served/state', undefined],
    ['POST', 'players/disconnected', { player_token: 'player.mock.gone' }],
    ['POST', 'players/disconnected', { player_token: 'player.mock.late' }],
  ] as const)('changes nothing: %s %s with %j', async ([method, path, body]) => {
    const players = [
      { token: 'player.mock.gone', status: 'removed' as const },
      { token: 'player.mock.late', status: 'expired' as const },
    ]
    const lobbies = [{ lobby_id: 'served', run_by: 'server' as const, players }]
    const mock = closedAfterTest(createMockmaker({ scenario: { now, game_modes: ['duel'], lobbies } }))
    const { revision } = mock.world

    const got = await ask(mock, { ...post(`/matchmaker/${path}`, body ?? {}, 'lobby.mock.served'), method })

    expect([got.status, mock.world.revision]).toEqual([200, revision])
  })
})

describe('the first call of a real server', () => {
  it.for([
    ['mock', 'reserved'],
    ['none', 'removed'],
  ] as const)('keeps the times of a seat, and who has left, if run_by was %s', async ([run_by, status]) => {
    const lobbies = [{ lobby_id: 'taken', run_by, players: [{ token: 'player.mock.one', status }] }]
    const mock = closedAfterTest(createMockmaker({ scenario: { now, game_modes: ['duel'], lobbies } }))
    const { connects_at: _, ...before } = { connects_at: 0, ...mock.world.players.get('player.mock.one') }

    await ask(mock, post('/matchmaker/lobbies/ready', {}, 'lobby.mock.taken'))

    expect(mock.world.lobbies.get('taken')?.run_by).toBe('server')
    expect(mock.world.players.get('player.mock.one')).toEqual(before)
  })
})

describe('a lobby that find creates', () => {
  it('has no tags if the request has none', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: { game_modes: ['duel'] } }))

    await ask(mock, findDuel)

    expect(mock.world.lobbies.all()[0]).not.toHaveProperty('tags')
  })

  it.for([
    ['http', false],
    ['https', true],
    ['tcp', false],
    ['tcp_tls', true],
    ['udp', false],
  ] as const)('has a port for %s with is_tls %s', async ([proxy_protocol, is_tls]) => {
    const ports = { lobby_ports: [{ label: 'default', target_port: 1, proxy_protocol }] }
    const mock = closedAfterTest(createMockmaker({ scenario: { game_modes: [{ game_mode_id: 'duel', ports }] } }))

    expect(json(await ask(mock, findDuel))).toMatchObject({ ports: { default: { is_tls } } })
  })
})

it('of equally full lobbies, find takes the one of the first requested mode', async () => {
  const game_modes = ['one', 'two']
  const lobbies = game_modes.map(game_mode_id => ({ lobby_id: `of-${game_mode_id}`, game_mode_id }))
  const mock = closedAfterTest(createMockmaker({ scenario: { game_modes, lobbies } }))

  const got = await ask(mock, post('/matchmaker/lobbies/find', { game_modes: ['two', 'one'] }))

  expect(json(got)).toMatchObject({ lobby: { lobby_id: 'of-two' } })
})
