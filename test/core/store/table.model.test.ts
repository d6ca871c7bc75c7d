import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'
import { isSeated, seatsTaken } from '../../../src/core/store/lobby-rules.js'
import type { Tables } from '../../../src/core/store/model.js'
import { fullestGroup } from '../../../src/core/store/models.js'
import type { LiveWorld, World } from '../../../src/core/store/world.js'
import type { TransactionTables } from '../../../src/core/store/world-tables.js'
import { createMockmaker } from '../../../src/index.js'
import { ids, tanks } from '../../support/tanks.js'
import { indexProblems } from './check-tables.js'

/** A write to lobbies, players and namespaces. Many are refused. */
type Step =
  | { readonly does: 'make' | 'change'; readonly lobby: string; readonly columns: object }
  | { readonly does: 'delete'; readonly lobby: string }
  | { readonly does: 'seat'; readonly player: string; readonly lobby: string; readonly columns: object }
  | { readonly does: 'unseat'; readonly player: string }
  | { readonly does: 'rename'; readonly columns: object }

const lobby = fc.constantFrom<string>(ids.lobby, 'empty', 'made', 'other')
const player = fc.constantFrom('p1', 'p2', 'p3')
const columns = fc.record(
  {
    total_player_count: fc.nat(4),
    max_players_normal: fc.nat(5),
    is_closed: fc.boolean(),
    publicity: fc.constantFrom('public', 'private'),
    status: fc.constantFrom('ready', 'stopped'),
    region_id: fc.constantFrom('lnd-fra', 'lnd-syd'),
  },
  { requiredKeys: [] },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constantFrom('make' as const, 'change' as const),
    lobby,
    columns: columns.map(some => ({ ...some, game_mode_id: 'ffa' })),
  }),
  fc.record({ does: fc.constantFrom('change' as const), lobby, columns }),
  fc.record({ does: fc.constant('delete' as const), lobby }),
  fc.record({
    does: fc.constant('seat' as const),
    player,
    lobby,
    columns: fc.record({
      status: fc.constantFrom('reserved', 'connected'),
      address: fc.constantFrom('a', 'b'),
    }),
  }),
  fc.record({ does: fc.constant('unseat' as const), player }),
  fc.record({
    does: fc.constant('rename' as const),
    columns: fc.constantFrom({ display_name: 'A' }, { tokenless: false }, { version_id: 'v' }),
  }),
)

function play(step: Step, { lobbies, players, namespaces }: TransactionTables): void {
  if (step.does === 'make') lobbies.create({ lobby_id: step.lobby, ...step.columns })
  if (step.does === 'change') lobbies.update(step.lobby, step.columns)
  if (step.does === 'delete') lobbies.delete(step.lobby)
  if (step.does === 'seat') players.create({ player_token: step.player, lobby_id: step.lobby, ...step.columns })
  if (step.does === 'unseat') players.delete(step.player)
  if (step.does === 'rename') namespaces.update(ids.prod, step.columns)
}

const regions = ['lnd-fra', 'lnd-syd']

/** Reads the sums, orders and views. */
function fromIndexes({ lobbies, players, namespaces }: Tables) {
  const place = (region_id: string) => fullestGroup({ namespace_id: ids.prod, game_mode_id: 'ffa', region_id })
  return {
    playing: lobbies.sum('players', ids.prod),
    running: lobbies.sum('running', ids.prod),
    seats: ['a', 'b'].map(address => players.sum('seats', `${ids.prod} ${address}`)),
    fullest: regions.map(region => inOrder(lobbies, place(region))),
    shown: namespaces.inView('game_id', ids.tanks, { game_id: ids.tanks }),
  }
}

/** Lists the ids of a group. Each is the first one that is not listed yet. */
function inOrder(lobbies: Tables['lobbies'], group: string): string[] {
  const seen: string[] = []
  for (;;) {
    const next = lobbies.firstInIndex('fullest', group, row => !seen.includes(row.lobby_id))
    if (!next) return seen
    seen.push(next.lobby_id)
  }
}

/** Computes the same with a full scan. */
function fromScan({ lobbies, players, namespaces }: Tables): ReturnType<typeof fromIndexes> {
  const own = lobbies.all().filter(row => row.namespace_id === ids.prod)
  const free = (row: (typeof own)[number]) => row.max_players_normal - seatsTaken(row)
  const open = own.filter(row => row.status !== 'stopped' && !row.is_closed && row.publicity === 'public')
  return {
    playing: own.reduce((sum, row) => sum + seatsTaken(row), 0),
    running: own.filter(row => row.status !== 'stopped').length,
    seats: ['a', 'b'].map(
      address =>
        players.all().filter(row => isSeated(row) && row.address === address && row.namespace_id === ids.prod).length,
    ),
    fullest: regions.map(region =>
      open
        .filter(row => row.game_mode_id === 'ffa' && row.region_id === region && free(row) > 0)
        .sort((one, other) => free(one) - free(other))
        .map(row => row.lobby_id),
    ),
    shown: namespaces.all().filter(row => row.game_id === ids.tanks),
  }
}

describe('sums, orders and views', () => {
  it.prop([fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 12 })], { numRuns: inject('runs') })(
    'equal a full scan of all rows in a transaction, after it, after a reset, and in a fork',
    async transactions => {
      const mock = createMockmaker({ scenario: tanks })
      const live = ({ world }: { readonly world: World }) => world as LiveWorld // which is what a mock's worlds are
      const world = live(mock)
      const compare = () => expect(fromIndexes(world.tables)).toEqual(fromScan(world.tables))
      for (const [i, steps] of transactions.entries()) {
        try {
          world.transaction(tx => {
            for (const step of steps) {
              play(step, tx)
              compare()
            }
          })
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
        }
        compare()
        if (i % 5 === 4) await mock.reset()
        compare()
      }
      expect(indexProblems(world)).toEqual([])
      const fork = await mock.worlds.put('fork', { fork: 'default' })
      expect(fromIndexes(live(fork).tables)).toEqual(fromScan(world.tables))
    },
  )
})
