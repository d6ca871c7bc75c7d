import fc from 'fast-check'
import type { RowQuery } from '../../../src/core/store/query.js'
import type { TransactionTable } from '../../../src/core/store/table-calls.js'
import type { LiveWorld } from '../../../src/core/store/world.js'
import type { TransactionTables } from '../../../src/core/store/world-tables.js'
import { game, lobby, namespace } from '../../support/small-world.js'

/** The tables that steps write to. */
export const writtenTables = ['games', 'namespaces', 'lobbies', 'players', 'tokens'] as const
export type WrittenTable = (typeof writtenTables)[number]

export type Columns = Readonly<Record<string, unknown>>

/** One write of a transaction. Many are refused. */
export type Step =
  | { readonly does: 'create'; readonly table: WrittenTable; readonly row: Columns }
  /** Creates rows with random ids. */
  | { readonly does: 'draw game'; readonly name: string }
  | {
      readonly does: 'update'
      readonly table: WrittenTable
      readonly id: string
      readonly columns: Columns
      readonly by: 'id' | 'query'
    }
  | { readonly does: 'delete'; readonly table: WrittenTable; readonly id: string; readonly by: 'id' | 'query' }
  | { readonly does: 'delete where'; readonly table: WrittenTable; readonly where: Columns }
  /** A nested transaction, whose error the outer one catches. */
  | { readonly does: 'nest'; readonly steps: readonly Step[]; readonly ends: 'well' | 'throwing' }

/** A transaction of the small world. */
export interface RandomTransaction {
  readonly steps: readonly Step[]
  readonly ends: 'well' | 'throwing' | 'with a promise'
}

/** The primary key. */
export const idColumns: Readonly<Record<WrittenTable, string>> = {
  games: 'game_id',
  namespaces: 'namespace_id',
  lobbies: 'lobby_id',
  players: 'player_token',
  tokens: 'token',
}

const gameId = fc.constantFrom('tanks', 'boats', 'g2', 'g3')
const gameName = fc.constantFrom('tanks', 'boats', 'red', 'green', 'blue')
const namespaceId = fc.constantFrom('prod', 'beta', 'n2')
const lobbyId = fc.constantFrom('l0', 'l1', 'l3')
const playerToken = fc.constantFrom('p0', 'p1', 'p2', 'p3')
const token = fc.constantFrom('cloud.mock.tanks', 't1', 't2')
const status = fc.constantFrom('reserved', 'connected', 'removed')
const count = fc.nat(3)

/** The ids of each table, the columns of whole rows, and the columns of updates. */
const ingredients: Readonly<
  Record<WrittenTable, { id: fc.Arbitrary<string>; rest: fc.Arbitrary<Columns>; columns: fc.Arbitrary<Columns> }>
> = {
  games: {
    id: gameId,
    rest: fc.record({ name_id: gameName }),
    columns: fc.record({ name_id: gameName }),
  },
  namespaces: {
    id: namespaceId,
    rest: fc.record({ game_id: gameId, name_id: fc.constantFrom('prod', 'beta') }),
    columns: fc.record({ game_id: gameId, domains: fc.subarray(['a.example', 'b.example']) }, { requiredKeys: [] }),
  },
  lobbies: {
    id: lobbyId,
    rest: fc.tuple(count, count).map(([most, total_player_count]) => ({ ...limits(most), total_player_count })),
    columns: fc.oneof(
      fc.record({ total_player_count: count }),
      count.map(limits),
      fc.record({ is_closed: fc.boolean() }),
    ),
  },
  players: {
    id: playerToken,
    rest: fc.record({ lobby_id: lobbyId, status }),
    columns: fc.record({ status, lobby_id: lobbyId }, { requiredKeys: [] }),
  },
  tokens: {
    id: token,
    rest: fc.record({ game_id: gameId }),
    columns: fc.record({ game_id: gameId }),
  },
}

function limits(most: number): Columns {
  return { max_players_normal: most, max_players_direct: most, max_players_party: most }
}

/** Whole rows, so that the model needs no defaults. */
const rowOf: Readonly<Record<WrittenTable, (id: string, rest: Columns) => Columns>> = {
  games: (id, rest) => ({ ...game(id), ...rest }),
  namespaces: (id, rest) => ({ ...namespace(id, 'tanks'), ...rest }),
  lobbies: (id, rest) => ({ ...lobby(id), ...rest }),
  players: (player_token, rest) => ({ player_token, namespace_id: 'prod', address: '127.0.0.1', ...rest }),
  tokens: (token, rest) => ({ token, kind: 'cloud', expires_at: 1, ...rest }),
}

