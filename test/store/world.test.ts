import { fc, it } from '@fast-check/vitest'
import { describe, expect, vi } from 'vitest'
import { UsageError } from '../../src/lib/usage-error.js'
import type { ChangeSet } from '../../src/store/change-set.js'
import { chanceTurn, play } from '../support/random-turns.js'
import { contents, game, smallRows, smallWorld } from '../support/small-world.js'
import { startAt } from '../support/tanks.js'

describe('a world that begins', () => {
  it('has its rows in their order', () => {
    const world = smallWorld()

    const ids = world.lobbies.all().map(({ lobby_id }) => lobby_id)

    expect(ids).toEqual(['l0', 'l1', 'l2'])
  })

  it('refuses a row that does not fit its schema, and says where', () => {
    const rows = { games: [game('tanks'), { ...game('boats'), display_name: 5 }] }

    const begin = () => smallWorld({ rows })

    expect(begin).toThrow(new UsageError('games[1]: display_name is 5: expected string'))
  })

  it('leaves the rows that it is given as they were', () => {
    const state = { map: 'dust', players: [{ name: 'Ann' }] }
    const rows = smallRows()

    smallWorld({ rows: { ...rows, lobbies: rows.lobbies.map(lobby => ({ ...lobby, state })) } })

    expect([state, state.players, state.players[0]].map(Object.isFrozen)).toEqual([false, false, false])
  })

  it('has a revision that is the time it begins at', () => {
    const world = smallWorld()

    expect(world.revision).toBe(startAt)
  })

  it('is the same for the same seed', async () => {
    const worlds = [smallWorld({ seed: 7 }), smallWorld({ seed: 7 })]

    for (const world of worlds) {
      await world.tokens.create({ kind: 'public', namespace_id: 'prod' })
      await world.lobbies.create({})
    }

    expect(new Set(worlds.map(contents)).size).toBe(1)
  })

  it('draws other ids for another seed', async () => {
    const worlds = [smallWorld({ seed: 7 }), smallWorld({ seed: 8 })]

    for (const world of worlds) await world.lobbies.create({})

    expect(new Set(worlds.map(contents)).size).toBe(2)
  })

  it('draws ids that do not depend on the time', async () => {
    const worlds = [smallWorld(), smallWorld({ now: 5 })]

    const ids = await Promise.all(worlds.map(world => world.lobbies.create({}).then(({ lobby_id }) => lobby_id)))

    expect(new Set(ids).size).toBe(1)
  })
})

describe('a world that is reset', () => {
  it.prop([fc.array(chanceTurn, { maxLength: 6 })])('is as it began: records, order, chance and time', async turns => {
    const world = smallWorld()
    const fresh = smallWorld()
    const touch = () =>
      world.games.update(q => q.where({ game_id: 'boats' }), {
        data(draft) {
          draft.name_id = 'red'
        },
      })
    await touch()
    for (const turn of turns) await world.write(tables => play(turn, tables)).catch(() => {})
    await world.clock.advance(99)

    await world.reset()

    expect([contents(world), world.random.save(), world.clock.now()]).toEqual([
      contents(fresh),
      fresh.random.save(),
      startAt,
    ])
  })

  it.prop([fc.array(chanceTurn, { maxLength: 6 })])('goes on as one that was never touched', async turns => {
    const world = smallWorld()
    const fresh = smallWorld()
    for (const turn of turns) await world.write(tables => play(turn, tables)).catch(() => {})

    await world.reset()
    for (const each of [world, fresh])
      for (const turn of turns) await each.write(tables => play(turn, tables)).catch(() => {})

    expect([contents(world), world.random.save()]).toEqual([contents(fresh), fresh.random.save()])
  })

  it('puts a record that was deleted and made again back in its place', async () => {
    const world = smallWorld()
    await world.write(async ({ lobbies }) => {
      const row = await lobbies.delete(q => q.where({ lobby_id: 'l0' }))
      await lobbies.create(row ?? {})
    })

    await world.reset()

    expect(world.lobbies.all().map(({ lobby_id }) => lobby_id)).toEqual(['l0', 'l1', 'l2'])
  })

  it('tells only what differs', async () => {
    const world = smallWorld()
    const told: ChangeSet[] = []
    await world.games.create(game('cars'))
    await world.games.update(q => q.where({ game_id: 'boats' }), {
      data(draft) {
        draft.name_id = 'ships'
      },
    })
    await world.lobbies.delete(q => q.where({ lobby_id: 'l1' }))
    world.subscribe(changeSet => told.push(changeSet))

    await world.reset()

    const ids = told.map(({ puts, deletes }) => [puts, deletes].map(list => list.map(({ table, id }) => [table, id])))
    expect(ids).toEqual([
      [
        [
          ['games', 'boats'],
          ['lobbies', 'l1'],
        ],
        [['games', 'cars']],
      ],
    ])
  })

  it('keeps the revision of records that are equal already', async () => {
    const world = smallWorld()
    const revisionOf = (id: string) => world.read(({ tables }) => tables.games.get(id)).revision
    await world.games.update(q => q.where({ game_id: 'boats' }), {
      data(draft) {
        draft.name_id = 'ships'
      },
    })

    await world.reset()

    expect([revisionOf('tanks'), revisionOf('boats')]).toEqual([startAt, startAt + 2])
  })

  it('tells nobody where nothing differs', async () => {
    const world = smallWorld()
    const told = vi.fn()
    world.subscribe(told)

    await world.reset()

    expect([told.mock.calls, world.revision]).toEqual([[], startAt])
  })

  it('waits for the turns before it', async () => {
    const world = smallWorld()

    const before = world.games.create(game('cars'))
    await world.reset()
    await before

    expect(world.games.get('cars')).toBeUndefined()
  })

  it('can be reset again and again', async () => {
    const world = smallWorld()
    const fresh = contents(world)

    for (const id of ['a', 'b', 'c']) {
      await world.games.create(game(id))
      await world.games.delete(q => q.where({ game_id: 'boats' })).catch(() => {})
      await world.reset()
    }

    expect(contents(world)).toBe(fresh)
  })
})
