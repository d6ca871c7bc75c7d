import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, inject, it, vi } from 'vitest'
import { scenarios } from '../../../src/core/scenario/index.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { Scheduler } from '../../../src/core/simulation/scheduler.js'
import type { ChangeSet } from '../../../src/core/store/change-set.js'
import type { LiveWorld, World } from '../../../src/core/store/world.js'
import { createMockmaker } from '../../../src/index.js'
import { ask, json } from '../../support/http.js'
import { smallRows, smallWorld } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'
import { closedAfterTest, flushPromises, live } from '../../support/worlds.js'

const realNow = performance.now.bind(performance)

const second = (nth: number) => startAt + nth * 1000

/** A small world with a scheduler, the bugs that it reports, and its jobs that changed something. */
function scheduled(rows: object = {}) {
  const world = smallWorld({ rows: { ...smallRows(), ...rows } })
  const bugs: unknown[] = []
  world.clock.runJobs(new Scheduler(world, error => void bugs.push(error)))
  return { world, bugs, jobs: jobsOf(world) }
}

/** Records the change sets of a world from now on. */
function changeSetsOf(world: World): ChangeSet[] {
  const changeSets: ChangeSet[] = []
  world.subscribe(changeSet => void changeSets.push(changeSet))
  return changeSets
}

/** Records the times at which jobs of a world run from now on: the first row with a job, and the time. */
function jobsOf(world: World): (readonly [string, number])[] {
  const jobs: (readonly [string, number])[] = []
  world.subscribe(({ cause, at }) => {
    if (cause.kind === 'job') jobs.push([cause.id, at])
    if (cause.kind === 'simulation') jobs.push(['simulation', at])
  })
  return jobs
}

const link = (id: string, at: number, game_id = 'tanks') => ({
  device_link_token: `device.${id}`,
  device_link_id: id,
  status: 'pending',
  completes: { at, game_id },
})

