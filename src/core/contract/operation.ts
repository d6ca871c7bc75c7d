import type * as z from 'zod'
import { lazy } from '../lib/lazy.js'
import { anyCallErrors, type ErrorCode, errorStatus } from './errors.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * The token that an operation needs (PROTOCOL.md B1).
 * - `none`: no token, but a token that is sent must be valid
 * - `bearer`: any valid token of the world
 * - `namespace`: a development or public token of a namespace, or none if the namespace is tokenless
 * - `public`: a development or public token of a namespace
 * - `lobby`: a development token of a namespace, or the token of a lobby
 * - `cloud`: a cloud token, of the game that the path names
 */
export type Auth = 'none' | 'bearer' | 'namespace' | 'public' | 'lobby' | 'cloud'

/**
 * The way in which an operation runs.
 * - `read`: it reads the tables
 * - `watch`: it reads the tables, and blocks while `watch_index` is the current index
 * - `write`: it runs in a transaction
 */
export type Kind = 'read' | 'watch' | 'write'

/** The source of an operation's rules: the service's written interface, its published clients, or this project. */
export type Source = 'interface' | 'client' | 'ours'

/** One HTTP call of the service, without its schemas. */
export interface OperationDetails {
  readonly method: Method
  /** Each parameter is `{name}`. */
  readonly path: string
  readonly summary: string
  readonly auth: Auth
  readonly kind: Kind
  /** It reserves a seat, and answers when the lobby is ready (PROTOCOL.md C, Waiting). */
  readonly waitsForLobby?: true
  /** The codes that it may answer, in addition to `anyCallErrors`. */
  readonly errors: readonly ErrorCode[]
  readonly source: Source
  /** Differences from the real service, with the reason. */
  readonly fidelity: readonly string[]
}

interface OperationSchemas {
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: z.ZodObject
  /** Replaces `body` if the body may be any JSON. An empty body is `undefined`. */
  readonly jsonBody?: z.ZodType
  /** Absent if the body of the answer is empty. */
  readonly output?: z.ZodType
}

/** One HTTP call of the service, as data. */
export interface OperationSpec extends OperationDetails, OperationSchemas {}

type Place = Pick<OperationDetails, 'method' | 'path'>

/** Declares an operation. Its schemas are made when one is first read: most processes need those of a few operations. */
export function operation<
  const Details extends Omit<OperationDetails, keyof Place>,
  const Schemas extends OperationSchemas,
>(place: `${Method} /${string}`, details: Details, schemas: () => Schemas): Place & Details & Schemas {
  const [method, path] = place.split(' ') as [Method, string] // the type has this form
  const made = lazy<OperationSchemas>(schemas)
  const row: OperationSpec = {
    method,
    path,
    ...details,
    get params() {
      return made().params
    },
    get query() {
      return made().query
    },
    get headers() {
      return made().headers
    },
    get body() {
      return made().body
    },
    get jsonBody() {
      return made().jsonBody
    },
    get output() {
      return made().output
    },
  } as OperationSpec
  return row as Place & Details & Schemas // the getters return the fields of the schemas
}

/** Lists the codes that an operation may answer, in the order of the error table. */
export function codesOf({ errors, body, jsonBody }: OperationSpec): ErrorCode[] {
  const possible = new Set<string>([...anyCallErrors, ...errors, ...(body || jsonBody ? ['API_BODY_TOO_LARGE'] : [])])
  return (Object.keys(errorStatus) as ErrorCode[]).filter(code => possible.has(code)) // the keys of the table are the codes
}
