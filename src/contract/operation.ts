import type * as z from 'zod'
import type { ErrorCode } from './errors.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * Whom an operation answers (PROTOCOL.md B1).
 * - `none`: anyone; a bearer that is present must still be valid
 * - `bearer`: any valid token of the world
 * - `namespace`: a development or public token of a namespace, or no token where the namespace is tokenless
 * - `public`: a development or public token of a namespace
 * - `lobby`: a development token of a namespace, or the token of a lobby
 * - `cloud`: a cloud token; of the game that the path names, where it names one
 */
export type Auth = 'none' | 'bearer' | 'namespace' | 'public' | 'lobby' | 'cloud'

/**
 * How an operation is carried out.
 * - `read`: from the tables, at once
 * - `watch`: a read that blocks while `watch_index` is its current index
 * - `write`: in a turn
 */
export type Kind = 'read' | 'watch' | 'write'

/** Where a rule comes from: the service's written interface, its published clients, or us. */
export type Source = 'interface' | 'client' | 'ours'

/**
 * One HTTP call of the service, as data. Its input is the fields of params, query, headers and body together, and
 * `jsonBody` where the body is any JSON.
 */
export interface OperationSpec {
  readonly method: Method
  /** With `{name}` for each parameter. */
  readonly path: string
  readonly summary: string
  readonly auth: Auth
  readonly kind: Kind
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: z.ZodObject
  /** In the place of `body` where that need not be an object; an empty one is `undefined`. */
  readonly jsonBody?: z.ZodType
  /** Absent where the answer has an empty body. */
  readonly output?: z.ZodType
  /** Whether it gives a seat, and answers when the lobby of the seat is ready (PROTOCOL.md C, Waiting). */
  readonly waitsForLobby?: true
  /** Codes beyond those that any call may answer. */
  readonly errors: readonly ErrorCode[]
  readonly source: Source
  /** What differs from the real service, and why. */
  readonly fidelity: readonly string[]
}
