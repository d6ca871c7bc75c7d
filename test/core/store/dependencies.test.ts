import { fc, it } from '@fast-check/vitest'
import { describe, expect, vi } from 'vitest'
import { Dependencies } from '../../../src/core/store/dependencies.js'
import { fullestGroup } from '../../../src/core/store/models.js'
import { createWorld, type LiveWorld, type WorldView } from '../../../src/core/store/world.js'
import {
  type RandomTransaction,
  randomTransaction,
  succeeds,
  transactionsIn,
} from '../../support/random-transactions.js'
import { smallWorld } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'

type Read = (view: WorldView) => unknown

const id = fc.constantFrom('tanks', 'boats', 'g2', 'g3')
const name = fc.constantFrom('tanks', 'boats', 'red', 'green', 'blue')
const lobbyId = fc.constantFrom('l0', 'l1', 'l3')
/** Reads like those of watches: of rows, watched sums and views. */
const watchedRead = fc.constantFrom<Read>(
  ({ tables }) => tables.deviceLinks.get('device.mock.sofa'),
  ({ tables }) => tables.namespaces.get('prod'),
  ({ tables }) => tables.lobbies.sum('players', 'prod'),
  ({ tables }) => tables.namespaces.inView('game_id', 'tanks', { game_id: 'tanks' }).map(row => row.display_name),
  ({ tables }) => tables.namespaces.inView('game_id', 'boats', { game_id: 'boats' }).map(row => row.display_name),
  ({ tables }) => tables.regions.inView('names', '', {}).length,
)
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
  it.prop([...history], { numRuns: 50 })(
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

  it.prop([watchedRead, fc.array(event, { minLength: 1, maxLength: 20 })], { numRuns: 50 })(
    'of a watch keeps its revision until a dependency changes, after any other reads and in a fork',
    async (read, events) => {
      const [asked, unasked] = [smallWorld(), smallWorld()]

      for (const event of events) {
        const before = readAndListen(asked, read)
        for (const world of [asked, unasked]) await applyEvent(event, world)
        const { revision } = asked.read(read)
        before.stop()
        if (!before.listener.isCalled) expect(revision).toBe(before.revision)
        expect(createWorld(asked.state).read(read).revision).toBe(revision)
      }

      expect(unasked.read(read).revision).toBe(asked.read(read).revision)
    },
  )

  it.prop([...history], { numRuns: 50 })(
    'has a revision that never decreases while the clock is frozen',
    async (read, events) => {
      const world = smallWorld()
      const revisions = [world.read(read).revision]

      for (const event of events) {
        if (event !== 'advance') await applyEvent(event, world)
        revisions.push(world.read(read).revision)
      }

      expect(revisions).toEqual([...revisions].sort((a, b) => a - b))
    },
  )

  it.prop([...history], { numRuns: 50 })(
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

  it.prop([...history], { numRuns: 50 })(
    'has the same result if its indexes are built before or after the writes',
    async (read, events) => {
      const [early, late] = [smallWorld(), smallWorld()]
      early.read(read)

      for (const world of [early, late]) for (const event of events) await applyEvent(event, world)

      expect(JSON.stringify(late.read(read).value)).toBe(JSON.stringify(early.read(read).value))
    },
  )

  it.prop([name, id, fc.array(event, { minLength: 1, maxLength: 20 })], { numRuns: 50 })(
    'finds by index the same rows as a full scan, in the same order',
    async (name_id, game_id, events) => {
      const world = smallWorld()

      for (const event of events) {
        await applyEvent(event, world)
        const { games, tokens } = world
        expect([games.findMany(q => q.where({ name_id })), tokens.findMany(q => q.where({ game_id }))]).toEqual([
          games.all().filter(row => row.name_id === name_id),
          tokens.all().filter(row => 'game_id' in row && row.game_id === game_id),
        ])
      }
    },
  )

  it('records the row, group, sum, view or table that it read', () => {
    const world = smallWorld()

    const tags = [
      world.read(({ tables }) => tables.games.get('tanks')),
      world.read(({ tables }) => tables.namespaces.findMany(q => q.where({ game_id: 'tanks' }))),
      world.read(({ tables }) => tables.lobbies.sum('players', 'prod')),
      world.read(({ tables }) => tables.regions.inView('names', '', {})),
      world.read(({ tables }) => tables.games.all()),
    ].map(reading => [...reading.tags])

    expect(tags).toEqual([
      ['games#tanks'],
      ['namespaces.game_id=tanks'],
      ['lobbies+players=prod'],
      ['regions~names='],
      ['games'],
    ])
  })

  it('of a deleted row has the revision that deleted it', async () => {
    const world = smallWorld()

    world.lobbies.delete('l0')

    expect(world.read(({ tables }) => tables.lobbies.get('l0')).revision).toBe(world.revision)
  })

  it('records the earliest time at which the clock alone may change its result', () => {
    const world = smallWorld()

    const { value, until } = world.read(({ hasPassed }) => [30, 10, 20, 0, -5].map(ms => hasPassed(startAt + ms)))

    expect([value, until]).toEqual([[false, false, false, true, true], startAt + 10])
  })

  it('is stale when a reset puts the clock before that time', async () => {
    const world = smallWorld()
    await world.clock.advance(10)
    const { listener } = readAndListen(world, ({ hasPassed }) => hasPassed(startAt + 5))

    world.reset()

    expect(listener.isCalled).toBe(true)
  })

  it('adds the dependencies of an inner read to the outer one, even if the inner one throws', () => {
    const world = smallWorld()
    const inner: Read = ({ tables, hasPassed }) => {
      tables.games.get('tanks')
      hasPassed(startAt + 1)
      throw new Error('found nothing')
    }

    const { tags, until } = world.read(({ tables }) => {
      tables.regions.all()
      expect(() => world.read(inner)).toThrow('found nothing')
    })

    expect([tags, until]).toEqual([['regions', 'games#tanks'], startAt + 1])
  })

  it('has no dependencies of reads outside of it', () => {
    const world = smallWorld()

    const { tags } = world.read(() => undefined)
    world.games.all()

    expect(tags).toEqual([])
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

  it('are not called for other changes', () => {
    const dependencies = new Dependencies()
    const onChange = vi.fn()
    dependencies.listen(['a'], { onChange })

    dependencies.notify(new Set(['b']))

    expect(onChange).not.toHaveBeenCalled()
  })

  it('are not called after they are removed, even twice', () => {
    const dependencies = new Dependencies()
    const [ended, stays] = [{ onChange: vi.fn() }, { onChange: vi.fn() }]
    dependencies.listen(['a', 'b'], ended)
    dependencies.listen(['a'], stays)

    dependencies.unlisten(['a', 'b'], ended)
    dependencies.unlisten(['a', 'b'], ended)
    dependencies.notify(new Set(['a', 'b']))

    expect(ended.onChange).not.toHaveBeenCalled()
    expect(stays.onChange).toHaveBeenCalledOnce()
  })

  it('are not called if an earlier listener removes them', () => {
    const dependencies = new Dependencies()
    const ended = { onChange: vi.fn() }
    dependencies.listen(['a'], { onChange: () => dependencies.unlisten(['a'], ended) })
    dependencies.listen(['a'], ended)

    dependencies.notify(new Set(['a']))

    expect(ended.onChange).not.toHaveBeenCalled()
  })

  it('are called once if they subscribe again during the delivery', () => {
    const dependencies = new Dependencies()
    const again = { onChange: vi.fn(() => dependencies.listen(['a'], again)) }
    dependencies.listen(['a'], again)

    dependencies.notify(new Set(['a']))

    expect(again.onChange).toHaveBeenCalledOnce()
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
