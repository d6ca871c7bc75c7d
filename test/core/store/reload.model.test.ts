import { isDeepStrictEqual } from 'node:util'
import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import type { GameRow, TokenRow } from '../../../src/core/store/rows.js'
import { LiveWorld } from '../../../src/core/store/world.js'
import { createState, type StateDefinition } from '../../../src/core/store/world-state.js'
import { contents } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'
import { type RandomTransaction, succeeds, transactionsIn } from './random-transactions.js'

/** The rows of a world with games and cloud tokens only. */
interface Lists {
  readonly games: readonly GameRow[]
  readonly tokens: readonly Extract<TokenRow, { kind: 'cloud' }>[]
}

/** A file with games and their cloud tokens. */
interface File {
  readonly games: Lists['games']
  readonly tokens: readonly { readonly token: string; readonly game_id: string }[]
}

const gameIds = ['tanks', 'boats', 'g2', 'g3']
const name = fc.constantFrom('red', 'green', 'blue')
const file: fc.Arbitrary<File> = fc
  .uniqueArray(
    fc.record({
      game_id: fc.constantFrom(...gameIds),
      name_id: name,
      display_name: name,
      created_at: fc.constant(startAt),
      developer_group_id: fc.constant('makers'),
    }),
    {
      selector: game => game.game_id,
    },
  )
  // A file has no two games of one name.
  .map(games => games.filter((game, i) => games.findIndex(one => one.name_id === game.name_id) === i))
  .chain(games =>
    fc.record({
      games: fc.constant(games),
      tokens:
        games.length === 0
          ? fc.constant([])
          : fc.uniqueArray(
              fc.record({
                token: fc.constantFrom('cloud.mock.tanks', 't1', 't2'),
                game_id: fc.constantFrom(...games.map(game => game.game_id)),
              }),
              { selector: token => token.token },
            ),
    }),
  )
const transactions = fc.array(transactionsIn('games', 'tokens'), { maxLength: 4 })

/** The lifetime of a file's tokens. */
const lifetimeMs = 1_000

const rowsAt = ({ games, tokens }: File, now: number): Lists => ({
  games,
  tokens: tokens.map(({ token, game_id }) => ({ token, expires_at: now + lifetimeMs, kind: 'cloud', game_id })),
})

const definitionOf = (file: File): StateDefinition => ({
  title: 'file',
  seed: 1,
  clock: 'frozen',
  now: startAt,
  rows: now => ({ ...rowsAt(file, now) }),
})

const worldOf = (file: File) => new LiveWorld(createState(definitionOf(file)))
const listsIn = ({ games, tokens }: LiveWorld): Lists => ({
  games: games.all(),
  // Files and transactions create cloud tokens only.
  tokens: tokens.all() as Lists['tokens'],
})

