import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject, vi } from 'vitest'
import { Dependencies } from '../../../src/core/store/dependencies.js'
import { fullestGroup } from '../../../src/core/store/models.js'
import type { LiveWorld, ReadView } from '../../../src/core/store/world.js'
import { smallWorld } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'
import { type RandomTransaction, randomTransaction, succeeds, transactionsIn } from './random-transactions.js'

type Read = (view: ReadView) => unknown

const id = fc.constantFrom('tanks', 'boats', 'g2', 'g3')
const name = fc.constantFrom('tanks', 'boats', 'red', 'green', 'blue')
const lobbyId = fc.constantFrom('l0', 'l1', 'l3')
const simpleRead: fc.Arbitrary<Read> = fc.oneof(
  id.map(
    (id): Read =>
      ({ tables }) =>
        tables.games.get(id),
  ),
  id.map(
    (id): Read =>
      ({ tables }) =>
        tables.games.findFirst(q => q.where({ game_id: id })),
  ),
  name.map(
    (name): Read =>
      ({ tables }) =>
        tables.games.findMany(q => q.where({ name_id: name })),
  ),
  name.map(
    (name): Read =>
      ({ tables }) =>
        tables.games.findFirst(q => q.where({ name_id: name })),
  ),
  name.map(
    (name): Read =>
      ({ tables }) =>
        tables.games.withUnique('name_id', name),
  ),
  lobbyId.map(
    (lobby_id): Read =>
      ({ tables }) =>
        tables.players.inIndex('lobby_id', { lobby_id }),
  ),
  lobbyId.map(
    (lobby_id): Read =>
      ({ tables }) =>
        tables.players.findMany(q => q.where({ lobby_id, status: 'reserved' })),
  ),
  fc.constantFrom<Read>(
    ({ tables }) => tables.lobbies.sum('players', 'prod'),
    ({ tables }) => tables.lobbies.sum('running', 'prod'),
    ({ tables }) => tables.players.sum('seats', 'prod 127.0.0.1'),
    ({ tables }) => tables.namespaces.inView('game_id', 'tanks', { game_id: 'tanks' }).map(row => row.display_name),
    ({ tables }) => tables.regions.inView('names', '', {}).length,
    ({ tables }) => tables.games.first(),
    ({ tables }) => tables.games.count(),
    ({ tables }) =>
      tables.lobbies.firstInIndex(
        'fullest',
        fullestGroup({ namespace_id: 'prod', game_mode_id: 'duel', region_id: 'fra' }),
        () => true,
      ),
  ),
  id.map(
    (id): Read =>
      ({ tables }) =>
        tables.tokens.findMany(q => q.where({ game_id: id })),
  ),
  name.map(
    (name): Read =>
      ({ tables }) =>
        tables.games.findMany(q => q.where(game => game.name_id === name)),
  ),
  fc.constant<Read>(({ tables }) => tables.games.all()),
  fc.integer({ min: 1, max: 9 }).map(
    (ms): Read =>
      ({ hasPassed }) =>
        hasPassed(startAt + ms),
  ),
)
const read: fc.Arbitrary<Read> = fc.oneof(
  simpleRead,
  fc.tuple(id, simpleRead, simpleRead).map(
    ([id, one, other]): Read =>
      view =>
        view.tables.games.get(id) ? one(view) : [other(view)],
  ),
  fc.tuple(simpleRead, simpleRead).map(
    ([one, other]): Read =>
      view => [one(view), other(view)],
  ),
)

type Event = RandomTransaction | 'reset' | 'advance'
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 5, arbitrary: randomTransaction },
  { weight: 5, arbitrary: transactionsIn('games', 'tokens') },
  { weight: 1, arbitrary: fc.constantFrom('reset' as const, 'advance' as const) },
)

async function applyEvent(event: Event, world: LiveWorld): Promise<void> {
  if (event === 'reset') return world.reset()
  if (event === 'advance') return world.clock.advance(3)
  succeeds(event, world)
}

/** Reads, and records whether a listener on the dependencies is called. */
function readAndListen(world: LiveWorld, read: Read) {
  const reading = world.read(read)
  const listener = {
    isCalled: false,
    onChange() {
      listener.isCalled = true
      stop()
    },
  }
  const stop = () => world.dependencies.unlisten(reading.tags, listener)
  world.dependencies.listen(reading.tags, listener)
  return { ...reading, listener, stop, json: JSON.stringify(reading.value) }
}

const history = [read, fc.array(event, { minLength: 1, maxLength: 20 })] as const

describe('a tracked read', () => {
  it.prop([...history], { numRuns: inject('runs') })(
    'has the same result until a dependency changes or its time is reached',
    async (read, events) => {
      const world = smallWorld()

      for (const event of events) {
        const before = readAndListen(world, read)
        await applyEvent(event, world)
        const after = world.read(read)
        before.stop()
        if (before.listener.isCalled || (before.until ?? Number.POSITIVE_INFINITY) <= world.clock.now()) continue
        expect(JSON.stringify(after.value)).toBe(before.json)
      }
    },
  )

  it.prop([...history], { numRuns: inject('runs') })(
    'has a higher revision whenever its result has changed',
    async (read, events) => {
      const world = smallWorld()

      for (const event of events) {
        const before = world.read(read)
        if (event !== 'advance') await applyEvent(event, world)
        const after = world.read(read)
        if (JSON.stringify(before.value) !== JSON.stringify(after.value))
          expect(after.revision).toBeGreaterThan(before.revision)
      }
    },
  )

  it('is stale when a reset puts the clock before that time', async () => {
    const world = smallWorld()
    await world.clock.advance(10)
    const { listener } = readAndListen(world, ({ hasPassed }) => hasPassed(startAt + 5))

    world.reset()

    expect(listener.isCalled).toBe(true)
  })
})

describe('listeners', () => {
  it('are called once for a change of several dependencies', () => {
    const dependencies = new Dependencies()
    const onChange = vi.fn()
    dependencies.listen(['a', 'b'], { onChange })

    dependencies.notify(new Set(['a', 'b', 'c']))

    expect(onChange).toHaveBeenCalledOnce()
  })

  it('are all called if one throws, whose error is thrown in the end', () => {
    const dependencies = new Dependencies()
    const onChange = vi.fn()
    dependencies.listen(['a'], {
      onChange() {
        throw new Error('a bug of a listener')
      },
    })
    dependencies.listen(['a'], { onChange })

    expect(() => dependencies.notify(new Set(['a']))).toThrow('a bug of a listener')

    expect(onChange).toHaveBeenCalledOnce()
  })
})
