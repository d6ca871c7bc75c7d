import { type ErrorCode, errorStatus } from '../../contract/errors.js'
import { type OperationId, operationIds } from '../../contract/operations.js'
import type { Cause, Change, ChangeSet } from '../../store/change-set.js'
import { isSeated } from '../../store/lobby-rules.js'
import type { PlayerRow } from '../../store/matchmaker-rows.js'

/** The row of the player has a seat. */
const seatKinds = ['present', 'reserved', 'connected', 'lobby_ready', 'handed_over', 'moved', 'changed'] as const

/** The row has lost its seat, or never had one. */
const endKinds = [
  'added',
  'expired',
  'left',
  'session_ended',
  'too_old',
  'never_ready',
  'lobby_ended',
  'lobby_stopped',
  'server_ended',
  'server_restarted',
  'mock_restarted',
  'removed',
  'gave_up',
  'wrong_lobby',
] as const

/** A call named the player, and did not change its row. */
const callKinds = ['answered', 'called', 'refused', 'canned'] as const

/** The kinds of facts about a player: changes of its row, and calls that named it. */
export const factKinds = [...seatKinds, ...endKinds, 'forgotten', ...callKinds] as const
/** The kind of a fact. */
export type FactKind = (typeof factKinds)[number]

const ends: ReadonlySet<FactKind> = new Set(endKinds)
const calls: ReadonlySet<FactKind> = new Set(callKinds)

/** Tells whether a fact says that the player has no seat any more. */
export function isEndKind(kind: FactKind): boolean {
  return ends.has(kind)
}

/** Tells whether a fact is only about a call. */
export function isCallKind(kind: FactKind): boolean {
  return calls.has(kind)
}

/** Kinds that tell about the row of a player, and not about its seat. */
const passingKinds: ReadonlySet<FactKind> = new Set<FactKind>(['lobby_ready', 'moved', 'changed', 'forgotten'])

/** Tells whether a fact about a row says how the player is now, or how it ended. */
export function isStateKind(kind: FactKind): boolean {
  return !passingKinds.has(kind)
}

const causeKinds = [
  'request',
  'job',
  'simulation',
  'control',
  'code',
  'reload',
  'server',
  'restart',
  'reset',
  'load',
] as const satisfies readonly Cause['kind'][]

/** A fact without its times and its lobby. */
export interface FactDetail {
  readonly kind: FactKind
  readonly cause: Cause['kind']
  /** The operation of its request. */
  readonly operation?: OperationId | undefined
  /** The status of the answer, if the fact is about a call. */
  readonly status?: number | undefined
  readonly code?: ErrorCode | undefined
}

const errorCodes = Object.keys(errorStatus) as ErrorCode[] // its keys
const positionsOf = <Name extends string>(names: readonly Name[]) => new Map(names.map((name, i) => [name, i]))
const kindPositions = positionsOf(factKinds)
const causePositions = positionsOf(causeKinds)
const operationPositions = positionsOf(operationIds)
const codePositions = positionsOf(errorCodes)

/** The number of values of each part of a packed detail. Positions begin at 0, and those of optional parts at 1. */
const sizes = { kind: 32, lobby: 32, cause: 16, operation: 64, status: 1024 } as const

/**
 * Packs a detail into one whole number, because there are thousands of stories. `lobby` is a position in the list of the story's
 * lobbies, from 1. 0: none.
 */
export function packDetail({ kind, cause, operation, status = 0, code }: FactDetail, lobby: number): number {
  const rest = status + sizes.status * (code === undefined ? 0 : (codePositions.get(code) ?? -1) + 1)
  const call = (operation === undefined ? 0 : (operationPositions.get(operation) ?? -1) + 1) + sizes.operation * rest
  const place = lobby + sizes.lobby * ((causePositions.get(cause) ?? 0) + sizes.cause * call)
  return (kindPositions.get(kind) ?? 0) + sizes.kind * place
}

export function unpackDetail(packed: number): FactDetail & { readonly lobby: number } {
  let rest = packed
  const take = (size: number) => {
    const value = rest % size
    rest = Math.floor(rest / size)
    return value
  }
  const kind = unpackKind(take(sizes.kind))
  const lobby = take(sizes.lobby)
  const cause = causeKinds[take(sizes.cause)] ?? 'code'
  const operation = operationIds[take(sizes.operation) - 1]
  const status = take(sizes.status)
  const code = errorCodes[rest - 1]
  return {
    kind,
    lobby,
    cause,
    ...(operation === undefined ? {} : { operation }),
    ...(status === 0 ? {} : { status }),
    ...(code === undefined ? {} : { code }),
  }
}

