import * as z from 'zod'
import { DisplayName } from '../contract/display-name.js'
import { exact } from '../contract/exact.js'
import { Identifier } from '../contract/identifier.js'
import { Instant } from '../contract/instant.js'
import { GameRow } from '../store/rows.js'
import { defaultNames } from './name.js'
import { NamespaceEntry } from './namespace.js'
import { Token } from './token.js'

/** A game with its namespaces. */
export const GameEntry = exact({
  name_id: Identifier.optional().meta({
    description: 'What paths, host names and other keys call it. Default: game.',
    default: defaultNames.game.name_id,
    examples: ['tanks'],
  }),
  display_name: DisplayName.optional().meta({
    description: 'What people call it. Default: the name_id; Game where that is absent too.',
    examples: ['Tanks'],
  }),
  game_id: GameRow.shape.game_id.optional().meta({
    description: 'Its id on the cloud side. Default: from the seed.',
    examples: ['11111111-1111-4111-8111-111111111111'],
  }),
  created_at: Instant.optional().describe('When it was made. Default: when the world begins.'),
  developer_group_id: GameRow.shape.developer_group_id.optional().meta({
    description: 'The group of the people who make it. Default: from the seed.',
    examples: ['22222222-2222-4222-8222-222222222222'],
  }),
  tokens: exact({ cloud: Token.optional().describe('Its cloud token. Default: from the seed.') })
    .optional()
    .describe('Tokens of the game. Default: from the seed.'),
  namespaces: z.array(NamespaceEntry).optional().describe('Its namespaces. Default: one, prod.'),
})
export type GameEntry = z.output<typeof GameEntry>
