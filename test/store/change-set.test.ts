import { fc, it } from '@fast-check/vitest'
import { describe, expect, vi } from 'vitest'
import type { ChangeSet } from '../../src/store/change-set.js'
import type { Tables } from '../../src/store/table.js'
import type { LiveWorld } from '../../src/store/world.js'
import { play, randomTurn } from '../support/random-turns.js'
import { contents, game, smallWorld } from '../support/small-world.js'
import { startAt } from '../support/tanks.js'

function recorded(world: LiveWorld): ChangeSet[] {
  const changeSets: ChangeSet[] = []
  world.subscribe(changeSet => changeSets.push(changeSet))
  return changeSets
}

describe('a change set', () => {
  it('tells all that a turn changed, and when', async () => {
    const world = smallWorld()
    const changeSets = recorded(world)

    await world.write(async ({ games, lobbies }) => {
      await games.create(game('cars'))
      await games.update(q => q.where({ game_id: 'boats' }), {
        data(draft) {
          draft.display_name = 'Boats'
        },
      })
      await lobbies.delete(q => q.where({ lobby_id: 'l1' }))
    })

    expect(changeSets).toEqual([
      {
        revision: startAt + 1,
        at: startAt,
        puts: [
          { table: 'games', id: 'cars', row: game('cars') },
          { table: 'games', id: 'boats', row: { ...game('boats'), display_name: 'Boats' } },
        ],
        deletes: [{ table: 'lobbies', id: 'l1' }],
      },
    ])
  })

  it.each([
    ['reads only', ({ games }) => games.all()],
    [
      'updates a record to what it was',
      ({ games }) => games.update(q => q.where({ game_id: 'tanks' }), { data: () => {} }),
    ],
    [
      'makes a record and deletes it',
      async ({ games }) => {
        await games.create(game('cars'))
        await games.delete(q => q.where({ game_id: 'cars' }))
      },
    ],
    [
      'changes a record and changes it back',
      async ({ games }) => {
        for (const name of ['other', 'tanks'])
          await games.update(q => q.where({ game_id: 'tanks' }), {
            data(draft) {
              draft.name_id = name
            },
          })
      },
    ],
    ['finds nothing to delete', ({ games }) => games.delete(q => q.where({ game_id: 'no' }))],
  ] satisfies [string, (tables: Tables) => unknown][])('is not made by a turn that %s', async (_what, turn) => {
    const world = smallWorld()
    const changeSets = recorded(world)

    await world.write<unknown>(turn)

    expect({ changeSets, revision: world.revision }).toEqual({ changeSets: [], revision: startAt })
  })

  it.each([
    ['a key of an object', '{"map":"dust"}', '{"map":"dust","round":1}'],
    ['a key named constructor', '{"constructor":{"a":1}}', '{"constructor":{"a":2}}'],
    ['a key named __proto__', '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ['a key named toString', '{"toString":1}', '{}'],
    ['an item of a list', '[1,{"a":[2]}]', '[1,{"a":[3]}]'],
    ['a list for an object', '[]', '{}'],
    ['null for an object', 'null', '{}'],
    ['the order of keys', '{"a":1,"b":2}', '{"b":2,"a":1}'],
  ])('is made where %s changes deep in a record, and only then', async (_what, before, after) => {
    const world = smallWorld()
    const setState = (json: string) =>
      world.lobbies.update(q => q.where({ lobby_id: 'l0' }), {
        data(draft) {
          draft.state = JSON.parse(json)
        },
      })
    await setState(before)
    const changeSets = recorded(world)

    await setState(before)
    await setState(after)

    expect(changeSets.map(({ puts }) => puts.map(({ row }) => JSON.stringify('state' in row && row.state)))).toEqual([
      [after],
    ])
  })

  it('is told after the commit, to listeners and then to subscribers', async () => {
    const world = smallWorld()
    const told: unknown[] = []
    world.subscribe(({ revision }) => told.push(['subscriber', world.revision === revision, !!world.games.get('cars')]))
    world.listen(new Set(['games']), () => told.push(['listener', !!world.games.get('cars')]))

    await world.games.create(game('cars'))

    expect(told).toEqual([
      ['listener', true],
      ['subscriber', true, true],
    ])
  })

  it('is told to all, and stands, though one of those told throws', async () => {
    const world = smallWorld()
    const told = vi.fn()
    const throws = () => {
      throw new Error('a bug of a subscriber')
    }
    world.subscribe(throws)
    world.subscribe(told)
    world.listen(new Set(['games']), throws)
    world.listen(new Set(['games']), told)

    const [turn] = await Promise.allSettled([world.games.create({ name_id: 'cars' })])
    const next = await world.games.create({ name_id: 'bikes' }).catch(() => undefined)
    const ids = world.games.all().map(({ game_id }) => game_id)

    expect([turn?.status, told.mock.calls.length, new Set(ids).size, next]).toEqual(['rejected', 4, 4, undefined])
  })

  it('is not told to one who subscribes while it is told', async () => {
    const world = smallWorld()
    const late = vi.fn()
    world.subscribe(() => void world.subscribe(late))

    await world.games.create(game('cars'))

    expect(late).not.toHaveBeenCalled()
  })

  it('is not told any more to one who has gone', async () => {
    const world = smallWorld()
    const gone = vi.fn()
    world.subscribe(gone)()

    await world.games.create(game('cars'))

    expect(gone).not.toHaveBeenCalled()
  })

  it.prop([fc.array(randomTurn, { maxLength: 10 })])('is one for each turn that changes something', async turns => {
    const world = smallWorld({ rows: {} })
    const changeSets = recorded(world)
    const states = [contents(world)]

    for (const turn of turns) {
      await world.write(tables => play(turn, tables)).catch(() => {})
      states.push(contents(world))
    }

    const changed = states.filter((state, i) => i > 0 && state !== states[i - 1])
    expect(changeSets.length).toBeGreaterThanOrEqual(changed.length)
  })

  it.prop([fc.array(randomTurn, { maxLength: 10 })])('names each record that differs, and no other', async turns => {
    const world = smallWorld({ rows: {} })
    const rows = () =>
      new Map([...world.games.all(), ...world.tokens.all()].map(row => [Object.values(row)[0] as string, row]))
    const changeSets = recorded(world)

    for (const turn of turns) {
      const before = rows()
      const known = changeSets.length
      await world.write(tables => play(turn, tables)).catch(() => {})
      const after = rows()
      const told = changeSets.slice(known)

      const puts = [...after].filter(([id, row]) => before.get(id) !== row).map(([id]) => id)
      const deletes = [...before.keys()].filter(id => !after.has(id))
      const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort()
      expect([ids(told.flatMap(set => set.puts)), ids(told.flatMap(set => set.deletes))]).toEqual([
        puts.sort(),
        deletes.sort(),
      ])
    }
  })
})

describe('the revision of a world', () => {
  it.prop([fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom('write', 'reset', 'nothing')))])(
    'becomes the higher of one more and the time in ms with each change set',
    async steps => {
      const world = smallWorld()
      const told = recorded(world)
      const expectedRevisions: number[] = []

      for (const [i, [ms, action]] of steps.entries()) {
        await world.clock.advance(ms)
        const [before, known] = [world.revision, told.length]
        if (action === 'write') await world.games.create(game(`g${i}`))
        if (action === 'reset') await world.reset()
        if (told.length > known) expectedRevisions.push(Math.max(before + 1, world.clock.now()))
      }

      expect(told.map(({ revision }) => revision)).toEqual(expectedRevisions)
    },
  )

  it('is a whole number also where the clock was advanced by a fraction', async () => {
    const world = smallWorld()
    await world.clock.advance(2.5)

    await world.games.create(game('cars'))

    expect(world.revision).toBe(startAt + 2)
  })

  it('follows the time of a running clock', async () => {
    vi.useFakeTimers({ now: 1_000_000 })
    const world = smallWorld({ clock: 'running' })
    vi.advanceTimersByTime(5000)

    await world.games.create(game('cars'))
    vi.useRealTimers()

    expect(world.revision).toBe(startAt + 5000)
  })
})
