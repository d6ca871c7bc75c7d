import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import type { LiveWorld, View } from '../../src/store/world.js'
import { plainTurn, play, type RandomTurn, randomTurn } from '../support/random-turns.js'
import { smallWorld } from '../support/small-world.js'
import { startAt } from '../support/tanks.js'

type Read = (view: View) => unknown

const id = fc.constantFrom('g0', 'g1', 'g2', 'g3')
const name = fc.constantFrom('red', 'green', 'blue')
const simpleRead: fc.Arbitrary<Read> = fc.oneof(
  id.map(
    (id): Read =>
      ({ tables }) =>
        tables.games.get(id),
  ),
  id.map(
    (id): Read =>
      ({ tables }) =>
        tables.games.findFirst(q => q.where({ game_id: id })),
  ),
  name.map(
    (name): Read =>
      ({ tables }) =>
        tables.games.findMany(q => q.where({ name_id: name })),
  ),
  name.map(
    (name): Read =>
      ({ tables }) =>
        tables.games.findFirst(q => q.where({ name_id: name })),
  ),
  name.map(
    (name): Read =>
      ({ tables }) =>
        tables.games.count(q => q.where({ name_id: name })),
  ),
  id.map(
    (id): Read =>
      ({ tables }) =>
        tables.tokens.findMany(q => q.where({ game_id: id })),
  ),
  name.map(
    (name): Read =>
      ({ tables }) =>
        tables.games.findMany(q => q.where(game => game.name_id === name)),
  ),
  fc.constant<Read>(({ tables }) => tables.games.all()),
  fc.integer({ min: 1, max: 9 }).map(
    (ms): Read =>
      ({ hasPassed }) =>
        hasPassed(startAt + ms),
  ),
)
const read: fc.Arbitrary<Read> = fc.oneof(
  simpleRead,
  fc.tuple(id, simpleRead, simpleRead).map(
    ([id, one, other]): Read =>
      view =>
        view.tables.games.get(id) ? one(view) : [other(view)],
  ),
  fc.tuple(simpleRead, simpleRead).map(
    ([one, other]): Read =>
      view => [one(view), other(view)],
  ),
)

type Event = RandomTurn | 'reset' | 'advance'
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: plainTurn },
  { weight: 2, arbitrary: randomTurn },
  { weight: 1, arbitrary: fc.constantFrom('reset' as const, 'advance' as const) },
)

async function happen(event: Event, world: LiveWorld): Promise<void> {
  if (event === 'reset') return world.reset()
  if (event === 'advance') return world.clock.advance(3)
  await world.write(tables => play(event, tables)).catch(() => {})
}

/** Reads, and listens on the tags until something is told. */
function listening(world: LiveWorld, read: Read) {
  const reading = world.read(read)
  const heard = { told: false }
  const stop = world.listen(reading.tags, () => {
    heard.told = true
    stop()
  })
  return { ...reading, heard, stop, json: JSON.stringify(reading.value) }
}

const history = [read, fc.array(event, { minLength: 1, maxLength: 20 })] as const

