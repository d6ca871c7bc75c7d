import { describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'
import type { LiveWorld } from '../../../src/core/store/world.js'
import type { TransactionTables } from '../../../src/core/store/world-tables.js'
import { dump, game, smallDefinition, smallWorld } from '../../support/small-world.js'
import { indexProblems } from './check-tables.js'

class Stop extends Error {}

/** Writes to several tables, draws random numbers, counts, and deletes. */
function writeMuch({ games, lobbies, players, deviceLinks }: TransactionTables): void {
  games.create({ name_id: 'cars' })
  games.update('boats', { name_id: 'ships' })
  lobbies.createMany(2, () => ({}))
  lobbies.delete('l1')
  players.create({ lobby_id: 'l0' })
  deviceLinks.clear()
}

type Write = (tx: TransactionTables, world: LiveWorld) => unknown

const failures: readonly (readonly [what: string, write: Write, message: string])[] = [
  [
    'returns a promise',
    async tx => tx.games.create(game('cars')),
    'the function of a transaction returned a promise: await first, then write in one go',
  ],
  [
    'returns a promise that rejects',
    () => Promise.reject(new Error('later')),
    'the function of a transaction returned a promise',
  ],
  [
    'gives an update a function that returns a promise',
    tx => tx.games.update(q => q.where({ game_id: 'tanks' }), { data: async () => {} }),
    'data returned a promise inside a transaction: await first, then write',
  ],
  [
    'gives an update of several rows a function that returns a promise',
    tx => tx.games.updateMany(undefined, { data: async () => {} }),
    'data returned a promise inside a transaction: await first, then write',
  ],
  [
    'violates a reference',
    tx => tx.lobbies.create({ namespace_id: 'none', game_mode_id: 'duel', lobby_id: 'new' }),
    'lobbies "new": namespace_id is "none", which does not exist. Known: prod, beta.',
  ],
  [
    'deletes a row that others refer to',
    tx => tx.games.delete('boats'),
    'games "boats": namespace beta still refers to it: delete both in one transaction',
  ],
  [
    'violates a unique key',
    tx => tx.games.create({ game_id: 'twin', name_id: 'tanks' }),
    'games "twin": name_id "tanks" is taken by game tanks: choose another',
  ],
  ['uses an id twice', tx => tx.games.create(game('tanks')), 'games.create: game_id "tanks" exists already'],
  [
    'violates a capacity',
    tx => tx.players.createMany(9, () => ({ lobby_id: 'l2' })),
    'lobby l2: expected at most 8 players, the largest limit of the lobby',
  ],
  [
    'violates a schema',
    tx => tx.lobbies.update('l2', { is_closed: 'no' as never }),
    'lobbies.update: is_closed is "no": expected boolean',
  ],
  ['names an unknown id', tx => tx.lobbies.delete('l9'), 'lobbies.delete: no record has the id "l9".'],
  ['resets its world', (_, world) => world.reset(), 'a transaction cannot replace its world: end it first'],
  [
    'loads another state into its world',
    (_, world) => world.replaceState(smallWorld().state, { cause: { kind: 'load' } }),
    'a transaction cannot replace its world: end it first',
  ],
  [
    'reloads its world',
    (_, world) => world.reload(smallDefinition()),
    'a transaction cannot reload its world: end it first',
  ],
]

describe.each(failures)('a transaction that %s', (_what, write, message) => {
  it('throws a UsageError with the mistake', () => {
    const world = smallWorld()

    const transact = () => world.transaction(tx => write(tx, world))

    expect(transact).toThrow(UsageError)
    expect(transact).toThrow(message)
  })

  it('leaves the world unchanged, to the byte', () => {
    const world = smallWorld()
    expect(indexProblems(world)).toEqual([])
    const before = dump(world)

    const transact = () =>
      world.transaction(tx => {
        writeMuch(tx)
        return write(tx, world)
      })

    expect(transact).toThrow()
    expect(dump(world)).toBe(before)
    expect(indexProblems(world)).toEqual([])
  })

  it('undoes only its own writes if an outer transaction catches its error', () => {
    const [world, other] = [smallWorld(), smallWorld()]

    // References and unique keys are checked when the outer one ends. The throw has the same effect.
    world.transaction(tx => {
      tx.games.update('tanks', { display_name: 'Outer' })
      expect(() =>
        world.transaction(inner => {
          writeMuch(inner)
          const value = write(inner, world)
          if (value instanceof Promise) return value
          throw new Stop()
        }),
      ).toThrow()
      tx.lobbies.create({})
    })
    other.transaction(tx => {
      tx.games.update('tanks', { display_name: 'Outer' })
      tx.lobbies.create({})
    })

    expect(dump(world)).toBe(dump(other))
    expect(indexProblems(world)).toEqual([])
  })
})

describe('a transaction', () => {
  it('refuses an argument that is not a function', () => {
    // The types forbid this.
    expect(() => smallWorld().transaction({} as never)).toThrow(
      new UsageError('world.transaction expects a function, as in world.transaction(tx => …)'),
    )
  })

  it('keeps other writes if it catches the error of a refused call', () => {
    const world = smallWorld()

    world.transaction(({ games }) => {
      games.create(game('cars'))
      expect(() => games.create(game('tanks'))).toThrow('exists already')
      games.create(game('bikes'))
    })

    expect(world.games.all().map(({ game_id }) => game_id)).toEqual(['tanks', 'boats', 'cars', 'bikes'])
  })

  it('has one revision and one change set, nested transactions included', () => {
    const world = smallWorld()
    const subscriber = vi.fn()
    world.subscribe(subscriber)

    world.transaction(tx => {
      tx.games.create(game('cars'))
      world.transaction(inner => inner.games.create(game('bikes')))
    })

    expect(subscriber.mock.calls.map(([{ changes }]) => changes.length)).toEqual([2])
  })

  it('does not include writes to another world, which stay if it fails', () => {
    const [world, other] = [smallWorld(), smallWorld()]

    expect(() =>
      world.transaction(() => {
        other.transaction(({ games }) => games.create(game('guest')))
        throw new Stop()
      }),
    ).toThrow(Stop)

    expect(other.games.get('guest')).toEqual(game('guest'))
  })

  it('has a constant time, and cannot change the clock', async () => {
    const world = smallWorld({ clock: 'running' })

    const [first, second, move] = world.transaction(() => {
      const before = world.clock.now()
      for (const since = Date.now(); Date.now() - since < 3; );
      return [before, world.clock.now(), { moved: world.clock.advance(5) }] as const
    })

    expect(second).toBe(first)
    await expect(move.moved).rejects.toThrow('a transaction cannot move the clock: move it after the transaction')
  })
})

describe('a transaction that has ended', () => {
  it.each([
    ['well', () => {}],
    [
      'by throwing',
      () => {
        throw new Stop()
      },
    ],
  ])('%s refuses writes through its saved tables', (_how, end) => {
    const world = smallWorld()
    const kept: TransactionTables[] = []
    const tables: TransactionTables['games'][] = []
    try {
      world.transaction(tx => {
        kept.push(tx)
        tables.push(tx.games)
        end()
      })
    } catch (error) {
      expect(error).toBeInstanceOf(Stop)
    }
    const before = dump(world)
    const message = 'games: this transaction has ended. Write inside its function, or call world.transaction again'

    for (const games of [kept[0]?.games, tables[0]]) {
      expect(() => games?.create(game('late'))).toThrow(new UsageError(message))
      expect(() => games?.createMany(1, () => game('late'))).toThrow(new UsageError(message))
      expect(() => games?.update('tanks', {})).toThrow(new UsageError(message))
      expect(() => games?.updateMany(undefined, { data() {} })).toThrow(new UsageError(message))
      expect(() => games?.delete('tanks')).toThrow(new UsageError(message))
      expect(() => games?.deleteMany()).toThrow(new UsageError(message))
      expect(() => games?.clear()).toThrow(new UsageError(message))
    }
    expect(dump(world)).toBe(before)
  })

  it('refuses the writes of an async function after its first await', async () => {
    const world = smallWorld()
    const errors: unknown[] = []
    const write = async ({ games }: TransactionTables) => {
      await Promise.resolve()
      try {
        games.create(game('late'))
      } catch (error) {
        errors.push(error)
      }
    }

    expect(() => world.transaction(write)).toThrow('returned a promise')
    await expect.poll(() => errors).toHaveLength(1)

    expect(errors).toEqual([expect.any(UsageError)])
    expect(world.games.get('late')).toBeUndefined()
  })
})

describe('table calls outside of a transaction', () => {
  it('keep all of 100 concurrent increments', async () => {
    const world = smallWorld()
    const increment = () =>
      world.namespaces.update(q => q.where({ namespace_id: 'prod' }), {
        data(draft) {
          draft.lobby_count_max += 1
        },
      })

    await Promise.all(Array.from({ length: 100 }, increment))

    expect(world.namespaces.get('prod')?.lobby_count_max).toBe(228)
  })

  it('await an asynchronous data function, and keep writes that are made meanwhile', async () => {
    const world = smallWorld()

    const update = world.namespaces.update(q => q.where({ namespace_id: 'prod' }), {
      data: async draft => {
        await Promise.resolve()
        draft.lobby_count_max = 7
      },
    })
    await world.namespaces.update('prod', { display_name: 'Meanwhile' })

    expect(await update).toMatchObject({ lobby_count_max: 7, display_name: 'Meanwhile' })
    expect(world.namespaces.get('prod')).toMatchObject({ lobby_count_max: 7, display_name: 'Meanwhile' })
  })

  it('change nothing if one of several rows is refused', async () => {
    const world = smallWorld()
    const before = dump(world)

    const update = world.games.updateMany(undefined, {
      data(draft) {
        draft.name_id = 'same'
      },
    })

    await expect(update).rejects.toThrow('is taken by game boats: choose another')
    expect(dump(world)).toBe(before)
  })
})
