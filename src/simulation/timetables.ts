import type { LiveWorld } from '../store/world.js'
import { deviceLinkTimetable } from './device-link.js'
import { lobbyTimetable } from './lobby.js'
import { playerTimetable } from './player.js'
import { simulationTimetable } from './simulation.js'
import type { Timetables } from './timetable.js'

/** All that happens in a world by itself. Lobbies come before the players who wait for them, and whoever leaves before whoever comes. */
export function timetablesOf(world: LiveWorld): Timetables {
  return {
    deviceLinks: deviceLinkTimetable,
    lobbies: lobbyTimetable,
    players: playerTimetable,
    simulations: simulationTimetable(world),
  }
}
