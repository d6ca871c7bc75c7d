import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import type { Environment } from '../../../src/core/control/environment.js'
import { itWithoutWarnings as it } from '../../support/served-mock.js'
import { ids, tokens } from '../../support/tanks.js'

/** Debian's headless engine. The plugin is for Godot 4, which has a later version of the same HTTP client. */
const engine = (process.env.PATH ?? '')
  .split(delimiter)
  .map(folder => join(folder, 'godot3-server'))
  .find(isExecutable)

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns what the engine printed about each answer: the result of the request, the status and the body. */
type Answered = readonly [result: number, status: number, body: Readonly<Record<string, unknown>>]

async function play(program: string, script: string, environment: Environment): Promise<Answered[]> {
  const home = await mkdtemp(join(tmpdir(), 'mockmaker-godot-'))
  const env = { ...process.env, ...environment, HOME: home }
  const args = ['--no-window', '--path', resolve('test/specification/engine/godot3'), '-s', script]
  const { stdout } = await promisify(execFile)(program, args, { env })
  await rm(home, { recursive: true })
  const lines = stdout.split('\n').filter(line => line.startsWith('['))
  return lines.map(line => JSON.parse(line) as Answered)
}

describe('Godot itself', () => {
  it('plays a whole session', async ({ serve }) => {
    if (engine === undefined) throw new Error('there is no godot3-server: apt-get install godot3-server')
    const { url, mock } = await serve()
    const { RIVET_TOKEN: SERVER_TOKEN = '' } = mock.lobbyEnvironment('empty')

    const answered = await play(engine, 'session.gd', {
      RIVET_API_ENDPOINT: url,
      RIVET_TOKEN: tokens.public,
      SERVER_TOKEN,
    })

    const [regions, found, ready, connected, state, closed, list, disconnected] = answered
    expect(regions).toMatchObject([0, 200, { regions: [{ region_id: 'lnd-fra' }, { region_id: 'lnd-syd' }] }])
    expect(found).toMatchObject([0, 200, { lobby: { lobby_id: 'empty' }, ports: { default: { port: 7777 } } }])
    expect([ready, connected, state, disconnected]).toEqual(Array(4).fill([0, 200, {}]))
    expect(closed).toMatchObject([0, 400, { code: 'API_BAD_BODY' }])
    expect(list).toMatchObject([
      0,
      200,
      { lobbies: [{ lobby_id: ids.lobby }, { lobby_id: 'empty', total_player_count: 1, state: { map: 'Ødegård' } }] },
    ])
    expect(mock.world.lobbies.get('empty')?.total_player_count).toBe(0)
  })

  it('sends the calls of the example for Godot 4', async ({ serve }) => {
    if (engine === undefined) throw new Error('there is no godot3-server: apt-get install godot3-server')
    const { url, mock } = await serve()

    const answers = play(engine, 'example.gd', { RIVET_API_ENDPOINT: url, RIVET_TOKEN: tokens.public })
    await mock.blocked(1)
    const made = mock.world.deviceLinks.all().at(-1)?.device_link_token ?? ''
    await mock.completeDeviceLink(made, { game: 'tanks' })

    expect(await answers).toMatchObject([
      [0, 200, { lobbies: { length: 2 } }],
      [0, 200, { ports: { default: { hostname: '127.0.0.1', port: 7777 } } }],
      [0, 200, { device_link_token: made }],
      [0, 200, { watch: { index: expect.any(String) } }],
      [0, 200, { cloud_token: expect.stringMatching(/^cloud\./) }],
    ])
  })
})
