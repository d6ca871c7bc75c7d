import type { GameRow } from '../store/rows.js'
import type { PlacedGame } from './layout.js'
import type { RowMaking } from './namespace-row.js'

/** A game whose id is known. */
export interface OwnedGame extends PlacedGame {
  readonly game_id: string
}

/** The row of a game. */
export function gameRow({ game_id, names, given }: OwnedGame, { naming, now }: RowMaking): GameRow {
  const { created_at, developer_group_id } = given
  return {
    game_id,
    ...names,
    created_at: created_at === undefined ? now : Date.parse(created_at),
    developer_group_id: developer_group_id ?? naming.uuid(`game:${names.name_id}/developer-group`),
  }
}
