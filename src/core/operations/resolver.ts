import type { ApiError } from '../contract/errors.js'
import type { Auth } from '../contract/operation.js'
import type { OperationId, OperationInput, OperationOutput, Operations } from '../contract/operations.js'
import type { ServerPorts } from '../store/columns.js'
import type { Random } from '../store/random.js'
import type { ReadView } from '../store/world.js'

/** The sender of a request, identified by its token or else by its Origin. `server` is the game server of a development token. */
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

/** The kinds of callers that an operation accepts, by its auth. */
export const acceptedCallers = {
  none: ['anonymous', ...anyToken],
  bearer: anyToken,
  namespace: ['tokenless', 'public', 'development'],
  public: ['public', 'development'],
  lobby: ['lobby', 'development'],
  cloud: ['cloud'],
} as const satisfies { readonly [Needed in Auth]: readonly Caller['kind'][] }

export type CallerOf<Needed extends Auth> = Extract<Caller, { kind: (typeof acceptedCallers)[Needed][number] }>

/** Checks if a call gets mock data instead of the world's: the matchmaker operations of a development token (PROTOCOL.md B2). */
export function isCanned(auth: Auth, callerKind: string): boolean {
  return callerKind === 'development' && ['namespace', 'public', 'lobby'].includes(auth)
}

/** The machine that sent a request. */
export interface Client {
  /** The IP address of the client: from `x-forwarded-for`, or else of the connection. */
  readonly address: string
  /** `true` if the connection comes from this machine. Then all players have the same address. */
  readonly isLocal: boolean
  /** The host by which it reached the mock, as in a URL. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** The URL by which others reach the world. Default: the one in the settings of the world. */
  readonly publicUrl?: string | undefined
  /** The length of a simulated player's session, in ms. Absent for any other client. */
  readonly sessionMs?: number
}

interface ReadCall<Id extends OperationId> extends ReadView {
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
