import { describe, expect, it } from 'vitest'
import { command, commanded, manage, settled } from './fake-game-servers.js'

const watch = ['src', 'test']
const watching = { ...commanded, servers: { command, watch, ready_within: '30s' as const } }

/** Starts the server of a lobby that is ready, with a player. */
async function playing() {
  const game = manage(watching)
  const found = game.find()
  const first = await game.started(1)
  const id = first.env.RIVET_LOBBY_ID ?? ''
  await game.ready(id)
  const { player } = (await found).json
  return { ...game, first, id, player, lobby: () => game.mock.default.world.lobbies.get(id) }
}

describe('a changed file', () => {
  it('restarts the server of its lobby, without its players', async () => {
    const { watched, first, started, lobby, player, mock, lines, failures } = await playing()

    watched.get('src')?.()
    const during = lobby()
    const second = await started(2)

    expect(first.signals).toEqual(['SIGTERM'])
    expect(during).toMatchObject({ status: 'starting', total_player_count: 0, reserved_player_count: 0 })
    expect(mock.default.world.players.get(player.token)).toMatchObject({ status: 'removed' })
    expect(second.env).toMatchObject({ RIVET_LOBBY_ID: first.env.RIVET_LOBBY_ID, PORT_default: '40002' })
    expect(mock.default.servers.list()).toMatchObject([{ pid: 102, restarts: 1, ports: { default: 40_002 } }])
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/: restarts its game server, because src\/game\.js has changed$/),
      expect.stringMatching(/: started its game server again, port default 40002, pid 102$/),
    ])
    expect(failures).toEqual([])
  })

  it('lets the next find wait for the new server', async () => {
    const { watched, started, ready, find, id } = await playing()

    watched.get('src')?.()
    const found = find()
    await started(2)
    await ready(id)

    const { status, json } = await found
    expect([status, json.lobby.lobby_id, json.ports.default?.port]).toEqual([200, id, 40_002])
  })

  it('keeps the seat of a request that waits for the server, and gives the server its time again', async () => {
    const { mock, find, watched, started, ready } = manage(watching)
    const found = find()
    const { env } = await started(1)
    await mock.default.clock.advance('29s')

    watched.get('test')?.()
    await started(2)
    await mock.default.clock.advance('29s')
    await ready(env.RIVET_LOBBY_ID ?? '')

    expect((await found).status).toBe(200)
  })

  it('restarts again a server that is starting, once for each process', async () => {
    const { watched, started, processes } = await playing()

    watched.get('src')?.()
    watched.get('src')?.()
    await started(2)
    watched.get('test')?.()
    await started(3)
    await settled()

    expect(processes.map(({ signals }) => signals)).toEqual([['SIGTERM'], ['SIGTERM'], []])
  })
})

describe('the watched files', () => {
  it('are those of the newest scenario', async () => {
    const { mock, watched } = manage(watching)

    await mock.reload({ ...commanded, servers: { command, watch: ['test', 'docs'] } })

    expect([...watched.keys()]).toEqual(['test', 'docs'])
  })

  it('have to exist', async () => {
    const message = `servers.watch: there is no file or folder sorce in ${process.cwd()}. Create it, or correct the path: it starts at the folder of the mock`
    const wrong = { ...commanded, servers: { command, watch: ['src', 'sorce'] } }
    const { mock, watched } = manage(watching)

    await expect(mock.reload(wrong)).rejects.toThrow(message)
    expect(() => manage(wrong)).toThrow(message)
    expect([...watched.keys()]).toEqual(watch)
    expect(mock.commands.all?.watch).toEqual(watch)
  })
})
