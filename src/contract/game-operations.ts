import * as z from 'zod'
import { Game } from './game.js'
import { InGame } from './game-path.js'
import type { OperationSpec } from './operation.js'
import { Watch, WatchIndex } from './watch.js'

/** What the cloud tells about games. */
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
      'The mock keeps no versions: those that namespaces run are listed, each by its id, and as old as the first namespace that runs it.',
      'All regions of the world are there for each game. A region has one id, which is its `region_name_id` too; its `universal_region` is that of its display name, else `unknown`.',
    ],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
