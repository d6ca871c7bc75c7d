import { describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../src/contract/usage-error.js'
import type { Tables } from '../../src/store/table.js'
import { contents, smallWorld } from './small-world.js'

const setLobby = (values: object) => (tables: Tables) =>
  tables.lobbies.update(q => q.where({ lobby_id: 'l0' }), {
    data(draft) {
      Object.assign(draft, values)
    },
  })

/** What a turn does that the store refuses, and the message. */
const refused: [string, (tables: Tables) => unknown, string | RegExp][] = [
  [
    'a create with a value of the wrong type',
    t => t.lobbies.create({ is_closed: 'no' as never }),
    'lobbies.create: is_closed is "no": expected boolean',
  ],
  [
    'a create without what it needs',
    t => t.tokens.create({ kind: 'cloud' } as never),
    'tokens.create: game_id is missing: expected string',
  ],
  [
    'a create with a number above its maximum',
    t => t.lobbies.create({ max_players_normal: 2 ** 32 }),
    'lobbies.create: max_players_normal is 4294967296: expected at most 4294967295',
  ],
  [
    'a create with more players than fit',
    t => t.lobbies.create({ total_player_count: 9 }),
    'lobbies.create: total_player_count is 9: expected at most 8, the most that the lobby takes',
  ],
  [
    'a create with an id that has a slash',
    t => t.games.create({ game_id: 'a/b', name_id: 'a' }),
    'games.create: game_id is "a/b": expected 1 to 128 characters without white space or /',
  ],
  [
    'an update with a value of the wrong type',
    setLobby({ is_closed: 1 }),
    'lobbies.update: is_closed is 1: expected boolean',
  ],
  [
    'an update with a key too few',
    t =>
      t.games.update(q => q.where({ game_id: 'tanks' }), {
        data: draft => void Reflect.deleteProperty(draft, 'name_id'),
      }),
    'games.update: name_id is missing: expected string',
  ],
  [
    'several problems',
    t => t.lobbies.create({ is_closed: 1 as never, publicity: 'all' as never }),
    'lobbies.create: publicity is "all": expected "public" or "private"; is_closed is 1: expected boolean',
  ],
  ['an id that is there', t => t.lobbies.create({ lobby_id: 'l0' }), 'lobbies.create: lobby_id "l0" is there already'],
  [
    'an id of two columns that is there',
    t => t.gameModes.create({ game_mode_id: 'duel' }),
    'gameModes.create: namespace_id/game_mode_id "prod/duel" is there already',
  ],
  [
    'an id twice in one turn',
    async t => {
      await t.games.create({ game_id: 'x', name_id: 'x' })
      await t.games.create({ game_id: 'x', name_id: 'x' })
    },
    'games.create: game_id "x" is there already',
  ],
  ['an id that changes', setLobby({ lobby_id: 'l9' }), 'lobbies.update: lobby_id "l0" cannot become "l9"'],
]

describe.each(refused)('%s', (_what, turn, message) => {
  it('is refused with a UsageError that says what and where', async () => {
    const world = smallWorld()

    const write = world.write<unknown>(turn)

    await expect(write).rejects.toThrow(typeof message === 'string' ? new UsageError(message) : message)
  })

  it('changes nothing', async () => {
    const world = smallWorld()
    const before = [contents(world), world.revision, world.random.save()]

    await world.write<unknown>(turn).catch(() => {})

    expect([contents(world), world.revision, world.random.save()]).toEqual(before)
  })

  it('prints nothing', async () => {
    const printed = (['error', 'warn', 'log', 'info', 'debug'] as const).map(method =>
      vi.spyOn(console, method).mockImplementation(() => {}),
    )

    await smallWorld()
      .write<unknown>(turn)
      .catch(() => {})

    const calls = printed.flatMap(spy => spy.mock.calls)
    for (const spy of printed) spy.mockRestore()
    expect(calls).toEqual([])
  })
})
