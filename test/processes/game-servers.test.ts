import { describe, expect, it, onTestFinished } from 'vitest'
import type { Join } from '../../src/contract/lobbies.js'
import { createMock } from '../../src/mock/mock.js'
import { GameServers } from '../../src/processes/game-servers.js'
import type { Exit } from '../../src/processes/server-process.js'
import type { ScenarioInput } from '../../src/scenario/schema.js'
import { lobbyTokenOf } from '../../src/store/tokens.js'

/** A process that the test ends. */
interface FakeProcess {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  /** Signals, oldest first. */
  readonly signals: string[]
  write(line: string): void
  exit(exit: Exit): void
}

const manual: ScenarioInput = { now: '2026-11-20T20:00:00Z', clock: 'frozen', servers: 'manual', game_modes: ['duel'] }
const command = './server --port $PORT_default'

/** Starts fake processes for a mock. Ports count up from 40001. */
function manage(scenario: ScenarioInput = manual, commands: object = { all: command, modes: new Map() }) {
  const mock = createMock({ scenario })
  const processes: FakeProcess[] = []
  const lines: string[] = []
  const failures: string[] = []
  let nextPort = 40_001
  const servers = new GameServers({
    mock,
    url: 'http://127.0.0.1:4100',
    commands: commands as GameServers['commands'],
    log: { report: (_event, text, isFailure) => void (isFailure ? failures : lines).push(text) },
    system: {
      findPorts: async wanted => wanted.map(port => ({ ...port, target_port: nextPort++ })),
      start(started, env, onLine) {
        let resolve = (_: Exit) => {}
        const promise = new Promise<Exit>(done => {
          resolve = done
        })
        const signals: string[] = []
        const end = (signal: string) => {
          signals.push(signal)
          resolve({ signal })
        }
        processes.push({ command: started, env, signals, write: onLine, exit: exit => resolve(exit) })
        return {
          pid: 100 + processes.length,
          exited: promise,
          gone: promise.then(() => {}),
          stop: () => end('SIGTERM'),
          kill: () => end('SIGKILL'),
        }
      },
    },
  })
  onTestFinished(async () => {
    await servers.close()
    await mock.close()
  })
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const sent = new TextEncoder().encode(JSON.stringify(body))
    const { status, body: answer } = await mock.answer({ method: 'POST', path, headers, body: sent })
    return { status, json: JSON.parse(new TextDecoder().decode(answer)) as Join & { code?: string } }
  }
  return {
    mock,
    processes,
    lines,
    failures,
    find: (host = 'play.example:4100') => post('/matchmaker/lobbies/find', { game_modes: ['duel'] }, { host }),
    ready: (id: string) => post('/matchmaker/lobbies/ready', {}, { authorization: `Bearer ${lobbyTokenOf(id)}` }),
    /** Waits until that many processes were started, and returns the newest. */
    async started(count: number): Promise<FakeProcess> {
      for (let i = 0; processes.length < count && i < 1000; i += 1) await new Promise(setImmediate)
      return processes[count - 1] as FakeProcess
    },
  }
}

const settled = async () => {
  for (let i = 0; i < 5; i += 1) await new Promise(setImmediate)
}

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
    expect(mock.default.states.servers).toMatchObject([{ status: 'ready', pid: 101, ports: { default: 40_001 } }])
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

  it('has a port for each label of its game mode, without TLS', async () => {
    const lobby_ports = [
      { label: 'game', target_port: 7777, proxy_protocol: 'udp' },
      { label: 'chat', target_port: 443, proxy_protocol: 'https' },
    ] as const
    const { mock, find, started } = manage({
      ...manual,
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
        /^duel \w{8}: its game server exited with code 3 after \d+ms, so the lobby has stopped\. Command: \.\/server --port \$PORT_default\nIts last output:\n {2}cannot open map$/,
      ),
    ])
    expect(mock.default.states.servers).toMatchObject([{ status: 'exited', exit_code: 3, restarts: 0 }])
  })

  it('counts as a restart after a crash in its game mode', async () => {
    const { find, started, lines, mock } = manage()
    const found = find()
    ;(await started(1)).exit({ code: 1 })
    await found
    void find()
    await started(2)
    await settled()

    expect(mock.default.states.servers.map(({ restarts }) => restarts)).toEqual([0, 1])
    expect(lines.at(-1)).toMatch(/pid 102, restart 1$/)
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
    const { mock, find, started, failures } = manage({ ...manual, servers: { ready_within: '30s' } })
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
    expect(mock.default.states.servers).toEqual([])
  })

  it('stays when a snapshot of its world is restored', async () => {
    const { mock, find, ready, started } = manage()
    const found = find()
    const { signals, env } = await started(1)
    await ready(env.RIVET_LOBBY_ID ?? '')
    await found

    await mock.default.restore(mock.default.snapshot())

    expect(signals).toEqual([])
  })
})

describe('a lobby', () => {
  it.for<readonly [string, ScenarioInput]>([
    ['whose mode the mock plays', { ...manual, servers: 'auto' }],
    ['of a mode with servers: auto', { ...manual, game_modes: [{ game_mode_id: 'duel', servers: 'auto' }] }],
    [
      'of a mode with servers: manual of its own',
      { ...manual, game_modes: [{ game_mode_id: 'duel', servers: 'manual' }] },
    ],
  ])('%s gets no process', async ([, scenario]) => {
    const { find, processes } = manage(scenario)
    void find()
    await settled()

    expect(processes).toEqual([])
  })

  it('of a mode with a command of its own gets that', async () => {
    const scenario: ScenarioInput = {
      ...manual,
      game_modes: [{ game_mode_id: 'duel', servers: { ready_within: '9s' } }],
    }
    const { find, started } = manage(scenario, { all: 'other', modes: new Map([['game/prod/duel', 'own']]) })
    void find()

    expect((await started(1)).command).toBe('own')
  })
})
