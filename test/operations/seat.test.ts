import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import { ask, json, post } from '../support/http.js'

const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] })

/** The message of what the last of some finds is answered, where a namespace has such limits. */
async function refusal(matchmaker: { max_players?: number; lobby_count_max?: number }, finds: number): Promise<string> {
  const mock = createMockmaker({ scenario: { game_modes: ['duel'], matchmaker } })
  for (let i = 1; i < finds; i++) await ask(mock, find)
  return (json(await ask(mock, find)) as { message: string }).message
}

describe('lobbies.find', () => {
  it.for([
    [
      1,
      '127.0.0.1 has 1 of at most 1 players in the namespace: raise max_players in mm-config, or disconnect a player',
    ],
    [0, '127.0.0.1 has 0 of at most 0 players in the namespace: raise max_players in mm-config'],
  ] as const)('says what to do if max_players is %i', async ([max_players, message]) => {
    expect(await refusal({ max_players }, max_players + 1)).toBe(message)
  })

  it('says how to allow lobbies if none is allowed', async () => {
    const message = 'the namespace has 0 of at most 0 lobbies: raise lobby_count_max in mm-config'

    expect(await refusal({ lobby_count_max: 0 }, 1)).toBe(message)
  })
})

it.for([
  ['find', [400, 200, 200]],
  ['join', [200, 400, 200]],
  ['create', [200, 200, 400]],
] as const)('does not affect the other calls in a game mode that disables %s', async ([way, statuses]) => {
  const lobby_id = 'here'
  const mock = createMockmaker({
    scenario: { game_modes: [{ game_mode_id: 'duel', disabled: [way] }], lobbies: [{ lobby_id }] },
  })
  const join = post('/matchmaker/lobbies/join', { lobby_id })
  const create = post('/matchmaker/lobbies/create', { game_mode: 'duel' })

  const got = []
  for (const asked of [find, join, create]) got.push((await ask(mock, asked)).status)

  expect(got).toEqual(statuses)
})
