import * as z from 'zod'
import { DisplayName } from '../contract/display-name.js'
import { exact } from '../contract/exact.js'
import { Identifier } from '../contract/identifier.js'
import { Instant } from '../contract/instant.js'
import { GameRow } from '../store/rows.js'
import { NamespaceEntry } from './namespace.js'
import { Token } from './token.js'

/** A game with its namespaces. */
export const GameEntry = exact({
  name_id: Identifier.optional().describe('Default: game.'),
  display_name: DisplayName.optional().describe('Default: the name_id; Game where that is absent too.'),
  game_id: GameRow.shape.game_id.optional().describe('Default: from the seed.'),
  created_at: Instant.optional().describe('Default: when the world begins.'),
  developer_group_id: GameRow.shape.developer_group_id.optional().describe('Default: from the seed.'),
  tokens: exact({ cloud: Token.optional() }).optional(),
  namespaces: z.array(NamespaceEntry).optional().describe('Default: one, prod.'),
})
export type GameEntry = z.output<typeof GameEntry>
