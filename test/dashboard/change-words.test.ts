import { fc } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { causeWords, sinceThen } from '../../src/dashboard/world/change-words.js'
import { createMockmaker } from '../../src/index.js'

function lobbyOf(change: object = {}) {
  const lobbies = [{ game_mode_id: 'ffa', total_player_count: 2 }]
  const mock = createMockmaker({ seed: 1, scenario: { clock: 'frozen', game_modes: ['ffa'], lobbies } })
  const [before] = mock.world.lobbies.all()
  if (!before) throw new Error('the world has no lobby')
  return { before, now: { ...before, ...change } }
}

describe('what happened to a lobby since', () => {
  it('is nothing if it is as it was, and something if it differs', () => {
    const changes = fc.record({ total_player_count: fc.nat(4), is_closed: fc.boolean(), state: fc.constantFrom(1, 2) })
    fc.assert(
      fc.property(changes, changes, (one, other) => {
        const { before } = lobbyOf()
        const [seats, since] = sinceThen({ ...before, ...one }, { ...before, ...other })
        expect([seats, since].map(text => text !== '')).toEqual(
          JSON.stringify(one) === JSON.stringify(other) ? [false, false] : [true, true],
        )
        expect(/joined|left/.test(since)).toBe(one.total_player_count !== other.total_player_count)
      }),
    )
  })

  it.each([
    [{ total_player_count: 3 }, 'joined'],
    [{ total_player_count: 0 }, '2 players left'],
    [{ reserved_player_count: 1 }, '1 seat reserved'],
    [{ is_closed: true }, 'closed'],
    [{ state: { map: 'b' } }, 'another state'],
    [{ status: 'stopped' }, 'stopped'],
  ])('is in words: %j', (change, words) => {
    const { before, now } = lobbyOf(change)
    expect(sinceThen(before, now as typeof before)[1]).toContain(words)
  })

  it('says that a lobby is stopped that the world has forgotten', () => {
    expect(sinceThen(lobbyOf().before, undefined)).toEqual(['stopped', 'stopped'])
  })
})

describe('the cause of a change', () => {
  it('names the request and its result, or what else made it', async () => {
    const mock = createMockmaker({ seed: 1, scenario: { game_modes: ['ffa'] } })
    const body = new TextEncoder().encode('{"game_modes":["ffa"]}')
    await mock.answer({ method: 'POST', path: '/matchmaker/lobbies/find', headers: {}, body })
    const [change] = mock.history({ limit: 1 }).change_sets
    if (!change) throw new Error('the history is empty')

    expect(causeWords(change, mock.journal.find(), ({ status }) => `${status}`)).toBe('lobbies.find, 200')
    expect(causeWords(change, [], () => '')).toBe('lobbies.find')
    expect(causeWords({ revision: 1, cause: { kind: 'control', call: 'rows.put' } }, [], () => '')).toBe('rows.put')
    expect(causeWords({ revision: 1, cause: { kind: 'simulation' } }, [], () => '')).toBe('simulated players')
  })
})
