import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject, vi } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'
import { real } from '../../../src/core/lib/real-globals.js'
import type { Change, ChangeSet } from '../../../src/core/store/change-set.js'
import { tableNames } from '../../../src/core/store/table-names.js'
import type { Entry } from '../../../src/core/store/table-state.js'
import type { LiveWorld } from '../../../src/core/store/world.js'
import type { TransactionTables } from '../../../src/core/store/world-tables.js'
import { game, smallWorld } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'
import { randomTransaction, succeeds } from './random-transactions.js'

function recorded(world: LiveWorld): ChangeSet[] {
  const changeSets: ChangeSet[] = []
  world.subscribe(changeSet => changeSets.push(changeSet))
  return changeSets
}

function stateOf({ after }: Change): unknown {
  return after && 'state' in after.row && after.row.state
}

function entriesOf({ tables }: LiveWorld): Map<string, Entry> {
  return new Map(
    tableNames.flatMap(name => tables[name].state.entries().map(entry => [`${name} ${entry.id}`, entry] as const)),
  )
}

describe('a change set', () => {
  it.each([
    ['reads only', ({ games }) => games.all()],
    [
      'updates a row without a difference',
      ({ games }) => games.update(q => q.where({ game_id: 'tanks' }), { data: () => {} }),
    ],
    [
      'seats a player and removes it again',
      ({ lobbies }) => {
        for (const total_player_count of [1, 0]) lobbies.update('l0', { total_player_count })
      },
    ],
    [
      'changes a row and restores it',
      ({ games }) => {
        for (const name_id of ['other', 'tanks']) games.update('tanks', { name_id })
      },
    ],
    ['finds nothing to delete', ({ games }) => games.delete(q => q.where({ game_id: 'no' }))],
  ] satisfies [string, (tables: TransactionTables) => unknown][])(
    'is not made by a transaction that %s',
    (_what, write) => {
      const world = smallWorld()
      const changeSets = recorded(world)

      world.transaction<unknown>(write)

      expect({ changeSets, revision: world.revision }).toEqual({ changeSets: [], revision: startAt })
    },
  )

  it.each([
    ['a key of an object', '{"map":"dust"}', '{"map":"dust","round":1}'],
    ['a key named constructor', '{"constructor":{"a":1}}', '{"constructor":{"a":2}}'],
    ['a key named __proto__', '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ['a key named toString', '{"toString":1}', '{}'],
    ['an item of a list', '[1,{"a":[2]}]', '[1,{"a":[3]}]'],
    ['a list for an object', '[]', '{}'],
    ['null for an object', 'null', '{}'],
    ['the order of keys', '{"a":1,"b":2}', '{"b":2,"a":1}'],
  ])('is created if %s changes a nested value, and only then', async (_what, before, after) => {
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

    const states = changeSets.map(({ changes }) => changes.map(change => JSON.stringify(stateOf(change))))
    expect(states).toEqual([[after]])
  })

  it('is sent after the commit, to listeners and then to subscribers', async () => {
    const world = smallWorld()
    const deliveries: unknown[] = []
    world.subscribe(({ revision }) =>
      deliveries.push(['subscriber', world.revision === revision, !!world.games.get('cars')]),
    )
    world.dependencies.listen(['games'], { onChange: () => deliveries.push(['listener', !!world.games.get('cars')]) })

    await world.games.create(game('cars'))

    expect(deliveries).toEqual([
      ['listener', true],
      ['subscriber', true, true],
    ])
  })

  it.each(['subscriber', 'listener'] as const)(
    'is sent to all and stays committed if a %s throws: its error is uncaught',
    async who => {
      const world = smallWorld()
      const deliveries = vi.fn()
      const error = new Error(`a bug of a ${who}`)
      const throws = () => {
        throw error
      }
      if (who === 'subscriber') world.subscribe(throws)
      else world.dependencies.listen(['games'], { onChange: throws })
      world.subscribe(deliveries)
      world.dependencies.listen(['games'], { onChange: deliveries })
      const uncaught = vi.spyOn(real, 'queueMicrotask').mockImplementation(() => {})

      const created = world.games.create(game('cars'))
      const thrown = uncaught.mock.calls.map(([throws]) => throws)
      uncaught.mockRestore()

      expect([await created, deliveries.mock.calls.length, world.games.get('cars')]).toEqual([
        game('cars'),
        2,
        game('cars'),
      ])
      expect(thrown).toEqual([expect.any(Function)])
      expect(thrown[0]).toThrow(error)
    },
  )

  it('is sent after earlier ones, even if a subscriber writes', () => {
    const world = smallWorld()
    const deliveries: string[] = []
    const ids = ({ changes }: ChangeSet) => changes.map(({ id }) => id).join()
    world.subscribe(changeSet => {
      deliveries.push(`first ${ids(changeSet)}`)
      if (ids(changeSet) === 'cars')
        for (const id of ['bikes', 'ships']) world.transaction(({ games }) => games.create(game(id)))
      if (ids(changeSet) === 'bikes') world.transaction(({ games }) => games.delete('ships'))
    })
    world.subscribe(changeSet => deliveries.push(`second ${ids(changeSet)}`))

    world.transaction(({ games }) => games.create(game('cars')))

    expect(deliveries).toEqual(['cars', 'bikes', 'ships', 'ships'].flatMap(id => [`first ${id}`, `second ${id}`]))
    expect(world.games.all().map(({ game_id }) => game_id)).toEqual(['tanks', 'boats', 'cars', 'bikes'])
  })

  it('of a subscriber is committed by itself: if it fails, the first one stays', () => {
    const world = smallWorld()
    const errors: unknown[] = []
    world.subscribe(() => {
      try {
        world.transaction(({ games }) => games.create(game('tanks')))
      } catch (error) {
        errors.push(error)
      }
    })

    world.transaction(({ games }) => games.create(game('cars')))

    expect([world.games.get('cars'), errors]).toEqual([game('cars'), [expect.any(UsageError)]])
  })

  it.prop([fc.array(randomTransaction, { maxLength: 10 })], { numRuns: inject('runs') })(
    'has each row that differs, before and after, and no other',
    transactions => {
      const world = smallWorld()
      const changeSets = recorded(world)

      for (const transaction of transactions) {
        const before = entriesOf(world)
        const known = changeSets.length
        succeeds(transaction, world)
        const after = entriesOf(world)

        const ids = [...new Set([...before.keys(), ...after.keys()])]
        const changed = ids.filter(id => before.get(id) !== after.get(id))
        const deliveries = changeSets.slice(known).flatMap(({ changes }) => changes)
        const changeOf = new Map(deliveries.map(change => [`${change.table} ${change.id}`, change]))
        expect([...changeOf.keys()].sort()).toEqual(changed.sort())
        expect(changeOf.size).toBe(deliveries.length)
        for (const [id, change] of changeOf)
          expect([change.before, change.after]).toEqual([before.get(id), after.get(id)])
      }
    },
  )
})

describe('the revision of a world', () => {
  it.prop([fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom('write', 'reset', 'nothing')))], {
    numRuns: 3 * inject('runs'),
  })('becomes the higher of previous + 1 and the time in ms with each change set', async steps => {
    const world = smallWorld()
    const deliveries = recorded(world)
    const expectedRevisions: number[] = []

    for (const [i, [ms, action]] of steps.entries()) {
      await world.clock.advance(ms)
      const [before, known] = [world.revision, deliveries.length]
      if (action === 'write') await world.games.create(game(`g${i}`))
      if (action === 'reset') world.reset()
      if (deliveries.length > known) expectedRevisions.push(Math.max(before + 1, world.clock.now()))
    }

    expect(deliveries.map(({ revision }) => revision)).toEqual(expectedRevisions)
  })
})
