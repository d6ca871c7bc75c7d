import * as z from 'zod'
import { DisplayName, HostName, Identifier, Uint32 } from '../contract/formats.js'
import { Duration, durationMs, formatDuration, Instant } from '../lib/time.js'
import { matchmakerDefaults, simulationDefaults } from '../store/default-columns.js'
import { GameRow, NamespaceRow } from '../store/rows.js'
import { SimulationRow } from '../store/simulation-row.js'
import { msOf, Token } from './entry.js'
import { GameModeEntry, LobbyEntry, ServerPortsEntry } from './lobbies.js'

/** What a game and its namespace are called where a scenario does not say. */
export const defaultNames = {
  game: { name_id: 'game', display_name: 'Game' },
  namespace: { name_id: 'prod', display_name: 'Production' },
} as const

/** Names as an entry of a scenario gives them: one that has only a `name_id` is displayed by it. */
export function namesOf(given: GivenNames, defaults: Names): Names {
  const { name_id = defaults.name_id, display_name = given.name_id ?? defaults.display_name } = given
  return { name_id, display_name }
}

/** What paths and host names call something, and what people do. */
export interface Names {
  readonly name_id: string
  readonly display_name: string
}

type GivenNames = { readonly [Key in keyof Names]?: Names[Key] | undefined }

const { concurrent, session_ms, modes, settled } = SimulationRow.shape

/** How long a session may be. */
const Session = Duration.refine(
  session => session_ms.safeParse(durationMs(session)).success,
  'expected a duration from 10s to 7d',
)

/** Players who come and go by themselves. */
export const SimulationEntry = z.strictObject({
  concurrent: concurrent.optional().meta({
    description: 'How many play at once, over a day. Default: 100.',
    default: simulationDefaults.concurrent,
    examples: [300],
  }),
  session: Session.optional().meta({
    description: 'For how long one plays, on average. Default: 12m.',
    default: formatDuration(simulationDefaults.session_ms),
  }),
  modes: modes.meta({
    description: 'How often players want each game mode: weights, by its id. Default: all alike.',
    examples: [{ duel: 1, 'free-for-all': 6 }],
  }),
  began_at: Instant.optional().describe('When they began to come. Default: when the world begins.'),
  settled: settled.optional().meta({
    description: 'Whether the players that lobbies only count have become players who leave. Default: false.',
    default: false,
  }),
})
export type SimulationEntry = z.output<typeof SimulationEntry>

/** What is known of it without its namespace. */
export function simulationOf(entry: SimulationEntry, now: number): Omit<SimulationRow, 'namespace_id'> {
  const { concurrent = simulationDefaults.concurrent, session, modes, settled = false } = entry
  return {
    concurrent,
    session_ms: session === undefined ? simulationDefaults.session_ms : durationMs(session),
    ...(modes === undefined ? {} : { modes }),
    began_at: msOf(entry.began_at) ?? now,
    settled,
  }
}

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
  matchmaker: z
    .strictObject({
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
  tokens: z
    .strictObject({
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
  generate: z
    .strictObject({
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
export const NamespaceEntry = z.strictObject({
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

/** A game with its namespaces. */
export const GameEntry = z.strictObject({
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
  tokens: z
    .strictObject({ cloud: Token.optional().describe('Its cloud token. Default: from the seed.') })
    .optional()
    .describe('Tokens of the game. Default: from the seed.'),
  namespaces: z.array(NamespaceEntry).optional().describe('Its namespaces. Default: one, prod.'),
})
export type GameEntry = z.output<typeof GameEntry>
