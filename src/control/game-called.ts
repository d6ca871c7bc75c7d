import { didYouMean } from '../lib/did-you-mean.js'
import { quoted } from '../lib/quote.js'
import { UsageError } from '../lib/usage-error.js'
import type { GameRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'

/** The game of that id, or of that `name_id`. Throws `UsageError` where there is none. */
export function gameCalled(name: string, { games }: Pick<ReadTables, 'games'>): GameRow {
  const game = games.get(name) ?? games.findFirst(q => q.where({ name_id: name }))
  if (game) return game
  const known = games.all().map(({ name_id }) => name_id)
  throw new UsageError(`game is ${quoted(name)}, which does not exist.${didYouMean(name, known)}`)
}
