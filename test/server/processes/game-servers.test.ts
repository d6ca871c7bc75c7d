import { describe, expect, it } from 'vitest'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { ask, post } from '../../support/http.js'
import { slowWaits } from '../../support/slow-waits.js'
import { command, commanded, manage, settled } from './fake-game-servers.js'

describe('the game server of a lobby', () => {
  it('starts with its environment, and the seat leads to its port on the host of the client', async () => {
    const { find, ready, started, mock } = manage()
    const found = find()
    const { command: line, env } = await started(1)
    await ready(env.RIVET_LOBBY_ID ?? '')

    const { json } = await found

    expect(line).toBe(command)
    expect(env).toMatchObject({ PORT_default: '40001', MOCKMAKER_URL: 'http://127.0.0.1:4100' })
    expect(env.RIVET_TOKEN).toBe(lobbyTokenOf(json.lobby.lobby_id))
    expect(json.ports).toEqual({
      default: { hostname: 'play.example', host: 'play.example:40001', port: 40_001, is_tls: false },
    })
    expect(mock.default.servers.list()).toMatchObject([{ status: 'ready', pid: 101, ports: { default: 40_001 } }])
  })

  it('is reported if it does not call ready for some seconds', async () => {
    const { find, started, lines } = manage()
    const passTime = slowWaits()
    void find()
    await started(1)
    await settled()

    expect(passTime()).toEqual([])
    expect(lines.at(-1)).toContain('has not called POST /matchmaker/lobbies/ready yet')
  })

  it('is the same for a second player, who may use another host name', async () => {
    const { find, ready, started, processes } = manage()
    const first = find()
    await ready((await started(1)).env.RIVET_LOBBY_ID ?? '')
    await first

    const { json } = await find('192.168.1.20')

    expect(json.ports.default).toMatchObject({ host: '192.168.1.20:40001' })
    expect(processes).toHaveLength(1)
  })

  it('is at the host that the scenario sets, whatever the client asked', async () => {
    const hostname = '{lobby_id}.lobby.{region_id}.localhost'
    const { find, ready, started } = manage({ ...commanded, development: { hostname } })
    const found = find()
    await ready((await started(1)).env.RIVET_LOBBY_ID ?? '')

    const { lobby, ports } = (await found).json

    expect(ports.default?.host).toBe(`${lobby.lobby_id}.lobby.${lobby.region.region_id}.localhost:40001`)
  })

  it('has a fixed port alone until it has ended', async () => {
    const game_modes = [{ game_mode_id: 'duel', max_players: 1, ports: { default: { fixed: 1234 } } }]
    const { find, ready, started, failures, mock } = manage({ ...commanded, game_modes })
    const first = find()
    const id = (await started(1)).env.RIVET_LOBBY_ID ?? ''
    await ready(id)

    const refused = await find()
    mock.default.world.lobbies.delete(q => q.where({ lobby_id: id }))
    void find()
    const { env } = await started(2)

    expect([(await first).json.ports.default?.port, refused.json.code, env.PORT_default]).toEqual([
      1234,
      'MATCHMAKER_LOBBY_STOPPED',
      '1234',
    ])
    expect(failures[0]).toContain(`port 1234 is fixed, and the game server duel ${id.slice(0, 8)} has it`)
  })

  it('has a port for each label of its game mode, without TLS', async () => {
    const lobby_ports = [
      { label: 'game', target_port: 7777, proxy_protocol: 'udp' },
      { label: 'chat', target_port: 443, proxy_protocol: 'https' },
    ] as const
    const { mock, find, started } = manage({
      ...commanded,
      game_modes: [{ game_mode_id: 'duel', ports: { lobby_ports } }],
    })
    void find()

    const { env } = await started(1)

    expect(env).toMatchObject({ PORT_game: '40001', PORT_chat: '40002' })
    expect(mock.default.world.lobbies.all()[0]?.ports?.map(({ label }) => label)).toEqual(['game', 'chat'])
  })

  it('stops its lobby when it crashes, and the request that waits is answered', async () => {
    const { find, started, failures, mock } = manage()
    const found = find()
    const server = await started(1)
    server.write('cannot open map')

    server.exit({ code: 3 })

    const { status, json } = await found
    await settled()
    expect([status, json.code]).toEqual([400, 'MATCHMAKER_LOBBY_STOPPED'])
    expect(failures).toEqual([
      expect.stringMatching(
        /^duel \w{8}: its game server crashed with exit code 3 after [\d.]+ m?s, so its lobby has stopped: see its output above$/,
      ),
    ])
    expect(mock.default.servers.list()).toMatchObject([{ status: 'crashed', exit_code: 3, restarts: 0 }])
    const { change_sets } = mock.default.history()
    expect(change_sets.at(-1)?.cause).toEqual({ kind: 'server' })
  })

  it('is named by a join of its lobby once it was killed', async () => {
    const { find, ready, started, mock } = manage()
    const found = find()
    const server = await started(1)
    const lobby_id = server.env.RIVET_LOBBY_ID ?? ''
    await ready(lobby_id)
    await found

    server.exit({ signal: 'SIGKILL' })
    await settled()

    const { body } = await ask(mock, post('/matchmaker/lobbies/join', { lobby_id }))
    expect(body).toContain(`lobby ${lobby_id} has stopped, and its game server was ended by SIGKILL: GET /matchmaker`)
  })

  it('shows its last error again if the log has gone on', async () => {
    const { find, started, failures } = manage({ ...commanded, game_modes: [{ game_mode_id: 'duel', max_players: 1 }] })
    void find()
    const server = await started(1)
    for (const line of ['Error: null pointer', '    at run (game.js:3:1)']) server.write(line)
    void find()
    await started(2)

    server.exit({ code: 1 })
    await settled()

    expect(failures[0]?.split('\n').slice(1)).toEqual(['  Error: null pointer', '      at run (game.js:3:1)'])
    expect(failures[0]).toContain('so its lobby has stopped. Its last output:\n')
  })

  it('that ends with 0 after its game is no failure, and the next one no restart', async () => {
    const { find, ready, started, lines, failures, mock } = manage()
    const found = find()
    const { env, exit } = await started(1)
    await ready(env.RIVET_LOBBY_ID ?? '')
    const { player } = (await found).json
    await mock.default.world.players.delete(q => q.where({ player_token: player.token }))

    exit({ code: 0 })
    await settled()
    void find()
    await started(2)

    expect(failures).toEqual([])
    expect(lines.some(line => /its game server has ended after [\d.]+ m?s, so its lobby has stopped$/.test(line))).toBe(
      true,
    )
    expect(lines.at(-1)).toMatch(/pid 102$/)
    expect(mock.default.servers.list().map(({ restarts }) => restarts)).toEqual([0, 0])
  })

  it('has no seat if too many game servers run, and starts when one has ended', async () => {
    const { find, ready, started, processes, failures } = manage({
      ...commanded,
      matchmaker: { lobby_count_max: 1_000 },
      game_modes: [{ game_mode_id: 'duel', max_players: 1 }],
    })
    const waiting: ReturnType<typeof find>[] = []
    for (let i = 1; i <= 128; i += 1) {
      waiting.push(find())
      await ready((await started(i)).env.RIVET_LOBBY_ID ?? '')
    }
    await Promise.all(waiting)

    const { status, json } = await find()
    processes[0]?.exit({ code: 0 })
    await settled()
    void find()

    expect([status, json.code]).toEqual([400, 'MATCHMAKER_LOBBY_STOPPED'])
    expect(failures[0]).toContain('not started, because 128 game servers run already')
    expect((await started(129)).signals).toEqual([])
  })

  it('says that the shell found no command', async () => {
    const { find, started, failures } = manage()
    const found = find()
    ;(await started(1)).exit({ code: 127 })
    await found
    await settled()

    expect(failures[0]).toContain('The shell found no such command')
  })

  it('is stopped when it is not ready in time', async () => {
    const { mock, find, started, failures } = manage({ ...commanded, servers: { command, ready_within: '30s' } })
    const found = find()
    const { signals } = await started(1)

    await mock.default.clock.advance('29s')
    expect(signals).toEqual([])
    await mock.default.clock.advance('1s')

    expect((await found).json.code).toBe('MATCHMAKER_LOBBY_STOPPED')
    expect(signals).toEqual(['SIGTERM'])
    expect(failures[0]).toContain('did not call POST /matchmaker/lobbies/ready in time')
  })

  it.for<readonly [string, (mock: ReturnType<typeof manage>['mock']) => unknown]>([
    ['the world is reset', mock => mock.default.reset()],
    ['another scenario is loaded', mock => mock.default.load({ game_modes: ['duel'] })],
    ['its lobby is deleted', mock => mock.default.world.lobbies.deleteMany(q => q.where({ game_mode_id: 'duel' }))],
    ['its lobby reaches its age limit', mock => mock.default.clock.advance('8h')],
  ])('is stopped when %s', async ([, act]) => {
    const { mock, find, ready, started, failures } = manage()
    const found = find()
    const { signals, env } = await started(1)
    await ready(env.RIVET_LOBBY_ID ?? '')
    await found

    await act(mock)

    expect(signals).toEqual(['SIGTERM'])
    expect(failures).toEqual([])
  })

  it('of another world is stopped when that world is deleted', async () => {
    const { mock, started } = manage()
    const world = await mock.worlds.put('other')
    world.world.lobbies.createMany(1, () => ({ status: 'starting' }) as never)
    const { env, signals } = await started(1)

    await mock.worlds.delete('other')

    expect(env.MOCKMAKER_URL).toBe('http://127.0.0.1:4100/w/other')
    expect(signals).toEqual(['SIGTERM'])
    expect(mock.default.servers.list()).toEqual([])
  })

  it('stays when a snapshot of its world is restored', async () => {
    const { mock, find, ready, started } = manage()
    const found = find()
    const { signals, env } = await started(1)
    await ready(env.RIVET_LOBBY_ID ?? '')
    await found

    await mock.default.restore(runAtOnce(mock.default.snapshot()))

    expect(signals).toEqual([])
  })
})

describe('a lobby', () => {
  it.for<readonly [string, ScenarioInput]>([
    ['whose mode the mock plays', { ...commanded, servers: 'auto' }],
    ['of a mode with servers: auto', { ...commanded, game_modes: [{ game_mode_id: 'duel', servers: 'auto' }] }],
    [
      'of a mode with servers: manual of its own',
      { ...commanded, game_modes: [{ game_mode_id: 'duel', servers: 'manual' }] },
    ],
  ])('%s gets no process', async ([, scenario]) => {
    const { find, processes } = manage(scenario)
    void find()
    await settled()

    expect(processes).toEqual([])
  })

  it('of a mode with a command of its own gets that', async () => {
    const scenario: ScenarioInput = {
      ...commanded,
      game_modes: [{ game_mode_id: 'duel', servers: { command: 'own', ready_within: '9s' } }],
    }
    const { find, started } = manage(scenario)
    void find()

    expect((await started(1)).command).toBe('own')
  })
})