function playAll(world: LiveWorld, transactions: readonly RandomTransaction[]): void {
  // A refused transaction changes nothing.
  for (const transaction of transactions) succeeds(transaction, world)
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** A simple merge of two lists. */
function mergedList<Row extends object>(
  idOf: (row: Row) => string,
  { was, is, row, merge }: { was: readonly Row[]; is: readonly Row[]; row: readonly Row[]; merge: Merge<Row> },
): Row[] {
  if (same(was, row)) return [...is]
  const find = (list: readonly Row[], id: string) => list.find(one => idOf(one) === id)
  const ofFile = row.flatMap(one => {
    const [before, now] = [find(was, idOf(one)), find(is, idOf(one))]
    if (same(before, one)) return now ?? []
    return before && now ? merge(before, now, one) : merge(undefined, undefined, one)
  })
  return [...ofFile, ...is.filter(one => !find(was, idOf(one)) && !find(row, idOf(one)))]
}

type Merge<Row> = (was: Row | undefined, is: Row | undefined, row: Row) => Row

/** A simple model of a merge. */
function mergedLists(was: Lists, { is, row, fresh }: { is: Lists; row: Lists; fresh: Lists }): Lists {
  const games = mergedList(game => game.game_id, {
    was: was.games,
    is: is.games,
    row: row.games,
    merge: (was, is, row) => ({
      ...row,
      name_id: is && was?.name_id === row.name_id ? is.name_id : row.name_id,
      display_name: is && was?.display_name === row.display_name ? is.display_name : row.display_name,
    }),
  })
  const ofFile = (token: string) => fresh.tokens.find(one => one.token === token)
  const tokens = mergedList(token => token.token, {
    was: was.tokens,
    is: is.tokens,
    row: row.tokens,
    merge: (_was, _is, row) => ofFile(row.token) ?? row,
  })
  return withoutConflicts({ games, tokens }, { games: row.games, tokens: fresh.tokens })
}

/** Removes conflicts: games with a used name, and tokens without a game. Rows that are not in the file go first. */
function withoutConflicts({ games, tokens }: Lists, file: Lists): Lists {
  const strayGames = games.filter(game => games.some(one => one !== game && one.name_id === game.name_id))
  const strayTokens = tokens.filter(token => !games.some(game => game.game_id === token.game_id))
  if (strayGames.length + strayTokens.length === 0) return { games, tokens }
  const gameOfFile = (id: string) => file.games.find(game => game.game_id === id)
  const tokenOfFile = (id: string) => file.tokens.find(token => token.token === id)
  const foreign = [
    ...strayGames.filter(game => !gameOfFile(game.game_id)),
    ...strayTokens.filter(token => !tokenOfFile(token.token)),
  ]
  if (foreign.length > 0) {
    const stays = (one: object) => !foreign.some(other => other === one)
    return withoutConflicts({ games: games.filter(stays), tokens: tokens.filter(stays) }, file)
  }
  const asInFile = {
    games: games.map(game => (strayGames.includes(game) ? (gameOfFile(game.game_id) ?? game) : game)),
    tokens: tokens.map(token => (strayTokens.includes(token) ? (tokenOfFile(token.token) ?? token) : token)),
  }
  if (!same(asInFile, { games, tokens })) return withoutConflicts(asInFile, file)
  const missing = strayTokens.flatMap(token => gameOfFile(token.game_id) ?? [])
  const [first] = missing
  return withoutConflicts({ games: first ? [...games, first] : games, tokens }, file)
}

describe('a reload of a changed scenario', () => {
  it.prop([file, transactions, file, fc.nat(500)], { numRuns: inject('runs') })(
    'merges the difference of the files into the world, like a simple model',
    async (before, transactions, after, ms) => {
      const world = worldOf(before)
      playAll(world, transactions)
      await world.clock.advance(ms)
      const was = listsIn(worldOf(before))
      const is = listsIn(world)

      world.reload(definitionOf(after))

      const row = rowsAt(after, startAt)
      expect(listsIn(world)).toEqual(mergedLists(was, { is, row, fresh: rowsAt(after, startAt + ms) }))
    },
  )

  it.prop([file, transactions, file, transactions], { numRuns: 3 * inject('runs') })(
    'makes a reset return to the new file',
    (before, transactions, after, more) => {
      const world = worldOf(before)
      playAll(world, transactions)
      world.reload(definitionOf(after))
      playAll(world, more)

      world.reset()

      expect(contents(world)).toBe(contents(worldOf(after)))
    },
  )

  it.prop([file, transactions, file], { numRuns: 3 * inject('runs') })(
    'counts its changes',
    (before, transactions, after) => {
      const world = worldOf(before)
      playAll(world, transactions)
      const rows = () => new Map([...world.games.all(), ...world.tokens.all()].map(row => [Object.values(row)[0], row]))
      const then = rows()
      const ids = new Set([...before.games, ...before.tokens].map(row => Object.values(row)[0]))

      const summary = world.reload(definitionOf(after))

      const now = rows()
      const gone = [...then.keys()].filter(id => !now.has(id))
      expect(summary).toEqual({
        created: [...now.keys()].filter(id => !then.has(id)).length,
        changed: [...now].filter(([id, row]) => then.has(id) && !same(then.get(id), row)).length,
        deleted: gone.filter(id => ids.has(id as string)).length,
        cascaded: gone.filter(id => !ids.has(id as string)).length,
      })
    },
  )

  it.prop([file, transactions, file], { numRuns: 3 * inject('runs') })(
    'leaves unchanged rows and their positions alone',
    (before, transactions, after) => {
      const world = worldOf(before)
      playAll(world, transactions)
      const revisionOf = (id: string) => world.read(({ tables }) => tables.games.get(id)).revision
      const then = new Map(world.games.all().map(row => [row.game_id, { row, revision: revisionOf(row.game_id) }]))

      world.reload(definitionOf(after))

      const kept = [...then.keys()].filter(id => world.games.get(id) && same(world.games.get(id), then.get(id)?.row))
      // A new position is a change of the row.
      const order = world.games.all().map(row => row.game_id)
      const orderBefore = [...then.keys()].filter(id => order.includes(id))
      fc.pre(
        isDeepStrictEqual(
          order.filter(id => orderBefore.includes(id)),
          orderBefore,
        ),
      )
      expect(kept.map(revisionOf)).toEqual(kept.map(id => then.get(id)?.revision))
    },
  )

  it('changes the random state only if nothing has been drawn', async () => {
    const [drawn, untouched] = [worldOf({ games: [], tokens: [] }), worldOf({ games: [], tokens: [] })]
    const other = { ...definitionOf({ games: [], tokens: [] }), seed: 2 }
    const first = await drawn.games.create({ name_id: 'first' })

    for (const world of [drawn, untouched]) world.reload(other)
    const ids = await Promise.all([drawn, untouched].map(world => world.games.create({ name_id: 'x' })))

    const fresh = await new LiveWorld(createState(other)).games.create({ name_id: 'x' })
    expect(ids[1]?.game_id).toBe(fresh.game_id)
    expect([first.game_id, fresh.game_id]).not.toContain(ids[0]?.game_id)
    expect([drawn.seed, untouched.seed]).toEqual([2, 2])
  })
})
