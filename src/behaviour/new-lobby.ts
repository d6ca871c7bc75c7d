import { ApiError } from '../contract/error.js'
import { lifetimeMs, playedMs } from '../store/lifetime.js'
import type { LobbyRow } from '../store/lobby-row.js'
import type { ReadTables, Tables } from '../store/table.js'
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
  readonly tables: Tables
  readonly now: number
}

/** Makes a lobby in which a seat is free; one that its server has to call ready, unless the mock plays that. Throws `ApiError`. */
export async function newLobby({ mode, region_id }: Place, { wishes, client, tables, now }: Making): Promise<LobbyRow> {
  const { namespace_id, game_mode_id } = mode
  const { publicity, tags = {}, max_players, lobby_config } = wishes
  checkCount(namespace_id, tables)
  const maxima = maximaOf(mode, max_players)
  if (maxima.max_players_normal === 0)
    throw new ApiError('MATCHMAKER_LOBBY_FULL', `a lobby of game mode ${game_mode_id} that takes 0 players is full`)
  return tables.lobbies.create({
    namespace_id,
    game_mode_id,
    region_id,
    ...maxima,
    publicity: publicity ?? 'public',
    tags: Object.keys(tags).length > 0 ? { ...tags } : undefined,
    lobby_config,
    stops_at: now + lifetimeMs.lobby,
    ...serverOf({ client, tables, now }),
  })
}

function maximaOf(mode: Place['mode'], max_players: number | undefined) {
  const { max_players_normal, max_players_direct, max_players_party } = mode
  if (max_players === undefined) return { max_players_normal, max_players_direct, max_players_party }
  return { max_players_normal: max_players, max_players_direct: max_players, max_players_party: max_players }
}

/** Who plays its server, and whether that is ready: simulated players bring one along, which takes its time. */
function serverOf({ client, tables, now }: Pick<Making, 'client' | 'tables' | 'now'>) {
  const ready_by = now + lifetimeMs.starting
  if (client.sessionMs !== undefined)
    return { run_by: 'mock', status: 'starting', ready_by, readies_at: now + playedMs.readies } as const
  if (tables.settings.get('settings')?.servers === 'manual')
    return { run_by: 'server', status: 'starting', ready_by } as const
  return { run_by: 'mock', status: 'ready' } as const
}

function checkCount(namespace_id: string, { lobbies, namespaces }: ReadTables): void {
  const most = namespaces.get(namespace_id)?.lobby_count_max ?? 0
  const running = lobbies.sum('running', namespace_id)
  if (running < most) return
  throw new ApiError(
    'MATCHMAKER_TOO_MANY_LOBBIES',
    `the namespace has ${running} lobbies, and may have ${most}: let one stop, or allow more (mm-config, lobby_count_max)`,
  )
}
