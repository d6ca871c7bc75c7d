import { ApiError } from '../contract/errors.js'
import { uint32Max } from '../contract/formats.js'
import type { ValidationError } from '../contract/namespaces.js'
import type { Auth } from '../contract/operation.js'
import type { OperationId, OperationInput, OperationOutput, Operations } from '../contract/operations.js'
import type { ServerPorts } from '../store/columns.js'
import type { Random } from '../store/random.js'
import type { View } from '../store/world.js'

/** The sender of a request, known by its token or else by its Origin. `server` is the game server of a development token. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'tokenless'; readonly namespaceId: string }
  | { readonly kind: 'public'; readonly namespaceId: string }
  | { readonly kind: 'development'; readonly namespaceId: string; readonly server?: ServerPorts }
  | { readonly kind: 'lobby'; readonly lobbyId: string; readonly namespaceId: string }
  | { readonly kind: 'player'; readonly namespaceId: string }
  | { readonly kind: 'dev_player' }
  | { readonly kind: 'cloud'; readonly gameId: string }
  | { readonly kind: 'device' }

const anyToken = ['public', 'development', 'lobby', 'player', 'dev_player', 'cloud', 'device'] as const

/** The kinds of callers that operations with each auth accept. */
export const acceptedCallers = {
  none: ['anonymous', ...anyToken],
  bearer: anyToken,
  namespace: ['tokenless', 'public', 'development'],
  public: ['public', 'development'],
  lobby: ['lobby', 'development'],
  cloud: ['cloud'],
} as const satisfies { readonly [Needed in Auth]: readonly Caller['kind'][] }

/** The callers of an operation with that auth. */
export type CallerOf<Needed extends Auth> = Extract<Caller, { kind: (typeof acceptedCallers)[Needed][number] }>

/** The machine that sent a request. */
export interface Client {
  /** The address of the machine that asks, or of the player whom a proxy names. */
  readonly address: string
  /** `true` if the connection comes from this machine. Then all players have the same address. */
  readonly isLocal: boolean
  /** The length of a simulated player's session, in ms. Absent for any other client. */
  readonly sessionMs?: number
}

/** A call of an operation that reads. Its answer depends on these alone. */
interface ReadCall<Id extends OperationId> extends View {
  readonly caller: CallerOf<Operations[Id]['auth']>
  readonly input: OperationInput<Id>
}

/** A call of an operation that writes, inside its transaction. `now` in ms since the epoch. */
export interface WriteCall<Id extends OperationId> extends ReadCall<Id> {
  readonly client: Client
  readonly random: Random
  readonly now: number
}

/**
 * The synchronous function that answers an operation, or throws `ApiError`. A write that throws is rolled back. If it
 * returns an `ApiError` instead, its changes are committed, and the client gets the error. The server adds the index of a watch.
 */
export type Resolver<Id extends OperationId> = Operations[Id]['kind'] extends 'write'
  ? (call: WriteCall<Id>) => OperationOutput<Id> | ApiError
  : Operations[Id]['kind'] extends 'watch'
    ? (call: ReadCall<Id>) => Omit<OperationOutput<Id>, 'watch'>
    : (call: ReadCall<Id>) => OperationOutput<Id>

/** Adds up players. The sum is at most the largest number that clients can read. */
export function sumPlayers(counts: Iterable<number>): number {
  let sum = 0
  for (const count of counts) sum += count
  return Math.min(sum, uint32Max)
}

/** The most validation errors that a message lists. */
const mostListed = 10

/**
 * Throws `ApiError` if there are validation errors. The message lists the first ten, the metadata all (PROTOCOL.md C).
 * `subject` begins the message.
 */
export function refuseInvalid(subject: string, errors: readonly ValidationError[]): void {
  if (errors.length === 0) return
  const texts = errors.slice(0, mostListed).map(({ path }) => path.join(' '))
  const more = errors.length > mostListed ? ` and ${errors.length - mostListed} more` : ''
  throw new ApiError(
    'VALIDATION_ERROR',
    `${subject} is not valid: ${texts.join(', ')}${more}. metadata.errors lists all problems`,
    {
      metadata: { errors },
    },
  )
}
