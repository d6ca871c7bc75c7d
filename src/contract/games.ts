import * as z from 'zod'
import { Timestamp, Uint32, Watch, WatchIndex } from './formats.js'
import type { OperationSpec } from './operation.js'
import { RegionSummary } from './regions.js'

/** The parameter of a path that names a game. */
export const InGame = z.object({ game_id: z.string().meta({ description: 'The id of a game.' }) })

/** A namespace as its game lists it. */
export const NamespaceSummary = z
  .object({
    namespace_id: z.string(),
    create_ts: Timestamp,
    display_name: z.string(),
    version_id: z.string(),
    name_id: z.string(),
  })
  .meta({ id: 'NamespaceSummary', description: 'A namespace, as its game lists it.' })
export type NamespaceSummary = z.output<typeof NamespaceSummary>

/** A version of a game that a namespace runs. Its names are `0.0.1`, `0.0.2`, … (PROTOCOL.md C). */
export const VersionSummary = z
  .object({ version_id: z.string(), create_ts: Timestamp, display_name: z.string() })
  .meta({ id: 'VersionSummary', description: 'A version of a game that one of its namespaces runs.' })
export type VersionSummary = z.output<typeof VersionSummary>

/** A whole game. `total_player_count` counts the seats, reserved and connected, of all its lobbies. */
export const Game = z
  .object({
    game_id: z.string(),
    create_ts: Timestamp,
    name_id: z.string(),
    display_name: z.string(),
    developer_group_id: z.string(),
    total_player_count: Uint32,
    namespaces: z.array(NamespaceSummary),
    versions: z.array(VersionSummary),
    available_regions: z.array(RegionSummary),
  })
  .meta({
    id: 'Game',
    description: 'A game. `total_player_count` counts the seats, reserved and connected, of all its lobbies.',
  })

/** What the cloud does with games. */
export const gameOperations = {
  'games.getGameById': {
    method: 'GET',
    path: '/cloud/games/{game_id}',
    summary:
      'Shows a game: its namespaces, their versions, its regions and its players. Blocks while `watch_index` is the current index.',
    auth: 'cloud',
    kind: 'watch',
    params: InGame,
    query: z.object({ watch_index: WatchIndex.optional() }),
    output: z.object({ game: Game, watch: Watch }),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_QUERY'],
    source: 'client',
    fidelity: [
      "Nobody owns a game: its `developer_group_id` is the scenario's, else made up from the seed.",
      '`total_player_count` is at most 4294967295, the most that clients can read.',
      'The mock keeps no versions: those that namespaces run are listed, as old as the first namespace that runs them, and named `0.0.1`, `0.0.2`, … in the order of these namespaces.',
      'All regions of the world are there for each game. The `region_id` of a region of your own comes from the seed, unless the scenario says `region_uuid`; its `universal_region` is that of its display name, else `unknown`.',
    ],
  },
  'games.tokens.createCloudToken': {
    method: 'POST',
    path: '/cloud/games/{game_id}/tokens/cloud',
    summary: 'Creates another cloud token of a game. Earlier ones stay valid.',
    auth: 'cloud',
    kind: 'write',
    params: InGame,
    output: z.object({ token: z.string() }),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT'],
    source: 'client',
    fidelity: [],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
