import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { Overlay } from '../../src/store/overlay.js'
import { Records } from '../../src/store/records.js'
import { Tracking } from '../../src/store/tracker.js'
import { plainTurn, play } from '../support/random-turns.js'
import { game, smallWorld } from '../support/small-world.js'

const name = fc.constantFrom('red', 'green', 'blue')
const id = fc.constantFrom('g0', 'g1', 'g2', 'g3')
const rows = fc.array(fc.record({ id, name }), { maxLength: 4 })
const steps = fc.array(fc.record({ id, name: fc.option(name) }), { maxLength: 12 })

interface Named {
  readonly id: string
  readonly name: string
}

function overlayOver(rows: readonly Named[]): Overlay<Named> {
  const beginning = { table: 'rows', tracking: new Tracking(), revision: 1 }
  return new Overlay(Records.of(new Map(rows.map(row => [row.id, row])), beginning), row => row.id)
}

describe("a turn's overlay", () => {
  it.prop([name, id, plainTurn, plainTurn])(
    'finds by index what a full scan finds, in the same order',
    async (name_id, game_id, before, { steps }) => {
      const world = smallWorld({ rows: {} })
      await world.write(tables => play(before, tables)).catch(() => {})
      const differences: unknown[] = []

      const turn = world.write(async tables => {
        for (const step of steps) {
          await play({ steps: [step], awaits: 'each' }, tables)
          const { games, tokens } = tables
          const found = JSON.stringify([
            games.findMany(q => q.where({ name_id })),
            tokens.findMany(q => q.where({ game_id })),
          ])
          const scanned = JSON.stringify([
            games.all().filter(row => row.name_id === name_id),
            tokens.all().filter(row => row.kind === 'cloud' && row.game_id === game_id),
          ])
          if (found !== scanned) differences.push({ found, scanned })
        }
      })
      await turn.catch(() => {})

      expect(differences).toEqual([])
    },
  )

  it.prop([rows, steps, name])('finds the same when records come, change and go again', (rows, steps, asked) => {
    const overlay = overlayOver(rows)
    const looks = steps.map(({ id, name }) => {
      if (name === null) overlay.delete(id)
      else overlay.put({ id, name })
      return {
        found: [...overlay.indexed('name', asked)],
        scanned: [...overlay.rows()].filter(row => row.name === asked),
      }
    })

    expect(looks.map(look => look.found)).toEqual(looks.map(look => look.scanned))
  })

  it.prop([plainTurn, plainTurn])('shows within the turn what is there after its commit', async (before, turn) => {
    const world = smallWorld({ rows: {} })
    await world.write(tables => play(before, tables)).catch(() => {})

    const seen = await world
      .write(async tables => {
        await play(turn, tables)
        return JSON.stringify([tables.games.all(), tables.tokens.all()])
      })
      .catch(() => undefined)

    expect([undefined, JSON.stringify([world.games.all(), world.tokens.all()])]).toContain(seen)
  })

  it('puts a record that was deleted and made again at the end, equal or not', async () => {
    const world = smallWorld({ rows: { games: ['a', 'b', 'c'].map(game) } })

    const within = await world.write(async ({ games }) => {
      for (const id of ['d', 'e']) await games.create(game(id))
      for (const id of ['d', 'a', 'b']) {
        await games.delete(q => q.where({ game_id: id }))
        await games.create({ ...game(id), display_name: id === 'b' ? 'other' : id })
      }
      return games.all().map(({ game_id }) => game_id)
    })

    expect([within, world.games.all().map(({ game_id }) => game_id)]).toEqual([
      ['c', 'e', 'd', 'a', 'b'],
      ['c', 'e', 'd', 'a', 'b'],
    ])
  })

  it('finds a record that has come to another value where it stands among all', async () => {
    const tokens = ['a', 'b', 'c'].map(token => ({ token, kind: 'cloud', game_id: token === 'a' ? 'red' : 'green' }))
    const world = smallWorld({ rows: { games: ['red', 'green'].map(game), tokens } })

    const found = await world.write(async ({ tokens }) => {
      await tokens.update(q => q.where({ token: 'a' }), {
        data: draft => void Object.assign(draft, { game_id: 'green' }),
      })
      return tokens.findMany(q => q.where({ game_id: 'green' })).map(({ token }) => token)
    })

    expect(found).toEqual(['a', 'b', 'c'])
  })

  it('leaves what has been committed as it was until the turn is over', async () => {
    const world = smallWorld()

    const outside = await world.write(async ({ games }) => {
      await games.create(game('cars'))
      return world.games.get('cars')
    })

    expect(outside).toBeUndefined()
  })

  it.each(['as they were', 'renamed'])(
    'looks by index at the rows that are asked for, not at all that the turn has put: %s',
    how => {
      let reads = 0
      const rowOf = (id: string, name = id) => ({
        id,
        get name() {
          reads += 1
          return name
        },
      })
      const ids = Array.from({ length: 1_000 }, (_, i) => `r${i}`)
      const overlay = overlayOver(ids.map(id => rowOf(id, how === 'renamed' ? `before ${id}` : id)))
      for (const id of ids) overlay.put(rowOf(id))

      const found = ids.map(id => [...overlay.indexed('name', id)].map(row => row.id))

      expect(found).toEqual(ids.map(id => [id]))
      expect(reads).toBeLessThan(10 * ids.length)
    },
  )
})
