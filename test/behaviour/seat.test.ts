import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../src/index.js'

/** The message of what the last of some finds is answered, where a namespace has such limits. */
async function refusal(matchmaker: { max_players?: number; lobby_count_max?: number }, finds: number): Promise<string> {
  const { answer } = createMockmaker({ scenario: { game_modes: ['duel'], matchmaker } })
  const body = new TextEncoder().encode('{"game_modes": ["duel"]}')
  const call = { method: 'POST', path: '/matchmaker/lobbies/find', query: '', headers: {}, body }
  for (let i = 1; i < finds; i++) await answer(call)
  return JSON.parse(new TextDecoder().decode((await answer(call)).body)).message
}

describe('lobbies.find', () => {
  it.for([
    [1, '127.0.0.1 has 1 of the players of the namespace, and may have 1: let one leave, or allow more'],
    [0, '127.0.0.1 has 0 of the players of the namespace, and may have 0: allow some'],
  ] as const)('says where max_players is %i what may be done', async ([max_players, message]) => {
    expect(await refusal({ max_players }, max_players + 1)).toBe(`${message} (mm-config, max_players)`)
  })

  it('says where no lobby is allowed that some may be', async () => {
    const message = 'the namespace has 0 lobbies, and may have 0: allow some (mm-config, lobby_count_max)'

    expect(await refusal({ lobby_count_max: 0 }, 1)).toBe(message)
  })
})
