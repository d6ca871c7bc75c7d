import type { OperationOutput } from '../contract/operations.js'
import { seatsTaken } from '../store/rows.js'
import type { Behaviour } from './behaviour.js'
import { playerCount } from './player-count.js'

type Statistics = OperationOutput<'players.getStatistics'>

/** Counts the seats, reserved and connected, by game mode and region (PROTOCOL.md C); a development token sees nobody (B2). */
export const getStatistics: Behaviour<'players.getStatistics'> = ({ caller, tables }) => {
  if (caller.kind === 'development') return { player_count: 0, game_modes: {} }
  const { namespaceId: namespace_id } = caller
  const modes = tables.gameModes.findMany(q => q.where({ namespace_id }))
  const counts = new Map(modes.map(({ game_mode_id, regions }) => [game_mode_id, new Map(regions.map(id => [id, 0]))]))
  for (const lobby of tables.lobbies.findMany(q => q.where({ namespace_id }))) {
    const byRegion = counts.get(lobby.game_mode_id)
    byRegion?.set(lobby.region_id, playerCount([byRegion.get(lobby.region_id) ?? 0, seatsTaken(lobby)]))
  }
  const game_modes = [...counts].map(([id, byRegion]) => [id, statisticsOf(byRegion)] as const)
  return {
    player_count: playerCount(game_modes.map(([, { player_count }]) => player_count)),
    game_modes: Object.fromEntries(game_modes),
  }
}

function statisticsOf(byRegion: ReadonlyMap<string, number>): Statistics['game_modes'][string] {
  const regions = [...byRegion].map(([id, player_count]) => [id, { player_count }] as const)
  const player_count = playerCount(byRegion.values())
  return { player_count, regions: Object.fromEntries(regions) }
}
