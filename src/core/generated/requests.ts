// `npm run generate` writes this file from the schemas.
import type { ErrorCode, OperationId } from './operations.js'

/** A condition on requests. All given keys must match. */
export interface RequestMatch {
  /** Query parameters by name: a value, or a pattern with *. */
  query?: Record<string, string> | undefined
  /** Headers by name, in any case: a value, or a pattern with *. */
  headers?: Record<string, string> | undefined
  /** A part of the JSON body. The body may have more keys, but no more list elements. */
  body?: Record<string, unknown> | undefined
  /** The game in the path, or of the token: its id or its name_id. */
  game?: string | undefined
  /** The namespace in the path, or of the token: its id, its name_id, or <game name_id>/<namespace name_id>. */
  namespace?: string | undefined
}

/** A lobby that a find could have chosen, or could not. */
export interface ExplainedCandidate {
  /** The id of the lobby. */
  lobby_id: string
  /** Its game mode. */
  game_mode_id: string
  /** Its region. */
  region_id: string
  /** The seats that were free for find. */
  free_seats: number
  /** The distance from the client. Absent if the place of the client is unknown. */
  kilometers?: number | undefined
  /** Why find did not choose it. Absent for the chosen lobby. */
  because?: string | undefined
  /** The key of that reason: the rule by which it lost. */
  lost_by?:
    | 'stopped'
    | 'closed'
    | 'private'
    | 'full'
    | 'tags'
    | 'max_players'
    | 'server'
    | 'no_server'
    | 'seats'
    | 'distance'
    | 'order'
    | undefined
}

/** Why a request got its answer. */
export interface AnswerReasons {
  /** A few words. */
  verdict: string
  /** A sentence for each reason. */
  because: string[]
  /** The lobbies that a find could choose, and those that it could not. The chosen one is first. */
  candidates?: ExplainedCandidate[] | undefined
  /** The regions of a find that were down. Absent if all were up. */
  outages?: string[] | undefined
}

/** A request and its answer, as the journal shows them. Tokens are cut to their labels. */
export interface JournalEntry {
  /** The number of the entry. Requests and change sets of a world are counted together. */
  id: number
  /** The time of the answer, on the world's clock. */
  time: string
  /** The id of the world. */
  world: string
  /** Absent if no operation has the path. */
  operation?: string | undefined
  /** The sender of the request. Absent if the mock refused the request before it knew the sender. */
  caller?:
    | {
        /** The kind of the token. */
        kind: string
        /** The namespace of the token. */
        namespace_id?: string | undefined
        /** The game of the token. */
        game_id?: string | undefined
      }
    | undefined
  /** The method of the request. */
  method: string
  /** The path of the request. */
  path: string
  /** The query parameters, by name. */
  query: Record<string, string | string[]>
  /** The headers of the request, by name. */
  headers: Record<string, string | string[]>
  /** JSON, or a text. Absent if there was none, or if it was too long to keep. */
  body?: unknown
  /** 0 if the connection was closed without an answer. */
  status: number
  /** The body of the answer, in the form of `body`. */
  answer?: unknown
  /** The time from the request to its answer, in real ms. */
  ms: number
  /** The part of that time in which the request was blocked on a watch index. */
  blocked_ms: number
  /** When the request began to wait for its answer, on the world's clock. Absent if it was answered at once. */
  since?: string | undefined
  /** The id of the fault that was applied. */
  fault?: string | undefined
  /** The release of the held request replaced the answer of the operation. Absent otherwise. */
  edited?: true | undefined
  /** The revisions of the change sets that the request caused. Absent if it changed nothing. */
  revisions?: number[] | undefined
  /** Why it got this answer. Absent while the history has the world before it. */
  reasons?: AnswerReasons | undefined
}

/** Conditions on a request and on the status of its answer. All given keys must match. */
export interface ExchangeMatch {
  /** Query parameters by name: a value, or a pattern with *. */
  query?: Record<string, string> | undefined
  /** Headers by name, in any case: a value, or a pattern with *. */
  headers?: Record<string, string> | undefined
  /** A part of the JSON body. The body may have more keys, but no more list elements. */
  body?: Record<string, unknown> | undefined
  /** The game in the path, or of the token: its id or its name_id. */
  game?: string | undefined
  /** The namespace in the path, or of the token: its id, its name_id, or <game name_id>/<namespace name_id>. */
  namespace?: string | undefined
  /** In upper case. */
  method?: string | undefined
  /** The path, or a pattern with *. */
  path?: string | undefined
  /** 0 if the connection was closed without an answer. */
  status?: number | undefined
}

