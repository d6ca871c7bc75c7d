import type { ApiError } from '../contract/errors.js'
import type { OperationId, OperationInput, OperationOutput, operations } from '../contract/operations.js'
import type { Random } from '../store/random.js'
import type { InnerTables, Tables } from '../store/table.js'
import type { View } from '../store/world.js'
import type { Writes } from '../store/writes.js'
import type { CallerOf } from './caller.js'
import type { Client } from './client.js'

/** A call that only reads: who asks, what for, and the world as it is. These, and nothing else, decide the answer. */
interface ReadCall<Id extends OperationId> extends View {
  readonly caller: CallerOf<(typeof operations)[Id]['auth']>
  readonly input: OperationInput<Id>
}

/** A call that writes, inside its turn. `now` in ms since the epoch. */
export interface WriteCall<Id extends OperationId> extends Omit<ReadCall<Id>, 'tables'> {
  readonly tables: Tables
  /** The same tables to read only, with what the turn has written so far: cheaper, where nothing is written. */
  readonly reads: InnerTables
  readonly writes: Writes
  readonly client: Client
  readonly random: Random
  readonly now: number
}

type KindOf<Id extends OperationId> = (typeof operations)[Id]['kind']

/**
 * The function that answers an operation from the state of a world, or throws `ApiError`. A write that throws is rolled
 * back; one that returns an `ApiError` is refused, and what it wrote is committed.
 * A `watch` leaves its index to the server, which knows what the function has seen.
 */
export type Behaviour<Id extends OperationId> =
  KindOf<Id> extends 'write'
    ? (call: WriteCall<Id>) => OperationOutput<Id> | ApiError | Promise<OperationOutput<Id>>
    : KindOf<Id> extends 'watch'
      ? (call: ReadCall<Id>) => Omit<OperationOutput<Id>, 'watch'>
      : (call: ReadCall<Id>) => OperationOutput<Id>