describe('jobs', () => {
  property.prop([fc.array(fc.nat(9), { maxLength: 20 }), fc.array(fc.nat(4), { maxLength: 4 })], {
    numRuns: 3 * inject('runs'),
  })(
    'run at their times, those of one time in the order of creation, however the time is advanced',
    async (delays, moves) => {
      const { world } = scheduled({ deviceLinks: delays.map((delay, i) => link(`l${i}`, second(delay))) })
      const jobs: (readonly [string, number])[] = []
      // An update keeps the position of a row.
      if (delays.length > 0) await world.deviceLinks.update('device.l0', { expires_at: second(99) })
      // A change set has its rows in the order of their first write.
      world.subscribe(({ changes, at }) => {
        for (const { table, id } of changes) if (table === 'deviceLinks') jobs.push([id, at])
      })

      for (const move of moves) await world.clock.advance(move * 1000)

      const passed = moves.reduce((sum, move) => sum + move, 0)
      const due = delays
        .map((delay, i) => [`device.l${i}`, second(delay)] as const)
        // Without a move no job is due.
        .filter(([, at]) => moves.length > 0 && at <= second(passed))
        .toSorted(([, one], [, other]) => one - other)
      expect(jobs).toEqual(due)
    },
  )

  it('do not run for a row that another job of the same time has changed', async () => {
    const lobby = { namespace_id: 'prod', game_mode_id: 'duel', region_id: 'fra', stops_at: second(1) }
    const { world, jobs } = scheduled()
    await world.lobbies.create({ lobby_id: 'stops', ...lobby })
    await world.players.create({ player_token: 'leaves', lobby_id: 'stops', leaves_at: second(1) })

    await world.clock.advance('1s')

    expect(jobs).toEqual([['stops', second(1)]])
    expect(world.players.get('leaves')).toMatchObject({ status: 'removed' })
  })

  it('that fail are reported once and not retried, and the others run', async () => {
    const { world, bugs, jobs } = scheduled({
      deviceLinks: [link('before', second(1)), link('fails', second(2), 'gone'), link('after', second(3))],
    })

    await world.clock.advance('10s')

    expect(bugs).toEqual([expect.objectContaining({ message: expect.stringContaining('"gone"') })])
    expect(world.deviceLinks.all().map(({ status }) => status)).toEqual(['complete', 'pending', 'complete'])
    expect(world.deviceLinks.get('device.fails')).not.toHaveProperty('completes')
    // The failure removes the job from its row, at the time of the job.
    expect(jobs).toEqual([
      ['device.before', second(1)],
      ['device.fails', second(2)],
      ['device.after', second(3)],
    ])
  })

  it('that fail are reported on the console of the mock', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    const mock = createMockmaker({ scenario: { clock: 'frozen', game_modes: ['duel'], players: { concurrent: 1 } } })
    vi.spyOn(live(mock.world).tables.gameModes, 'inIndex').mockImplementation(() => {
      throw new Error('a bug')
    })

    await mock.world.clock.advance('1m')

    expect(error.mock.calls).toEqual([
      [expect.stringContaining('in a job of the scheduler'), expect.objectContaining({ message: 'a bug' })],
    ])
  })

  it('make one change set for each time, with the first job as its cause', async () => {
    const times = { sofa: 1, attic: 2, desk: 2, cellar: 2 }
    const { world } = scheduled({ deviceLinks: Object.entries(times).map(([id, at]) => link(id, second(at))) })
    const changeSets = changeSetsOf(world)

    await world.clock.advance('1m')

    expect(changeSets.map(({ cause, at, revision }) => ({ cause, at, revision }))).toEqual([
      { cause: { kind: 'job', table: 'deviceLinks', id: 'device.sofa' }, at: second(1), revision: second(1) },
      {
        cause: { kind: 'job', table: 'deviceLinks', id: 'device.attic', others: 2 },
        at: second(2),
        revision: second(2),
      },
    ])
  })

  it('do not run before their time on a frozen clock, whatever is read or written', async () => {
    const { world, jobs } = scheduled({ deviceLinks: [link('sofa', startAt)] })

    world.deviceLinks.all()
    await world.lobbies.create({})
    const before = [...jobs]
    await world.clock.advance(0)

    expect([before, jobs]).toEqual([[], [['device.sofa', startAt]]])
  })

  it('end when their mock is closed, even in the middle of a backlog', async () => {
    const mock = createMockmaker({ scenario: lively })
    const jobs = jobsOf(mock.world)
    mock.world.subscribe(() => {
      if (jobs.length === 3) void mock.close()
    })

    await mock.world.clock.advance('10m')

    expect(jobs).toHaveLength(3)
  })

  it('end when a reset puts the clock back during an advance', async () => {
    const mock = createMockmaker({ scenario: lively })
    const began = mock.world.clock.now()
    const jobs = jobsOf(mock.world)
    let isReset = false
    mock.world.subscribe(() => {
      if (jobs.length !== 3 || isReset) return
      isReset = true
      void mock.reset()
    })

    await mock.world.clock.advance('1h')

    expect([mock.world.clock.now(), jobs.length]).toEqual([began, 3])
  })
})

/** A world with many jobs. */
const lively: ScenarioInput = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  game_modes: ['duel'],
  players: { concurrent: 1000, session: '2m' },
}

/** Counts the turns of the event loop until a promise settles, and calls `look` in each. */
async function countTurns(promise: Promise<unknown>, look: () => void = () => {}): Promise<number> {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  promise.then(settle, settle)
  let turns = 0
  while (!isSettled) {
    await new Promise(resolve => setImmediate(resolve))
    look()
    turns += 1
  }
  await promise
  return turns
}

