import { fc, it } from '@fast-check/vitest'
import { describe, expect, vi } from 'vitest'
import { UsageError } from '../../src/lib/usage-error.js'
import type { LiveWorld } from '../../src/store/world.js'
import { chanceTurn, expectedStates, type Lists, play, randomTurn } from '../support/random-turns.js'
import { contents, smallWorld } from '../support/small-world.js'

const lists = ({ games, tokens }: LiveWorld): Lists => ({ games: games.all(), tokens: tokens.all() as never })

describe('a turn', () => {
  it.prop([fc.array(randomTurn, { maxLength: 8 })])(
    'among others begun at once ends as if each had waited for the one before',
    async turns => {
      const world = smallWorld({ rows: {} })

      const ended = await Promise.allSettled(turns.map(turn => world.write(tables => play(turn, tables))))

      const states = expectedStates(turns)
      const failed = states.slice(1).map(state => state.failed)
      expect([lists(world), ended.map(({ status }) => status === 'rejected')]).toEqual([states.at(-1)?.lists, failed])
    },
  )

  it.prop([fc.array(randomTurn, { maxLength: 6 })])('is never seen half done', async turns => {
    const world = smallWorld({ rows: {} })
    const seen = new Set<string>()
    const look = () => seen.add(JSON.stringify(lists(world)))
    const watch = async (until: Promise<unknown>) => {
      const done = { yet: false }
      void until.finally(() => {
        done.yet = true
      })
      for (; !done.yet; await Promise.resolve()) look()
    }

    await watch(Promise.allSettled(turns.map(turn => world.write(tables => play(turn, tables)))))

    const states = expectedStates(turns).map(state => JSON.stringify(state.lists))
    expect(states).toEqual(expect.arrayContaining([...seen]))
  })

  it.prop([fc.array(chanceTurn, { maxLength: 8 })])(
    'that throws leaves records, revision and chance as if it had never been',
    async turns => {
      const world = smallWorld({ rows: {} })
      const ended = await Promise.allSettled(turns.map(turn => world.write(tables => play(turn, tables))))
      const other = smallWorld({ rows: {} })

      for (const [i, turn] of turns.entries())
        if (ended[i]?.status === 'fulfilled') await other.write(tables => play(turn, tables))

      expect([contents(world), world.revision, world.random.save()]).toEqual([
        contents(other),
        other.revision,
        other.random.save(),
      ])
    },
  )

  it('keeps all of 100 increments that begin at once', async () => {
    const world = smallWorld()
    const increment = () =>
      world.namespaces.update(q => q.where({ namespace_id: 'prod' }), {
        data(draft) {
          draft.lobby_count_max += 1
        },
      })

    await Promise.all(Array.from({ length: 100 }, increment))

    expect(world.namespaces.get('prod')?.lobby_count_max).toBe(228)
  })

  it('keeps all writes to one record that begin at once within it', async () => {
    const world = smallWorld()

    await world.write(({ namespaces }) =>
      Promise.all(
        Array.from({ length: 10 }, () =>
          namespaces.update(q => q.where({ namespace_id: 'prod' }), {
            data(draft) {
              draft.lobby_count_max += 1
            },
          }),
        ),
      ),
    )

    expect(world.namespaces.get('prod')?.lobby_count_max).toBe(138)
  })

  it('reads what it has written', async () => {
    const world = smallWorld()

    const read = await world.write(async ({ games }) => {
      await games.create({ game_id: 'cars', name_id: 'cars' })
      await games.delete(q => q.where({ game_id: 'boats' }).and(() => false))
      return games.all().map(({ game_id }) => game_id)
    })

    expect(read).toEqual(['tanks', 'boats', 'cars'])
  })

  it('fails where a write fails that nobody awaited', async () => {
    const world = smallWorld()

    const turn = world.write(({ games }) => {
      void games.create({ game_id: 'tanks', name_id: 'tanks' })
      return 'done'
    })

    await expect(turn).rejects.toThrow(new UsageError('games.create: game_id "tanks" is there already'))
  })

  it('fails where a write fails whose error was caught', async () => {
    const world = smallWorld()

    const turn = world.write(({ games }) =>
      games.create({ game_id: 'tanks', name_id: 'tanks' }).catch(() => 'never mind'),
    )

    await expect(turn).rejects.toThrow(UsageError)
  })

  it('refuses a write that comes after its end', async () => {
    const world = smallWorld()
    const tables = await world.write(tables => tables)

    const late = () => tables.games.create({ name_id: 'late' })

    expect(late).toThrow(/^this turn has ended: await every write/)
  })

  it('that throws runs no write any more that was still queued', async () => {
    const world = smallWorld()
    const drafts = vi.fn()
    const turn = world.write(({ games }) => {
      for (const game_id of ['tanks', 'boats']) void games.update(q => q.where({ game_id }), { data: drafts })
      throw new Error('stop')
    })

    await turn.catch(() => {})
    const before = drafts.mock.calls.length
    await world.games.create({ name_id: 'after' })

    expect(drafts.mock.calls.length).toBe(before)
  })

  it('keeps a key __proto__ of a state that it changes within', async () => {
    const world = smallWorld()
    const lobby = await world.lobbies.create({ state: JSON.parse('{"__proto__":{"a":1},"map":{"name":"dust"}}') })

    await world.lobbies.update(q => q.where({ lobby_id: lobby.lobby_id }), {
      // The state of a lobby is any JSON; this one is of that shape.
      data: draft => void Object.assign((draft.state as { map: object }).map, { name: 'ice' }),
    })

    expect(JSON.stringify(world.lobbies.get(lobby.lobby_id)?.state)).toBe('{"__proto__":{"a":1},"map":{"name":"ice"}}')
  })

  it('awaits a draft function that is asynchronous', async () => {
    const world = smallWorld()

    await world.namespaces.update(q => q.where({ namespace_id: 'prod' }), {
      data: async draft => {
        await Promise.resolve()
        draft.lobby_count_max = 7
      },
    })

    expect(world.namespaces.get('prod')?.lobby_count_max).toBe(7)
  })

  it('answers undefined for an update or a delete of what is not there', async () => {
    const world = smallWorld()
    const nobody = { data: () => {} }

    const answers = await world.write(({ games }) =>
      Promise.all([
        games.update(q => q.where({ game_id: 'no' }), nobody),
        games.delete(q => q.where({ game_id: 'no' })),
      ]),
    )

    expect(answers).toEqual([undefined, undefined])
  })
})
