import * as z from 'zod'
import { parseInput } from '../lib/issues.js'
import { isJsonObject } from '../lib/json.js'
import { lazy } from '../lib/lazy.js'
import { reworded, UsageError } from '../lib/usage-error.js'
import { freeSeats } from '../store/lobby-rules.js'
import type { LobbyRow, PlayerRow } from '../store/matchmaker-rows.js'
import { defaultNamespaceId } from '../store/namespaces.js'
import type { World } from '../store/world.js'
import type { TransactionTables } from '../store/world-tables.js'
import { mostCreated, type NewLobby, type NewPlayer } from './new-rows.js'

const fieldsOf = <Fields>() => z.custom<Fields>(isJsonObject, 'expected an object with fields')
const LobbyFields = fieldsOf<NewLobby>()

/** The lobbies to create. */
export const NewLobbiesInput = lazy(() => z.strictObject({ lobbies: z.array(LobbyFields).max(mostCreated) }))
export const NewPlayerInput = fieldsOf<NewPlayer>()

/** Creates lobbies with their players, in one change set. Throws `UsageError`, whose message begins with `call`. Default: `lobbies`. */
export function createLobbies(
  world: Pick<World, 'transaction'>,
  lobbies: readonly NewLobby[],
  call: 'lobby' | 'lobbies' = 'lobbies',
): LobbyRow[] {
  const players = lobbies.reduce((sum, fields) => sum + playerCount(fields), 0)
  if (lobbies.length > 1 && players > mostCreated)
    throw new UsageError(`${call}: they have ${players} players: expected at most ${mostCreated} in one call`)
  return reworded(
    () => world.transaction(tx => lobbies.map(fields => tx.lobbies.create(fields))),
    message => message.replace(/^lobbies\.create(?=:)/, call),
  )
}

/** Returns the number of players of a lobby, or 0 if it is wrong. */
function playerCount({ players }: NewLobby): number {
  if (Array.isArray(players)) return players.length
  return Number.isInteger(players) ? Math.max(0, Number(players)) : 0
}

/** Creates a player, in one change set. Throws `UsageError`. */
export function createPlayer(world: Pick<World, 'transaction'>, player: NewPlayer = {}): PlayerRow {
  parseInput(NewPlayerInput, player, 'player')
  const create = (tx: TransactionTables) =>
    tx.players.create({ ...player, lobby_id: player.lobby_id ?? lobbyWithSeat(tx, player) })
  return reworded(
    () => world.transaction(create),
    // The row has a token that the caller has never seen.
    message => message.replace(/^(?:(?:players|lobbies)\.create|players "[^"]*")(?=:)/, 'player'),
  )
}

function lobbyWithSeat(tx: TransactionTables, { namespace_id = defaultNamespaceId(tx) }: NewPlayer): string {
  const isFree = (lobby: LobbyRow) =>
    lobby.namespace_id === namespace_id && lobby.status === 'ready' && !lobby.is_closed && freeSeats(lobby) > 0
  const free = tx.lobbies.all().findLast(isFree)
  return (free ?? tx.lobbies.create({ namespace_id })).lobby_id
}
