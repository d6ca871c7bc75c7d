import { describe, expect } from 'vitest'
import { keptScenario, scenarioCommands } from '../../../src/core/scenario/commands.js'
import { parseScenario } from '../../../src/core/scenario/index.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { createMockmaker } from '../../../src/index.js'
import { setupMockmaker } from '../../../src/msw/node.js'
import { createApp, listen } from '../../../src/server/http/index.js'
import { json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { closedAfterTest } from '../../support/worlds.js'

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
  `scenario: ${path} starts a program, and only your own command line or code may do that (npx mockmaker scenario.mockmaker.yaml, --server-command, or servers: true of the Vite plugin; createMockmaker with servers: true of listen or createApp). Leave it out`

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
    const mock = closedAfterTest(createMockmaker({ scenario: top }))
    const reason = 'starts no program unasked: pass servers: true, or leave servers.command out'

    await expect(listen(mock, { port: 0 })).rejects.toThrow(`listen ${reason}`)
    expect(() => createApp(mock)).toThrow(`createApp ${reason}`)
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
      bots: new Map(),
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

describe('a command of bots', () => {
  const bots: ScenarioInput = {
    players: { command: 'touch /tmp/owned', find: true, concurrent: 3 },
    game_modes: ['duel'],
  }
  const inNamespace: ScenarioInput = { games: [{ name_id: 'tanks', namespaces: [{ name_id: 'prod', ...bots }] }] }

  it.for([
    ['PUT', '/__mock/scenario', { scenario: bots }],
    ['PUT', '/__mock/scenario', { scenario: inNamespace }],
    ['PUT', '/__mock/snapshot', { ...bots, revision: 1 }],
    ['PUT', '/__mock/worlds/other', { scenario: bots }],
    ['PUT', '/__mock/simulation', bots.players ?? {}],
    ['POST', '/__mock/simulations', { namespace_id: 'tanks/prod', command: 'a' }],
    ['POST', '/__mock/namespaces', { name_id: 'new', players: { command: 'a' } }],
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

    const scenario = await steer('PUT', '/__mock/scenario', { scenario: bots })
    const namespace = await steer('POST', '/__mock/namespaces', { name_id: 'new', players: { command: 'a' } })

    expect(json(scenario)).toEqual({ code: 'API_BAD_BODY', message: refusal('players.command') })
    expect(json(namespace)).toMatchObject({
      message: expect.stringContaining('players.command starts a program, and only your own command line'),
    })
  })

  it('needs servers: true of what serves the mock', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: readScenario(bots, { commands: 'allowed' }) }))

    await expect(listen(mock, { port: 0 })).rejects.toThrow(
      'the scenario has a command for bots, and listen starts no program unasked: pass servers: true, or leave players.command out',
    )
  })

  it('takes the place of simulated players, also with live, and is in no snapshot and no storage', () => {
    const scenario = readScenario(inNamespace, { commands: 'allowed' })
    const { world, snapshot } = createMockmaker({ scenario, live: true })

    expect(world.simulations.all()).toEqual([])
    expect(JSON.stringify(snapshot())).not.toContain('"players"')
    expect(keptScenario(scenario)).not.toContain('"players"')
    expect(scenarioCommands(scenario).bots).toEqual(
      new Map([
        [
          'tanks/prod',
          { command: 'touch /tmp/owned', find: true, concurrent: 3, session_ms: 720_000, modes: undefined },
        ],
      ]),
    )
  })

  it.for<readonly [ScenarioInput, string]>([
    [{ players: { command: ' ' } }, 'players.command is " ": expected a command'],
    [{ players: { find: true }, game_modes: ['duel'] }, 'players.find gives seats to bots, and no command starts any'],
    [{ players: { command: 'a', concurrent: 1.5 } }, 'players.concurrent is 1.5: expected a whole number of bots.'],
    [{ players: { command: 'a', settled: true } }, 'players.settled is for simulated players, and command starts bots'],
    [
      { players: { command: 'a', modes: { duel: 1 } }, game_modes: ['duel'] },
      'players.modes says where bots get seats, and they get none. Add find: true, or remove modes.',
    ],
    [
      { players: { command: 'a', find: true } },
      'players.find is true, but no game mode of the namespace enables a region',
    ],
    [
      { players: { command: 'a', find: true, modes: { dual: 1 } }, game_modes: ['duel'] },
      'players.modes.dual is no game mode of the namespace',
    ],
    [{ players: { command: 'a', session: '999ms' } }, 'expected a duration from 1s to 7d'],
    [{ players: { session: '1s' } }, 'expected a duration from 10s to 7d'],
  ])('is wrong in %j', ([scenario, message]) => {
    expect(() => readScenario(scenario, { commands: 'allowed' })).toThrow(message)
  })
})
