import { ApiError } from '../contract/errors.js'
import { quoted } from '../lib/quote.js'
import type { GameRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'

/** The game of that id. Throws `ApiError` where it has gone since the caller's token was looked at: a token needs its game. */
export function gameOf(gameId: string, { games }: Pick<ReadTables, 'games'>): GameRow {
  const game = games.get(gameId)
  if (game) return game
  throw new ApiError('API_NOT_FOUND', `game ${quoted(gameId)} is not there any more: GET / shows the games`)
}