describe('a tracked read', () => {
  it.prop([...history])('stays as it is until its tags are told or its time has come', async (read, events) => {
    const world = smallWorld({ rows: {} })

    for (const event of events) {
      const before = listening(world, read)
      await happen(event, world)
      const after = world.read(read)
      before.stop()
      if (before.heard.told || (before.until ?? Number.POSITIVE_INFINITY) <= world.clock.now()) continue
      expect([JSON.stringify(after.value), after.revision]).toEqual([before.json, before.revision])
    }
  })

  it.prop([...history])('has a revision that never goes back while the clock stands still', async (read, events) => {
    const world = smallWorld({ rows: {} })
    const revisions = [world.read(read).revision]

    for (const event of events) {
      if (event !== 'advance') await happen(event, world)
      revisions.push(world.read(read).revision)
    }

    expect(revisions).toEqual([...revisions].sort((a, b) => a - b))
  })

  it.prop([...history])('has a higher revision whenever its value has changed', async (read, events) => {
    const world = smallWorld({ rows: {} })

    for (const event of events) {
      const before = world.read(read)
      if (event !== 'advance') await happen(event, world)
      const after = world.read(read)
      if (JSON.stringify(before.value) !== JSON.stringify(after.value))
        expect(after.revision).toBeGreaterThan(before.revision)
    }
  })

  it.prop([...history])('finds the same whether its indexes were built before or after', async (read, events) => {
    const [early, late] = [smallWorld({ rows: {} }), smallWorld({ rows: {} })]
    early.read(read)

    for (const world of [early, late]) for (const event of events) await happen(event, world)

    expect(JSON.stringify(late.read(read).value)).toBe(JSON.stringify(early.read(read).value))
  })

  it.prop([name, id, fc.array(event, { minLength: 1, maxLength: 20 })])(
    'finds by index what a full scan finds, in the same order',
    async (name_id, game_id, events) => {
      const world = smallWorld({ rows: {} })

      for (const event of events) {
        await happen(event, world)
        const { games, tokens } = world
        expect([games.findMany(q => q.where({ name_id })), tokens.findMany(q => q.where({ game_id }))]).toEqual([
          games.all().filter(row => row.name_id === name_id),
          tokens.all().filter(row => 'game_id' in row && row.game_id === game_id),
        ])
      }
    },
  )

  it('names the record, the index key or the table that it looked at', () => {
    const world = smallWorld()

    const tags = [
      world.read(({ tables }) => tables.games.get('tanks')),
      world.read(({ tables }) => tables.games.findMany(q => q.where({ name_id: 'tanks' }))),
      world.read(({ tables }) => tables.games.all()),
    ].map(reading => [...reading.tags])

    expect(tags).toEqual([['games#tanks'], ['games.name_id=tanks'], ['games']])
  })

  it('of a missing record keeps its revision when another is deleted', async () => {
    const world = smallWorld()
    const missing = () => world.read(({ tables }) => tables.lobbies.get('no')).revision
    const before = missing()

    await world.lobbies.delete(q => q.where({ lobby_id: 'l0' }))

    expect(missing()).toBe(before)
  })

  it('of a deleted record has the revision that deleted it', async () => {
    const world = smallWorld()

    await world.lobbies.delete(q => q.where({ lobby_id: 'l0' }))

    expect(world.read(({ tables }) => tables.lobbies.get('l0')).revision).toBe(world.revision)
  })

  it('says when the clock alone may change it: the earliest of the times it asked for', () => {
    const world = smallWorld()

    const { value, until } = world.read(({ hasPassed }) => [30, 10, 20, 0, -5].map(ms => hasPassed(startAt + ms)))

    expect([value, until]).toEqual([[false, false, false, true, true], startAt + 10])
  })

  it('is told when a reset takes back a time that had passed', async () => {
    const world = smallWorld()
    await world.clock.advance(10)
    const { heard } = listening(world, ({ hasPassed }) => hasPassed(startAt + 5))

    await world.reset()

    expect(heard.told).toBe(true)
  })

  it('adds what an inner read depended on to the outer one, also where the inner one throws', () => {
    const world = smallWorld()
    const inner: Read = ({ tables, hasPassed }) => {
      tables.games.get('tanks')
      hasPassed(startAt + 1)
      throw new Error('found nothing')
    }

    const { tags, until } = world.read(({ tables }) => {
      tables.regions.all()
      expect(() => world.read(inner)).toThrow('found nothing')
    })

    expect([tags, until]).toEqual([new Set(['regions', 'games#tanks']), startAt + 1])
  })

  it('depends on nothing that is read outside it', () => {
    const world = smallWorld()

    const { tags } = world.read(() => undefined)
    world.games.all()

    expect(tags).toEqual(new Set())
  })
})
