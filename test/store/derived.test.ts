import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import { UsageError } from '../../src/lib/usage-error.js'
import { lobbiesOf, seatsFrom } from '../../src/store/derived.js'
import { isSeated, seatsTaken } from '../../src/store/rows.js'
import type { InnerTables, ReadTables, Tables } from '../../src/store/table.js'
import type { LiveWorld, World } from '../../src/store/world.js'
import { ids, tanks } from '../support/tanks.js'

/** Something that is done to lobbies, players and namespaces. Much does not fit, and is refused. */
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

function play(step: Step, { lobbies, players, namespaces }: Tables): Promise<unknown> {
  const assign = (columns: object) => ({ data: (draft: object) => void Object.assign(draft, columns) })
  if (step.does === 'make') return lobbies.create({ lobby_id: step.lobby, ...step.columns })
  if (step.does === 'change') return lobbies.update(q => q.where({ lobby_id: step.lobby }), assign(step.columns))
  if (step.does === 'delete') return lobbies.delete(q => q.where({ lobby_id: step.lobby }))
  if (step.does === 'seat') return players.create({ player_token: step.player, lobby_id: step.lobby, ...step.columns })
  if (step.does === 'unseat') return players.delete(q => q.where({ player_token: step.player }))
  return namespaces.update(q => q.where({ namespace_id: ids.prod }), assign(step.columns))
}

/** What sums, orders and views say. */
function derived({ lobbies, players, namespaces }: InnerTables) {
  const place = (region_id: string) => lobbiesOf({ namespace_id: ids.prod, game_mode_id: 'ffa', region_id })
  return {
    playing: lobbies.sum('players', ids.prod),
    running: lobbies.sum('running', ids.prod),
    seats: ['a', 'b'].map(address => players.sum('seats', seatsFrom({ namespace_id: ids.prod, address }))),
    fullest: ['lnd-fra', 'lnd-syd'].map(id => inOrder(lobbies, place(id))),
    shown: [...namespaces.viewed('summaries', ids.tanks)],
  }
}

/** The ids of a group, one after the other: each is the first of those that have not been seen. */
function inOrder(lobbies: InnerTables['lobbies'], group: string): string[] {
  const seen: string[] = []
  for (;;) {
    const next = lobbies.firstRanked('fullest', { group, isWanted: row => !seen.includes(row.lobby_id) })
    if (!next) return seen
    seen.push(next.lobby_id)
  }
}

/** The same by a walk over all records. */
function walked({ lobbies, players, namespaces }: ReadTables): ReturnType<typeof derived> {
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
    fullest: ['lnd-fra', 'lnd-syd'].map(id =>
      open
        .filter(row => row.game_mode_id === 'ffa' && row.region_id === id && free(row) > 0)
        .sort((one, other) => free(one) - free(other))
        .map(row => row.lobby_id),
    ),
    shown: namespaces.all().filter(row => row.game_id === ids.tanks),
  }
}

describe('sums, orders and views', { tags: ['slow'] }, () => {
  it.prop([fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 12 })], { numRuns: 300 })(
    'say what a walk over all records says: in a turn, after it, after a reset, and in a fork',
    async turns => {
      const mock = createMockmaker({ scenario: tanks })
      const live = ({ world }: { readonly world: World }) => world as LiveWorld // which is what a mock's worlds are
      const world = live(mock)
      for (const [i, steps] of turns.entries()) {
        const written = world.write(async (tables, { reads }) => {
          expect(derived(reads)).toEqual(walked(tables))
          for (const step of steps) {
            await play(step, tables)
            expect(derived(reads)).toEqual(walked(tables))
          }
        })
        await written.catch(error => {
          if (!(error instanceof UsageError)) throw error
        })
        expect(derived(world.view.tables)).toEqual(walked(world))
        if (i % 5 === 4) await mock.reset()
        expect(derived(world.view.tables)).toEqual(walked(world))
      }
      const fork = await mock.worlds.put('fork', { fork: 'default' })
      expect(derived(live(fork).view.tables)).toEqual(walked(world))
    },
  )
})
