import { ApiError } from '../contract/error.js'
import type { Draft } from '../store/draft.js'
import type { LobbyRow } from '../store/lobby-row.js'
import type { PlayerRow } from '../store/player-row.js'
import type { Tables } from '../store/table.js'
import type { Behaviour } from './behaviour.js'
import type { CallerOf } from './caller.js'
import { lobbyIn } from './lobbies-join.js'

/** The lobby is ready for players (PROTOCOL.md C). */
export const readyLobby: Behaviour<'lobbies.ready'> = async ({ caller, tables }) => {
  await changeOwn(caller, { tables, change: ready })
  return {}
}

/** Closes the lobby, or opens it again (PROTOCOL.md C). */
export const setLobbyClosed: Behaviour<'lobbies.setClosed'> = async ({ caller, input: { is_closed }, tables }) => {
  await changeOwn(caller, { tables, change: lobby => void Object.assign(lobby, { is_closed }) })
  return {}
}

/** Sets what the lobby says of itself (PROTOCOL.md C). */
export const setLobbyState: Behaviour<'lobbies.setState'> = async ({ caller, input: { jsonBody }, tables }) => {
  await changeOwn(caller, {
    tables,
    change(lobby) {
      if (jsonBody === undefined) Reflect.deleteProperty(lobby, 'state')
      else Object.assign(lobby, { state: jsonBody })
    },
  })
  return {}
}

/** What a lobby says of itself (PROTOCOL.md C). */
export const getLobbyState: Behaviour<'lobbies.getState'> = async ({
  caller,
  input: { lobby_id: lobbyId },
  tables,
}) => {
  if (caller.kind === 'development') return {}
  const { state = null } = lobbyIn(caller.namespaceId, { lobbyId, tables })
  await changeOwn(caller, { tables, change() {} })
  return state
}

/** Has a starting lobby ready. */
export function ready(lobby: Draft<LobbyRow>): void {
  if (lobby.status !== 'starting') return
  for (const key of ['ready_by', 'readies_at']) Reflect.deleteProperty(lobby, key)
  Object.assign(lobby, { status: 'ready' })
}

interface Changing {
  readonly tables: Tables
  change(lobby: Draft<LobbyRow>): void
}

/** Changes the lobby whose server calls, and hands it over to that; nothing with a development token. Throws `ApiError` where it has stopped. */
async function changeOwn(caller: CallerOf<'lobby'>, { tables, change }: Changing): Promise<void> {
  if (caller.kind === 'development') return
  const { lobby_id } = await ownLobby(caller, tables)
  await tables.lobbies.update(q => q.where({ lobby_id }), { data: change })
}

/** The lobby whose server calls: from now on that server's calls count, and no others. Throws `ApiError` where it has stopped. */
export async function ownLobby(
  { lobbyId: lobby_id }: Extract<CallerOf<'lobby'>, { kind: 'lobby' }>,
  tables: Tables,
): Promise<LobbyRow> {
  const lobby = tables.lobbies.get(lobby_id)
  if (!lobby || lobby.status === 'stopped')
    throw new ApiError('MATCHMAKER_LOBBY_STOPPED', `lobby ${lobby_id} has stopped`)
  if (lobby.run_by === 'server') return lobby
  const own = await tables.lobbies.update(q => q.where({ lobby_id }), {
    data(draft) {
      Reflect.deleteProperty(draft, 'readies_at')
      Object.assign(draft, { run_by: 'server' })
    },
  })
  for (const { player_token } of tables.players.findMany(q => q.where({ lobby_id })).filter(isPlayed))
    await tables.players.update(q => q.where({ player_token }), { data: leaveAlone })
  return own ?? lobby
}

/** Whether the mock would connect it, or have it leave. */
function isPlayed(player: PlayerRow): boolean {
  return 'connects_at' in player || ('leaves_at' in player && player.session_ms === undefined)
}

function leaveAlone(player: Draft<PlayerRow>): void {
  for (const key of ['connects_at', 'leaves_at']) Reflect.deleteProperty(player, key)
}
