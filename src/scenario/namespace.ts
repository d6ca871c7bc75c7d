import * as z from 'zod'
import { DisplayName } from '../contract/display-name.js'
import { exact } from '../contract/exact.js'
import { HostName } from '../contract/host-name.js'
import { Identifier } from '../contract/identifier.js'
import { Instant } from '../contract/instant.js'
import { Uint32 } from '../contract/uint32.js'
import { matchmakerDefaults } from '../store/default-columns.js'
import { NamespaceRow } from '../store/rows.js'
import { GameModeEntry } from './game-mode.js'
import { LobbyEntry } from './lobby.js'
import { defaultNames } from './name.js'
import { ServerPortsEntry } from './server-ports.js'
import { SimulationEntry } from './simulation.js'
import { Token } from './token.js'

/** The most lobbies that a scenario generates for one namespace. */
const generatedMax = 1_000_000

/** What a namespace can say besides its names. */
export const namespaceKeys = {
  namespace_id: NamespaceRow.shape.namespace_id.optional().meta({
    description: 'Its id on the cloud side. Default: from the seed.',
    examples: ['33333333-3333-4333-8333-333333333333'],
  }),
  version_id: NamespaceRow.shape.version_id.optional().meta({
    description: 'The version of the game that it runs. Default: from the seed.',
    examples: ['44444444-4444-4444-8444-444444444444'],
  }),
  created_at: Instant.optional().describe('When it was made. Default: when the world begins.'),
  tokenless: z.boolean().optional().meta({
    description:
      'Whether clients need no token to list, find, join and create lobbies, and to list regions. Default: true.',
    default: true,
  }),
  domains: z
    .array(HostName)
    .optional()
    .meta({
      description: 'Host names whose pages belong to the namespace. Default: none.',
      default: [],
      examples: [['tanks.example']],
    }),
  matchmaker: exact({
    lobby_count_max: Uint32.optional().meta({
      description: 'The most lobbies at once. Default: 128.',
      default: matchmakerDefaults.lobby_count_max,
      examples: [1024],
    }),
    max_players: Uint32.optional().meta({
      description: 'The most players from one client address. Default: 8, and loopback addresses are not counted.',
      examples: [matchmakerDefaults.max_players],
    }),
  })
    .optional()
    .describe('Limits of the namespace.'),
  tokens: exact({
    public: Token.optional().meta({
      description: 'The public token. Default: from the seed.',
      examples: ['pub_prod.mock.one'],
    }),
    development: Token.optional().meta({
      description: 'The development token. Default: from the seed.',
      examples: ['dev_prod.mock.one'],
    }),
  })
    .optional()
    .describe('Tokens of the namespace. Default: from the seed.'),
  development: ServerPortsEntry.optional().describe(
    'Where the game server of the development token runs, and those of modes that do not say where theirs run.',
  ),
  game_modes: z
    .array(GameModeEntry)
    .optional()
    .meta({ description: 'Its game modes: ids, or whole ones. Default: none.', default: [], examples: [['duel']] }),
  lobbies: z
    .array(LobbyEntry)
    .optional()
    .meta({ description: 'The lobbies that are there when the world begins. Default: none.', default: [] }),
  players: SimulationEntry.optional().describe('Players who come and go by themselves. Default: none.'),
  generate: exact({
    lobbies: z
      .int()
      .min(0)
      .max(generatedMax)
      .optional()
      .meta({ description: 'How many lobbies more. Default: none.', default: 0, examples: [396] }),
  })
    .optional()
    .describe('Generates so many more lobbies from the seed.'),
}

/** A namespace of a game. */
export const NamespaceEntry = exact({
  name_id: Identifier.optional().meta({
    description: 'What paths, host names and other keys call it. Default: prod.',
    default: defaultNames.namespace.name_id,
  }),
  display_name: DisplayName.optional().meta({
    description: 'What people call it. Default: the name_id; Production where that is absent too.',
    examples: ['Production'],
  }),
  ...namespaceKeys,
})
export type NamespaceEntry = z.output<typeof NamespaceEntry>
