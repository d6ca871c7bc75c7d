import { isSeatOperation } from '../../contract/operations.js'
import type { Change, ChangeSet } from '../../store/change-set.js'
import { isSeated } from '../../store/lobby-rules.js'
import type { LobbyRow, PlayerRow } from '../../store/matchmaker-rows.js'
import type { FactKind } from './story-kinds.js'

export type PlayerChange = Extract<Change, { table: 'players' }>
type LobbyChange = Extract<Change, { table: 'lobbies' }>

/** Finds the kinds of the facts of one change set. */
export class FactReader {
  /** Filled on first use, because most change sets end no seat. */
  #lobbies: ReadonlyMap<string, LobbyChange> | undefined

  constructor(readonly changeSet: ChangeSet) {}

  /** Returns the kind of the fact about a changed row. `undefined`: the change says nothing about the player. */
  kindOf({ before, after }: PlayerChange): FactKind | undefined {
    const { cause } = this.changeSet
    const [was, is] = [before?.row, after?.row]
    if (!was) return is && (isSeated(is) ? is.status : 'added')
    if (!is) return isSeated(was) ? this.#leavingKind(was) : 'forgotten'
    if (was.status !== is.status) return this.#statusKind(was, is)
    if (was.lobby_id !== is.lobby_id) return 'moved'
    if (was.status === 'reserved' && is.status === 'reserved') {
      if (was.expires_at === undefined && is.expires_at !== undefined && cause.kind !== 'control') return 'lobby_ready'
      if (was.connects_at !== undefined && is.connects_at === undefined && cause.kind === 'request')
        return 'handed_over'
    }
    return cause.kind === 'control' || cause.kind === 'code' || cause.kind === 'reload' ? 'changed' : undefined
  }

  /** Returns the row of a lobby before the change set. `undefined`: the change set did not change it. */
  lobbyBefore(id: string): LobbyRow | undefined {
    return this.#changeOfLobby(id)?.before?.row
  }

  #statusKind(was: PlayerRow, is: PlayerRow): FactKind {
    if (is.status === 'connected') return 'connected'
    if (is.status === 'reserved')
      return was.status === 'connected' && this.changeSet.cause.kind === 'request' ? 'handed_over' : 'reserved'
    if (is.status === 'expired') return 'expired'
    return isSeated(was) ? this.#leavingKind(was) : 'changed'
  }

  /** Says why a player lost its seat. `was` is its row before. */
  #leavingKind(was: PlayerRow): FactKind {
    const { cause, at } = this.changeSet
    if (cause.kind === 'restart') return 'mock_restarted'
    // A lobby also stops because its last simulated player leaves.
    if (cause.kind === 'job' || cause.kind === 'simulation') {
      if (was.status === 'connected' && was.leaves_at !== undefined && was.leaves_at <= at) return 'session_ended'
      if (isSeated(was) && was.removes_at !== undefined && was.removes_at <= at) return 'too_old'
    }
    const lobby = this.#changeOfLobby(was.lobby_id)
    if (lobby && hasStopped(lobby)) return this.#stopKind(lobby)
    if (cause.kind === 'request') return leavingByRequest(cause.operation)
    return cause.kind === 'server' ? 'server_restarted' : 'removed'
  }

  #stopKind({ before }: LobbyChange): FactKind {
    const { at, cause } = this.changeSet
    if (cause.kind === 'server') return 'server_ended'
    if (cause.kind === 'fault') return 'region_down'
    if (cause.kind !== 'job' && cause.kind !== 'simulation') return 'lobby_stopped'
    const lobby = before?.row
    const isLate = lobby?.status === 'starting' && lobby.ready_by !== undefined && lobby.ready_by <= at
    return isLate ? 'never_ready' : 'lobby_ended'
  }

  #changeOfLobby(id: string): LobbyChange | undefined {
    this.#lobbies ??= new Map(
      this.changeSet.changes.flatMap(change => (change.table === 'lobbies' ? [[change.id, change] as const] : [])),
    )
    return this.#lobbies.get(id)
  }
}

function hasStopped({ before, after }: LobbyChange): boolean {
  return before !== undefined && before.row.status !== 'stopped' && (!after || after.row.status === 'stopped')
}

/** The server of another lobby also calls these. Its answer then says so. */
function leavingByRequest(operation: string | undefined): FactKind {
  if (operation === 'players.disconnected') return 'left'
  if (operation === 'players.connected') return 'wrong_lobby'
  return isSeatOperation(operation) ? 'gave_up' : 'removed'
}
