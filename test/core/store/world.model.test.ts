import { fc, it } from '@fast-check/vitest'
import { Query } from '@mswjs/data'
import { describe, expect, inject } from 'vitest'
import type { RowQuery } from '../../../src/core/store/query.js'
import type { ReadTable } from '../../../src/core/store/table-calls.js'
import { LiveWorld } from '../../../src/core/store/world.js'
import { dump, smallDefinition, smallRows, smallWorld } from '../../support/small-world.js'
import { indexProblems } from './check-tables.js'
import {
  type Columns,
  plainTransaction,
  play,
  type RandomTransaction,
  randomTransaction,
  succeeds,
  writtenTables,
} from './random-transactions.js'
import { WorldModel } from './world-model.js'

type Event =
  | { readonly does: 'transact'; readonly transaction: RandomTransaction }
  | { readonly does: 'reset' | 'fork' }
  | { readonly does: 'reload'; readonly name: string }
  | { readonly does: 'advance' | 'set the clock'; readonly ms: number }

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 10, arbitrary: randomTransaction.map((transaction): Event => ({ does: 'transact', transaction })) },
  { weight: 1, arbitrary: fc.constantFrom<Event>({ does: 'reset' }, { does: 'fork' }) },
  { weight: 1, arbitrary: fc.constantFrom('A', 'B').map((name): Event => ({ does: 'reload', name })) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('advance' as const, 'set the clock' as const), ms: fc.nat(3000) }),
  },
)
const history = fc.array(fc.tuple(event, fc.boolean()), { minLength: 1, maxLength: 12 })

const numRuns = inject('runs')

describe('a world', () => {
  it.prop([history], { numRuns })('behaves like a simple model, through any commands', async events => {
    let world = smallWorld()
    const model = modelOf(world)
    const left: { readonly world: LiveWorld; readonly dump: string }[] = []

    for (const [event, isLookedAt] of events) {
      if (event.does === 'fork') left.push({ world, dump: dump(world) })
      world = await applyEvent(event, world, { model, isFork: left.length > 0, isLookedAt })
      expect(stateOf(world)).toEqual({
        ...model.rows,
        random: model.random,
        revision: model.revision,
        now: model.now,
      })
      // An index is built on first use: some early, others late.
      if (isLookedAt) expect(indexProblems(world)).toEqual([])
    }

    expect(indexProblems(world)).toEqual([])
    expect(left.map(({ world }) => dump(world))).toEqual(left.map(({ dump }) => dump))
  })

  it.prop([fc.array(plainTransaction, { maxLength: 3 }), plainTransaction], { numRuns })(
    'is unchanged to the byte after a failed transaction, indexes included',
    (before, failing) => {
      const world = smallWorld()
      for (const one of before) succeeds(one, world)
      expect(indexProblems(world)).toEqual([])
      const was = dump(world)

      const hasSucceeded = succeeds({ ...failing, ends: 'throwing' }, world)

      expect([hasSucceeded, dump(world)]).toEqual([false, was])
      expect(indexProblems(world)).toEqual([])
    },
  )

  it.prop([fc.array(plainTransaction, { maxLength: 3 }), randomTransaction], { numRuns })(
    'finds by each kind of query the same rows as a filter of all rows, inside and outside of a transaction',
    (before, last) => {
      const world = smallWorld()
      for (const one of before) succeeds(one, world)
      expect(queryProblems(world)).toEqual([])

      try {
        play(last, world, tx => expect([...queryProblems(tx), ...indexProblems(world)]).toEqual([]))
      } catch (error) {
        if ((error as Error).name === 'AssertionError') throw error
      }

      expect(queryProblems(world)).toEqual([])
    },
  )
})

function modelOf(world: LiveWorld): WorldModel {
  const rows = Object.fromEntries(writtenTables.map(name => [name, world.tables[name].all()]))
  const { revision } = world
  return new WorldModel(rows as never, { random: world.random.save(), now: world.clock.now(), revision }) // all tables
}

function stateOf(world: LiveWorld): object {
  const rows = writtenTables.map(name => [name, world.tables[name].all()])
  const { revision } = world
  return { ...Object.fromEntries(rows), random: world.random.save(), revision, now: world.clock.now() }
}

