import { ApiError } from '../contract/errors.js'
import type { Join } from '../contract/lobbies.js'
import { seatsFrom } from '../store/derived.js'
import { freshToken } from '../store/fresh.js'
import type { Random } from '../store/random.js'
import { type LobbyRow, matchmakerDefaults } from '../store/rows.js'
import type { InnerTables } from '../store/table.js'
import { lifetimeMs, playedMs } from '../store/time.js'
import type { Writes } from '../store/writes.js'
import type { Client } from './client.js'
import { joinAnswer } from './join-answer.js'
import { lobbyPorts } from './lobby-ports.js'

/** Who takes a seat, and when, in ms since the epoch. */
interface Seating {
  readonly client: Client
  readonly reads: InnerTables
  readonly writes: Writes
  readonly random: Random
  readonly now: number
}

/** Reserves a seat of a lobby that has one free, for a new player (PROTOCOL.md C). */
export function reserveSeat(lobby: LobbyRow, { client, reads, writes, random, now }: Seating): Join {
  const { lobby_id, namespace_id, region_id } = lobby
  const { address, sessionMs: session_ms } = client
  const token = freshToken('player', { random, tables: reads })
  writes.put(
    'players',
    Object.freeze({
      player_token: token,
      lobby_id,
      namespace_id,
      address,
      ...(session_ms === undefined ? {} : { session_ms }),
      status: 'reserved',
      // Where the lobby is not ready yet, the time starts when it is: see `startSeats`.
      ...(lobby.status === 'starting' ? {} : { expires_at: now + lifetimeMs.seat }),
      ...(lobby.run_by === 'mock' ? { connects_at: now + playedMs.connects } : {}),
      // A simulated player leaves when its session is over.
      ...(session_ms === undefined ? { removes_at: now + lifetimeMs.player } : {}),
    }),
  )
  const display_name = reads.regions.get(region_id)?.region_display_name ?? region_id
  return joinAnswer({ lobby_id, region: { region_id, display_name }, ports: lobbyPorts(lobby, reads), token })
}

interface Coming {
  readonly namespaceId: string
  readonly client: Client
  readonly tables: InnerTables
}

/** Throws `ApiError` where as many players as may come from one address have come from there (PROTOCOL.md B6). */
export function checkSource({ namespaceId: namespace_id, client, tables }: Coming): void {
  const { address, isLocal } = client
  const said = tables.namespaces.get(namespace_id)?.max_players
  // On one machine everybody has the same address.
  if (said === undefined && isLocal) return
  const most = said ?? matchmakerDefaults.max_players
  const taken = tables.players.sum('seats', seatsFrom({ namespace_id, address }))
  if (taken < most) return
  const mend = taken === 0 ? 'allow some' : 'let one leave, or allow more'
  throw new ApiError(
    'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE',
    `${address} has ${taken} of the players of the namespace, and may have ${most}: ${mend} (mm-config, max_players)`,
  )
}
