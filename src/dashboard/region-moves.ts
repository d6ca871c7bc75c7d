import type { ChangeSetJson } from '../control/history.js'
import { seatsTaken } from '../store/lobby-rules.js'
import type { LobbyRow } from '../store/matchmaker-rows.js'

/** The numbers that a change set adds to the sums of a region. */
export interface RegionMove {
  readonly region_id: string
  readonly lobbies: number
  readonly players: number
  readonly taken: number
  readonly seats: number
}

/** Lists what a change set adds to the sums of the regions. `lobbies` are the rows before it. */
export function movesOf(
  { puts, deletes }: ChangeSetJson,
  lobbies: ReadonlyMap<string, LobbyRow>,
): readonly RegionMove[] {
  const moves: RegionMove[] = []
  const move = (before: LobbyRow | undefined, after: LobbyRow | undefined) => {
    const [old, added] = [countsOf(before), countsOf(after)]
    if (
      before &&
      after &&
      before.region_id === after.region_id &&
      old.players === added.players &&
      old.taken === added.taken &&
      old.seats === added.seats &&
      old.lobbies === added.lobbies
    )
      return
    if (before) moves.push(negative(before.region_id, old))
    if (after) moves.push({ region_id: after.region_id, ...added })
  }
  for (const { table, id } of deletes) if (table === 'lobbies') move(lobbies.get(id), undefined)
  for (const { table, id, row } of puts) if (table === 'lobbies') move(lobbies.get(id), row as LobbyRow)
  return moves
}

type Counts = Omit<RegionMove, 'region_id'>

const none: Counts = { lobbies: 0, players: 0, taken: 0, seats: 0 }

/** Counts a lobby as `sumRegions` does. */
function countsOf(lobby: LobbyRow | undefined): Counts {
  if (!lobby || lobby.status === 'stopped') return none
  return { lobbies: 1, players: lobby.total_player_count, taken: seatsTaken(lobby), seats: lobby.max_players_normal }
}

function negative(region_id: string, { lobbies, players, taken, seats }: Counts): RegionMove {
  return { region_id, lobbies: -lobbies, players: -players, taken: -taken, seats: -seats }
}
