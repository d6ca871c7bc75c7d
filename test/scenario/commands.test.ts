import { describe, expect } from 'vitest'
import { createApp, listen } from '../../src/http/index.js'
import { createMockmaker } from '../../src/index.js'
import { setupMockmaker } from '../../src/msw/node.js'
import { scenarioCommands } from '../../src/scenario/commands.js'
import { parseScenario } from '../../src/scenario/index.js'
import { readScenario } from '../../src/scenario/read.js'
import type { ScenarioInput } from '../../src/scenario/schema.js'
import { json } from '../support/http.js'
import { it } from '../support/served-mock.js'

const top: ScenarioInput = { servers: { command: 'touch /tmp/owned', ready_within: '30s' }, game_modes: ['duel'] }
const inMode: ScenarioInput = {
  games: [
    {
      name_id: 'tanks',
      namespaces: [{ name_id: 'prod', game_modes: ['sandbox', { game_mode_id: 'duel', servers: { command: 'b' } }] }],
    },
  ],
}
const refusal = (path: string) =>
  `scenario: ${path} starts a program, and only your own command line or code may do that (npx mockmaker scenario.yaml, --server-command, or servers: true of the Vite plugin; createMockmaker with servers: true of listen or createApp). Leave it out`

describe('a command of game servers', () => {
  it.for([
    ['PUT', '/__mock/scenario', { scenario: top }],
    ['PUT', '/__mock/snapshot', { ...top, revision: 1 }],
    ['PUT', '/__mock/worlds/other', { scenario: top }],
    ['PUT', '/__mock/scenario', { scenario: { servers: { watch: ['/'] } } }],
    ['POST', '/__mock/game-modes', { game_mode_id: 'new', servers: { command: 'a' } }],
    ['POST', '/__mock/game-modes', { game_mode_id: 'new', servers: { watch: ['/'] } }],
    ['PATCH', '/__mock/game-modes/tanks/prod/duel', { servers: { command: 'a' } }],
  ] as const)('is refused by %s %s, and nothing changes', async ([method, path, body], { serve }) => {
    const { mock, steer } = await serve()
    const before = mock.snapshot()

    const got = await steer(method, path, body)

    expect(got.status).toBeGreaterThanOrEqual(400)
    expect(mock.snapshot()).toEqual(before)
    expect(mock.worlds.list()).toHaveLength(1)
  })

  it('is refused with a sentence that says where it may be', async ({ serve }) => {
    const { steer } = await serve()

    const got = await steer('PUT', '/__mock/scenario', { scenario: top })

    expect([got.status, json(got)]).toEqual([400, { code: 'API_BAD_BODY', message: refusal('servers.command') }])
  })

  it('is refused by the client and in tests', async ({ serve }) => {
    const { client } = await serve()

    await expect(client.load(top)).rejects.toThrow('servers.command starts a program')
    expect(() => setupMockmaker({ scenario: inMode })).toThrow(
      refusal('games[0].namespaces[0].game_modes[1].servers.command'),
    )
  })

  it('is refused in a world, although the mock itself has one', async () => {
    const mock = createMockmaker({ scenario: top })

    await expect(mock.load(top)).rejects.toThrow('servers.command starts a program')
    await expect(mock.worlds.put('other', { scenario: top })).rejects.toThrow('servers.command starts a program')
    await expect(mock.reload(inMode)).resolves.toBeDefined()
  })

  it('needs servers: true of what serves the mock', async () => {
    const mock = createMockmaker({ scenario: top })
    const reason = 'starts no program unasked: pass servers: true, or leave servers.command out'

    await expect(listen(mock, { port: 0 })).rejects.toThrow(`listen ${reason}`)
    expect(() => createApp(mock)).toThrow(`createApp ${reason}`)
    await mock.close()
  })

  it('may stand in the text of a file', () => {
    expect(parseScenario('servers: { command: ./server, ready_within: 30s }').servers).toEqual({
      command: './server',
      ready_within: '30s',
    })
  })

  it('leaves its scenario, which then waits for servers', () => {
    expect(scenarioCommands(readScenario(top, { commands: 'allowed' }))).toEqual({
      all: { command: 'touch /tmp/owned', watch: [] },
      modes: new Map(),
    })
    expect(scenarioCommands(readScenario(inMode, { commands: 'allowed' })).modes).toEqual(
      new Map([['tanks/prod/duel', { command: 'b', watch: [] }]]),
    )

    const { snapshot } = createMockmaker({ scenario: readScenario(top, { commands: 'allowed' }) })

    expect(snapshot().servers).toEqual({ ready_within: '30s' })
  })
})

describe('servers', () => {
  it.for<readonly [ScenarioInput['servers'], object]>([
    ['auto', { servers: 'auto' }],
    ['manual', { servers: 'manual' }],
    [{}, { servers: 'manual' }],
    [{ ready_within: '30s' }, { servers: 'manual', ready_within_ms: 30_000 }],
  ])('%j of a scenario and of a mode become columns, and come back in a snapshot', ([servers, columns]) => {
    const scenario: ScenarioInput = { servers, game_modes: [{ game_mode_id: 'duel', servers }] }
    const mock = createMockmaker({ scenario })

    const again = createMockmaker({ scenario: mock.snapshot() })

    for (const { world } of [mock, again]) {
      expect(world.settings.all()[0]).toMatchObject(columns)
      expect(world.gameModes.all()[0]).toMatchObject(columns)
    }
  })

  it('of a mode decide who runs its lobbies', () => {
    const game_modes = [{ game_mode_id: 'duel', servers: 'manual' as const }, 'sandbox']
    const lobbies = [{ game_mode_id: 'duel' }, { game_mode_id: 'sandbox' }]
    const { world, snapshot } = createMockmaker({ scenario: { game_modes, lobbies } })

    expect(world.lobbies.all().map(({ run_by }) => run_by)).toEqual(['server', 'mock'])
    expect(createMockmaker({ scenario: snapshot() }).snapshot().games).toEqual(snapshot().games)
  })
})
