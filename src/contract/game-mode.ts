import * as z from 'zod'

/** A game mode as `lobbies.list` shows it. `game_mode_id` is a short identifier without special characters. */
export const GameMode = z
  .object({ game_mode_id: z.string() })
  .meta({ id: 'GameMode', description: 'A game mode of a namespace.' })
export type GameMode = z.output<typeof GameMode>
