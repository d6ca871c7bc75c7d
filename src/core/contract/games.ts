import * as z from 'zod'
import type * as types from '../generated/operations.js'
import { lazy } from '../lib/lazy.js'
import { component } from '../lib/schemas.js'
import { Timestamp, Uint32, Watch, WatchIndex } from './formats.js'
import { operation } from './operation.js'
import { RegionSummary } from './regions.js'

export const InGame = lazy(() => z.object({ game_id: z.string().meta({ description: 'The id of the game.' }) }))

export const NamespaceSummary = component('NamespaceSummary', 'A namespace without its configuration.', () => ({
  namespace_id: z.string(),
  create_ts: Timestamp,
  display_name: z.string(),
  version_id: z.string(),
  name_id: z.string(),
}))
export type NamespaceSummary = types.NamespaceSummary

export const VersionSummary = component('VersionSummary', 'A version that a namespace of the game runs.', () => ({
  version_id: z.string(),
  create_ts: Timestamp,
  display_name: z.string(),
}))
export type VersionSummary = types.VersionSummary

/** A game with its namespaces, versions and regions. */
export const Game = component(
  'Game',
  'A game. `total_player_count` counts the reserved and connected seats of all its lobbies.',
  () => ({
    game_id: z.string(),
    create_ts: Timestamp,
    name_id: z.string(),
    display_name: z.string(),
    developer_group_id: z.string(),
    total_player_count: Uint32,
    namespaces: z.array(NamespaceSummary()),
    versions: z.array(VersionSummary()),
    available_regions: z.array(RegionSummary()),
  }),
)

export const gameOperations = {
  'games.getGameById': operation(
    'GET /cloud/games/{game_id}',
    {
      summary:
        'Returns a game with its namespaces, versions, regions and players. Blocks while `watch_index` is the current index.',
      auth: 'cloud',
      kind: 'watch',
      errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_QUERY'],
      source: 'client',
      fidelity: [
        'A game has no owner. Its `developer_group_id` comes from the scenario, else from the seed.',
        'Counts are at most 4294967295, the most that clients can read.',
        'It lists the versions of its namespaces as `0.0.1`, `0.0.2`, …, as old as the first namespace that runs each.',
        'Every game has all regions of the world. The `universal_region` of your own follows its display name, else it is `unknown`.',
      ],
    },
    () => ({
      params: InGame(),
      query: z.object({ watch_index: WatchIndex.optional() }),
      output: z.object({ game: Game(), watch: Watch }),
    }),
  ),
  'games.tokens.createCloudToken': operation(
    'POST /cloud/games/{game_id}/tokens/cloud',
    {
      summary: 'Creates another cloud token of a game. Earlier ones stay valid.',
      auth: 'cloud',
      kind: 'write',
      errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT'],
      source: 'client',
      fidelity: [],
    },
    () => ({ params: InGame(), output: z.object({ token: z.string() }) }),
  ),
}
