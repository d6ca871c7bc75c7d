import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import type { GameServerState } from '../../../src/core/simulation/servers.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { createApp, listen } from '../../../src/server/http/index.js'
import { folder } from '../../support/command.js'
import { isGroupAlive, play, shown, until } from '../../support/game-server-programs.js'
import { serveDuringTest } from '../../support/http.js'

/** A mock whose lobbies have the server of the guide. */
async function createGame(): Promise<Mockmaker> {
  const file = join(await folder(), 'lobby-server.mjs')
  writeFileSync(file, shown('lobby-server.mjs'))
  return createMockmaker({ scenario: { servers: { command: `node ${file}` }, game_modes: ['duel'] } })
}

/** Takes a seat, plays on the server of its lobby, and returns what that says, with its process. */
async function playAt(url: string) {
  const found = await fetch(`${url}/matchmaker/lobbies/find`, { method: 'POST', body: '{"game_modes": ["duel"]}' })
  const { line } = await play((await found.json()) as Join)
  const { servers } = (await (await fetch(`${url}/__mock/servers`)).json()) as { servers: GameServerState[] }
  return { line, server: servers[0] }
}

describe('the game servers of a mock that code serves', () => {
  it('run with listen, and end with it', async () => {
    const mock = await createGame()
    const { url, close } = await listen(mock, { port: 0, servers: true })
    onTestFinished(close)

    const { line, server } = await playAt(url)
    expect(mock.warnings.list()).toEqual([])
    await close()

    expect(line).toBe('welcome')
    await until(() => !isGroupAlive(server?.pid))
  })

  it('run with createApp below its path, and end when the mock closes', async () => {
    const mock = await createGame()
    onTestFinished(() => mock.close())
    const url = await serveDuringTest(express().use('/mock', createApp(mock, { servers: true })))

    const played = await playAt(`${url}/mock`)
    await mock.close()

    expect(played.line).toBe('welcome')
    await until(() => !isGroupAlive(played.server?.pid))
  })

  it('are started once', async () => {
    const mock = await createGame()
    const { close } = await listen(mock, { port: 0, servers: true })
    onTestFinished(close)

    expect(() => createApp(mock, { servers: true })).toThrow('the game servers of this mock run already')
    expect(() => createApp(mock)).not.toThrow()
  })
})
