import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client/index.js'
import { createListener } from '../../../src/server/http/server.js'
import { serveListener } from '../../support/http.js'
import { command, commanded, manage, settled } from './fake-game-servers.js'

const at = (seconds: number) => new Date(Date.parse('2026-11-20T20:00:00Z') + seconds * 1_000).toISOString()

/** Starts a lobby, whose server is ready unless `isReady` is false. */
async function game({ isReady = true, scenario = commanded } = {}) {
  const managed = manage(scenario)
  const { find, started, ready, mock } = managed
  const found = find()
  const server = await started(1)
  const id = server.env.RIVET_LOBBY_ID ?? ''
  if (isReady) {
    await mock.default.clock.advance('2s')
    await ready(id)
    await found
  }
  const { servers } = mock.default
  return { ...managed, server, id, found, servers, only: () => servers.list()[0] }
}

describe('the state of a game server', () => {
  it('has its times on the clock of the world, and the time until it was ready', async () => {
    const { only, id, mock } = await game({ isReady: false })
    expect(only()).toEqual({
      lobby_id: id,
      game_mode_id: 'duel',
      region_id: mock.default.world.lobbies.get(id)?.region_id,
      command,
      pid: 101,
      ports: { default: 40_001 },
      started_at: at(0),
      status: 'starting',
      restarts: 0,
      lines: 0,
      last_lines: [],
    })
  })

  it.for([
    ['crashed', { code: 1 }, { exit_code: 1, message: expect.stringContaining('crashed with exit code 1 after') }],
    ['crashed', { signal: 'SIGSEGV' }, { signal: 'SIGSEGV', message: expect.stringContaining('ended by SIGSEGV') }],
    ['crashed', { error: 'no memory' }, { message: expect.stringContaining('could not start: no memory') }],
    ['ended', { code: 0 }, { exit_code: 0, message: expect.stringContaining('has ended after') }],
  ] as const)('is %s after the exit %j', async ([status, exit, more]) => {
    const { only, server, mock } = await game()
    await mock.default.clock.advance('5s')

    server.exit(exit)
    await settled()

    expect(only()).toMatchObject({ status, ended_at: at(7), ...more })
    expect(only()).not.toHaveProperty('exit_code' in more ? 'signal' : 'exit_code')
  })

  it('is ended, and not crashed, if it exits with 0 before it is ready', async () => {
    const { only, server } = await game({ isReady: false })

    server.exit({ code: 0 })
    await settled()

    expect(only()).toMatchObject({
      status: 'ended',
      exit_code: 0,
      message: expect.stringContaining('before it called'),
    })
  })

  it('is stopped with its lobby, by a signal of the mock', async () => {
    const { only, id, mock } = await game()

    await mock.default.world.lobbies.delete(q => q.where({ lobby_id: id }))
    await settled()

    expect(only()).toMatchObject({ status: 'stopped', signal: 'SIGTERM', ended_at: at(2) })
    expect(only()).not.toHaveProperty('message')
  })

  it('says that it was not ready in time', async () => {
    const { only, mock, found } = await game({ isReady: false })

    await mock.default.clock.advance('1h')
    await found
    await settled()

    expect(only()).toMatchObject({
      status: 'stopped',
      message: expect.stringContaining('did not call POST /matchmaker'),
    })
  })
})

describe('the output of a game server', () => {
  it('is kept with its times, and the list has the last three lines', async () => {
    const { only, servers, id, server, mock } = await game()
    server.write('one')
    await mock.default.clock.advance('3s')
    for (const line of ['two', 'three', 'x'.repeat(300)]) server.write(line)

    const lines = ['one', 'two', 'three', 'x'.repeat(300)].map((text, i) => ({ at: at(i === 0 ? 2 : 5), text }))
    expect(servers.get(id)?.log).toEqual(lines)
    expect(only()).toMatchObject({ lines: 4, last_lines: [lines[1], lines[2], { text: `${'x'.repeat(197)}…` }] })
  })

  it('of a crash begins in the list with its last error', async () => {
    const { only, server } = await game()
    for (const line of ['listening', 'TypeError: no turret', '    at fire', '    at main', 'bye']) server.write(line)
    expect(only()?.last_lines.map(({ text }) => text)).toEqual(['    at fire', '    at main', 'bye'])

    server.exit({ code: 1 })
    await settled()

    expect(only()?.last_lines.map(({ text }) => text)).toEqual([
      'TypeError: no turret',
      '    at fire',
      '    at main',
      'bye',
    ])
  })

  it('is limited to its newest 500 lines and 65,536 characters, and counted whole', async () => {
    const { servers, id, server } = await game()
    for (let i = 1; i <= 700; i += 1) server.write(`line ${i}`)
    const first = servers.get(id)?.log
    for (let i = 1; i <= 50; i += 1) server.write('y'.repeat(2_000))
    const second = servers.get(id)

    expect([first?.length, first?.[0]?.text]).toEqual([500, 'line 201'])
    expect(second?.log.map(({ text }) => text[0]).join('')).toBe('y'.repeat(32))
    expect(second?.lines).toBe(750)
  })

  it('comes with the environment of the process', async () => {
    const { servers, id, server } = await game()

    expect(servers.get(id)?.environment).toEqual(server.env)
    expect(servers.get('nobody')).toBeUndefined()
  })
})

