import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import type { WarningsState } from '../../../src/core/control/warnings/warning.js'
import type { GameServerState } from '../../../src/core/simulation/servers.js'
import { folder, serve } from '../../support/command.js'
import { isGroupAlive, play, shown, until } from '../../support/game-server-programs.js'

/** Serves a scenario whose lobbies have a game server with this command. */
async function serveGames(command: string, { cwd, within = '30s' }: { cwd?: string; within?: string } = {}) {
  const home = cwd ?? (await folder())
  await writeFile(join(home, 'games.yaml'), `game_modes: [{ game_mode_id: duel, max_players: 1 }]\n`)
  const args = ['games.yaml', '--server-command', command, '--server-ready-within', within]
  const mock = await serve(args, { cwd: home })
  const ask = async (path: string, body?: object) => {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${mock.url}${path}`, { ...sent, headers: { 'content-type': 'application/json' } })
    return { status: response.status, json: await response.json() }
  }
  return {
    ...mock,
    ask,
    find: () => ask('/matchmaker/lobbies/find', { game_modes: ['duel'] }),
    servers: async () => ((await ask('/__mock/servers')).json as { servers: GameServerState[] }).servers,
    warnings: async () => ((await ask('/__mock/warnings')).json as WarningsState).warnings,
  }
}

/** Tells whether something listens on a port. */
async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise(resolve => {
    socket
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy()
        resolve(true)
      })
  })
}

describe('ten lobbies', () => {
  it('have a server each, which plays, crashes, and leaves nothing', async () => {
    const cwd = await folder({ 'lobby-server.mjs': shown('lobby-server.mjs') })
    const { find, servers, ask, warnings, signal, exited } = await serveGames('node lobby-server.mjs', { cwd })

    const joins = await Promise.all(Array.from({ length: 10 }, async () => (await find()).json as Join))
    const players = await Promise.all(joins.map(play))
    const running = await servers()
    const { json } = await ask('/__mock/lobbies')
    const { lobbies } = json as { lobbies: { total_player_count: number }[] }

    expect(players.map(({ line }) => line)).toEqual(Array.from({ length: 10 }, () => 'welcome'))
    expect(lobbies.map(({ total_player_count }) => total_player_count)).toEqual(Array.from({ length: 10 }, () => 1))
    expect(running.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'ready'))
    expect(new Set(running.map(({ ports }) => ports.default)).size).toBe(10)
    expect(await warnings()).toEqual([])

    // One plays to the end, and five crash.
    players[9]?.leave()
    for (const { pid = 0 } of running.slice(0, 5)) process.kill(-pid, 'SIGKILL')
    await until(async () => (await servers()).filter(({ status }) => status === 'crashed').length === 5)
    const after = ((await ask('/__mock/lobbies')).json as { lobbies: { status: string }[] }).lobbies
    expect(after.filter(({ status }) => status === 'stopped')).toHaveLength(5)
    expect(await warnings()).toMatchObject([{ rule: 'server ended dirty', count: 5 }])

    signal('SIGTERM')
    const { code } = await exited

    expect(code).toBe(0)
    // The system may take a moment to remove killed processes.
    await until(() => running.every(({ pid }) => !isGroupAlive(pid)))
    for (const { ports } of running) expect(await isListening(ports.default ?? 0)).toBe(false)
  })
})

describe('a game server', () => {
  it('that is never ready is stopped, with its children', async () => {
    const { find, servers, errors } = await serveGames('sleep 1000 & sleep 1000', { within: '1s' })

    const { json } = await find()

    expect(json).toMatchObject({ code: 'MATCHMAKER_LOBBY_STOPPED' })
    await until(async () => (await servers())[0]?.status === 'stopped')
    const [server] = await servers()
    await until(() => !isGroupAlive(server?.pid))
    expect(errors()).toContain('did not call POST /matchmaker/lobbies/ready in time')
  })

  it('that ignores SIGTERM is killed after 5 s', async () => {
    const trapped = join(await folder(), 'trapped')
    const { find, servers, signal, exited } = await serveGames(
      `trap '' TERM; touch '${trapped}'; while :; do sleep 1; done`,
    )
    void find().catch(() => {})
    await until(() => existsSync(trapped))
    const [server] = await servers()
    const before = performance.now()

    signal('SIGTERM')
    await exited

    expect(performance.now() - before).toBeGreaterThan(4_500)
    await until(() => !isGroupAlive(server?.pid))
  })

  it('is killed at once by a second SIGINT', async () => {
    const trapped = join(await folder(), 'trapped')
    const { find, servers, signal, exited } = await serveGames(
      `trap '' TERM; touch '${trapped}'; while :; do sleep 1; done`,
    )
    void find().catch(() => {})
    await until(() => existsSync(trapped))
    const [server] = await servers()

    let code: number | null | undefined
    void exited.then(exit => {
      code = exit.code
    })
    // Two signals at once may arrive as one.
    await until(() => {
      if (code === undefined) signal('SIGINT')
      return code !== undefined
    })

    expect(code).toBe(130)
    await until(() => !isGroupAlive(server?.pid))
  })

  it('ends when the mock is killed', async () => {
    const { find, servers, signal, exited } = await serveGames('sleep 1000')
    void find().catch(() => {})
    await until(async () => (await servers())[0]?.pid !== undefined)
    const [server] = await servers()

    signal('SIGKILL')
    await exited

    await until(() => !isGroupAlive(server?.pid))
  })

  it('starts again when a watched file changes, with the port that a warning has asked for', async () => {
    const elsewhere = shown('lobby-server.mjs').replace('listen(PORT_default', 'listen(0')
    const cwd = await folder({ 'lobby-server.mjs': elsewhere })
    const file = join(cwd, 'lobby-server.mjs')
    const scenario = 'servers: { command: node lobby-server.mjs, watch: [lobby-server.mjs] }\ngame_modes: [duel]\n'
    await writeFile(join(cwd, 'watched.yaml'), scenario)
    const { url, lines } = await serve(['watched.yaml'], { cwd })
    const find = async () => {
      const got = await fetch(`${url}/matchmaker/lobbies/find`, { method: 'POST', body: '{"game_modes": ["duel"]}' })
      return (await got.json()) as Join
    }
    const before = await find()
    const warning = /^warning {2}(dead|wrong) port: The game server of duel in .* PORT_default/
    await until(() => lines().some(line => warning.test(line)))

    // Written again, but not without pause: the file system is watched soon after the start.
    let checks = 0
    await until(async () => {
      if (checks++ % 20 === 0) await writeFile(file, shown('lobby-server.mjs').replace('welcome', 'welcome back'))
      return lines().some(line => line.includes('because lobby-server.mjs has changed'))
    })
    const after = await find()
    const { line } = await play(after)

    expect([line, after.lobby.lobby_id]).toEqual(['welcome back', before.lobby.lobby_id])
  })
})
