import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { tooFewSeats } from '../../../src/server/processes/server-check.js'

const solo = { game_mode_id: 'solo', max_players: 1 }
const duel = { game_mode_id: 'duel', max_players: { normal: 4, direct: 2, party: 4 } }
const closed = { game_mode_id: 'closed', max_players: 64, disabled: ['join'] } as const
const brawl = { game_mode_id: 'brawl', max_players: { normal: 2, direct: 12 } }
const none = { game_mode_id: 'none', max_players: { normal: 2, direct: 0 } }

describe('the seats of a check', () => {
  it.for([
    [
      'the first game mode',
      [duel, closed, brawl],
      { players: 5 },
      'duel has 2 seats: pass --players 2, or --game-mode brawl',
    ],
    [
      'another game mode',
      [brawl, solo],
      { players: 2, gameMode: 'solo' },
      'solo has 1 seat: pass --players 1, or --game-mode brawl',
    ],
    [
      'all game modes',
      [duel, solo],
      { players: 5 },
      'duel has 2 seats: pass --players 2, or raise its max_players in the scenario',
    ],
    ['a game mode without seats', [none, brawl], { players: 5 }, 'none has 0 seats: pass --game-mode brawl'],
    [
      'a game mode without seats, alone',
      [none],
      { players: 5 },
      'none has 0 seats: raise its max_players in the scenario',
    ],
  ] as const)('are too few in %s', ([, game_modes, asked, message]) => {
    const { world } = createMockmaker({ scenario: { game_modes: [...game_modes] } })

    expect(tooFewSeats(world, asked)).toBe(message)
  })

  it.for([
    ['as many as the players', { players: 2 }],
    ['those for players who join by id', { players: 12, gameMode: 'brawl' }],
    ['not judged for an unknown game mode', { players: 64, gameMode: 'nothing' }],
  ] as const)('are %s', ([, asked]) => {
    const { world } = createMockmaker({ scenario: { game_modes: [duel, brawl] } })

    expect(tooFewSeats(world, asked)).toBeUndefined()
  })
})