describe('the restart of a game server', () => {
  it('replaces its process, and its lobby waits for the new one', async () => {
    const { servers, id, server, started, lines, mock, ready } = await game()
    server.write('old')

    const restarting = servers.restart(id)
    const second = await started(2)
    await mock.default.clock.advance('1s')

    expect(server.signals).toEqual(['SIGTERM'])
    expect(restarting).toMatchObject({ lobby_id: id, status: 'starting', restarts: 1 })
    expect(second.env.RIVET_LOBBY_ID).toBe(id)
    expect(servers.list()).toMatchObject([{ pid: 102, status: 'starting', started_at: at(2), restarts: 1, lines: 1 }])
    for (const name of ['ready_at', 'ready_ms', 'ended_at', 'signal'])
      expect(servers.list()[0]).not.toHaveProperty(name)
    expect(lines.some(line => line.endsWith('because a control call asked for it'))).toBe(true)
    await ready(id)
    expect(servers.list()).toMatchObject([{ status: 'ready', ready_at: at(3) }])
  })

  it('of one that has ended makes a lobby of the same mode and region, with a server of its own', async () => {
    const { servers, id, server, started, mock } = await game()
    server.exit({ code: 1 })
    await settled()

    const again = servers.restart(id)
    const second = await started(2)

    const { lobbies } = mock.default.world.tables
    const [old, next] = [lobbies.get(id), lobbies.get(again?.lobby_id ?? '')]
    expect(again).toMatchObject({ status: 'starting', game_mode_id: 'duel', restarts: 0 })
    expect(second.env.RIVET_LOBBY_ID).toBe(again?.lobby_id)
    expect([old?.status, next?.region_id]).toEqual(['stopped', old?.region_id])
    expect(next).toMatchObject({ status: 'starting', ready_by: expect.any(Number) })
    expect(servers.list().map(({ status }) => status)).toEqual(['crashed', 'starting'])
  })

  it('finds no server of another lobby, and says if a scenario has no command any more', async () => {
    const { servers, id, server, mock } = await game()
    server.exit({ code: 0 })
    await settled()
    await mock.reload({ ...commanded, servers: 'manual' })

    expect(servers.restart('nobody')).toBeUndefined()
    expect(() => servers.restart(id)).toThrow(
      'restart: the scenario has no command for the game servers of duel any more',
    )
    expect(mock.default.world.tables.lobbies.all().filter(({ status }) => status !== 'stopped')).toEqual([])
  })
})

describe('the kill of a game server', () => {
  it('ends its process at once, and stops its lobby', async () => {
    const { servers, id, server, only, lines, failures, mock } = await game()

    const killed = servers.kill(id)
    await settled()

    expect([killed?.lobby_id, server.signals]).toEqual([id, ['SIGKILL']])
    const message = expect.stringMatching(/was killed after .* because a control call asked for it, so its lobby has/)
    expect(only()).toMatchObject({ status: 'crashed', signal: 'SIGKILL', message })
    expect(mock.default.world.tables.lobbies.get(id)?.status).toBe('stopped')
    expect([lines.at(-1), failures]).toEqual([message, []])
  })

  it('also ends one that is restarting, and one that has no process yet', async () => {
    const { servers, id, server, only, processes, mock, find } = await game()
    server.write('old')
    servers.restart(id)

    servers.kill(id)
    await settled()
    void find()
    const next = mock.default.world.tables.lobbies.all().at(-1)?.lobby_id ?? ''
    servers.kill(next)
    await settled()

    expect(only()).toMatchObject({ status: 'crashed', restarts: 1 })
    expect(servers.get(next)?.status).toBe('stopped')
    expect(processes).toHaveLength(1)
  })

  it('leaves one that has ended as it is, and finds no server of another lobby', async () => {
    const { servers, id, server } = await game()
    server.exit({ code: 0 })
    await settled()
    const [ended] = servers.list()

    expect(servers.kill(id)).toEqual(ended)
    expect(servers.kill('nobody')).toBeUndefined()
  })
})

describe('the events of game servers', () => {
  it('tell each change at once, and lines soon', async () => {
    const { mock, server, servers, id } = await game()
    const marks: string[] = []
    mock.default.states.subscribe(
      (name, when) => {
        if (name === 'servers') marks.push(when)
      },
      () => {},
    )
    const during = (run: () => unknown) => {
      marks.length = 0
      run()
      return [...new Set(marks)]
    }

    expect(during(() => server.write('hello'))).toEqual(['soon'])
    expect(during(() => servers.restart(id))).toEqual(['now'])
    marks.length = 0
    server.exit({ code: 0 })
    await settled()
    expect(marks).toContain('now')
  })

  it('have the list of the control API, also over HTTP', async () => {
    const { mock, server, id, only } = await game()
    const client = createClient((await serveListener(createListener(mock))).url)
    const controller = new AbortController()
    const events = await client.changes({ with: ['servers'], signal: controller.signal })
    const { value } = await events.next()
    server.write('hello')

    expect(value).toMatchObject({ type: 'servers', data: { servers: [{ lobby_id: id, status: 'ready', lines: 0 }] } })
    expect(await client.servers.list()).toEqual([only()])
    expect(await client.servers.get(id)).toMatchObject({ log: [{ text: 'hello' }] })
    expect(await client.servers.restart(id)).toMatchObject({ lobby_id: id, restarts: 1 })
    expect([await client.servers.get('nobody'), await client.servers.restart('nobody')]).toEqual([undefined, undefined])
    expect(await client.servers.kill(id)).toMatchObject({ lobby_id: id })
    expect(await client.servers.kill('nobody')).toBeUndefined()
    controller.abort()
  })
})
