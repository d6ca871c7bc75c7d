import { describe, expect, it } from 'vitest'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { createMockmaker } from '../../../src/index.js'
import { ask, failure, json } from '../../support/http.js'
import { bearer } from '../../support/tanks.js'

const development = 'dev_prod.mock.one'

function opened() {
  return createMockmaker({
    scenario: {
      now: '2026-11-20T20:00:00Z',
      clock: 'frozen',
      tokens: { development },
      game_modes: ['duel'],
      lobbies: [
        { lobby_id: 'here' },
        {
          lobby_id: 'there',
          players: [{ token: 'player.mock.seated' }, { token: 'player.mock.left', status: 'removed' }],
        },
        { lobby_id: 'stopped', status: 'stopped' },
      ],
    },
  })
}

type Mock = ReturnType<typeof opened>

const callAsServer = (
  mock: Mock,
  how: string,
  { player_token, bearer: token }: { player_token: string; bearer: string },
) =>
  ask(mock, {
    method: 'POST',
    path: `/matchmaker/players/${how}`,
    headers: bearer(token),
    body: JSON.stringify({ player_token }),
  })

describe.each(['connected', 'disconnected'])('players.%s of a player of another lobby', how => {
  it('removes the player and nothing else: the lobby keeps its simulated server', async () => {
    const mock = opened()
    const before = mock.world.lobbies.get('here')

    const got = await callAsServer(mock, how, { player_token: 'player.mock.seated', bearer: lobbyTokenOf('here') })

    expect(failure(got)).toBe('400 MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY')
    expect(mock.world.players.get('player.mock.seated')?.status).toBe('removed')
    expect(mock.world.lobbies.get('there')).toMatchObject({ total_player_count: 0, run_by: 'mock' })
    expect(mock.world.lobbies.get('here')).toBe(before)
    await mock.close()
  })

  it.each([
    ['who has left already', 'player.mock.left', 'here', '400 MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY'],
    ['whose own lobby has stopped', 'player.mock.seated', 'stopped', '400 MATCHMAKER_LOBBY_STOPPED'],
  ])('changes nothing %s', async (_, player_token, lobby, expected) => {
    const mock = opened()
    const { revision } = mock.world

    expect(failure(await callAsServer(mock, how, { player_token, bearer: lobbyTokenOf(lobby) }))).toBe(expected)
    expect(mock.world.revision).toBe(revision)
    await mock.close()
  })
})

describe('a player token of a development server', () => {
  it('expires after 365 days on the clock of the world', async () => {
    const mock = opened()
    const found = await ask(mock, {
      method: 'POST',
      path: '/matchmaker/lobbies/find',
      headers: bearer(development),
      body: '{"game_modes":["duel"]}',
    })
    const player_token = (json(found) as { player: { token: string } }).player.token
    await mock.world.tokens.update(q => q.where({ token: development }), {
      data: token => void Reflect.deleteProperty(token, 'expires_at'),
    })
    const connect = () => callAsServer(mock, 'connected', { player_token, bearer: development })

    await mock.world.clock.advance(365 * 86_400_000 - 1)
    expect((await connect()).status).toBe(200)
    await mock.world.clock.advance(1)
    expect(json(await connect())).toEqual({
      code: 'TOKEN_ERROR',
      message:
        'player_token is not a token of this world: with a development token, find, join and create return one as player.token',
    })
    const asBearer = await callAsServer(mock, 'connected', { player_token, bearer: player_token })
    expect(failure(asBearer)).toBe('401 CLAIMS_ENTITLEMENT_EXPIRED')
    await mock.close()
  })
})
