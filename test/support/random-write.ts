import fc from 'fast-check'
import { UsageError } from '../../src/core/lib/messages.js'
import type { TableName } from '../../src/core/store/rows.js'
import type { TransactionTable } from '../../src/core/store/table-calls.js'
import type { LiveWorld } from '../../src/core/store/world.js'
import type { TransactionTables } from '../../src/core/store/world-tables.js'
import { ids, startAt, tokens } from './tanks.js'

/** Tokens that only random writes create. */
export const madeTokens = {
  public: 'pub.made',
  cloud: 'cloud.made',
  link: 'device.made',
  player: 'player.made',
  guest: 'player.guest',
} as const

/** A change of one row. Many are refused. */
type Change =
  | { readonly does: 'create'; readonly table: TableName; readonly row: object }
  | { readonly does: 'update'; readonly table: TableName; readonly where: object; readonly columns: object }
  | { readonly does: 'delete'; readonly table: TableName; readonly where: object }

/** A write to a world of tanks. */
export type RandomWrite =
  | Change
  | { readonly does: 'transaction'; readonly changes: readonly Change[]; readonly ends: 'well' | 'throwing' }
  | { readonly does: 'advance'; readonly ms: number }
  | { readonly does: 'reset' }

const soon = fc.constantFrom(0, 500, 1_500, 4_000).map(ms => startAt + ms)
const game_id = fc.constantFrom(ids.tanks, ids.boats, 'cars')
const namespace_id = fc.constantFrom(ids.prod, ids.prod, ids.closed, ids.boatsProd, 'made')
/** The initial modes, each with a region, and some that writes may add. */
const mode = fc.constantFrom(
  { namespace_id: ids.prod, game_mode_id: 'duel', region_id: 'lnd-fra' },
  { namespace_id: ids.prod, game_mode_id: 'ffa', region_id: 'lnd-syd' },
  { namespace_id: ids.prod, game_mode_id: 'secret', region_id: 'lnd-fra' },
  { namespace_id: ids.closed, game_mode_id: 'solo', region_id: 'lnd-atl' },
  { namespace_id: ids.closed, game_mode_id: 'duel', region_id: 'lnd-fra' },
  { namespace_id: ids.prod, game_mode_id: 'made', region_id: 'lnd-fra' },
  { namespace_id: 'made', game_mode_id: 'made', region_id: 'made' },
)
const region_id = fc.constantFrom('lnd-fra', 'lnd-syd', 'lnd-atl', 'made', 'other')
const name_id = fc.constantFrom('prod', 'beta', 'tanks', 'boats')
const place = fc.record({ latitude: fc.constantFrom(0, 50), longitude: fc.constantFrom(8, -70) })
const some = { requiredKeys: [] }

