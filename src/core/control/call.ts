import type * as z from 'zod'
import type { Emitter } from '../lib/emitter.js'
import { writeJson } from '../lib/json.js'
import { jsonBytes } from '../lib/long-json.js'
import { TextEncoder } from '../lib/real-globals.js'
import type { Steps } from '../lib/steps.js'
import type { LiveJournal } from '../pipeline/journal.js'
import type { MockRequest, MockResponseInit } from '../pipeline/message.js'
import type { BodyLimits } from '../pipeline/parse.js'
import type { PendingRequests } from '../pipeline/pending.js'
import type { RequestWaits } from '../pipeline/request-waits.js'
import type { ScenarioInput } from '../scenario/schema.js'
import type { YamlOptions } from '../scenario/yaml.js'
import type { LiveWorld } from '../store/world.js'
import type { Past } from './explain/past.js'
import type { ObservedWorld } from './states.js'
import type { StoryBook } from './stories/find-stories.js'
import type { WarningRecorder } from './warnings/recorder.js'
import type {
  CapsuleOptions,
  IdentifiedWorld,
  KeptData,
  NewWorldOptions,
  ReplicaState,
  ScenarioSummary,
  SnapshotOptions,
  WorldControl,
  WorldsControl,
} from './world-control.js'

/** The worlds of a server. An unused world is deleted, unless somebody keeps it. */
export interface ServedWorlds extends Pick<WorldsControl, 'list' | 'delete'> {
  /** The place that keeps the worlds. `undefined` if they are only in memory. */
  readonly data: KeptData | undefined
  get(id: string): IdentifiedWorld | undefined
  /** Returns when a world was created, in real ms since the epoch. `undefined` if nobody knows. */
  createdAt(id: string): number | undefined
  put(
    id: string,
    options: NewWorldOptions,
    { isKept, inSlices }: { readonly isKept: boolean } & Partial<Pick<ControlContext, 'inSlices'>>,
  ): Promise<IdentifiedWorld>
  /** Publishes `true` after a world has come or gone, and `false` when the mock is closed. */
  readonly changes: Pick<Emitter<boolean>, 'subscribe'>
  /** Resolves when all changes of all worlds are kept. `undefined` if they are. Rejects with `ApiError` if one is not. */
  settled(): Promise<unknown> | undefined
  /** Set if several processes share the worlds. `refresh` reads again which ones the others have, for `list`. */
  readonly shared: { refresh(): Promise<unknown> } | undefined
  replicas(): Promise<readonly ReplicaState[]>
}

/** A world with the parts that only calls need. The steps of `snapshot` show the world as it was at the first step. */
interface ControlledWorld
  extends Pick<
    WorldControl,
    'id' | 'faults' | 'held' | 'servers' | 'changes' | 'history' | 'explain' | 'reset' | 'restore'
  > {
  readonly world: LiveWorld
  readonly journal: LiveJournal
  readonly pending: PendingRequests
  readonly waits: RequestWaits
  readonly states: ObservedWorld
  readonly past: Past
  readonly stories: StoryBook
  readonly warnings: WarningRecorder
  snapshot(options: SnapshotOptions): Steps<ScenarioInput>
  /** Loads a scenario. Only the last step changes the world. */
  loadInSteps(scenario: string | ScenarioInput): Steps<void>
  /** Returns a capsule of the world, as JSON. */
  capsule(options: CapsuleOptions): Steps<string>
  /** Returns the id of the first change set after a revision, among those of requests. `undefined` if there is none. */
  nextChangeId(revision: number): number | undefined
}

