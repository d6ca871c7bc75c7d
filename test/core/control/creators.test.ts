import { describe, expect } from 'vitest'
import { type Control, controls, messageOf } from '../../support/controls.js'
import { it, type ServedMock } from '../../support/served-mock.js'
import { ids } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

const changes = ({ mock }: ServedMock) => mock.history().change_sets.length

describe.each(controls)('mock.lobby, $where', ({ of }) => {
  it('creates a lobby in the first mode and the first region of the default namespace', async ({ serve }) => {
    const served = await serve()

    const lobby = await of(served).lobby()

    expect(lobby).toMatchObject({
      namespace_id: ids.prod,
      game_mode_id: 'duel',
      region_id: 'lnd-fra',
      total_player_count: 0,
      status: 'ready',
    })
    expect(served.mock.world.lobbies.get(lobby.lobby_id)).toEqual(lobby)
  })

  it('seats and connects a number of players, in one change set', async ({ serve }) => {
    const served = await serve()
    const before = changes(served)

    const { lobby_id, total_player_count } = await of(served).lobby({ game_mode_id: 'ffa', players: 3 })

    const players = served.mock.world.players.findMany({ lobby_id })
    expect([total_player_count, players.map(({ status }) => status)]).toEqual([
      3,
      ['connected', 'connected', 'connected'],
    ])
    expect(changes(served)).toBe(before + 1)
  })

  it('refuses more players than the lobby has seats, unknown fields, and a wrong number', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const before = stateOf(served.mock.world)

    expect(await messageOf(() => control.lobby({ players: 3 }))).toContain('at most 2 players')
    expect(await messageOf(() => control.lobby({ mode: 'duel' } as never))).toContain('mode is an unknown key')
    const wrong = 'players is -1: expected a list, or a whole number from 0 to 100000'
    expect(await messageOf(() => control.lobby({ players: -1 }))).toMatch(new RegExp(`^lobb(y|ies): ${wrong}$`))
    expect(await messageOf(() => control.world.lobbies.create({ players: -1 }))).toBe(`lobbies.create: ${wrong}`)
    expect(await messageOf(() => control.lobby('duel' as never))).toContain('expected an object')
    expect(stateOf(served.mock.world)).toBe(before)
  })
})

describe.each(controls)('mock.lobbies, $where', ({ of }) => {
  it('creates as many, with fields for each, in one change set', async ({ serve }) => {
    const served = await serve()
    const before = changes(served)
    const control = of(served)

    const made = await control.lobbies(3, i => ({ game_mode_id: 'ffa', players: i, state: { round: i } }))

    expect(made.map(({ state, total_player_count: count }) => [state, count])).toEqual([
      [{ round: 0 }, 0],
      [{ round: 1 }, 1],
      [{ round: 2 }, 2],
    ])
    expect(changes(served)).toBe(before + 1)
    expect(await control.lobbies(2, { game_mode_id: 'ffa' })).toMatchObject([
      { game_mode_id: 'ffa' },
      { game_mode_id: 'ffa' },
    ])
    expect(await control.lobbies(0)).toEqual([])
  })

  it('creates none if one is wrong', async ({ serve }) => {
    const served = await serve()
    const before = stateOf(served.mock.world)
    const control = of(served)

    await expect(control.lobbies(2, i => ({ players: i * 5 }))).rejects.toThrow('at most 2 players')

    expect(stateOf(served.mock.world)).toBe(before)
    await expect(control.lobbies(-1)).rejects.toThrow('the number is -1: expected a whole number')
    await expect(control.lobbies('2' as never)).rejects.toThrow('the number is "2"')
    await expect(control.lobbies(2, { max_players: 60_000, players: 60_000 })).rejects.toThrow(
      'lobbies: they have 120000 players: expected at most 100000 in one call',
    )
    expect(stateOf(served.mock.world)).toBe(before)
  })
})

describe.each(controls)('mock.player, $where', ({ of }) => {
  const lobbyOf = async (control: Control) => (await control.player()).lobby_id

  it('takes a seat in the newest lobby that has one, or in a new lobby', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const open = await control.lobby({ players: 1 })
    await control.lobby({ is_closed: true })
    await control.lobby({ players: 2 })

    const first = await lobbyOf(control)
    for (const lobby of served.mock.world.lobbies.all())
      await served.mock.world.lobbies.update(lobby.lobby_id, { is_closed: true })
    const second = await lobbyOf(control)

    expect(first).toBe(open.lobby_id)
    expect(served.mock.world.lobbies.get(second)).toMatchObject({ namespace_id: ids.prod, total_player_count: 1 })
  })
})
