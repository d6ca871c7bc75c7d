import { describe, expect } from 'vitest'
import { controls, messageOf } from '../../support/controls.js'
import { it } from '../../support/served-mock.js'
import { stateOf } from '../../support/worlds.js'

// What the page does with one call each.
describe.each(controls)('one call, $where,', ({ of }) => {
  it('sets the clock to a Date', async ({ serve }) => {
    const served = await serve()

    await of(served).clock.set({ now: new Date('2026-11-20T21:00:00Z') })

    expect(new Date(served.mock.clock.now()).toISOString()).toBe('2026-11-20T21:00:00.000Z')
  })

  it('says what is wrong, and changes nothing', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const { lobby_id } = await control.lobby({ game_mode_id: 'duel', max_players: 1, players: 1 })
    const before = stateOf(served.mock.world)

    const messages = [
      await messageOf(() => control.clock.set({ now: 'noon' })),
      await messageOf(() => control.clock.set({ now: '2026-11-20 21:00' })),
      await messageOf(() => control.clock.set({ now: '2026-11-20T19:00:00Z' })),
      await messageOf(() => control.clock.set({ nwo: '2026-11-20T21:00:00Z' } as never)),
      await messageOf(() => control.player({ lobby_id: 'nope' })),
      await messageOf(() => control.player({ lobby_id })),
      await messageOf(() => control.player({ lobby: lobby_id } as never)),
      await messageOf(() => control.world.gameModes.create('duel')),
      await messageOf(() => control.world.gameModes.create({ game_mode_id: 'x', max_playrs: 2 } as never)),
      await messageOf(() => control.world.gameModes.create({ game_mode_id: 'x', namespace_id: 'nope' })),
    ]

    const expected = [
      'clock.now is "noon": expected ms since the epoch, or a date and time with a zone',
      'clock.now is "2026-11-20 21:00": expected ms since the epoch, or a date and time with a zone',
      'clock.now is 2026-11-20T19:00:00.000Z, before the present time 2026-11-20T20:00:00.000Z: a clock only goes forward',
      'nwo is an unknown key. Known: mode, now, rate.',
      'player: lobby_id is "nope", which does not exist. Known:',
      `player: lobby ${lobby_id}: expected at most 1 players, the largest limit of the lobby`,
      'Did you mean lobby_id?',
      'duel" exists already',
      'Did you mean max_players?',
      'namespace_id is "nope", which does not exist. Known:',
    ]
    expect(messages).toEqual(expected.map(text => expect.stringContaining(text)))
    expect(stateOf(served.mock.world)).toBe(before)
  })
})