/** The world and the server that a call controls. */
export interface ControlContext {
  readonly mock: ControlledWorld
  readonly server: {
    readonly worlds: ServedWorlds
    /** The scenarios that can be loaded by name. */
    readonly scenarios: readonly ScenarioSummary[]
    /** In real ms. */
    uptimeMs(): number
  }
  /** Reads the text of a scenario file. Throws `UsageError`, and `ApiError` for a text beyond the limits. */
  parseScenario(text: string, options: Pick<YamlOptions, 'file' | 'limits'>): Steps<ScenarioInput>
  /** Writes the JSON of a snapshot as the text of a scenario file. A long one stays JSON. */
  scenarioText(json: string): string
  /** Makes the page of a capsule from its JSON. Absent where no page can be made: then a capsule is JSON. */
  readonly capsuleHtml?: ((json: string) => Promise<string>) | undefined
  /** Describes the control API as an OpenAPI document. */
  openapi(): object
  /** The version of mockmaker. */
  readonly version: string
  /** The URL by which the client reaches the world, without a slash at its end. */
  readonly url: string
  /** The URL by which others reach the world, if the server has been told. */
  readonly publicUrl: string | undefined
  readonly request: MockRequest
  /** Reads a whole world in slices, between which other requests are answered. Rejects with `ClientGone` if the client disconnects. */
  inSlices<Result>(steps: Steps<Result>): Promise<Result>
  /** True if the request has shown the control token. Only pages of the mock that somebody has given it to can send it. */
  readonly hasControlToken: boolean
  /** True if the server refuses every change. */
  readonly isReadOnly: boolean
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

export type Params<Path extends string> = { readonly [Name in ParamNames<Path>]: string }
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

interface CallSpec<Route extends string, Query, Body, Output extends object> {
  /** A sentence for `GET /__mock` and the docs. */
  readonly summary: string
  /** `fields`: the query filters by the fields of a table. Default: the call has no query. */
  readonly query?: Query
  /** Default: the call has no body. */
  readonly body?: Body
  /** The process that answers, if several share the worlds. `this` got the request. Default: the one of the path's world. */
  readonly answeredBy?: 'this' | 'named'
  /** True for a POST that changes nothing: it waits, or checks. */
  readonly isRead?: true
  /** The other media type of the answer. A call that returns a function has only that one. Default: the answer is always JSON. */
  readonly media?: 'text/event-stream' | 'application/yaml' | 'text/plain' | 'text/html'
  /** The limits of the body. Default: 1 MiB, and 100,000 values. */
  readonly limits?: Omit<BodyLimits, 'levels'>
  /** Returns the answer, which is sent as JSON. Throws `ApiError`, or `UsageError` for wrong input. */
  run(
    call: ControlContext & {
      readonly params: Params<Route>
      readonly query: Parsed<Query>
      readonly body: Parsed<Body>
    },
  ): Output | Promise<Output>
  /** Creates an answer that is not JSON. Returns `undefined` if the client prefers JSON. */
  respond?(
    output: Output,
    context: ControlContext,
  ): MockResponseInit | undefined | Promise<MockResponseInit | undefined>
}

/** A call of the control API. Its named type keeps the declarations of the table short. */
export interface ControlCall<Route extends string, Query, Body, Output extends object>
  extends CallSpec<Route, Query, Body, Output> {
  readonly route: Route
  readonly method: string
  readonly path: string
}

/** Declares a call: its method and its path under `/__mock`, its input, and its function. */
export function call<
  const Route extends `${Method} /${string}`,
  Output extends object,
  Query extends z.ZodObject | 'fields' | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(route: Route, spec: CallSpec<Route, Query, Body, Output>): ControlCall<Route, Query, Body, Output> {
  const [method = '', path = ''] = route.split(' ')
  return { route, method, path, ...spec }
}

/** Tells whether a call creates the world of its path if there is none: it changes that world (PROTOCOL.md B9). */
export function createsWorld({
  method,
  answeredBy,
  isRead,
}: Pick<ControlCall<string, unknown, unknown, object>, 'method' | 'answeredBy' | 'isRead'>): boolean {
  return answeredBy === undefined && !isRead && method !== 'GET' && method !== 'DELETE'
}

const encoder = new TextEncoder()

/** A JSON response. Other pages of this machine may read it. */
export function* longJsonResponse(value: object): Steps<MockResponseInit> {
  return bytesResponse('application/json', yield* jsonBytes(value), 'loopback')
}

/** A JSON response. If it holds tokens, only the mock's own pages may read it. */
export function jsonResponse(value: object, cors: MockResponseInit['cors']): MockResponseInit {
  return textResponse('application/json', writeJson(value), cors)
}

/** A response with a text of that media type. Default: pages of this machine may read it. */
export function textResponse(
  type: string,
  text: string,
  cors: MockResponseInit['cors'] = 'loopback',
): MockResponseInit {
  return bytesResponse(type, encoder.encode(text), cors)
}

function bytesResponse(type: string, body: Uint8Array<ArrayBuffer>, cors: MockResponseInit['cors']): MockResponseInit {
  return { status: 200, headers: { 'content-type': type, 'x-content-type-options': 'nosniff' }, body, cors }
}

/** Tells from the Accept header of a client if it prefers JSON to another type. */
export function prefersJson(accept = '*/*', other: 'text/html' | 'text/plain' = 'text/html'): boolean {
  const json = preferenceFor('application/json', accept)
  const text = preferenceFor(other, accept)
  if (json.quality !== text.quality) return json.quality > text.quality
  return json.quality > 0 && json.precision > text.precision
}

/** Tells from the Accept header of a client if it names YAML, and does not prefer JSON. */
export function prefersYaml(accept = '*/*'): boolean {
  const json = preferenceFor('application/json', accept)
  const yaml = ['application/yaml', 'application/x-yaml', 'text/yaml'].map(type => preferenceFor(type, accept))
  return yaml.some(({ quality, precision }) => quality > 0 && precision === 2 && quality >= json.quality)
}

/** Tells from the Accept header of a client if it asks for a stream of events. */
export function acceptsEvents(accept = '*/*'): boolean {
  return preferenceFor('text/event-stream', accept).precision === 2
}

/** Tells from the Accept-Encoding header of a client if it takes a body that gzip has compressed. */
export function acceptsGzip(accept = ''): boolean {
  return preferenceFor('gzip', accept.replaceAll('*', '*/*')).quality > 0
}

/** Returns the quality of a type, 0 to 1, and the precision of its name: 2 for the full name, 1 for `type/*`, 0 for `*\/*`. */
function preferenceFor(type: string, accept: string): { readonly quality: number; readonly precision: number } {
  const names = ['*/*', type.replace(/\/.*/, '/*'), type]
  let best = { quality: 0, precision: -1 }
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
    const precision = names.indexOf(name)
    if (precision <= best.precision) continue
    const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? 1
    best = { quality: Number(quality) || 0, precision }
  }
  return best
}
