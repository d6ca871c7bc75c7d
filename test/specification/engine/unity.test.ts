import { describe, expect } from 'vitest'
import { scenarios } from '../../../src/core/scenario/index.js'
import { exchange, type Framing, httpText, UnityGameData, unityGame } from '../../support/engine-clients.js'
import { itKeepsEvidence } from '../../support/evidence.js'
import { itWithoutWarnings as it } from '../../support/served-mock.js'
import { tokens } from '../../support/tanks.js'

const prefs = (url: string) => ({ ApiEndpoint: url, RIVET_EDITOR_TOKEN: tokens.public })
const framings: readonly Framing[] = ['length', 'continue', 'chunked']

describe('a game with the Unity plugin', () => {
  it.for(framings)('finds a lobby and its port with a body sent by %s', async (framing, { serve }) => {
    const { url } = await serve()

    const { lobby, ports, player } = await unityGame({ prefs: prefs(url), framing }).findLobby({ game_modes: ['ffa'] })

    expect(lobby.lobby_id).toBe('empty')
    // The plugin does not know port ranges: it reads such a port as 0.
    expect(ports).toEqual({
      default: { hostname: '127.0.0.1', port: 7777, is_tls: true },
      voice: { hostname: '127.0.0.1', port: 0, is_tls: false },
    })
    expect(player.token).toMatch(/^player\./)
  })

  it('joins a lobby, and creates a public and a private one', async ({ serve }) => {
    const { url, mock } = await serve()
    const game = unityGame({ prefs: prefs(url) })

    const joined = await game.joinLobby('empty')
    const open = await game.createLobby({ game_mode: 'ffa', publicity: 'public' })
    const hidden = await game.createLobby({ game_mode: 'ffa', region: 'lnd-fra', publicity: 'private' })

    expect(joined.lobby.lobby_id).toBe('empty')
    expect(mock.world.lobbies.get(open.lobby.lobby_id)).toMatchObject({ publicity: 'public' })
    expect(mock.world.lobbies.get(hidden.lobby.lobby_id)).toMatchObject({ publicity: 'private', region_id: 'lnd-fra' })
  })

  it.for(framings)('connects a player as a server, with bodies sent by %s', async (framing, { serve }) => {
    const { url, mock } = await serve()
    const { player } = await unityGame({ prefs: prefs(url) }).findLobby({ game_modes: ['ffa'], regions: ['lnd-syd'] })
    const environment = mock.lobbyEnvironment('empty', { url })
    // The token comes from the environment, but the URL does not.
    const server = unityGame({ prefs: prefs(url), environment, framing })

    await server.lobbyReady()
    await server.playerConnected(player.token)
    const there = mock.world.lobbies.get('empty')?.total_player_count
    await server.playerDisconnected(player.token)

    expect([there, mock.world.lobbies.get('empty')?.total_player_count]).toEqual([1, 0])
  })

  it('gets the code and the message of a refusal', async ({ serve }) => {
    const { url } = await serve()

    const found = unityGame({ prefs: prefs(url) }).findLobby({ game_modes: ['duell'] })

    await expect(found).rejects.toThrow(/^Error status 400: \{"code":"MATCHMAKER_GAME_MODE_NOT_FOUND","message":"/)
  })

  it('fills the window of its editor', async ({ serve }) => {
    const { url, mock } = await serve({ scenario: scenarios.default })
    const head = [
      `GET /cloud/games/${mock.world.games.all()[0]?.game_id} HTTP/1.1`,
      'Authorization: Bearer cloud.mock.tanks',
      `Host: ${new URL(url).host}`,
    ]

    const answer = await exchange(url, httpText(head))

    const { game } = UnityGameData.parse(JSON.parse(answer.body))
    expect(game.versions.map(({ version_id }) => version_id)).toContain(game.namespaces[0]?.version_id)
  })
})

itKeepsEvidence()