/** Returns the kind of a packed detail. */
export function kindOf(packed: number): FactKind {
  return unpackKind(packed % sizes.kind)
}

/** Replaces the kind of a packed detail. */
export function withKind(packed: number, kind: FactKind): number {
  return packed - (packed % sizes.kind) + (kindPositions.get(kind) ?? 0)
}

function unpackKind(position: number): FactKind {
  return factKinds[position] ?? 'changed'
}

/** A change of a player's row. */
export type PlayerChange = Extract<Change, { table: 'players' }>
type LobbyChange = Extract<Change, { table: 'lobbies' }>

/** Finds the kinds of the facts of one change set. */
export class FactReader {
  readonly #changeSet: ChangeSet
  /** The lobbies that stopped, or were deleted. Filled on first use, because most change sets end no seat. */
  #stopped: ReadonlyMap<string, LobbyChange> | undefined

  constructor(changeSet: ChangeSet) {
    this.#changeSet = changeSet
  }

  /** Returns the kind of the fact about a changed row. `undefined`: the change says nothing about the player. */
  kindOf({ before, after }: PlayerChange): FactKind | undefined {
    const { cause } = this.#changeSet
    const [was, is] = [before?.row, after?.row]
    if (!was) return is && addedKind(is)
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

  #statusKind(was: PlayerRow, is: PlayerRow): FactKind {
    if (is.status === 'connected') return 'connected'
    if (is.status === 'reserved')
      return was.status === 'connected' && this.#changeSet.cause.kind === 'request' ? 'handed_over' : 'reserved'
    if (is.status === 'expired') return 'expired'
    return isSeated(was) ? this.#leavingKind(was) : 'changed'
  }

  /** Says why a player lost its seat. `was` is its row before. */
  #leavingKind(was: PlayerRow): FactKind {
    const { cause, at } = this.#changeSet
    if (cause.kind === 'restart') return 'mock_restarted'
    // A lobby also stops because its last simulated player leaves.
    if (cause.kind === 'job' || cause.kind === 'simulation') {
      if (was.status === 'connected' && was.leaves_at !== undefined && was.leaves_at <= at) return 'session_ended'
      if (isSeated(was) && was.removes_at !== undefined && was.removes_at <= at) return 'too_old'
    }
    const lobby = this.#stoppedLobby(was.lobby_id)
    if (lobby) return this.#stopKind(lobby)
    if (cause.kind === 'request') return leavingByRequest(cause.operation)
    return cause.kind === 'server' ? 'server_restarted' : 'removed'
  }

  #stopKind({ before }: LobbyChange): FactKind {
    const { at, cause } = this.#changeSet
    if (cause.kind === 'server') return 'server_ended'
    if (cause.kind !== 'job' && cause.kind !== 'simulation') return 'lobby_stopped'
    const lobby = before?.row
    const isLate = lobby?.status === 'starting' && lobby.ready_by !== undefined && lobby.ready_by <= at
    return isLate ? 'never_ready' : 'lobby_ended'
  }

  #stoppedLobby(id: string): LobbyChange | undefined {
    this.#stopped ??= new Map(
      this.#changeSet.changes.flatMap(change => (hasStopped(change) ? [[change.id, change] as const] : [])),
    )
    return this.#stopped.get(id)
  }
}

function hasStopped(change: Change): change is LobbyChange {
  if (change.table !== 'lobbies' || !change.before || change.before.row.status === 'stopped') return false
  return !change.after || change.after.row.status === 'stopped'
}

function addedKind({ status }: PlayerRow): FactKind {
  return status === 'reserved' || status === 'connected' ? status : 'added'
}

/** The server of another lobby also calls these. Its answer then says so. */
function leavingByRequest(operation: string | undefined): FactKind {
  if (operation === 'players.disconnected') return 'left'
  if (operation === 'players.connected') return 'wrong_lobby'
  return isSeatOperation(operation) ? 'gave_up' : 'removed'
}

/** Tells whether an operation takes a seat. */
export function isSeatOperation(
  operation: string | undefined,
): operation is 'lobbies.find' | 'lobbies.join' | 'lobbies.create' {
  return operation === 'lobbies.find' || operation === 'lobbies.join' || operation === 'lobbies.create'
}

/** Tells whether the body of an operation names a player. */
export function namesPlayer(operation: string | undefined): boolean {
  return operation === 'players.connected' || operation === 'players.disconnected'
}
