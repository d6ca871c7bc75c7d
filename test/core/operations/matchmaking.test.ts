import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { createMockmaker } from '../../../src/index.js'
import { ask, json, post } from '../../support/http.js'
import { bearer } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'

const now = '2026-11-20T20:00:00Z'
const disabled = ['find', 'join', 'create'] as const
const scenario: ScenarioInput = {
  now,
  game_modes: [
    { game_mode_id: 'duel', max_players: 2 },
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
}

const lobby = bearer('lobby.mock.full')
const listed = 'GET /matchmaker/lobbies/list shows'
const another = 'get a new token with find, join or create'

describe('a refusal of the matchmaker says what to do:', () => {
  it.for([
    ['lobbies/join', { lobby_id: 'nobody' }, listed],
    ['lobbies/join', { lobby_id: 'stopped' }, listed],
    ['lobbies/join', { lobby_id: 'full' }, 'Disconnect a player'],
    ['lobbies/join', { lobby_id: 'walled' }, 'remove join from its "disabled" list'],
    ['lobbies/find', { game_modes: ['walled'] }, 'remove find from its "disabled" list'],
    ['lobbies/create', { game_mode: 'walled' }, 'remove create from its "disabled" list'],
    ['lobbies/create', { game_mode: 'none' }, 'max_players'],
    ['players/connected', { player_token: 'player.mock.here' }, another],
    ['players/connected', { player_token: 'player.mock.gone' }, another],
    ['players/connected', { player_token: 'player.mock.late' }, another],
    ['players/connected', { player_token: 'player.mock.other' }, another],
    ['players/connected', { player_token: 'nobody' }, 'find, join and create return one'],
    ['players/connected', { player_token: 'lobby.mock.full' }, 'find, join and create return one'],
  ] as const)('POST /matchmaker/%s of %j', async ([path, body, mend]) => {
    const mock = closedAfterTest(createMockmaker({ scenario }))
    const headers = path.startsWith('players') ? lobby : {}

    const got = await ask(mock, {
      method: 'POST',
      path: `/matchmaker/${path}`,
      headers,
      body: JSON.stringify(body),
    })

    expect((json(got) as { message: string }).message).toContain(mend)
  })
})

const findDuel = post('/matchmaker/lobbies/find', { game_modes: ['duel'] })

/** Sends finds to a namespace with limits, and returns the message of the last answer. */
async function messageOfLast(
  matchmaker: { max_players_per_client?: number; lobby_count_max?: number },
  finds: number,
): Promise<string> {
  const mock = createMockmaker({ scenario: { game_modes: ['duel'], matchmaker } })
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

  it('says how to allow lobbies if none is allowed', async () => {
    const message = 'the namespace has 0 of at most 0 lobbies: raise lobby_count_max in mm-config'

    expect(await messageOfLast({ lobby_count_max: 0 }, 1)).toBe(message)
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
