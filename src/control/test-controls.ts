import type { FaultDelay } from '../contract/faults.js'
import type { ExchangeMatch, JournalEntry, OperationPattern, PendingRequest } from '../contract/journal.js'
import type { Failure, FaultHandle, FaultOptions } from '../server/fault-calls.js'
import type { WaitOptions } from '../server/request-waits.js'
import type { LobbyRow, PlayerRow } from '../store/matchmaker-rows.js'
import type { NewLobbies, NewLobby, NewPlayer } from './new-rows.js'

/** The calls for tests. They create rows with good defaults, wait for requests without polling, and add faults. */
export interface TestControls {
  /**
   * Resolves with the next request that is answered after this call, and that matches. The operation may be a pattern:
   * `lobbies.*`, or `*` for any request. Rejects with `UsageError` for wrong input, and if the world is reset, replaced or
   * closed before such a request comes. It uses no timer.
   */
  next(operation: OperationPattern, match?: ExchangeMatch, options?: WaitOptions): Promise<JournalEntry>
  /**
   * Resolves as soon as at least `count` requests wait for their answers, with all of them: on a watch index, for a fault, for
   * a lobby, or for a resolver. Default: one request, of any operation. Rejects like `next`.
   */
  blocked(count?: number, operation?: OperationPattern, options?: WaitOptions): Promise<PendingRequest[]>
  /**
   * Creates a lobby. `players` may be a number of connected players. Default: the first game mode of the default namespace,
   * in its first region, without players. Rejects with `UsageError`.
   */
  lobby(fields?: NewLobby): Promise<LobbyRow>
  /** Creates several lobbies in one change set. Rejects with `UsageError`, and then it has created none. */
  lobbies(count: number, fields?: NewLobbies): Promise<LobbyRow[]>
  /**
   * Creates a connected player. Default: in the newest open lobby with a free seat, or in a new one. Rejects with
   * `UsageError`.
   */
  player(fields?: NewPlayer): Promise<PlayerRow>
  /**
   * Fails the requests of an operation: with a status, with a code of the service, or with both and a message. The operation
   * may be a pattern. Throws `UsageError`.
   */
  fail(operation: OperationPattern, failure: Failure, options?: FaultOptions): FaultHandle
  /** Delays the requests of an operation, by the world's clock. Throws `UsageError`. */
  delay(operation: OperationPattern, delay: FaultDelay, options?: FaultOptions): FaultHandle
  /** Holds the requests of an operation, until `release` of the handle. Throws `UsageError`. */
  hold(operation: OperationPattern, options?: FaultOptions): FaultHandle
}
