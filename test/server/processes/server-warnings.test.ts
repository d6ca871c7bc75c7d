import { describe, expect, it } from 'vitest'
import type { FindDeadPorts } from '../../../src/server/processes/listeners.js'
import { slowWaits } from '../../support/slow-waits.js'
import { commanded, manage, settled } from './fake-game-servers.js'

const dead = [{ port: 40_001, variable: 'PORT_default' }]

/** Starts a lobby with a player, whose server has called ready. */
async function game({ findDeadPorts }: { findDeadPorts?: FindDeadPorts } = {}) {
  const managed = manage(commanded, undefined, findDeadPorts && { findDeadPorts })
  const { find, started, ready, mock } = managed
  const play = async (count: number) => {
    const found = find()
    const server = await started(count)
    const id = server.env.RIVET_LOBBY_ID ?? ''
    await ready(id)
    await settled()
    const seat = (await found).json
    return { server, id, seat, name: `The game server of duel in ${seat.lobby.region.display_name}` }
  }
  const warnings = () => mock.default.warnings.list()
  return { ...managed, ...(await play(1)), play, warnings, servers: mock.default.servers }
}

describe('a warning of a dead port', () => {
  it('names the port, its variable, and the request by which the server called ready', async () => {
    const asked: unknown[] = []
    const findDeadPorts: FindDeadPorts = async (ports, group) => {
      asked.push(group, ...ports.map(({ target_port }) => target_port))
      return { dead, listening: [] }
    }
    const { warnings, id, name, mock } = await game({ findDeadPorts })

    expect(asked).toEqual([101, 40_001])
    const [ready] = mock.default.journal.find({ operation: 'lobbies.ready' })
    expect(warnings()).toMatchObject([
      {
        rule: 'dead port',
        sentence: `${name} called ready, and nothing listens on port 40001, to which its seats lead.`,
        advice: 'Let it listen on the port in PORT_default before it calls ready.',
        lobby_id: id,
        game_mode_id: 'duel',
        requests: [ready?.id],
      },
    ])
  })

  it('is one of a wrong port if the server listens on another one', async () => {
    const { warnings, name } = await game({ findDeadPorts: async () => ({ dead, listening: [7777] }) })

    expect(warnings()).toMatchObject([
      {
        rule: 'wrong port',
        sentence: `${name} listens on port 7777, and its seats lead to port 40001.`,
        advice: expect.stringContaining('PORT_default. If its port cannot change, write fixed: 7777 for that port'),
      },
    ])
  })

  it('counts the servers of one game mode', async () => {
    const { warnings, seat, mock, play } = await game({ findDeadPorts: async () => ({ dead, listening: [] }) })
    await mock.default.world.lobbies.delete(q => q.where({ lobby_id: seat.lobby.lobby_id }))
    await play(2)

    expect(warnings()).toMatchObject([{ rule: 'dead port', count: 2 }])
  })

  it('does not come if the server has ended before anybody looked, or listens', async () => {
    let look = () => {}
    const looked = new Promise<void>(resolve => {
      look = resolve
    })
    const ended = await game({ findDeadPorts: () => looked.then(() => ({ dead, listening: [] })) })
    ended.servers.kill(ended.id)
    look()
    await settled()

    expect(ended.warnings()).toEqual([])
    expect((await game()).warnings()).toEqual([])
  })
})

describe('a warning of a server that ended dirty', () => {
  it.for([
    [{ code: 0 }, 'ended by itself with exit code 0', /disconnected/],
    [{ code: 3 }, 'crashed with exit code 3', /last lines/],
    [{ signal: 'SIGSEGV' }, 'was ended by SIGSEGV', /last lines/],
  ] as const)('tells of the exit %j, and of the players with a seat', async ([exit, how, advice]) => {
    const { warnings, server, name, seat, find } = await game()
    const other = (await find()).json

    server.exit(exit)
    await settled()

    expect(warnings()).toMatchObject([
      {
        rule: 'server ended dirty',
        sentence: `${name} ${how}, with 2 players in its lobby.`,
        advice: expect.stringMatching(advice),
        players: [seat.player.token, other.player.token],
      },
    ])
  })

  it.for<readonly [string, (world: Awaited<ReturnType<typeof game>>) => unknown]>([
    [
      'its players have left',
      ({ mock, seat, server }) => {
        mock.default.world.players.delete(q => q.where({ player_token: seat.player.token }))
        server.exit({ code: 0 })
      },
    ],
    ['a call has killed it', ({ servers, id }) => servers.kill(id)],
    ['a call has restarted it', ({ servers, id }) => servers.restart(id)],
    ['its lobby has stopped', ({ mock }) => mock.default.clock.advance('8h')],
    ['the mock is closed', ({ close }) => close()],
    ['the shell found no such command', ({ server }) => server.exit({ code: 127 })],
  ])('does not come if %s', async ([, end]) => {
    const world = await game()
    const rules: string[] = []
    world.mock.warned.subscribe(({ warning }) => rules.push(warning.rule))

    await end(world)
    await settled()

    expect(rules).toEqual([])
  })
})

describe('a warning of buffered output', () => {
  it('tells of a server that has been ready for a while, and has written nothing', async () => {
    const passTime = slowWaits()
    const { warnings, name } = await game()
    expect(warnings()).toEqual([])

    passTime()

    expect(warnings()).toMatchObject([
      {
        rule: 'buffered output',
        sentence: `${name} has been ready for 4 s, and has written nothing: its output may be buffered.`,
      },
    ])
  })

  it.for<readonly [string, (world: Awaited<ReturnType<typeof game>>) => unknown]>([
    ['it has written a line', ({ server }) => server.write('ready')],
    ['it has ended', ({ servers, id }) => servers.kill(id)],
    [
      'another process takes its place, which writes a line',
      async ({ servers, id, started, ready }) => {
        servers.restart(id)
        ;(await started(2)).write('ready')
        await ready(id)
      },
    ],
  ])('does not come if %s', async ([, act]) => {
    const passTime = slowWaits()
    const world = await game()
    await act(world)
    await settled()

    passTime()

    expect(world.warnings()).toEqual([])
  })
})