/** Matches a request and the status of its answer. */
export interface RequestPattern {
  /** An operation, or a pattern such as devices.*. Default: any request. */
  operation?: OperationPattern | undefined
  /** More conditions. Default: none. */
  match?: ExchangeMatch | undefined
}

/** The expected entries of the journal: how many, and in which order. */
export interface Expectation {
  /** An operation, or a pattern such as devices.*. Default: any request. */
  operation?: OperationPattern | undefined
  /** More conditions. Default: none. */
  match?: ExchangeMatch | undefined
  /** The number of matching requests. Default: at least one, or any number if only an order is given. */
  count?:
    | {
        min?: number | undefined
        max?: number | undefined
      }
    | undefined
  /** Requests that came one after the other. Others may have come in between. */
  order?: readonly RequestPattern[] | undefined
}

/** Selects journal entries. All given keys must match. */
export interface JournalFilter {
  /** An operation's id, or a pattern: `devices.*`. */
  operation?: OperationPattern | undefined
  /** 0 if the connection was closed without an answer. */
  status?: number | undefined
  /** The id of an entry: only later ones. */
  since?: number | undefined
}

/** A delay: a duration such as `300ms`, a uniform one, or one with a long tail. */
export type FaultDelay =
  | string
  | {
      /** The shortest delay. */
      min: string
      /** The longest delay. */
      max: string
    }
  | {
      /** Half of the delays are shorter. */
      median: string
      /** 95 of 100 delays are shorter. */
      p95: string
    }

/** The failure that a fault answers. */
export interface FaultError {
  /** The HTTP status. Default: the status of the code. A code of your own needs one. */
  status?: number | undefined
  /** The error code. Default: ERROR. */
  code?: AnyErrorCode | undefined
  /** A sentence for people. Default: it names the fault. */
  message?: string | undefined
  /** Any JSON. The answer has it as metadata beside the code. */
  metadata?: unknown
  /** The seconds in the header retry-after. Default: 1 with API_RATE_LIMIT, otherwise no header. */
  retry_after?: number | undefined
}

/** The effect of a fault: exactly one of the keys. */
export interface FaultEffect {
  /** Delays the answer: 300ms; {min, max} for a uniform delay; {median, p95} for a long tail (log-normal). */
  delay?: FaultDelay | undefined
  /** Answers with a failure. The request changes nothing. */
  error?: FaultError | undefined
  /** Resets the connection (TCP RST). */
  reset?: true | undefined
  /** Closes the connection without an answer. */
  empty?: true | undefined
  /** Holds the request until the fault is released. */
  hold?: true | undefined
  /** Wakes a blocked watch after this time, with unchanged data. */
  spurious?: string | undefined
  /** Shifts the watch index of a watch: clients see other numbers, and get the same changes. */
  index?:
    | {
        /** Added to the index of an answer, and subtracted from the index of a request. Sums wrap at 19 digits. */
        offset: number | string
      }
    | undefined
  /** Runs the operation, sends the first half of the body, and breaks the connection. */
  truncate?: true | undefined
  /** Takes the region down: its lobbies stop, and no new one starts there until the fault ends. */
  outage?: true | undefined
  /** Shifts the header date: a client sees a clock that is ahead or behind. */
  date?: string | undefined
}

/** An injected error or delay: which requests it matches, and what happens to them. */
export interface Fault {
  /** An operation, or a pattern such as devices.*. Default: all requests, also those to unknown paths. */
  operation?: OperationPattern | undefined
  /** The region that an outage takes down. */
  region?: string | undefined
  /** More conditions on the request. All of them must hold. */
  match?: RequestMatch | undefined
  /** The effect on a matching request. Give one of the keys. */
  effect: FaultEffect
  /** The most requests that it applies to. Default: all. */
  times?: number | undefined
  /** It begins after this number of matching requests, or after this time. */
  after?: number | string | undefined
  /** It ends this time after it began. */
  for?: string | undefined
  /** The share of the matching requests that it applies to, from 0 to 1. Default: 1. */
  chance?: number | undefined
}

