import type * as z from 'zod'
import type { MockRequest, MockResponseInit } from '../server/message.js'
import type { WorldControl, WorldsControl } from './world-control.js'

/** The world and the server that a call controls. */
export interface ControlContext {
  readonly mock: WorldControl
  readonly server: {
    readonly worlds: WorldsControl
    /** The names of the scenarios that can be loaded. */
    readonly scenarios: readonly string[]
    /** In real ms. */
    uptimeMs(): number
  }
  /** The version of mockmaker. */
  readonly version: string
  /** The URL by which the client reaches the world, without a slash at its end. */
  readonly url: string
  readonly request: MockRequest
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The names between braces in a path. */
export type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

export type Params<Path extends string> = { readonly [Name in ParamNames<Path>]: string }
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/**
 * A call of the control API. Calls that change something are for this machine's pages and programs only
 * (`checkControlCaller`).
 */
interface CallSpec<Route extends string, Query, Body, Output> {
  /** A sentence for `GET /__mock` and the docs. */
  readonly summary: string
  /** `fields`: the query filters by the fields of a table. Default: the call has no query. */
  readonly query?: Query
  /** Default: the call has no body. */
  readonly body?: Body
  /** The longest body in bytes. Default: 1 MiB, as for the service's own operations. */
  readonly maxBodyBytes?: number
  /** Throws `ApiError`, or `UsageError` for wrong input. Its result is answered as JSON. */
  run(
    call: ControlContext & {
      readonly params: Params<Route>
      readonly query: Parsed<Query>
      readonly body: Parsed<Body>
    },
  ): Output | Promise<Output>
  /** Answers with something else than JSON, or with `undefined` if JSON is wanted. */
  respond?(output: Output, context: ControlContext): MockResponseInit | undefined
}

/** Declares a call: its method and its path behind `/__mock`, what it takes, and what it does. */
export function call<
  const Route extends `${Method} /${string}`,
  Output,
  Query extends z.ZodObject | 'fields' | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(route: Route, spec: CallSpec<Route, Query, Body, Output>) {
  const [method = '', path = ''] = route.split(' ')
  return { route, method, path, ...spec }
}