const by = fc.constantFrom('id' as const, 'query' as const)
const writeTo = (table: WrittenTable): fc.Arbitrary<Step> => {
  const { id, rest, columns } = ingredients[table]
  return fc.oneof<fc.MaybeWeightedArbitrary<Step>[]>(
    {
      weight: 4,
      arbitrary: fc.tuple(id, rest).map(([id, rest]) => ({ does: 'create', table, row: rowOf[table](id, rest) })),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(id, columns, by).map(([id, columns, by]) => ({ does: 'update', table, id, columns, by })),
    },
    { weight: 2, arbitrary: fc.tuple(id, by).map(([id, by]) => ({ does: 'delete', table, id, by })) },
    {
      weight: 1,
      arbitrary: rest.map(where => ({ does: 'delete where', table, where })),
    },
  )
}
const drawing: fc.Arbitrary<Step> = gameName.map(name => ({ does: 'draw game', name }))

/** A player, followed by its lobby: references are checked only when the transaction ends. */
const playerBeforeLobby: fc.Arbitrary<readonly Step[]> = fc
  .tuple(playerToken, fc.constantFrom('reserved', 'connected'), fc.integer({ min: 1, max: 3 }))
  .map(([id, status, most]) => [
    { does: 'create', table: 'players', row: rowOf.players(id, { lobby_id: 'l3', status }) },
    { does: 'create', table: 'lobbies', row: rowOf.lobbies('l3', { ...limits(most), total_player_count: 0 }) },
  ])

function stepsIn(tables: readonly WrittenTable[]): fc.Arbitrary<readonly Step[]> {
  return fc.letrec<{ step: Step; steps: readonly Step[] }>(tie => ({
    step: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 12, arbitrary: fc.constantFrom(...tables).chain(writeTo) },
      { weight: 1, arbitrary: drawing },
      {
        weight: 3,
        arbitrary: fc.record({
          does: fc.constant('nest' as const),
          steps: tie('steps'),
          ends: fc.constantFrom('well' as const, 'well' as const, 'throwing' as const),
        }),
      },
    ),
    steps: fc
      .array(
        fc.oneof(
          { weight: 15, arbitrary: tie('step').map((step): readonly Step[] => [step]) },
          { weight: tables.includes('players') ? 1 : 0, arbitrary: playerBeforeLobby },
        ),
        { maxLength: 5 },
      )
      .map(steps => steps.flat()),
  })).steps
}

/** Generates transactions that write to these tables. Some throw at the end, or return a promise. */
export function transactionsIn(...tables: readonly WrittenTable[]): fc.Arbitrary<RandomTransaction> {
  const ends = fc.constantFrom(...(['well', 'well', 'well', 'throwing', 'with a promise'] as const))
  return fc.record({ steps: stepsIn(tables), ends })
}

/** Most mistakes concern players. */
const anyTable = [...writtenTables, 'lobbies', 'players', 'players'] as const

/** Generates transactions that write to all tables. */
export const randomTransaction = transactionsIn(...anyTable)

/** The same, but they end well unless one of their writes is refused. */
export const plainTransaction: fc.Arbitrary<RandomTransaction> = fc.record({
  steps: stepsIn(anyTable),
  ends: fc.constant('well' as const),
})

/** The error of a transaction that throws at its end. */
export class Thrown extends Error {}

/** Runs a transaction in a world. Throws if it fails. Calls `inside` before the end. */
export function play(
  { steps, ends }: RandomTransaction,
  world: LiveWorld,
  inside: (tx: TransactionTables) => void = () => {},
): void {
  world.transaction(tx => {
    for (const step of steps) playStep(step, tx, world)
    inside(tx)
    if (ends === 'throwing') throw new Thrown()
    return ends === 'with a promise' ? Promise.resolve() : undefined
  })
}

/** Runs a transaction, and returns whether it committed. */
export function succeeds(transaction: RandomTransaction, world: LiveWorld): boolean {
  try {
    play(transaction, world)
    return true
  } catch {
    return false
  }
}

function playStep(step: Step, tx: TransactionTables, world: LiveWorld): void {
  if (step.does === 'draw game') {
    tx.games.create({ name_id: step.name })
    return
  }
  if (step.does === 'nest') {
    try {
      world.transaction(inner => {
        for (const one of step.steps) playStep(one, inner, world)
        if (step.ends === 'throwing') throw new Thrown()
      })
    } catch {
      // The outer transaction continues.
    }
    return
  }
  // The columns belong to that table.
  const table = tx[step.table] as unknown as TransactionTable<Columns, Columns>
  const where = (columns: Columns) => (query: RowQuery<Columns>) => query.where(columns as never)
  switch (step.does) {
    case 'create':
      table.create(step.row)
      break
    case 'update':
      if (step.by === 'id') table.update(step.id, step.columns)
      else
        table.update(where({ [idColumns[step.table]]: step.id }), {
          data: draft => void Object.assign(draft, step.columns),
        })
      break
    case 'delete':
      if (step.by === 'id') table.delete(step.id)
      else table.delete(where({ [idColumns[step.table]]: step.id }))
      break
    case 'delete where':
      table.deleteMany(where(step.where))
  }
}
