import { ApiError } from '../contract/errors.js'
import { freshId } from '../store/fresh.js'
import { frozenCopy } from '../store/json-copy.js'
import type { Random } from '../store/random.js'
import type { GameModeRow, LobbyRow } from '../store/rows.js'
import type { InnerTables } from '../store/table.js'
import { lifetimeMs } from '../store/time.js'
import type { Writes } from '../store/writes.js'
import type { Client } from './client.js'
import type { Place } from './places.js'

/** What a lobby that is to be made shall be like, beyond where it is. */
interface Wishes {
  readonly publicity?: 'public' | 'private' | undefined
  readonly tags?: Readonly<Record<string, string>> | undefined
  readonly max_players?: number | undefined
  readonly lobby_config?: unknown
}

interface Making {
  readonly wishes: Wishes
  readonly client: Client
  readonly reads: InnerTables
  readonly writes: Writes
  readonly random: Random
  readonly now: number
}

/** Makes a lobby in which a seat is free; one that its server has to call ready, unless the mock plays that. Throws `ApiError`. */
export function newLobby({ mode, region_id }: Place, making: Making): LobbyRow {
  const { wishes, reads, writes, random, now } = making
  const { namespace_id, game_mode_id } = mode
  const { publicity = 'public', tags = {}, max_players, lobby_config } = wishes
  checkCount(namespace_id, making)
  const maxima = maximaOf(mode, max_players)
  if (maxima.max_players_normal === 0)
    throw new ApiError(
      'MATCHMAKER_LOBBY_FULL',
      `a lobby of game mode ${game_mode_id} that takes 0 players is full: ask for more, or allow more (max_players)`,
    )
  const lobby: LobbyRow = Object.freeze({
    lobby_id: freshId(random, id => reads.lobbies.get(id) !== undefined),
    namespace_id,
    game_mode_id,
    region_id,
    ...maxima,
    total_player_count: 0,
    reserved_player_count: 0,
    publicity,
    is_closed: false,
    ...(Object.keys(tags).length > 0 ? { tags: frozenCopy(tags) } : {}),
    ...(lobby_config === undefined ? {} : { lobby_config: frozenCopy(lobby_config) }),
    stops_at: now + lifetimeMs.lobby,
    ...serverOf(making),
  })
  writes.put('lobbies', lobby)
  return lobby
}

/**
 * Throws `ApiError` where one of the game modes does not allow `max_players`: 0, more than the larger of its normal and
 * direct maximum, or any number where its `dynamic_max_players` is false (PROTOCOL.md C).
 */
export function checkMaxPlayers(max_players: number | undefined, modes: readonly GameModeRow[]): void {
  if (max_players === undefined) return
  if (max_players === 0) throw invalidMaxPlayers('max_players is 0: send at least 1')
  for (const { game_mode_id, dynamic_max_players, max_players_normal, max_players_direct } of modes) {
    if (dynamic_max_players === false)
      throw new ApiError(
        'MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED',
        `lobbies of game mode ${game_mode_id} take as many players as the mode says: leave max_players out, or remove "dynamic_max_players: false" from the scenario`,
      )
    const most = Math.max(max_players_normal, max_players_direct)
    if (max_players > most)
      throw invalidMaxPlayers(`max_players is ${max_players}: send at most ${most} for game mode ${game_mode_id}`)
  }
}

function invalidMaxPlayers(message: string): ApiError {
  return new ApiError('MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID', message)
}

function maximaOf(mode: Place['mode'], max_players: number | undefined) {
  const { max_players_normal, max_players_direct, max_players_party } = mode
  if (max_players === undefined) return { max_players_normal, max_players_direct, max_players_party }
  return { max_players_normal: max_players, max_players_direct: max_players, max_players_party: max_players }
}

/** Who plays its server, and whether that is ready: simulated players bring one along. */
function serverOf({ client, reads, now }: Pick<Making, 'client' | 'reads' | 'now'>) {
  const isPlayed = client.sessionMs !== undefined || reads.settings.get('settings')?.servers !== 'manual'
  if (isPlayed) return { run_by: 'mock', status: 'ready' } as const
  return { run_by: 'server', status: 'starting', ready_by: now + lifetimeMs.starting } as const
}

/** Which part of the lobbies of a namespace is left to others by players whom the simulation sends. */
const partForOthers = 1 / 8

function checkCount(namespace_id: string, { client, reads }: Pick<Making, 'client' | 'reads'>): void {
  const most = reads.namespaces.get(namespace_id)?.lobby_count_max ?? 0
  const running = reads.lobbies.sum('running', namespace_id)
  const room = client.sessionMs === undefined ? most : most - Math.floor(most * partForOthers)
  if (running < room) return
  const mend = running === 0 ? 'allow some' : 'let one stop, or allow more'
  throw new ApiError(
    'MATCHMAKER_TOO_MANY_LOBBIES',
    `the namespace has ${running} lobbies, and may have ${most}: ${mend} (mm-config, lobby_count_max)`,
  )
}
