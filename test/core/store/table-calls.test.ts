import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { tableNames } from '../../../src/core/store/table-names.js'
import type { LiveWorld } from '../../../src/core/store/world.js'
import type { WorldTables } from '../../../src/core/store/world-tables.js'
import { createMockmaker } from '../../../src/index.js'
import { dump } from '../../support/small-world.js'
import { ids, tanks } from '../../support/tanks.js'

/** The world of a mock, with its internal type. */
const worldOf = () => createMockmaker({ scenario: tanks }).world as LiveWorld

/** Calls a table method with any arguments, which the types would refuse. */
type Call = (table: WorldTables['lobbies']) => unknown
const wrong = (value: unknown) => value as never

/** Returns the error that a call throws or rejects with. */
async function refusal(call: () => unknown): Promise<unknown> {
  try {
    await call()
  } catch (error) {
    return error
  }
  return undefined
}

describe('update(id, changes)', () => {
  it('joins a transaction', () => {
    const world = worldOf()

    const write = () =>
      world.transaction(({ lobbies }) => {
        lobbies.update(ids.lobby, { is_closed: true })
        lobbies.update('nobody', { is_closed: true })
      })

    expect(write).toThrow('lobbies.update: no record has the id "nobody"')
    expect(world.lobbies.get(ids.lobby)?.is_closed).toBe(false)
  })
})

describe('a query with field values', () => {
  it.each([
    [{ lobby_id: 'closed' }],
    [{ is_closed: true }],
    [{ state: { map: 'Quarry' } }],
    [{ 'state.map': 'Quarry', 'state.size.x': 3 }],
    [{ is_closed: true, total_player_count: (count: number) => count === 0 }],
  ])('finds, counts, updates and deletes the same rows: %j', async query => {
    const { lobbies } = worldOf()
    await lobbies.update('closed', { state: { map: 'Quarry', size: { x: 3, y: 4 } } })

    const [changed] = await lobbies.updateMany(query, {
      data: draft => void Object.assign(draft, { max_players_normal: 3 }),
    })
    const found = [lobbies.findFirst(query), ...lobbies.findMany(query)]
    const counted = lobbies.count(query)
    const deleted = lobbies.delete(query)

    expect(found).toEqual([changed, changed])
    expect([counted, deleted?.lobby_id, deleted?.max_players_normal, lobbies.count(query)]).toEqual([1, 'closed', 3, 0])
  })
})

describe('a query for a list or an object', () => {
  it.each<[string, object, string[]]>([
    ['a function that tests a list', { regions: (regions: string[]) => regions.includes('lnd-nowhere') }, []],
    ['a function that tests a list', { regions: (regions: string[]) => regions.length === 1 }, ['b']],
    ['a list', { regions: ['lnd-fra'] }, ['b']],
    ['a list', { regions: ['lnd-fra', 'lnd-syd'] }, ['a']],
    ['a text instead of a list', { regions: 'lnd-fra' }, ['b']],
    ['a number instead of a list', { regions: 5 }, []],
  ])('finds the rows that match: %s', async (_, query, found) => {
    const { lobbies, gameModes } = worldOf()
    lobbies.clear()
    gameModes.clear()
    await gameModes.create({ game_mode_id: 'a', regions: ['lnd-fra', 'lnd-syd'] })
    await gameModes.create({ game_mode_id: 'b', regions: ['lnd-fra'] })

    expect(gameModes.findMany(wrong(query)).map(({ game_mode_id }) => game_mode_id)).toEqual(found)
    expect(gameModes.findMany(q => q.where(query)).map(({ game_mode_id }) => game_mode_id)).toEqual(found)
  })

  it.each<[string, object]>([
    ['a function that tests an object', { state: ({ map }: { map: string }) => map === 'Quarry' }],
    ['null instead of an object', { state: null }],
    ['a number instead of an object', { state: 5 }],
    ['a path through null', { 'state.host.name': 'a' }],
  ])('finds no row: %s', async (_, query) => {
    const { lobbies } = worldOf()
    await lobbies.updateMany(undefined, {
      data: draft => void Object.assign(draft, { state: { map: 'A', host: null } }),
    })

    expect(lobbies.findMany(wrong(query))).toEqual([])
    expect(lobbies.findMany(q => q.where(query))).toEqual([])
    expect(lobbies.deleteMany(wrong(query))).toEqual([])
  })
})

describe('an update whose function writes', () => {
  it('keeps the row deleted that the function deletes', async () => {
    const { lobbies } = worldOf()
    const others = lobbies.count() - 1

    const changed = await lobbies.updateMany(undefined, {
      data(draft) {
        if (lobbies.get('closed')) lobbies.delete('closed')
        draft.max_players_normal = 3
      },
    })

    expect([lobbies.get('closed'), changed.length, lobbies.count()]).toEqual([undefined, others, others])
  })

  it('is refused if the function then returns a promise, because the write would be lost', async () => {
    const world = worldOf()
    const before = dump(world)

    const updated = world.lobbies.update(
      { lobby_id: 'closed' },
      {
        async data() {
          await world.players.create({ lobby_id: 'closed' })
        },
      },
    )

    await expect(updated).rejects.toThrow('lobbies.update: data wrote to a table and returned a promise')
    expect(dump(world)).toBe(before)
  })

  it('keeps the writes of the function after an await', async () => {
    const { lobbies } = worldOf()

    await lobbies.update(
      { lobby_id: 'closed' },
      {
        async data(draft) {
          await Promise.resolve()
          await lobbies.update('closed', { max_players_normal: 3 })
          draft.state = { map: 'Quarry' }
        },
      },
    )

    expect(lobbies.get('closed')).toMatchObject({ max_players_normal: 3, state: { map: 'Quarry' } })
  })
})

