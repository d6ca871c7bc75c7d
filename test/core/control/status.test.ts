import { expect, it } from 'vitest'
import { createLobbies } from '../../../src/core/control/creators.js'
import { worldStatus } from '../../../src/core/control/status.js'
import { playersText } from '../../../src/core/lib/messages.js'
import { createMock } from '../../../src/core/mock/mock.js'
import { ask } from '../../support/http.js'
import { closedAfterTest } from '../../support/worlds.js'

it('the status has the clock, taken seats, running lobbies, faults and requests that wait', async () => {
  const mock = closedAfterTest(
    createMock({
      scenario: {
        now: '2026-11-20T20:14:15Z',
        clock: { mode: 'frozen', rate: 60 },
        game_modes: ['duel'],
        lobbies: [{ players: [{}, { status: 'reserved' }] }, { status: 'stopped' }, {}],
      },
    }),
  )
  const before = worldStatus(mock.default)

  createLobbies(mock.default.world, [{}])
  mock.default.faults.add({ effect: { hold: true }, operation: 'lobbies.list' })
  const answer = ask(mock, { method: 'GET', path: '/matchmaker/lobbies/list' })
  const during = worldStatus(mock.default)
  mock.default.faults.clear()
  await answer

  const clock = { mode: 'frozen', rate: 60, now: '2026-11-20T20:14:15.000Z' }
  expect(before).toEqual({ clock, players: 2, reserved: 1, lobbies: 2, faults: 0, waiting: 0 })
  expect(playersText(before)).toBe('1 player + 1 on the way')
  expect(during).toEqual({ clock, players: 2, reserved: 1, lobbies: 3, faults: 1, waiting: 1 })
  expect(worldStatus(mock.default)).toMatchObject({ faults: 0, waiting: 0 })
})