describe('a job whose time is in the past', () => {
  it('runs at the present time, and does not turn the clock back', async () => {
    const now = '2026-11-20T20:00:00.000Z'
    const mock = closedAfterTest(createMockmaker({ scenario: { now, clock: 'frozen' } }))
    const { world } = mock
    const [game] = world.games.all()
    const ats: number[] = []
    world.subscribe(({ at }) => void ats.push(at))

    const link = await world.deviceLinks.create({ completes: { at: 1, game_id: game?.game_id ?? '' } })
    const before = world.clock.now()
    await world.clock.advance(0)

    expect(world.deviceLinks.get(link.device_link_token)?.status).toBe('complete')
    expect([before, world.clock.now(), ...ats]).toEqual([before, before, before, before])
    expect(before).toBe(Date.parse(now))
  })
})

describe('an advance', () => {
  it('stops when its signal is aborted, and runs no more jobs', async () => {
    const mock = createMockmaker({ scenario: lively })
    const { clock } = mock.world
    const began = clock.now()
    const client = new AbortController()
    const jobs = jobsOf(mock.world)
    setImmediate(() => client.abort(new Error('enough')))

    await expect(clock.advance('30d', { signal: client.signal })).rejects.toThrow('enough')

    const stopped = [clock.now(), jobs.length]
    for (let turn = 0; turn < 10; turn += 1) await flushPromises()
    expect([clock.now(), jobs.length]).toEqual(stopped)
    expect(clock.now()).toBeLessThan(began + 30 * 86_400_000)
    await clock.advance(5_000)
    expect(clock.now()).toBe((stopped[0] ?? 0) + 5_000)
  })

  it.each([100_000, 1_000_000])('ends on a clock with the rate %i, and accepts the next call', async rate => {
    const mock = closedAfterTest(
      createMockmaker({ scenario: { ...lively, clock: 'running', players: { concurrent: 20 } }, live: true }),
    )
    const { clock } = mock.world
    const began = clock.now()
    await clock.set({ rate })

    await clock.advance('1m')
    await clock.set({ mode: 'frozen' })

    expect(clock.mode).toBe('frozen')
    expect(clock.now()).toBeGreaterThanOrEqual(began + 60_000)
  })
})

