import { describe, expect, it, onTestFinished } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import { scenarios } from '../../src/scenarios.js'
import { keepTime } from '../../src/simulation/agenda.js'
import type { Timetables } from '../../src/simulation/timetable.js'
import type { TableName } from '../../src/store/rows.js'
import type { LiveWorld } from '../../src/store/world.js'
import { smallWorld } from '../support/small-world.js'
import { startAt } from '../support/tanks.js'
import { flushPromises } from '../support/worlds.js'

/** A world in which something happens to its lobbies, and what its agenda told of bugs. */
function kept(lobbies: NonNullable<Timetables['lobbies']>) {
  const world = smallWorld()
  const bugs: unknown[] = []
  const end = keepTime(world, { timetables: { lobbies }, onBug: error => bugs.push(error) })
  onTestFinished(end)
  return { world, bugs, end }
}

const change = (world: LiveWorld, lobby_id: string, columns: object) =>
  world.write(({ lobbies }) =>
    lobbies.update(q => q.where({ lobby_id }), { data: draft => void Object.assign(draft, columns) }),
  )

const second = (nth: number) => startAt + nth * 1000
/** Due at every second. */
const everySecond = (_row: object, after: number) => Math.floor(after / 1000) * 1000 + 1000

describe('what happens by itself', () => {
  it('goes on after a turn of it that fails, of which is told', async () => {
    const times: number[] = []
    const { world, bugs } = kept({
      dueAt: ({ lobby_id }, after) => (lobby_id === 'l0' ? everySecond({}, after) : undefined),
      happen(_lobby, { now }) {
        times.push(now)
        if (now === second(1)) throw new Error('a bug')
      },
    })

    await world.clock.advance('3s')

    expect(bugs).toEqual([new Error('a bug')])
    expect(times).toEqual([second(1), second(2), second(3)])
  })

  it('does not try again what has failed and does not come again', async () => {
    let tried = 0
    const { world, bugs } = kept({
      dueAt: ({ lobby_id }) => (lobby_id === 'l0' ? second(1) : undefined),
      happen() {
        tried += 1
        throw new Error('a bug')
      },
    })

    await world.clock.advance('10s')

    expect([tried, bugs]).toEqual([1, [new Error('a bug')]])
  })

  it('happens to what is due at one time in the order of the ids, however it came to be', async () => {
    const order: string[] = []
    const { world } = kept({
      dueAt: (_lobby, after) => (after < second(5) ? second(5) : undefined),
      happen: ({ lobby_id }) => void order.push(lobby_id),
    })
    // It is expected anew, behind the others.
    await change(world, 'l0', { is_closed: true })

    await world.clock.advance('5s')

    expect(order.length).toBeGreaterThan(1)
    expect(order).toEqual(order.toSorted())
  })

  it('does not happen any more to a row that became another one in the same turn', async () => {
    const happened: string[] = []
    const { world } = kept({
      dueAt: ({ is_closed }, after) => (is_closed || after >= second(1) ? undefined : second(1)),
      happen({ lobby_id }, { reads, writes }) {
        happened.push(lobby_id)
        for (const lobby of reads.lobbies.all()) writes.put('lobbies', Object.freeze({ ...lobby, is_closed: true }))
      },
    })

    await world.clock.advance('1s')

    expect(happened).toEqual(['l0'])
  })

  it('ends in the middle of much that is due', async () => {
    const times: number[] = []
    const { world, end } = kept({
      dueAt: ({ lobby_id }, after) => (lobby_id === 'l0' ? everySecond({}, after) : undefined),
      happen(_lobby, { now }) {
        times.push(now)
        if (times.length === 2) end()
      },
    })

    await world.clock.advance('10s')

    expect(times).toEqual([second(1), second(2)])
  })

  it('does not happen where a reset has put the clock back before its turn', async () => {
    const times: number[] = []
    const { world } = kept({
      dueAt: ({ lobby_id }, after) => (lobby_id === 'l0' && after < second(5) ? second(5) : undefined),
      happen: (_lobby, { now }) => void times.push(now),
    })

    let release = () => {}
    const open = world.write(() => new Promise<void>(resolve => (release = resolve)))
    const advanced = world.clock.advance('5s')
    const reset = world.reset()
    await flushPromises()
    release()
    await Promise.all([open, advanced, reset])
    const before = [...times]
    await world.clock.advance('5s')

    expect([before, times]).toEqual([[], [second(5)]])
  })

  it('ends where a reset puts the clock back on the way of an advance', async () => {
    let resets = Promise.resolve()
    const times: number[] = []
    const { world } = kept({
      dueAt: ({ lobby_id }, after) => (lobby_id === 'l0' ? everySecond({}, after) : undefined),
      happen(_lobby, { now }) {
        times.push(now)
        // Not from inside the turn.
        if (times.length === 3) void Promise.resolve().then(() => (resets = world.reset()))
      },
    })

    await world.clock.advance('1h')
    await resets

    expect(world.clock.now()).toBe(startAt)
    expect(times.length).toBeLessThan(10)
  })

  it('lets all else have its turn', async () => {
    let others = 0
    const busy = (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; );
    }
    const { world } = kept({
      dueAt: ({ lobby_id }, after) => (lobby_id === 'l0' ? everySecond({}, after) : undefined),
      happen: () => busy(5),
    })
    const ticking = setInterval(() => (others += 1), 1)

    await world.clock.advance('40s')
    clearInterval(ticking)

    expect(others).toBeGreaterThan(2)
  })
})

describe('a scenario that ships, alive', { tags: ['slow'] }, () => {
  it.each(Object.keys(scenarios) as (keyof typeof scenarios)[])('%s goes on for an hour', async name => {
    const mock = createMockmaker({ scenario: { ...scenarios[name], clock: 'frozen' }, live: true })
    onTestFinished(() => mock.close())

    await mock.world.clock.advance('1h')

    // Nobody comes where there is no game mode.
    expect(mock.simulations().length > 0).toBe(mock.world.gameModes.count() > 0)
    expect(misfits(mock.world as LiveWorld)).toEqual([]) // which is what the world of a mock is
  })
})

/** Lobbies whose seats are not those of their players. */
function misfits({ lobbies, players }: Pick<LiveWorld, TableName>): string[] {
  return lobbies
    .all()
    .filter(({ lobby_id, reserved_player_count, total_player_count }) => {
      const of = (status: string) =>
        players.findMany(q => q.where({ lobby_id })).filter(player => player.status === status).length
      return of('reserved') !== reserved_player_count || of('connected') > total_player_count
    })
    .map(({ lobby_id }) => lobby_id)
}
