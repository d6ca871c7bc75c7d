import type { GameModeRow, LobbyRow, PlayerRow, SettingsRow } from '../generated/rows.js'

// The rules of lobbies that requests, explanations and the page share. The page has no zod, so this module has none.

/** Rows by their ids: a table, or a map of the page. */
export type RowsById<Row> = Pick<ReadonlyMap<string, Row>, 'get'>

export type RunningLobby = Exclude<LobbyRow, { status: 'stopped' }>

export type SeatedPlayer = Extract<PlayerRow, { status: 'reserved' | 'connected' }>

/** Checks if a player has a seat: reserved or connected. */
export function isSeated(player: PlayerRow): player is SeatedPlayer {
  return player.status === 'reserved' || player.status === 'connected'
}

/** Returns the key of a game mode in its table. */
export function modeKey({ namespace_id, game_mode_id }: Pick<LobbyRow, 'namespace_id' | 'game_mode_id'>): string {
  return `${namespace_id}/${game_mode_id}`
}

/** Returns the largest limit of a lobby. */
export function mostPlayers(
  lobby: Pick<LobbyRow, 'max_players_normal' | 'max_players_direct' | 'max_players_party'>,
): number {
  return Math.max(lobby.max_players_normal, lobby.max_players_direct, lobby.max_players_party)
}

/** Returns the limit that counts of seats name: that of find, or the largest one if more seats are taken. */
export function shownLimit(lobby: LobbyRow): number {
  return seatsTaken(lobby) > lobby.max_players_normal ? mostPlayers(lobby) : lobby.max_players_normal
}

/** Counts the seats of connected and of reserved players. */
export function seatsTaken(lobby: Pick<LobbyRow, 'total_player_count' | 'reserved_player_count'>): number {
  return lobby.total_player_count + lobby.reserved_player_count
}

/** Counts the seats that are free for find. Below 0 if players joined by id. */
export function freeSeats(lobby: LobbyRow): number {
  return lobby.max_players_normal - seatsTaken(lobby)
}

/** Why lists leave a lobby out. */
export type ListObstacle = 'stopped' | 'closed' | 'private' | 'unlisted' | 'empty'

/**
 * Returns a function that finds the first reason why lists leave a lobby out. It returns `undefined` for a lobby that they
 * show. With `hide_empty_lobbies`, lists leave out an empty lobby of `lobbies`, but not the only one of its mode.
 */
export function listObstacles(
  lobbies: Iterable<LobbyRow>,
  { gameModes, settings }: { readonly gameModes: RowsById<GameModeRow>; readonly settings: RowsById<SettingsRow> },
): (lobby: LobbyRow) => ListObstacle | undefined {
  const known = new Map<string, GameModeRow | undefined>()
  // Building the key of each lobby's mode took a tenth of the time of a list.
  const modeOf = (lobby: LobbyRow) => {
    const { game_mode_id, namespace_id } = lobby
    const mode = known.get(game_mode_id)
    if (mode?.namespace_id === namespace_id) return mode
    const found = gameModes.get(modeKey(lobby))
    known.set(game_mode_id, found)
    return found
  }
  const obstacleOf = (lobby: LobbyRow) => {
    if (lobby.status === 'stopped') return 'stopped'
    if (lobby.is_closed) return 'closed'
    if (lobby.publicity !== 'public') return 'private'
    return modeOf(lobby)?.listable ? undefined : 'unlisted'
  }
  if (!settings.get('settings')?.hide_empty_lobbies) return obstacleOf
  const inMode = new Map<GameModeRow | undefined, number>()
  for (const lobby of lobbies)
    if (obstacleOf(lobby) === undefined) inMode.set(modeOf(lobby), (inMode.get(modeOf(lobby)) ?? 0) + 1)
  const isHiddenEmpty = (lobby: LobbyRow) => lobby.total_player_count === 0 && (inMode.get(modeOf(lobby)) ?? 0) > 1
  return lobby => obstacleOf(lobby) ?? (isHiddenEmpty(lobby) ? 'empty' : undefined)
}

/** Returns a lobby for a mock that runs no process for it: it waits for one, or for its first player. */
export function withoutServer({ ports: _, ...lobby }: LobbyRow): LobbyRow {
  return Object.freeze(lobby.status === 'starting' ? { ...lobby, run_by: 'server' } : { ...lobby, run_by: 'none' })
}

/** Starts the game servers of a world. */
export interface ServerStarter {
  /** Tells whether it has a command for a lobby. */
  starts(lobby: LobbyRow): boolean
  /** Tells whether a process of it serves a lobby that has these columns. */
  serves(lobby: LobbyRow): boolean
  /** Says how the process of a lobby ended by itself: `its game server ended with exit code 1`. `undefined` if it did not. */
  endText(lobbyId: string): string | undefined
}

/**
 * Why find cannot choose a lobby. `server`: a real game server runs it, which does not know simulated players. `no_server`: it has
 * no game server, and nothing starts one.
 */
export type FindObstacle = 'stopped' | 'closed' | 'private' | 'full' | 'tags' | 'max_players' | 'server' | 'no_server'

/** Returns the first reason why find cannot choose a lobby for a player. `undefined`: it can. Default: it may be any lobby. */
export function findObstacle(
  lobby: LobbyRow,
  {
    tags = {},
    max_players = lobby.max_players_normal,
  }: { tags?: Readonly<Record<string, string>> | undefined; max_players?: number | undefined } = {},
  { isSimulated = false, starter }: { isSimulated?: boolean; starter?: Pick<ServerStarter, 'starts'> } = {},
): FindObstacle | undefined {
  if (lobby.status === 'stopped') return 'stopped'
  if (lobby.is_closed) return 'closed'
  if (lobby.publicity !== 'public') return 'private'
  if (freeSeats(lobby) <= 0) return 'full'
  if (isSimulated && lobby.run_by !== 'mock') return 'server'
  if (lobby.run_by === 'none' && starter?.starts(lobby) === false) return 'no_server'
  for (const name in tags) if (lobby.tags?.[name] !== tags[name]) return 'tags'
  return max_players === lobby.max_players_normal ? undefined : 'max_players'
}
