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
  /** How often it happened. */
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

/** A port to which seats lead, and the ports on which the server listens instead. */
interface PortFacts {
  readonly server: string
  readonly port: number
  /** `PORT_default`. */
  readonly variable: string
  readonly listening: readonly number[]
}

/** The facts of which each rule makes its sentences. */
export interface WarningFacts {
  'hot loop': {
    /** What the client did: `called lobbies.list`. */
    readonly what: string
    readonly perSecond: number
  }
  'dead port': PortFacts
  'wrong port': PortFacts
  'server ended dirty': {
    /** `The game server of duel 8f2c41aa`. */
    readonly server: string
    /** `crashed with exit code 1`. */
    readonly exit: string
    readonly players: number
  }
  'buffered output': { readonly server: string }
}

/** An exchange, as rules see it. Times are in ms of `performance.now()`. */
export interface ObservedExchange {
  readonly exchange: RecordedExchange
  readonly request: MockRequest
  readonly response: MockResponse
  readonly startedAt: number
  readonly endedAt: number
}

/** A mistake that a rule has found. */
export interface Mistake<Facts = unknown> {
  /** Mistakes with the same key are one warning. */
  readonly key: string
  readonly facts: Facts
  readonly subject: WarningSubject
  /** The ids of the requests that prove it, the oldest first. */
  readonly requests: readonly number[]
  /** How often it has happened since the last report. Default: once. */
  readonly count?: number
  /** When it first happened, in ms of the world's clock. Default: now. */
  readonly since?: number
}

/** The functions by which a rule sees a world. */
export interface Observers {
  /** Gets successful reads. There may be many thousands a second. */
  read?(observed: ObservedExchange): void
  /** Gets all other exchanges. */
  exchange?(observed: ObservedExchange): void
  /** Gets change sets after their commit. It must not write. */
  change?(changeSet: ChangeSet): void
  server?(event: ServerEvent): void
  /** Called when the world is replaced or ends: cancels timers. */
  end?(): void
}

/** A rule of warnings. `lab`, `check-server` and stories say its sentences, too. */
export interface Rule<Facts = unknown> {
  /** When a world has such a warning, for the docs. */
  readonly when: string
  sentence(facts: Facts): string
  advice(facts: Facts): string
  /** Begins to watch a world. It reports each mistake. */
  observe(report: (mistake: Mistake<Facts>) => void, world: LiveWorld): Observers
}