describe('a long backlog', () => {
  const count = 40
  const tokens = Array.from({ length: count }, (_, i) => `device.mock.${i}`)
  const scenario: ScenarioInput = {
    games: [{ name_id: 'tanks' }],
    device_links: tokens.map((token, i) => ({ token, completes_after: `${i + 1}s`, game: 'tanks' })),
  }

  /** A mock that is an hour late. Each of its jobs takes 5 ms. */
  function late() {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'performance'] })
    const mock = closedAfterTest(createMockmaker({ scenario }))
    const began = mock.world.clock.now()
    mock.world.subscribe(() => {
      for (const end = realNow() + 5; realNow() < end; );
    })
    vi.setSystemTime(Date.now() + 3_600_000)
    return { mock, began, completed: () => completedIn(live(mock.world)) }
  }

  /** Reads the tables without running a job. */
  const completedIn = ({ tables }: LiveWorld) =>
    tables.deviceLinks.all().filter(({ status }) => status === 'complete').length

  const getLink = (token: string) =>
    ({ method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${token}` }) as const

  it('runs in slices, and the clock does not pass the first job that has not run', async () => {
    const { mock, began, completed } = late()
    const seen: [completed: number, passed: number][] = []
    const look = () => seen.push([completed(), mock.world.clock.now() - began])

    look()
    mock.world.deviceLinks.all()
    look()
    // The request waits for the whole backlog.
    await countTurns(ask(mock, getLink('device.mock.0')), look)

    expect(seen[0]).toEqual([0, 1_000])
    const unfinished = seen.filter(([done]) => done < count)
    expect(new Set(unfinished.map(([done]) => done)).size).toBeGreaterThan(3)
    expect(unfinished.map(([, passed]) => passed)).toEqual(unfinished.map(([done]) => (done + 1) * 1000))
    expect(mock.world.clock.now() - began).toBe(3_600_000)
  })

  it('makes requests wait, and keeps their order', async () => {
    const { mock, completed } = late()
    const answered: string[] = []
    const send = async (token: string) => {
      const got = await ask(mock, getLink(token))
      answered.push(token)
      return [completed(), json(got)]
    }

    const answers = await Promise.all([tokens[0], tokens[count - 1], tokens[1]].map(token => send(token ?? '')))

    expect(answers).toMatchObject(Array(3).fill([count, { cloud_token: expect.any(String) }]))
    expect(answered).toEqual([tokens[0], tokens[count - 1], tokens[1]])
  })
})

describe('jobs of several worlds', () => {
  it('yield to the event loop between worlds', async () => {
    const evening = {
      ...lively,
      players: { concurrent: 0 },
      game_modes: [{ game_mode_id: 'duel', max_players: 8 }],
      lobbies: Array.from({ length: 100 }, () => ({ total_player_count: 8 })),
    }
    const mock = closedAfterTest(createMockmaker({ scenario: evening }))
    const worlds = await Promise.all(Array.from({ length: 20 }, (_, i) => mock.worlds.put(`world-${i}`)))
    const settled = () => worlds.filter(({ world }) => world.simulations.all()[0]?.settled).length
    const seen = [0]

    await countTurns(Promise.all(worlds.map(({ world }) => world.clock.advance('10s'))), () => seen.push(settled()))

    expect(seen.at(-1)).toBe(worlds.length)
    expect(mostAtOnce(seen)).toBeLessThanOrEqual(worlds.length / 2)
  })

  // 40,000 players in slices of at most 100 ms.
  it('add 20,000 players to each of two worlds in many short slices', { tags: ['slow', 'matrix'] }, async () => {
    const mocks = [1, 2].map(seed =>
      createMockmaker({
        scenario: {
          ...lively,
          seed,
          regions: ['lnd-fra'],
          game_modes: [{ game_mode_id: 'duel', max_players: 40 }],
          lobbies: Array.from({ length: 500 }, () => ({ total_player_count: 40 })),
          players: { concurrent: 0 },
        },
      }),
    )
    const settled = () => mocks.reduce((sum, { world }) => sum + live(world).tables.players.state.size, 0)
    const seen = [0]

    const turns = await countTurns(Promise.all(mocks.map(({ world }) => world.clock.advance('5s'))), () =>
      seen.push(settled()),
    )

    expect(settled()).toBe(40_000)
    expect(turns).toBeGreaterThan(4)
    expect(mostAtOnce(seen)).toBeLessThanOrEqual(10_000)
  })
})

/** Returns the largest number that came in one step. */
function mostAtOnce(counts: readonly number[]): number {
  return Math.max(...counts.map((count, i) => count - (counts[i - 1] ?? 0)))
}

describe('a shipped scenario with simulated players', () => {
  const names = Object.keys(scenarios) as (keyof typeof scenarios)[] // of a constant

  // `nasty` takes seconds for all of its players.
  for (const name of names)
    it(`${name} counts its players right`, { tags: name === 'nasty' ? ['slow', 'matrix'] : [] }, async () => {
      const mock = closedAfterTest(createMockmaker({ scenario: { ...scenarios[name], clock: 'frozen' }, live: true }))

      await mock.world.clock.advance(name === 'nasty' ? '5s' : '2m')

      // No players come without a game mode.
      expect(mock.simulations().length > 0).toBe(mock.world.gameModes.count() > 0)
      expect(miscountedLobbies(mock.world)).toEqual([])
    })
})

/** Returns the lobbies whose counts differ from their players. */
function miscountedLobbies({ lobbies, players }: World): string[] {
  return lobbies
    .all()
    .filter(({ lobby_id, reserved_player_count, total_player_count }) => {
      const countOf = (status: string) =>
        players.findMany(q => q.where({ lobby_id })).filter(player => player.status === status).length
      return countOf('reserved') !== reserved_player_count || countOf('connected') > total_player_count
    })
    .map(({ lobby_id }) => lobby_id)
}