/** The key of each table, and its other columns. */
const rows: {
  readonly [Name in TableName]: { readonly key: fc.Arbitrary<object>; readonly more: fc.Arbitrary<object> }
} = {
  settings: {
    key: fc.constant({ settings_id: 'settings' }),
    more: fc.record(
      {
        hide_empty_lobbies: fc.boolean(),
        client: fc.option(place, { nil: undefined }),
        default_namespace_id: namespace_id,
        cdn_domain: fc.constantFrom('mock.localhost', 'cdn.example'),
      },
      some,
    ),
  },
  games: { key: fc.record({ game_id }), more: fc.record({ name_id }) },
  regions: {
    key: fc.record({ region_id }),
    more: fc.record({ region_display_name: fc.constantFrom('Here', 'There'), datacenter_coord: place }, some),
  },
  namespaces: {
    key: fc.record({ namespace_id }),
    more: fc.record(
      { game_id, name_id, tokenless: fc.boolean(), domains: fc.subarray(['tanks.example', 'made.example']) },
      some,
    ),
  },
  gameModes: {
    key: mode.map(({ namespace_id, game_mode_id }) => ({ namespace_id, game_mode_id })),
    more: fc.record(
      {
        listable: fc.boolean(),
        regions: fc.subarray(['lnd-fra', 'lnd-syd', 'lnd-atl', 'made'], { minLength: 2 }),
        max_players_party: fc.nat(3),
      },
      some,
    ),
  },
  lobbies: {
    key: fc.record({ lobby_id: fc.constantFrom<string>(ids.lobby, 'empty', 'made', 'other', 'third') }),
    more: fc
      .record(
        {
          mode,
          total_player_count: fc.nat(2),
          state: fc.constantFrom<unknown>({ map: 'dust' }, {}, null, [1]),
          publicity: fc.constantFrom('public', 'public', 'private'),
          is_closed: fc.constantFrom(false, false, true),
        },
        some,
      )
      .map(({ mode, ...more }) => ({ ...mode, ...more })),
  },
  players: {
    key: fc.record({ player_token: fc.constantFrom(madeTokens.player, madeTokens.guest) }),
    more: fc
      .record(
        {
          lobby_id: fc.constantFrom<string>(ids.lobby, 'empty', 'made'),
          status: fc.constantFrom('reserved', 'connected', 'removed'),
          expires_at: soon,
        },
        { requiredKeys: ['lobby_id'] },
      )
      // Only a reserved seat expires.
      .map(({ expires_at, ...more }) => (more.status === 'reserved' ? { ...more, expires_at } : more)),
  },
  simulations: {
    key: fc.record({ namespace_id }),
    more: fc.record({ concurrent: fc.nat(3), modes: fc.constantFrom({ duel: 1 }, { made: 2 }) }, some),
  },
  deviceLinks: {
    key: fc.record({ device_link_token: fc.constantFrom(tokens.pending, tokens.complete, madeTokens.link) }),
    more: fc.oneof(
      fc.record({ expires_at: soon, completes: fc.record({ at: soon, game_id }) }, some),
      fc.record({ status: fc.constant('complete'), game_id, cloud_token: fc.constant(madeTokens.cloud) }),
    ),
  },
  tokens: {
    key: fc.record({ token: fc.constantFrom(tokens.public, tokens.cloud, madeTokens.public, madeTokens.cloud) }),
    more: fc.oneof(
      fc.record(
        { kind: fc.constantFrom('public', 'development'), namespace_id, expires_at: soon },
        { requiredKeys: ['kind', 'namespace_id'] },
      ),
      fc.record({ kind: fc.constant('cloud'), game_id, expires_at: soon }, { requiredKeys: ['kind', 'game_id'] }),
      fc.record({ expires_at: soon }),
    ),
  },
}

const change: fc.Arbitrary<Change> = fc
  // The type of `rows` has exactly these keys. Most mistakes concern lobbies.
  .constantFrom(...(Object.keys(rows) as TableName[]), ...Array<'lobbies'>(4).fill('lobbies'))
  .chain(table => {
    const { key, more } = rows[table]
    return fc.oneof<fc.Arbitrary<Change>[]>(
      fc.tuple(key, more).map(([id, row]) => ({ does: 'create', table, row: { ...row, ...id } })),
      fc.tuple(key, more).map(([where, columns]) => ({ does: 'update', table, where, columns })),
      fc.tuple(key, more).map(([where, columns]) => ({ does: 'update', table, where, columns })),
      key.map(where => ({ does: 'delete', table, where })),
    )
  })

/** Generates writes to all tables of tanks, alone and in transactions, and advances and resets. Some fail. */
export const randomWrite: fc.Arbitrary<RandomWrite> = fc.oneof(
  { weight: 8, arbitrary: change },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('transaction' as const),
      changes: fc.array(change, { maxLength: 4 }),
      ends: fc.constantFrom('well', 'well', 'well', 'throwing'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('advance' as const), ms: fc.constantFrom(0, 499, 500, 2_000) }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'reset' } as const) },
)

class Thrown extends Error {}

/** Applies a write to a world. Returns `done`, or the reason of the refusal. */
export async function play(write: RandomWrite, world: LiveWorld): Promise<string> {
  try {
    await startWrite(write, world)
    return 'done'
  } catch (error) {
    if (error instanceof UsageError || error instanceof Thrown) return error.message
    throw error
  }
}

async function startWrite(write: RandomWrite, world: LiveWorld): Promise<unknown> {
  if (write.does === 'reset') return world.reset()
  if (write.does === 'advance') return world.clock.advance(write.ms)
  if (write.does !== 'transaction') return world.transaction(tables => applyChange(write, tables))
  return world.transaction(tables => {
    for (const change of write.changes) applyChange(change, tables)
    if (write.ends === 'throwing') throw new Thrown('thrown at the end of the transaction')
  })
}

function applyChange(change: Change, tables: TransactionTables): unknown {
  // Each table checks its own rows.
  const table = tables[change.table] as unknown as TransactionTable<object, object>
  if (change.does === 'create') return table.create(change.row)
  if (change.does === 'delete') return table.delete(q => q.where(change.where))
  return table.update(q => q.where(change.where), { data: draft => void Object.assign(draft, change.columns) })
}