/** A fault of a world with its counters. */
export interface FaultState {
  /** An operation, or a pattern such as devices.*. Default: all requests, also those to unknown paths. */
  operation?: OperationPattern | undefined
  /** The region that an outage takes down. */
  region?: string | undefined
  /** More conditions on the request. All of them must hold. */
  match?: RequestMatch | undefined
  /** The effect on a matching request. Give one of the keys. */
  effect: FaultEffect
  /** The most requests that it applies to. Default: all. */
  times?: number | undefined
  /** It begins after this number of matching requests, or after this time. */
  after?: number | string | undefined
  /** It ends this time after it began. */
  for?: string | undefined
  /** The share of the matching requests that it applies to, from 0 to 1. Default: 1. */
  chance?: number | undefined
  /** The id of the fault. Default: the next number. */
  id: string
  /** The number of requests that matched so far. */
  matched: number
  /** The number of requests that it applied to so far. Of an outage: how often it has begun. */
  struck: number
  /** The number of requests that it holds or delays now. */
  holding: number
  /** The time at which it was added, on the world's clock. */
  added_at: string
  /** The time at which it began. Absent until then. */
  began_at?: string | undefined
  /** The time at which it last applied to a request. Absent until then. */
  last_at?: string | undefined
  /** The time at which it begins, or has begun. Absent while it waits for a number of requests. */
  begins_at?: string | undefined
  /** The time at which it ends, or has ended. Absent if only requests can end it. */
  ends_at?: string | undefined
}

export interface ScenarioFault {
  /** An operation, or a pattern such as devices.*. Default: all requests, also those to unknown paths. */
  operation?: OperationPattern | undefined
  /** The region that an outage takes down. */
  region?: string | undefined
  /** More conditions on the request. All of them must hold. */
  match?: RequestMatch | undefined
  /** The effect on a matching request. Give one of the keys. */
  effect: FaultEffect
  /** The most requests that it applies to. Default: all. */
  times?: number | undefined
  /** It begins after this number of matching requests, or after this time. */
  after?: number | string | undefined
  /** It ends this time after it began. */
  for?: string | undefined
  /** The share of the matching requests that it applies to, from 0 to 1. Default: 1. */
  chance?: number | undefined
  /** The id of the fault. Default: the next number. */
  id?: string | undefined
  /** The number of requests that matched so far. */
  matched?: number | undefined
  /** The number of requests that it applied to so far. Of an outage: how often it has begun. */
  struck?: number | undefined
  /** The number of requests that it holds or delays now. */
  holding?: number | undefined
  /** The time at which it was added, on the world's clock. */
  added_at?: string | undefined
  /** The time at which it began. Absent until then. */
  began_at?: string | undefined
  /** The time at which it last applied to a request. Absent until then. */
  last_at?: string | undefined
}

/** The parts of an answer that replace those of the operation. */
export interface HeldAnswer {
  /** The HTTP status. Default: that of the operation. 204, 205 and 304 have no body. */
  status?: number | undefined
  /** The body, any JSON. Default: that of the operation. */
  body?: unknown
}

/** The way in which held requests go on. Default: the operation runs and answers as usual. */
export interface HeldRelease {
  /** Runs the operation, and answers with this status and this body instead of its own. A watch does not block. */
  readonly answer?: HeldAnswer | undefined
  /** Answers with a failure. The request changes nothing. */
  readonly error?: FaultError | undefined
  /** Resets the connection (TCP RST). */
  readonly reset?: true | undefined
  /** Closes the connection without an answer. */
  readonly empty?: true | undefined
  /** Never answers. When the world is reset or closed, the connection closes without an answer. */
  readonly never?: true | undefined
  /** Waits for this time first, on the world's clock. */
  readonly delay?: string | number | undefined
}

/** The id of an operation, or a pattern with `*` that matches one: `devices.*`. */
export type OperationPattern = OperationId | `${string}*${string}`

/** The code of an error of the service, or a code of your own. */
export type AnyErrorCode = ErrorCode | (string & {})
