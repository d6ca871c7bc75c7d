import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import { folder, freePort, type Served, serve } from '../../support/command.js'
import { play, shown } from '../../support/game-server-programs.js'
import { ok, post, request, sendTo } from '../../support/http.js'
import { RedisServer } from '../../support/redis-server.js'

it('the owner of a world starts its game servers, at its own address, and the next owner starts a new one for its first player', async () => {
  const redis = await RedisServer.start()
  onTestFinished(() => redis.stop())
  const cwd = await folder()
  await writeFile(join(cwd, 'lobby-server.mjs'), shown('lobby-server.mjs'))
  await writeFile(join(cwd, 'games.yaml'), 'game_modes: [{ game_mode_id: duel, max_players: 2 }]\n')
  const command = ['games.yaml', '--server-command', 'node lobby-server.mjs', '--data', redis.url]
  const port = await freePort()
  const owner = await serve([...command, '--port', String(port), '--advertise', `http://localhost:${port}`], { cwd })
  ok(await sendTo(owner.url, request('GET', '/matchmaker/lobbies/list')))
  const other = await serve(command, { cwd })
  const find = async ({ url }: Served) =>
    ok(await sendTo(url, post('/matchmaker/lobbies/find', { game_modes: ['duel'] }))) as Join

  const first = await find(other)
  const { line, leave } = await play(first)
  const server = ok(await sendTo(other.url, request('GET', `/__mock/servers/${first.lobby.lobby_id}`)))
  owner.signal('SIGKILL')
  const left = ok(await sendTo(other.url, request('GET', `/__mock/lobbies/${first.lobby.lobby_id}`)))
  const second = await find(other)
  const played = await play(second)
  played.leave()
  leave()

  expect([first.ports.default?.hostname, second.ports.default?.hostname]).toEqual(['localhost', '127.0.0.1'])
  expect(server).toMatchObject({ status: 'ready', environment: { RIVET_LOBBY_ID: first.lobby.lobby_id } })
  // Its server has ended with its owner.
  expect(left).toMatchObject({ status: 'ready', run_by: 'none', total_player_count: 1 })
  expect(second.lobby.lobby_id).toBe(first.lobby.lobby_id)
  expect([line, played.line]).toEqual([expect.any(String), expect.any(String)])
})
