import * as z from 'zod'
import { Game } from './game.js'
import { InGame } from './game-path.js'
import type { OperationSpec } from './operation.js'
import { Watch, WatchIndex } from './watch.js'

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
