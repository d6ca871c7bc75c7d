import * as z from 'zod'
import { exact } from '../contract/exact.js'
import type { MaxPlayers } from '../contract/lobby.js'
import { Uint32 } from '../contract/uint32.js'

type Columns = z.output<typeof MaxPlayers>

/** The most players of a lobby: one number for all three ways to come, or some of the three. */
export const MaxPlayersKey = z
  .union([
    Uint32,
    exact({
      normal: Uint32.optional().meta({ description: 'The most players by find.', examples: [16] }),
      direct: Uint32.optional().meta({
        description: 'The most players by join with the id of the lobby.',
        examples: [20],
      }),
      party: Uint32.optional().meta({ description: 'The most players as a party.', examples: [20] }),
    }),
  ])
  .meta({
    description: 'The most players of a lobby: by find, by join with its id, as a party. One number is all three.',
    examples: [2, { normal: 16, direct: 20, party: 20 }],
  })
export type MaxPlayersEntry = z.output<typeof MaxPlayersKey>

/** The three columns; what is not given is as in `defaults`. */
export function maxPlayersOf(given: MaxPlayersEntry | undefined, defaults: Columns): Columns {
  const { normal, direct, party } =
    typeof given === 'number' ? { normal: given, direct: given, party: given } : (given ?? {})
  return {
    max_players_normal: normal ?? defaults.max_players_normal,
    max_players_direct: direct ?? defaults.max_players_direct,
    max_players_party: party ?? defaults.max_players_party,
  }
}
