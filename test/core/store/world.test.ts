import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import type { ChangeSet } from '../../../src/core/store/change-set.js'
import { createState } from '../../../src/core/store/world-state.js'
import { contents, dump, game, lobby, smallDefinition, smallRows, smallWorld } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'
import { indexProblems } from './check-tables.js'
import { plainTransaction, succeeds } from './random-transactions.js'

describe('a new world', () => {
  it('keeps the order of its rows', () => {
    const world = smallWorld()

    const ids = world.lobbies.all().map(({ lobby_id }) => lobby_id)

    expect(ids).toEqual(['l0', 'l1', 'l2'])
  })
})

describe('a reset', () => {
  it.prop([fc.array(plainTransaction, { maxLength: 6 })], { numRuns: 3 * inject('runs') })(
    'continues like a new world',
    transactions => {
      const world = smallWorld()
      const fresh = smallWorld()
      for (const transaction of transactions) succeeds(transaction, world)

      world.reset()
      for (const each of [world, fresh]) for (const transaction of transactions) succeeds(transaction, each)

      expect([contents(world), world.random.save()]).toEqual([contents(fresh), fresh.random.save()])
    },
  )

  it('makes a change set of the differences only', async () => {
    const world = smallWorld()
    const changeSets: ChangeSet[] = []
    await world.games.create(game('cars'))
    await world.games.update(q => q.where({ game_id: 'boats' }), {
      data(draft) {
        draft.name_id = 'ships'
      },
    })
    world.lobbies.delete('l1')
    world.subscribe(changeSet => changeSets.push(changeSet))

    world.reset()

    const changes = changeSets.flatMap(set => set.changes)
    expect(changes.map(({ table, id, after }) => [table, id, after ? 'restored' : 'gone'])).toEqual([
      ['games', 'cars', 'gone'],
      ['games', 'boats', 'restored'],
      ['lobbies', 'l1', 'restored'],
    ])
    expect(changeSets.map(({ cause }) => cause)).toEqual([{ kind: 'reset' }])
  })

  it.each(['reset', 'load', 'reload'] as const)(
    'of the kind %s that throws inside leaves the world unchanged',
    async how => {
      const world = smallWorld()
      world.transaction(({ lobbies, games }) => {
        lobbies.createMany(3, i => ({ lobby_id: `new${i}` }))
        lobbies.delete('l0')
        games.update('boats', { name_id: 'ships' })
      })
      await world.clock.advance(7)
      const before = dump(world)
      let isFull = true
      world.keepIn({
        append() {
          if (isFull) throw new Error('stop')
        },
        check() {},
        settled: () => undefined,
        drained: () => undefined,
      })

      const rows = { ...smallRows(), lobbies: [lobby('other')] }
      const definition = { ...smallDefinition({ rows, now: startAt + 5 }), title: 'other' }
      const replace = {
        reset: () => world.reset(),
        load: () => world.replaceState(createState(definition), { cause: { kind: 'load' } }),
        reload: () => world.reload(definition),
      }
      expect(replace[how]).toThrow('stop')
      isFull = false

      expect(dump(world)).toBe(before)
      world.transaction(({ lobbies }) => lobbies.create({ lobby_id: 'next' }))
      expect(world.lobbies.all().map(({ lobby_id }) => lobby_id)).toEqual(['l1', 'l2', 'new0', 'new1', 'new2', 'next'])
      expect(indexProblems(world)).toEqual([])
      world.reset()
      expect([world.title, world.clock.now(), contents(world)]).toEqual(['small', startAt, contents(smallWorld())])
    },
  )
})