/** Applies an event to a world and its model, and returns the world that continues. */
async function applyEvent(
  event: Event,
  world: LiveWorld,
  { model, isFork, isLookedAt }: { readonly model: WorldModel; readonly isFork: boolean; readonly isLookedAt: boolean },
): Promise<LiveWorld> {
  switch (event.does) {
    case 'transact': {
      const before = isLookedAt && dump(world)
      const hasSucceeded = succeeds(event.transaction, world)
      expect(hasSucceeded).toBe(model.play(event.transaction))
      if (!hasSucceeded && isLookedAt) expect(dump(world)).toBe(before)
      return world
    }
    case 'reset':
      world.reset()
      model.reset()
      return world
    case 'fork':
      model.fork()
      return new LiveWorld(world.state)
    case 'reload': {
      // reload.test.ts covers merges with conflicts.
      if (isFork || !world.games.get('tanks')) return world
      const rows = smallRows()
      const games = rows.games.map(row => (row.game_id === 'tanks' ? { ...row, display_name: event.name } : row))
      world.reload(smallDefinition({ rows: { ...rows, games } }))
      model.reload('tanks', event.name)
      return world
    }
    case 'advance':
      await world.clock.advance(event.ms)
      model.advance(event.ms)
      return world
    case 'set the clock':
      model.advance(event.ms)
      await world.clock.set({ now: new Date(model.now).toISOString() })
      return world
  }
}

/** Queries for each table: by id, by a unique value, by an indexed and another column, and by several. */
const questions: Readonly<Record<(typeof writtenTables)[number], readonly Columns[]>> = {
  games: [{ game_id: 'g2' }, { name_id: 'red' }, { display_name: 'tanks' }, { game_id: 'tanks', name_id: 'red' }, {}],
  namespaces: [
    { namespace_id: 'n2' },
    { game_id: 'tanks' },
    { name_id: 'prod' },
    { game_id: 'boats', name_id: 'beta' },
  ],
  lobbies: [
    { lobby_id: 'l1' },
    { namespace_id: 'prod' },
    { is_closed: true },
    { namespace_id: 'prod', total_player_count: 1 },
    { namespace_id: 'prod', region_id: 'atl' },
  ],
  players: [
    { player_token: 'p0' },
    { lobby_id: 'l0' },
    { lobby_id: 'l0', status: 'reserved' },
    { status: 'connected' },
    { namespace_id: 'prod', address: '127.0.0.1' },
  ],
  tokens: [{ token: 't1' }, { game_id: 'boats' }, { namespace_id: 'prod' }, { kind: 'cloud', game_id: 'tanks' }],
}

type Readable = { readonly [Name in (typeof writtenTables)[number]]: unknown }

/** Returns the queries whose results differ from a filter. */
function queryProblems(tables: Readable): string[] {
  return writtenTables.flatMap(name => {
    const table = tables[name] as ReadTable<Columns>
    const rows = table.all()
    const problems: string[] = []
    const compare = (
      what: string,
      query: (q: RowQuery<Columns>) => RowQuery<Columns>,
      test: (row: Columns) => boolean,
    ) => {
      const expected = rows.filter(test)
      const found = [table.findMany(query), [table.findFirst(query) ?? null], table.count(query)]
      const shouldBe = [expected, [expected[0] ?? null], expected.length]
      if (JSON.stringify(found) !== JSON.stringify(shouldBe)) problems.push(`${name} ${what}`)
    }
    for (const [i, asked] of questions[name].entries()) {
      const text = JSON.stringify(asked)
      const next = questions[name][(i + 1) % questions[name].length] ?? {}
      const has = (columns: Columns) => (row: Columns) =>
        Object.entries(columns).every(([column, value]) => row[column] === value)
      compare(`where ${text}`, q => q.where(asked as never), has(asked))
      compare(`where a function ${text}`, q => q.where(has(asked)), has(asked))
      compare(`a query ${text}`, () => new Query<Columns>(has(asked)), has(asked))
      compare(
        `${text} and`,
        q => q.where(asked as never).and(next as never),
        row => has(asked)(row) && has(next)(row),
      )
      compare(
        `${text} or`,
        q => q.where(asked as never).or(next as never),
        row => has(asked)(row) || has(next)(row),
      )
    }
    return problems
  })
}
