import { describe, expect } from 'vitest'
import { unrealGame } from '../../support/engine-clients.js'
import { itKeepsEvidence } from '../../support/evidence.js'
import { itWithoutWarnings as base } from '../../support/served-mock.js'
import { tokens } from '../../support/tanks.js'

type Game = Awaited<ReturnType<typeof unrealGame>>
type Settings = Parameters<typeof unrealGame>[0]

/** Provides games that are closed after the test. */
const it = base.extend<{ play: (settings: Settings) => Promise<Game> }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  play: async ({}, use) => {
    const games: Game[] = []
    await use(async settings => {
      const game = await unrealGame(settings)
      games.push(game)
      return game
    })
    for (const game of games) game.close()
  },
})

const config = (url: string) => ({ DefaultMatchmakerUrl: `${url}/matchmaker`, DefaultToken: tokens.public })

describe('a game with the Unreal plugin', () => {
  it('finds a lobby with a pretty-printed body, and reads all that it needs of a port', async ({ serve, play }) => {
    const { url } = await serve()
    const game = await play({ config: config(url) })

    const { lobby, ports, player } = await game.find(['ffa'], ['lnd-syd'])

    expect(lobby.lobby_id).toBe('empty')
    expect(ports).toEqual({
      default: { host: '127.0.0.1:7777', hostname: '127.0.0.1', port: 7777, is_tls: true },
      voice: { host: '', hostname: '127.0.0.1', port: 0, port_range: { min: 26_000, max: 26_010 }, is_tls: false },
    })
    expect(player.token).toMatch(/^player\./)
  })

  it('connects a player as a server, with the environment of its lobby', async ({ serve, play }) => {
    const { url, mock } = await serve()
    const { player } = await (await play({ config: config(url) })).join('empty')
    const server = await play({ environment: mock.lobbyEnvironment('empty', { url }) })

    await server.ready()
    await server.connected(player.token)
    const there = mock.world.lobbies.get('empty')?.total_player_count
    await server.disconnected(player.token)

    expect([there, mock.world.lobbies.get('empty')?.total_player_count]).toEqual([1, 0])
  })

  it('gets the code and the message of a refusal, and reuses its connection', async ({ serve, play }) => {
    const { url } = await serve()
    const game = await play({ config: config(url) })

    await expect(game.find(['duell'])).rejects.toThrow(
      /^Request status not ok: 400\n\{"code":"MATCHMAKER_GAME_MODE_NOT_FOUND"/,
    )
    expect(await game.find(['duel'])).toMatchObject({ ports: { default: { port: 7777 } } })
  })
})

itKeepsEvidence()
