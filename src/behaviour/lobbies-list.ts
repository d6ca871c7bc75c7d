import type { Lobby } from '../contract/lobbies.js'
import type { OperationInput, OperationOutput } from '../contract/operations.js'
import { isJsonObject } from '../lib/json.js'
import type { GameModeRow, LobbyRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'
import type { Behaviour } from './behaviour.js'
import { nilUuid } from './canned-join.js'
import { clientPlace, localRegion, shownRegions } from './regions.js'

/** Lists the open lobbies of the caller's namespace (PROTOCOL.md B4); a development token gets a canned list (B2). */
export const listLobbies: Behaviour<'lobbies.list'> = ({ caller, input, tables }) => {
  const { namespaceId: namespace_id } = caller
  const modes = tables.gameModes.findMany(q => q.where({ namespace_id }))
  if (caller.kind === 'development') return cannedList(modes, input)
  const listed = listedLobbies(namespace_id, { tables, modes })
  return {
    game_modes: modes.map(({ game_mode_id }) => ({ game_mode_id })),
    lobbies: listed.map(lobby => toLobby(lobby, input)),
    regions: shownRegions(modes, { tables, client: clientPlace(input, tables) }),
  }
}

/** Where lobbies are looked for, with the modes of the namespace where they are known. */
interface Around {
  readonly tables: ReadTables
  readonly modes?: readonly GameModeRow[]
}

/** The lobbies of a namespace that its public token is shown, oldest first. */
export function listedLobbies(
  namespace_id: string,
  { tables, modes = tables.gameModes.findMany(q => q.where({ namespace_id })) }: Around,
): LobbyRow[] {
  const open = openLobbies(namespace_id, { tables, modes })
  return tables.settings.get('settings')?.hide_empty_lobbies ? withoutEmpty(open) : open
}

/** Neither stopped nor closed, public, of a mode that is listable. */
function openLobbies(namespace_id: string, { tables, modes }: Required<Around>): LobbyRow[] {
  const listable = new Set(modes.filter(mode => mode.listable).map(mode => mode.game_mode_id))
  return tables.lobbies
    .findMany(q => q.where({ namespace_id }))
    .filter(
      ({ status, is_closed, publicity, game_mode_id }) =>
        status !== 'stopped' && !is_closed && publicity === 'public' && listable.has(game_mode_id),
    )
}

/** As the real service: an empty lobby is hidden unless it is the only one of its mode. */
function withoutEmpty(lobbies: readonly LobbyRow[]): LobbyRow[] {
  const ofMode = new Map<string, number>()
  for (const { game_mode_id } of lobbies) ofMode.set(game_mode_id, (ofMode.get(game_mode_id) ?? 0) + 1)
  return lobbies.filter(lobby => lobby.total_player_count > 0 || ofMode.get(lobby.game_mode_id) === 1)
}

type Asked = Pick<OperationInput<'lobbies.list'>, 'include_state'>

function toLobby(row: LobbyRow, { include_state }: Asked): Lobby {
  const { region_id, game_mode_id, lobby_id, total_player_count, state } = row
  const { max_players_normal, max_players_direct, max_players_party } = row
  const lobby = {
    region_id,
    game_mode_id,
    lobby_id,
    max_players_normal,
    max_players_direct,
    max_players_party,
    total_player_count,
  }
  return include_state && isJsonObject(state) ? { ...lobby, state } : lobby
}

/** What a development token gets: one local region, and an empty lobby for each game mode (PROTOCOL.md B2). */
function cannedList(modes: readonly GameModeRow[], { include_state }: Asked): OperationOutput<'lobbies.list'> {
  return {
    game_modes: modes.map(({ game_mode_id }) => ({ game_mode_id })),
    lobbies: modes.map(({ game_mode_id, max_players_normal, max_players_direct, max_players_party }) => ({
      region_id: localRegion.region_id,
      game_mode_id,
      lobby_id: nilUuid,
      max_players_normal,
      max_players_direct,
      max_players_party,
      total_player_count: 0,
      ...(include_state ? { state: { foo: 'bar' } } : {}),
    })),
    regions: [localRegion],
  }
}
