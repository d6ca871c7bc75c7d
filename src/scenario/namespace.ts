import * as z from 'zod'
import { DisplayName } from '../contract/display-name.js'
import { exact } from '../contract/exact.js'
import { HostName } from '../contract/host-name.js'
import { Identifier } from '../contract/identifier.js'
import { Instant } from '../contract/instant.js'
import { Uint32 } from '../contract/uint32.js'
import { NamespaceRow } from '../store/rows.js'
import { GameModeEntry } from './game-mode.js'
import { LobbyEntry } from './lobby.js'
import { ServerPortsEntry } from './server-ports.js'
import { SimulationEntry } from './simulation.js'
import { Token } from './token.js'

/** The most lobbies that a scenario generates for one namespace. */
const generatedMax = 1_000_000

/** What a namespace can say besides its names. */
export const namespaceKeys = {
  namespace_id: NamespaceRow.shape.namespace_id.optional().describe('Default: from the seed.'),
  version_id: NamespaceRow.shape.version_id.optional().describe('What it runs of the game. Default: from the seed.'),
  created_at: Instant.optional().describe('Default: when the world begins.'),
  tokenless: z
    .boolean()
    .optional()
    .describe(
      'Whether clients need no token to list, find, join and create lobbies, and to list regions. Default: true.',
    ),
  domains: z.array(HostName).optional().describe('Host names whose pages belong to the namespace.'),
  matchmaker: exact({
    lobby_count_max: Uint32.optional().describe('Default: 128.'),
    max_players: Uint32.optional().describe(
      'From one client address. Default: 8, and loopback addresses are not counted.',
    ),
  }).optional(),
  tokens: exact({ public: Token.optional(), development: Token.optional() }).optional(),
  development: ServerPortsEntry.optional().describe(
    'Where the game server of the development token runs, and those of modes that do not say where theirs run.',
  ),
  game_modes: z.array(GameModeEntry).optional(),
  lobbies: z.array(LobbyEntry).optional(),
  players: SimulationEntry.optional().describe('Players who come and go by themselves. Default: none.'),
  generate: exact({ lobbies: z.int().min(0).max(generatedMax).optional() })
    .optional()
    .describe('Generates so many more lobbies from the seed.'),
}

/** A namespace of a game. */
export const NamespaceEntry = exact({
  name_id: Identifier.optional().describe('Default: prod.'),
  display_name: DisplayName.optional().describe('Default: the name_id; Production where that is absent too.'),
  ...namespaceKeys,
})
export type NamespaceEntry = z.output<typeof NamespaceEntry>
