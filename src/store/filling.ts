import { defaultNamespaceId } from './default-namespace.js'
import { freshId, freshToken } from './fresh.js'
import type { Random } from './random.js'
import { type Inputs, lobbyDefaults, maxPlayersDefaults, playerDefaults, runBy } from './rows.js'
import type { ReadTables } from './table.js'

/** What fills in a new row: the tables as they are, the world's chance, and the time in ms. */
export interface Filling {
  readonly tables: ReadTables
  readonly random: Random
  readonly now: number
}

/** A lobby, with what is absent as its game mode says, or as in a scenario. */
export function fillLobby(input: Inputs['lobbies'], { tables, random }: Filling): unknown {
  const namespace_id = input.namespace_id ?? defaultNamespaceId(tables)
  const modes = tables.gameModes.findMany(q => q.where({ namespace_id: namespace_id ?? '' }))
  const mode =
    input.game_mode_id === undefined ? modes[0] : modes.find(({ game_mode_id }) => game_mode_id === input.game_mode_id)
  // Of a mode that is not there, check says so.
  const { max_players_normal, max_players_direct, max_players_party } = mode ?? maxPlayersDefaults
  return {
    lobby_id: freshId(random, id => tables.lobbies.get(id) !== undefined),
    namespace_id,
    game_mode_id: mode?.game_mode_id,
    region_id: mode?.regions[0] ?? tables.regions.all()[0]?.region_id,
    max_players_normal,
    max_players_direct,
    max_players_party,
    total_player_count: 0,
    reserved_player_count: 0,
    run_by: runBy(input.status, { servers: tables.settings.get('settings')?.servers }),
    ...lobbyDefaults,
    ...input,
  }
}

/** A player, with what is absent as in a scenario. */
export function fillPlayer(input: Inputs['players'], { tables, random }: Filling): unknown {
  return {
    player_token: freshToken('player', { random, tables }),
    // Of a lobby that is not there, check says so.
    namespace_id: tables.lobbies.get(input.lobby_id)?.namespace_id ?? defaultNamespaceId(tables),
    ...playerDefaults,
    ...input,
  }
}
