import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { takeSeat } from '../../../src/server/processes/bot-seat.js'
import { serveDuringTest } from '../../support/http.js'
import { serveMock } from '../../support/served-mock.js'
import { tanks, tokens } from '../../support/tanks.js'

const { signal } = new AbortController()

async function served() {
  const mock = createMockmaker({ scenario: tanks })
  return { mock, url: await serveMock(mock) }
}

describe('the seat of a bot', () => {
  it('comes from find, and is in its environment', async () => {
    const { mock, url } = await served()

    const env = await takeSeat({ game_modes: ['duel'] }, { url, token: tokens.public, signal })

    const player = mock.world.players.findFirst(q => q.where({ player_token: env.RIVET_PLAYER_TOKEN ?? '' }))
    expect(player).toMatchObject({ status: 'reserved', lobby_id: env.RIVET_LOBBY_ID })
    expect(env).toMatchObject({
      MOCKMAKER_URL: url,
      RIVET_API_ENDPOINT: url,
      RIVET_TOKEN: tokens.public,
      HOST_default: expect.any(String),
      PORT_default: expect.stringMatching(/^\d+$/),
    })
  })

  it('comes from join, in the lobby that is named', async () => {
    const { mock, url } = await served()
    const lobby = await mock.lobby({ game_mode_id: 'duel' })

    const env = await takeSeat({ lobby_id: lobby.lobby_id }, { url, token: tokens.public, signal })

    expect(env.RIVET_LOBBY_ID).toBe(lobby.lobby_id)
  })

  it('names a port by its label, and a range by its ends', async () => {
    const port = { hostname: 'a.example', is_tls: false }
    const body = JSON.stringify({
      lobby: { lobby_id: 'l' },
      player: { token: 'p' },
      ports: { 'game-udp': { ...port, port: 7 }, voice: { ...port, port_range: { min: 8, max: 9 } } },
    })
    const url = await serveDuringTest((_request, response) => response.end(body))

    expect(await takeSeat({ lobby_id: 'l' }, { url, token: undefined, signal })).toMatchObject({
      HOST_game_udp: 'a.example',
      PORT_game_udp: '7',
      PORT_RANGE_MIN_voice: '8',
      PORT_RANGE_MAX_voice: '9',
    })
  })

  it('is missing with the reason of the mock', async () => {
    const { url } = await served()

    await expect(takeSeat({ lobby_id: 'none' }, { url, token: tokens.public, signal })).rejects.toThrow(
      /^it got no seat: MATCHMAKER_LOBBY_NOT_FOUND: /,
    )
  })

  it('is missing if another server answers', async () => {
    const url = await serveDuringTest((_request, response) => response.end('<html>'))

    await expect(takeSeat({ lobby_id: 'l' }, { url, token: undefined, signal })).rejects.toThrow(
      `it got no seat: ${url} answers 200: <html>`,
    )
  })
})
