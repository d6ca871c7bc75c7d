import type { OperationId } from '../../contract/operations.js'
import type { WarningRule } from '../../contract/warnings.js'
import type { RecordedExchange } from '../../pipeline/journal.js'
import type { MockRequest, MockResponse } from '../../pipeline/message.js'
import type { ServerEvent } from '../../simulation/servers.js'
import type { ChangeSet } from '../../store/change-set.js'
import type { LiveWorld } from '../../store/world.js'

/** The part of a world that a warning is about. Each field is absent if the warning is not about one. */
export interface WarningSubject {
  /** The address of the client: `127.0.0.1:51884`. Without its port if the warning is about all clients of the address. */
  readonly address?: string
  /** Absent for a path that no operation has. */
  readonly operation?: OperationId
  /** The token of a device link. */
  readonly device_link?: string
  /** The tokens of players, the first 20. */
  readonly players?: readonly string[]
  /** The lobby names its game server, too. */
  readonly lobby_id?: string
  readonly game_mode_id?: string
}

/** A mistake of a client or of a game server: the real service would punish it, or a player would feel it. */
export interface Warning extends WarningSubject {
  /** Rises with each new warning of the world. */
  readonly id: number
  readonly rule: WarningRule
  /** The mistake. */
  readonly sentence: string
  /** The way to mend it. */
  readonly advice: string
  /** The number of times that it happened. */
  readonly count: number
  /** When it first happened, on the world's clock, in ISO 8601. */
  readonly first_at: string
  /** When it last happened. */
  readonly last_at: string
  /** The ids of the journal entries that prove it, at most 20: the first ones, and the newest ones. */
  readonly requests: readonly number[]
  /** The revision of the world when it last happened. */
  readonly revision: number
}

/** The warnings of a world as JSON. */
export interface WarningsState {
  /** The oldest first. */
  readonly warnings: readonly Warning[]
  /** The number of mistakes beyond 100 warnings. */
  readonly dropped: number
}

/** The warnings of a world. They begin anew with a reset and a load. */
export interface Warnings {
  /** Lists the warnings, the oldest first. A world has at most 100. */
  list(): Warning[]
  /** Counts the mistakes beyond those warnings. */
  dropped(): number
}

interface PortFacts {
  readonly who: string
  readonly port: number
  /** `PORT_default`. */
  readonly variable: string
  readonly listening: readonly number[]
}

/** The facts of which each rule makes its sentences. `who` begins one: `One client`. */
export interface WarningFacts {
  'hot loop': {
    readonly who: string
    readonly operation: OperationId
    readonly perSecond: number
  }
  'dead port': PortFacts
  'wrong port': PortFacts
  'server ended dirty': {
    readonly who: string
    /** `crashed with exit code 1`. */
    readonly exit: string
    readonly isCrash: boolean
    readonly players: number
  }
  'buffered output': { readonly who: string }
  'watch without index': {
    readonly who: string
    readonly polls: number
    /** The number of polls with an old index. */
    readonly old: number
  }
  'no pause after failure': {
    readonly who: string
    /** Between a refusal and the next request, in ms. */
    readonly pauses: readonly number[]
    /** The pause that an answer asked for with `retry-after`, in seconds. Absent: the pauses do not grow. */
    readonly retryAfter?: number | undefined
  }
  'never connected': {
    /** Its name. Absent in its own story. */
    readonly player?: string
    /** `duel in Frankfurt`. */
    readonly lobby: string
    readonly waitedMs: number
    /** The number of other players for whom the server of the lobby has called. Absent if nobody has counted. */
    readonly others?: number
    /** The time after which the server called nevertheless. Absent if it did not. */
    readonly lateMs?: number | undefined
  }
  'seats unused': { readonly address: string; readonly seats: number }
  'never ready': { readonly who: string; readonly ms?: number }
  'seats without ports': { readonly mode: string }
  'no such call': {
    /** `GET /v1/lobbies/find`. */
    readonly call: string
    readonly near: string | undefined
  }
  'canned answers': { readonly operation: OperationId }
  'crowd from one address': { readonly address: string }
}

/** An exchange, as rules see it. Times are in ms of `performance.now()`. */
export interface ObservedExchange {
  readonly exchange: RecordedExchange
  readonly request: MockRequest
  readonly response: MockResponse
  readonly startedAt: number
  readonly endedAt: number
  /** The operation and the client: its address, its token, and its connection. So sixteen bots on one machine are sixteen. */
  readonly key: string
}

/** A mistake that a rule has found. */
export interface Mistake<Facts = unknown> {
  /** Mistakes with the same key are one warning. */
  readonly key: string
  readonly facts: Facts
  readonly subject: WarningSubject
  /** The ids of the requests that prove it, the oldest first. */
  readonly requests: readonly number[]
  /** The number of times since the last report. Default: 1. */
  readonly count?: number
  /** When it first happened, in ms of the world's clock. Default: now. */
  readonly since?: number
  /** The rule whose warning with the same key this one replaces. */
  readonly replaces?: WarningRule
}

/** A seat that a request of a client has taken. */
export interface ClientSeat {
  readonly token: string
  readonly lobby_id: string
  readonly address: string
  /** When it was taken, in ms of the world's clock. */
  readonly at: number
  /** The journal id of its request, once that is answered. */
  request?: number
}

/** An event of a seat that a request of a client has taken. `answered`: its request has its journal entry. */
export interface SeatEvent {
  readonly kind: 'answered' | 'connected' | 'expired'
  readonly seat: ClientSeat
}

/** A world, as rules see it. */
export interface WatchedWorld {
  readonly world: LiveWorld
  /** Tells whether a control call or a fake timer has moved the clock since a time, in ms of that clock. */
  isMovedSince(at: number): boolean
}

/** The functions by which a rule sees a world. */
export interface Observers {
  /** Gets successful reads. There may be many thousands a second. */
  readonly read?: (observed: ObservedExchange) => void
  /** Gets all other exchanges. */
  readonly exchange?: (observed: ObservedExchange) => void
  /** Gets change sets after their commit. It must not write. */
  readonly change?: (changeSet: ChangeSet) => void
  /** Gets the events of seats, after the change set or the exchange. */
  readonly seat?: (event: SeatEvent) => void
  /** Gets the events of processes. */
  readonly server?: (event: ServerEvent) => void
  /** Cancels timers, when the world is replaced or ends. */
  readonly end?: () => void
}

/** A warning that happens again and again. */
export interface Repeated<Facts> {
  /** Counts the exchange, which proves the mistake too. */
  again(exchange: RecordedExchange, facts: Facts): void
}

/** A rule of warnings. `lab`, `check-server` and stories say its sentences, too. */
export interface Rule<Facts = unknown> {
  /** Returns the mistake, as a sentence without its end. */
  sentence(facts: Facts): string
  /** Returns the way to mend it, in sentences. */
  advice(facts: Facts): string
  /** Begins to watch a world. It reports each mistake. `report` returns `undefined` if nobody wants to know. */
  observe(report: (mistake: Mistake<Facts>) => Repeated<Facts> | undefined, watched: WatchedWorld): Observers
}
