import * as z from 'zod'
import { parseInput } from '../lib/issues.js'
import { isJsonObject } from '../lib/json.js'
import { lazy } from '../lib/lazy.js'
import { UsageError } from '../lib/messages.js'
import { freeSeats } from '../store/lobby-rules.js'
import type { LobbyRow, PlayerRow } from '../store/matchmaker-rows.js'
import { defaultNamespaceId } from '../store/namespaces.js'
import { brokenConstraints } from '../store/transaction.js'
import type { LiveWorld } from '../store/world.js'
import { createAs } from '../store/world-tables.js'
import { mostCreated, type NewLobby, type NewPlayer } from './new-rows.js'

const fieldsOf = <Fields>() => z.custom<Fields>(isJsonObject, 'expected an object with fields')
const LobbyFields = fieldsOf<NewLobby>()

export const NewLobbiesInput = lazy(() => z.strictObject({ lobbies: z.array(LobbyFields).max(mostCreated) }))
export const NewPlayerInput = fieldsOf<NewPlayer>()

/** Creates lobbies with their players, in one change set. Throws `UsageError`, whose message begins with `call`. Default: `lobbies`. */
export function createLobbies(
  world: LiveWorld,
  lobbies: readonly NewLobby[],
  call: 'lobby' | 'lobbies' = 'lobbies',
): LobbyRow[] {
  const players = lobbies.reduce((sum, fields) => sum + playerCount(fields), 0)
  if (lobbies.length > 1 && players > mostCreated)
    throw new UsageError(`${call}: they have ${players} players: expected at most ${mostCreated} in one call`)
  return world.transaction(() => lobbies.map(fields => createAs(call, 'lobbies', fields, world)))
}

/** Returns the number of players of a lobby, or 0 if it is wrong. */
function playerCount({ players }: NewLobby): number {
  if (Array.isArray(players)) return players.length
  return Number.isInteger(players) ? Math.max(0, Number(players)) : 0
}

/** Creates a player, in one change set. Throws `UsageError`. */
export function createPlayer(world: LiveWorld, player: NewPlayer = {}): PlayerRow {
  parseInput(NewPlayerInput, player, 'player')
  try {
    return world.transaction(() => {
      const lobby_id = player.lobby_id ?? lobbyWithSeat(world, player)
      return createAs('player', 'players', { ...player, lobby_id }, world)
    })
  } catch (error) {
    // The row has a token that the caller has never seen.
    const broken = brokenConstraints.get(Object(error))
    throw broken?.table === 'players' ? new UsageError(`player: ${broken.problem}`) : error
  }
}

function lobbyWithSeat(world: LiveWorld, { namespace_id = defaultNamespaceId(world.tables) }: NewPlayer): string {
  const isFree = (lobby: LobbyRow) =>
    lobby.namespace_id === namespace_id && lobby.status === 'ready' && !lobby.is_closed && freeSeats(lobby) > 0
  const free = world.tables.lobbies.all().findLast(isFree)
  return (free ?? createAs('player', 'lobbies', { namespace_id }, world)).lobby_id
}
