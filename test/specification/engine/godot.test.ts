import { readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { scenarios } from '../../../src/core/scenario/index.js'
import { type GodotGame, godotGame } from '../../support/engine-clients.js'
import { itKeepsEvidence } from '../../support/evidence.js'
import { itWithoutWarnings as it } from '../../support/served-mock.js'
import { tokens } from '../../support/tanks.js'

/** Reads the same fields of a find as the plugin's example game does before it connects. */
interface Seat {
  readonly lobby: { readonly lobby_id: string }
  readonly player: { readonly token: string }
  readonly ports: { readonly default: { readonly host: string; readonly hostname: string; readonly port: number } }
}

const player = (url: string) => godotGame({ RIVET_API_ENDPOINT: url, RIVET_TOKEN: tokens.public })

async function seatIn(game: GodotGame, body: object): Promise<Seat> {
  const found = await game.call('POST', 'matchmaker/lobbies/find', body)
  expect(found).toMatchObject({ response_code: 200 })
  return found.body as Seat
}

describe('a game with the Godot plugin', () => {
  it('reads the lobbies, the regions and the statistics with a body of {} on GET', async ({ serve }) => {
    const { url } = await serve()

    const list = await player(url).call('GET', 'matchmaker/lobbies/list')
    const regions = await player(url).call('GET', 'matchmaker/regions')
    const statistics = await player(url).call('GET', 'matchmaker/players/statistics')

    expect(list).toMatchObject({ response_code: 200, body: { lobbies: { length: 2 } } })
    expect(regions).toMatchObject({ response_code: 200, body: { regions: [{ region_id: 'lnd-fra' }, {}] } })
    expect(statistics).toMatchObject({ response_code: 200, body: { game_modes: { duel: {} } } })
  })

  it('finds the port to connect to, and its server accepts the player', async ({ serve }) => {
    const { url, mock } = await serve()
    const seat = await seatIn(player(url), { game_modes: ['ffa'] })
    const server = godotGame(mock.lobbyEnvironment(seat.lobby.lobby_id, { url }))
    const player_token = seat.player.token

    const ready = await server.call('POST', 'matchmaker/lobbies/ready')
    const connected = await server.call('POST', 'matchmaker/players/connected', { player_token })
    const there = mock.world.lobbies.get(seat.lobby.lobby_id)?.total_player_count
    const disconnected = await server.call('POST', 'matchmaker/players/disconnected', { player_token })

    expect(seat.ports.default).toMatchObject({ host: '127.0.0.1:7777', hostname: '127.0.0.1', port: 7777 })
    expect([ready, connected, disconnected]).toEqual(Array(3).fill({ result: 0, response_code: 200, body: {} }))
    expect(there).toBe(1)
  })

  it('fills the menu of its editor dock: each namespace with its version', async ({ serve }) => {
    const { url, mock } = await serve({ scenario: scenarios.default })
    const dock = godotGame({ RIVET_API_ENDPOINT: url, RIVET_TOKEN: 'cloud.mock.tanks' })

    const { body } = await dock.call('GET', `cloud/games/${mock.world.games.all()[0]?.game_id}`)

    const { game } = body as { game: { namespaces: { version_id: string }[]; versions: { version_id: string }[] } }
    const versionIds = game.versions.map(({ version_id }) => version_id)
    expect(game.namespaces.map(({ version_id }) => versionIds.includes(version_id))).toEqual([true])
  })
})

describe('the example for Godot 4', () => {
  it('has the calls of the script that Godot 3 runs in a test', () => {
    const callsIn = (file: string) =>
      JSON.parse(/const CALLS := (\{[^}]*\})/.exec(readFileSync(file, 'utf8'))?.[1] ?? '')

    expect(callsIn('examples/godot/matchmaker.gd')).toEqual(callsIn('test/specification/engine/godot3/example.gd'))
  })
})

itKeepsEvidence()
