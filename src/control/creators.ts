import * as z from 'zod'
import { parseInput } from '../lib/issues.js'
import { isJsonObject } from '../lib/json.js'
import { lazy } from '../lib/lazy.js'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import type { Inputs } from '../store/inputs.js'
import { freeSeats } from '../store/lobby-rules.js'
import type { LobbyRow, PlayerRow } from '../store/matchmaker-rows.js'
import { defaultNamespaceId } from '../store/namespaces.js'
import type { World } from '../store/world.js'
import type { TransactionTables } from '../store/world-tables.js'
import { mostCreated, type NewLobby, type NewPlayer } from './new-rows.js'

const fieldsOf = <Fields>() => z.custom<Fields>(isJsonObject, 'expected an object with fields')
const LobbyFields = fieldsOf<NewLobby>()
const Count = lazy(() => z.int().min(0).max(mostCreated))

/** The lobbies to create. */
export const NewLobbiesInput = lazy(() => z.strictObject({ lobbies: z.array(LobbyFields).max(mostCreated) }))
export const NewPlayerInput = fieldsOf<NewPlayer>()

/** Creates lobbies with their players, in one change set. Throws `UsageError`. */
export function createLobbies(world: Pick<World, 'transaction'>, lobbies: readonly NewLobby[]): LobbyRow[] {
  const inputs = lobbies.map(lobbyInput)
  return world.transaction(tx => inputs.map(input => tx.lobbies.create(input)))
}

/** Creates a player, in one change set. Throws `UsageError`. */
export function createPlayer(world: Pick<World, 'transaction'>, player: NewPlayer = {}): PlayerRow {
  parseInput(NewPlayerInput, player, 'player')
  return world.transaction(tx =>
    tx.players.create({ ...player, lobby_id: player.lobby_id ?? lobbyWithSeat(tx, player) }),
  )
}

function lobbyWithSeat(tx: TransactionTables, { namespace_id = defaultNamespaceId(tx) }: NewPlayer): string {
  const isFree = (lobby: LobbyRow) =>
    lobby.namespace_id === namespace_id && lobby.status === 'ready' && !lobby.is_closed && freeSeats(lobby) > 0
  const free = tx.lobbies.all().findLast(isFree)
  return (free ?? tx.lobbies.create({ namespace_id })).lobby_id
}

function lobbyInput(fields: NewLobby): Inputs['lobbies'] {
  const { players, ...columns } = parseInput(LobbyFields, fields, 'lobby')
  // The table checks the rest.
  if (typeof players !== 'number') return fields as Inputs['lobbies']
  if (!Count().safeParse(players).success)
    throw new UsageError(
      `lobby.players is ${quoted(players)}: expected a whole number from 0 to ${mostCreated}, or a list`,
    )
  return { ...columns, players: Array.from({ length: players }, () => ({})) } as Inputs['lobbies']
}
