import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import type { ScenarioInput } from '../../src/scenario/schema.js'
import { ask, json } from '../support/http.js'
import { bearer } from '../support/tanks.js'

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
    const mock = createMockmaker({ scenario })
    const headers = path.startsWith('players') ? lobby : {}

    const got = await ask(mock, {
      method: 'POST',
      path: `/matchmaker/${path}`,
      headers,
      body: JSON.stringify(body),
    })

    expect((json(got) as { message: string }).message).toContain(mend)
    await mock.close()
  })
})