describe('a query', () => {
  const nothing = (q: { where(condition: object): unknown }) => wrong(q.where({ lobby_id: 'nobody' }))

  it('returns undefined or an empty list if it finds nothing', async () => {
    const { lobbies } = worldOf()
    const data = () => {}

    expect([lobbies.findFirst(nothing), lobbies.findMany(nothing)]).toEqual([undefined, []])
    expect([await lobbies.update(nothing, { data }), await lobbies.delete(nothing)]).toEqual([undefined, undefined])
  })

  it.each<[string, Call]>([
    ['findFirst', table => table.findFirst(nothing, { strict: true })],
    ['findMany', table => table.findMany(nothing, { strict: true })],
    ['update', table => table.update(nothing, { data() {}, strict: true })],
    ['delete', table => table.delete(nothing, { strict: true })],
  ])('throws a UsageError if it is strict and finds nothing: %s', async (name, call) => {
    expect(await refusal(() => call(worldOf().lobbies))).toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(
        new RegExp(
          `^lobbies\\.${name}: Failed to execute "${name}" on collection: no records? found matching the query$`,
        ),
      ),
    })
  })
})

describe('a table refuses', () => {
  const first = (q: { where(condition: object): unknown }) => wrong(q.where({}))

  it.each<[string, Call, string]>([
    ['an id that is none', t => t.get(wrong(5)), 'lobbies.get: the id is 5: expected a string'],
    ['an unknown id', t => t.update('closd', {}), 'Did you mean closed?'],
    ['no query', t => t.update(wrong(undefined), { data() {} }), 'lobbies.update: the first argument is missing'],
    [
      'an unknown field',
      t => t.delete(wrong({ game_mod_id: 'duel' })),
      'lobbies.delete: the query has the unknown field "game_mod_id". Known: lobby_id,',
    ],
    [
      'a field without a value',
      t => t.count(wrong({ game_mode_id: undefined })),
      'the query has no value for game_mode_id',
    ],
    [
      'a function that returns no query',
      t => t.findMany(wrong(() => 5)),
      'the function of a query returned 5: expected a query',
    ],
    [
      'an invalid condition',
      t => t.findFirst(q => q.where(wrong(undefined))),
      'the condition of a query is undefined: expected fields',
    ],
    ['no data', t => t.update(first, wrong({})), 'lobbies.update: data is undefined: expected a function'],
    [
      'changes beside a query',
      t => t.update(first, wrong({ is_closed: true })),
      '"is_closed" is an unknown option: expected options such as { data(draft) { draft.is_closed = true } }. Known: data, strict, orderBy.',
    ],
    ['no changes', t => t.update('closed', wrong(undefined)), 'lobbies.update: the second argument is undefined'],
    ['data beside an id', t => t.update('closed', wrong({ data() {} })), 'expected the changed fields'],
    ['an unknown field of changes', t => t.update('closed', wrong({ is_closd: true })), 'Did you mean is_closed?'],
    [
      'a key called __proto__',
      t => t.update('closed', wrong(JSON.parse('{"__proto__":1}'))),
      '__proto__ is an unknown key',
    ],
    ['another id', t => t.update('closed', { lobby_id: 'x' }), 'lobby_id "closed" cannot change to "x"'],
    ['a strict that is none', t => t.findFirst(undefined, wrong({ strict: 1 })), 'strict is 1: expected true or false'],
    ['an unknown option', t => t.findMany(undefined, wrong({ strct: true })), 'Did you mean strict?'],
    ['options beside an id', t => t.delete(wrong('closed'), { strict: true }), 'expected none after an id'],
    ['a Map', t => t.findMany(wrong(new Map())), 'the query is a Map: expected fields'],
    ['a promise of changes', t => t.update('closed', wrong(Promise.resolve({}))), 'the second argument is a Promise'],
    ['a promise of a record', t => t.create(wrong(Promise.resolve({}))), 'the record is a Promise: expected an object'],
    ['a take that is no number', t => t.findMany(undefined, { take: Number.NaN }), 'take is NaN: expected a number'],
    ['a cursor that is no row', t => t.findMany(undefined, wrong({ cursor: null })), 'cursor is null: expected a row'],
    [
      'an unknown order',
      t => t.findMany(undefined, wrong({ orderBy: { lobby_id: 'up' } })),
      'orderBy is {"lobby_id":"up"}',
    ],
    ['a record that is none', t => t.create(wrong('duel')), 'lobbies.create: the record is "duel": expected an object'],
  ])('%s', async (_, call, message) => {
    const world = worldOf()
    const before = dump(world)

    expect(await refusal(() => call(world.lobbies))).toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(message),
    })
    expect(dump(world)).toBe(before)
  })

  const anything = fc.oneof(fc.anything(), fc.jsonValue(), fc.constantFrom(ids.prod, 'closed', 'duel', 'lnd-fra'))
  const field = fc.constantFrom(
    'lobby_id',
    'game_mode_id',
    'namespace_id',
    'region_id',
    'players',
    'kind',
    'status',
    'development',
    'modes',
  )
  const fields = fc.oneof(anything, fc.dictionary(field, anything))
  const method = fc.constantFrom('get', 'findFirst', 'findMany', 'count', 'create', 'update', 'delete')

  it.prop([fc.constantFrom(...tableNames), method, fc.array(fields, { maxLength: 3 })], {
    numRuns: 3 * inject('runs'),
  })('any wrong argument with a UsageError', async (name, called, args) => {
    const table = worldOf()[name] as unknown as Record<typeof called, (...args: unknown[]) => unknown>

    const error = await refusal(() => table[called](...args))

    expect([undefined, 'UsageError']).toContain((error as Error | undefined)?.name)
  })
})
