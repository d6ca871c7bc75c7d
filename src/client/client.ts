import type { Fault, FaultState } from '../contract/faults.js'
import type { Expectation, JournalEntry, JournalFilter } from '../contract/journal.js'
import type { CompletionOptions } from '../control/device-links.js'
import type { Environment } from '../control/environment.js'
import type { ChangesOptions, MockEvent } from '../control/events.js'
import type { Explanation, Question } from '../control/explain.js'
import type { LobbyTokenInfo } from '../control/records.js'
import type { EndSimulationOptions, SimulationOptions, SimulationState } from '../control/simulation.js'
import type {
  NewWorldOptions,
  ResetOptions,
  SnapshotOptions,
  WorldDescription,
  WorldSummary,
} from '../control/world-control.js'
import type { ScenarioInput } from '../scenario/schema.js'
import type { Verification } from '../server/verify.js'
import type { ClockMode, ClockSetting } from '../store/clock-setting.js'
import type { Inputs, Rows } from '../store/rows.js'
import type { TokenInfo } from '../store/token-info.js'
import type { ClientTable } from './table.js'

/** How a mock is reached. */
export interface ClientOptions {
  /** The world to begin with. Default: the one of the URL. */
  readonly world?: string | undefined
  /** Default: the global one, when it is called. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The time of a world. */
export interface ClockState {
  readonly mode: ClockMode
  readonly rate: number
  /** As in ISO 8601. */
  readonly now: string
}

/** Whether a server answers, and how much is in it. */
export interface Health {
  readonly status: 'ok'
  readonly version: string
  readonly uptime_ms: number
  /** How many worlds there are. */
  readonly worlds: number
  /** How many requests are blocked on a watch index, in all of them. */
  readonly waiters: number
}

/** A token, and whose it is. */
export type ShownToken = (TokenInfo & Rows['tokens']) | LobbyTokenInfo

/** A world from outside: its tables, and its time. */
export interface ClientWorld {
  readonly games: ClientTable<Rows['games'], Inputs['games']>
  readonly namespaces: ClientTable<Rows['namespaces'], Inputs['namespaces']>
  readonly gameModes: ClientTable<Rows['gameModes'], Inputs['gameModes']>
  readonly regions: ClientTable<Rows['regions'], Inputs['regions']>
  readonly lobbies: ClientTable<Rows['lobbies'], Inputs['lobbies']>
  readonly players: ClientTable<Rows['players'], Inputs['players']>
  readonly simulations: ClientTable<Rows['simulations'], Inputs['simulations']>
  readonly deviceLinks: ClientTable<Rows['deviceLinks'], Inputs['deviceLinks']>
  /** Without those of lobbies, which are no records. */
  readonly tokens: ClientTable<Rows['tokens'], Inputs['tokens']>
  readonly clock: {
    get(): Promise<ClockState>
    /** Freezes, resumes, speeds up or moves the clock. */
    set(setting: ClockSetting): Promise<ClockState>
    /** Moves the time forward, by ms or by a duration such as `40s`. */
    advance(by: number | string): Promise<ClockState>
  }
  /** What it is, how far it is, and what is in it. */
  describe(): Promise<WorldDescription>
}

/**
 * One world of a mock that runs elsewhere, and the other worlds of its server: what steers a Mockmaker in-process, by the
 * same names. Every call rejects with `ClientError` where the mock refuses it, or none answers.
 */
export interface Client {
  /** What the world is called. */
  readonly id: string
  /** Where the world answers: the base URL for a game's client. Without a slash at its end. */
  readonly url: string
  readonly world: ClientWorld
  readonly faults: {
    list(): Promise<FaultState[]>
    add(fault: Fault): Promise<FaultState>
    /** Deletes a fault; `false` where there is none. */
    remove(id: string): Promise<boolean>
    clear(): Promise<void>
    /** Lets go what a fault holds or delays; `undefined` where there is no such fault. */
    release(id: string): Promise<number | undefined>
  }
  readonly journal: {
    find(filter?: JournalFilter): Promise<JournalEntry[]>
    /** How many older exchanges the journal no longer keeps, because of their number or their bytes. */
    dropped(): Promise<number>
    /** Whether the exchanges are as expected; where they are not, why, and what came nearest. */
    verify(expectation: Expectation): Promise<Verification>
    clear(): Promise<void>
  }
  readonly worlds: {
    list(): Promise<WorldSummary[]>
    get(id: string): Promise<Client | undefined>
    /** Makes a world, or has the one of that id begin anew. */
    put(id: string, options?: NewWorldOptions): Promise<Client>
    /** Deletes a world; `false` where there is none. */
    delete(id: string): Promise<boolean>
  }
  health(): Promise<Health>
  /** The tokens of the world, and whose they are: those of its lobbies, too. */
  tokens(): Promise<ShownToken[]>
  /** The names of the scenarios that can be loaded. */
  scenarios(): Promise<string[]>
  /** The environment that the server of a lobby sees in the real service, by the names of its variables. */
  lobbyEnvironment(lobbyId: string): Promise<Environment>
  /** Has players come to a namespace, and go, from now on; if they do already, otherwise than before. */
  simulate(options?: SimulationOptions): Promise<SimulationState>
  /** Where players come and go. */
  simulations(): Promise<SimulationState[]>
  /** Has nobody come to a namespace any more: those who are there leave in their time. `false` where nobody came. */
  endSimulation(options?: EndSimulationOptions): Promise<boolean>
  reset(options?: ResetOptions): Promise<void>
  /** Changes over to another scenario: the name of one on hand, or one in the fixture format. */
  load(scenario: string | ScenarioInput): Promise<void>
  /** The whole world, in the fixture format. */
  snapshot(options?: SnapshotOptions): Promise<ScenarioInput>
  /** Puts a snapshot back: every answer is as it was, but for watch indexes, which rise. */
  restore(snapshot: ScenarioInput): Promise<void>
  completeDeviceLink(token: string, options?: CompletionOptions): Promise<void>
  expireDeviceLink(token: string): Promise<void>
  /** Why a lobby is not listed, which operation answers a request and for whom, or why a name does not pass. */
  explain(question: Question): Promise<Explanation>
  /** Change sets and exchanges as they happen, from when the promise resolves. */
  changes(options?: ChangesOptions): Promise<AsyncGenerator<MockEvent, undefined>>
}
