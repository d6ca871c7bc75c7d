import { listedLobbies } from '../behaviour/lobbies-list.js'
import { nearest } from '../lib/did-you-mean.js'
import { quoted } from '../lib/quote.js'
import { formatInstant } from '../lib/time.js'
import { fullNameOf } from '../store/full-name.js'
import { type LobbyRow, type RunningLobby, seatsTaken } from '../store/lobby-row.js'
import type { View } from '../store/world.js'
import type { ExplainedOf, Explanation } from './explanation.js'

/** Why a lobby is listed, or is not. */
export function explainLobby({ view }: Pick<ExplainedOf, 'view'>, lobbyId: string): Explanation {
  const { tables } = view
  const lobby = tables.lobbies.get(lobbyId)
  if (!lobby) return unknown(lobbyId, tables.lobbies.all())
  const namespace = fullNameOf(lobby.namespace_id, tables)
  const isListed = listedLobbies(lobby.namespace_id, { tables }).includes(lobby)
  const who = `to a public token of ${namespace}, and without a token where ${namespace} is meant and tokenless`
  const more = lobby.status === 'stopped' ? [] : running(lobby)
  if (!isListed) return { verdict: 'not listed', because: [...reasons(lobby, view), ...more] }
  const open = `it is open, public and of a listable mode: it is shown ${who}`
  return { verdict: 'listed', because: [open, canned, ...more] }
}

/** What else there is to know of a lobby that has not stopped. */
function running(lobby: RunningLobby): string[] {
  return [...notReady(lobby), seats(lobby), server(lobby)]
}

function notReady(lobby: RunningLobby): string[] {
  if (lobby.status === 'ready') return []
  const { ready_by } = lobby
  const waits = 'it is not ready until its server calls POST /matchmaker/lobbies/ready'
  return [ready_by === undefined ? waits : `${waits}, and stops at ${formatInstant(ready_by)} if it does not`]
}

function seats(lobby: RunningLobby): string {
  const { total_player_count, reserved_player_count, max_players_normal, max_players_direct, is_closed } = lobby
  const taken = `seats taken by connected players: ${total_player_count}, reserved: ${reserved_player_count}`
  const free = (most: number) => Math.max(0, most - seatsTaken(lobby))
  const forFind = is_closed ? '0 while it is closed' : free(max_players_normal)
  return `${taken}, free for find: ${forFind}, for join by its id: ${free(max_players_direct)}`
}

function server({ run_by, lobby_id }: RunningLobby): string {
  const env = `GET /__mock/lobbies/${encodeURIComponent(lobby_id)}/env shows its token`
  if (run_by === 'mock') return `the mock plays its server, until a call comes with the lobby's token (${env})`
  return `its own server runs it: only calls with the lobby's token have players connect and leave (${env})`
}

const canned = 'a development token is shown a canned list instead, in which no lobby of the world is'

function reasons(lobby: LobbyRow, { tables }: View): string[] {
  const { namespace_id, game_mode_id, status, is_closed, publicity, total_player_count } = lobby
  const mode = tables.gameModes.get(`${namespace_id}/${game_mode_id}`)
  const hides = tables.settings.get('settings')?.hide_empty_lobbies === true
  const found = [
    status === 'stopped' && 'it has stopped',
    is_closed && 'it is closed (is_closed)',
    publicity !== 'public' && `its publicity is ${publicity}`,
    mode?.listable === false && `its game mode ${game_mode_id} is not listable`,
  ].filter(reason => reason !== false)
  if (found.length > 0 || !hides || total_player_count > 0) return found
  return [`nobody is in it, others of its mode are listed, and the scenario says hide_empty_lobbies`]
}

function unknown(lobbyId: string, lobbies: readonly LobbyRow[]): Explanation {
  const near = nearest(
    lobbyId,
    lobbies.map(({ lobby_id }) => lobby_id),
  )
  const hint = near === undefined ? 'GET /__mock/lobbies lists them' : `did you mean ${near}?`
  return { verdict: 'not there', because: [`the world has no lobby ${quoted(lobbyId)}: ${hint}`] }
}
