import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { runAtOnce } from '../../src/lib/steps.js'
import { type ChangeSet, memoryOf, undoChangeSets } from '../../src/store/change-set.js'
import { createWorld, type LiveWorld } from '../../src/store/world.js'
import { createState, type WorldState } from '../../src/store/world-state.js'
import { dump, lobby, smallDefinition, smallRows } from '../support/small-world.js'
import { startAt } from '../support/tanks.js'
import { snapshotOf } from '../support/worlds.js'

const load = { kind: 'load' } as const

/** More lobbies than a transaction replaces one by one. */
const ids = Array.from({ length: 400 }, (_, i) => `l${i}`)

/** A lobby of another namespace, whose players a later state does not change. */
const elsewhere = { ...lobby('elsewhere'), namespace_id: 'beta' }

const stateOf = (lobbies: readonly object[], now = startAt) =>
  createState(smallDefinition({ now, rows: { ...smallRows(), lobbies } }))
const first = stateOf([...ids.map(lobby), elsewhere])

/** The lobbies of a state: which ones there are, and in which order. */
interface Other {
  readonly from: number
  readonly to: number
  readonly isReversed: boolean
  /** Every such row is as in the first state. */
  readonly unchanged: number
}
const other: fc.Arbitrary<Other> = fc.record({
  from: fc.oneof(fc.constant(0), fc.nat(100)),
  to: fc.integer({ min: 400, max: 450 }),
  isReversed: fc.boolean(),
  unchanged: fc.integer({ min: 3, max: 20 }),
})

function otherState({ from, to, isReversed, unchanged }: Other): WorldState {
  const all = [...ids, ...Array.from({ length: 50 }, (_, i) => `new${i}`)].slice(from, to)
  const lobbies = (isReversed ? all.toReversed() : all).map((id, i) => ({
    ...lobby(id),
    ...(i % unchanged === 0 ? {} : { total_player_count: i % 2, state: { map: `${i % 3}` } }),
  }))
  return stateOf([...lobbies, { ...elsewhere, total_player_count: 1, state: {} }], startAt + 1_000)
}

/** A write to a lobby, while the replacement is prepared. */
type Write = { readonly does: 'delete' | 'seat' | 'add' | 'take' | 'take again'; readonly n: number }
const write: fc.Arbitrary<Write> = fc.record({
  does: fc.constantFrom('delete', 'seat', 'add', 'take', 'take again'),
  n: fc.nat(449),
})

function play({ does, n }: Write, { tables }: LiveWorld, { tables: target }: WorldState): void {
  const id = ids[n] ?? `new${n - 400}`
  const { lobbies } = tables
  if (does === 'delete') lobbies.delete(id)
  if (does === 'seat') lobbies.put(Object.freeze({ ...lobby(id), total_player_count: 1 }) as never)
  if (does === 'add') lobbies.put(Object.freeze(lobby(`made${n}`)) as never)
  // The row that the new state has: in its place, or at the end of the table.
  const row = target.lobbies.entry(id)?.row
  if (does === 'take again') lobbies.delete(id)
  if (row && (does === 'take' || does === 'take again')) lobbies.put(row)
}

/** A world whose indexes and sums are in use, and its change sets. */
function usedWorld(): { readonly world: LiveWorld; readonly changeSets: ChangeSet[] } {
  const changeSets: ChangeSet[] = []
  const world = createWorld(first, changeSet => void changeSets.push(changeSet))
  queries(world)
  world.write(() => world.tables.lobbies.put(Object.freeze({ ...elsewhere, total_player_count: 1 }) as never))
  return { world, changeSets }
}

function queries({ tables: { lobbies } }: LiveWorld): object {
  return {
    inNamespace: lobbies.inIndex('namespace_id', { namespace_id: 'prod' }).map(({ lobby_id }) => lobby_id),
    players: lobbies.sum('players', 'prod'),
    // Of groups that many, one, and no write has touched.
    stamps: ['prod', 'beta', 'none'].map(group => lobbies.state.stamp(`lobbies+players=${group}`)),
    jobs: [...lobbies.state.entriesByRank('nextJobAt')].length,
  }
}

const asSet = ({ changes }: Pick<ChangeSet, 'changes'>) => changes.map(change => JSON.stringify(change)).sort()

describe('a prepared replacement', () => {
  property.prop([other, fc.array(write, { maxLength: 12 })], { numRuns: 12 })(
    'has the effect of one that is not prepared, whatever is written meanwhile',
    (next, writes) => {
      const state = otherState(next)
      const [prepared, plain] = [usedWorld(), usedWorld()]
      const playAll = ({ world }: { world: LiveWorld }) => {
        for (const one of writes) world.write(() => play(one, world, state))
      }

      const tables = runAtOnce(prepared.world.prepare(state))
      playAll(prepared)
      const before = snapshotOf(prepared.world.state)
      prepared.world.replaceState(state, { cause: load, prepared: tables })
      playAll(plain)
      plain.world.replaceState(state, { cause: load })

      expect(dump(prepared.world)).toBe(dump(plain.world))
      expect(queries(prepared.world)).toEqual(queries(plain.world))
      const [last, expected] = [prepared.changeSets.at(-1), plain.changeSets.at(-1)]
      expect(last && asSet(last)).toEqual(expected && asSet(expected))
      const { revision, at } = prepared.changeSets.at(-2) ?? { revision: first.revision, at: first.startsAt }
      const undone = runAtOnce(undoChangeSets(prepared.world.state, last ? [last] : [], { revision, at }))
      expect(snapshotOf(undone)).toEqual(before)
    },
  )

  it('is not visible before, and leaves nothing if its transaction fails', () => {
    const { world, changeSets } = usedWorld()
    const before = [dump(world), queries(world)]
    const state = otherState({ from: 10, to: 420, isReversed: true, unchanged: 3 })
    const prepared = runAtOnce(world.prepare(state))
    expect([dump(world), queries(world)]).toEqual(before)

    const replace = () =>
      world.replaceState(state, {
        cause: load,
        prepared,
        beforeCommit() {
          throw new Error('the storage is full')
        },
      })

    expect(replace).toThrow('the storage is full')
    expect([dump(world), queries(world), changeSets.length]).toEqual([...before, 1])
    world.write(() => world.tables.lobbies.delete('l7'))
    expect(world.tables.lobbies.count()).toBe(400)
  })

  it('counts the memory of its rows once', () => {
    const counts: number[] = []
    const count = (changeSet: ChangeSet, bytes?: ReadonlyMap<string, number>) =>
      void counts.push(memoryOf(changeSet, bytes))
    const lobbies = (map: string) => ids.map(id => ({ ...lobby(`${map}${id}`), state: { map } }))
    const [world, other] = [createWorld(first, count), createWorld(first, count)]
    const [state, same] = [stateOf(lobbies('dust')), stateOf(lobbies('dune'))]

    world.replaceState(state, { cause: load, prepared: runAtOnce(world.prepare(state)) })
    other.replaceState(same, { cause: load })

    expect(counts[0]).toBe(counts[1])
    expect(counts[0]).toBeGreaterThan(800 * 250)
  })

  it('is done at once for few rows', () => {
    const { world } = usedWorld()
    const few = createWorld(createState(smallDefinition()))

    expect(Object.values(runAtOnce(few.prepare(few.state)).tables)).toEqual(Array(10).fill(undefined))
    expect(Object.values(runAtOnce(world.prepare(world.state)).tables)).toEqual(Array(10).fill(undefined))
  })
})
