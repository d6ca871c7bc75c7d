import type * as z from 'zod'
import type { ErrorCode } from './error.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * Whom an operation answers (PROTOCOL.md B1).
 * - `none`: anyone; a bearer that is present must still be valid
 * - `bearer`: any valid token of the world
 * - `namespace`: a development or public token of a namespace, or no token where the namespace is tokenless
 * - `cloud`: a cloud token
 */
export type Auth = 'none' | 'bearer' | 'namespace' | 'cloud'

/**
 * How an operation is carried out.
 * - `read`: from the tables, at once
 * - `watch`: a read that blocks while `watch_index` is its current index
 * - `write`: in a turn
 */
export type Kind = 'read' | 'watch' | 'write'

/** Where a rule comes from: the service's written interface, its published clients, or us. */
export type Source = 'interface' | 'client' | 'ours'

/** One HTTP call of the service, as data. Its input is the fields of params, query, headers and body together. */
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
  /** Absent where the answer has an empty body. */
  readonly output?: z.ZodObject
  /** Codes beyond those that any call may answer. */
  readonly errors: readonly ErrorCode[]
  readonly source: Source
  /** What differs from the real service, and why. */
  readonly fidelity: readonly string[]
}
