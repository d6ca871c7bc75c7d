import type { ScenarioInput } from '../scenario/schema.js'
import type { Faults } from '../server/faults.js'
import type { Journal } from '../server/journal.js'
import type { TokenInfo } from '../store/token-info.js'
import type { World } from '../store/world.js'
import type { Changes, ChangesOptions } from './changes.js'
import type { WorldSummary } from './description.js'
import type { Environment } from './environment.js'
import type { Explanation, Question } from './explanation.js'

/** What a reset leaves as it is. */
export interface SteeringResetOptions {
  /** Default: nothing. */
  readonly keep?: readonly ('clock' | 'faults' | 'journal')[] | undefined
}

/** What is in a snapshot beside the world. */
export interface SnapshotOptions {
  /** Default: nothing. */
  readonly with?: readonly ('faults' | 'journal')[] | undefined
}

/** For which game a device link is completed: its id or its `name_id`. Default: the only one. */
export interface CompletionOptions {
  readonly game?: string | undefined
}

/** Players who come to a namespace, and go, by themselves. */
export interface SimulationOptions {
  /** `<game>/<namespace>`, by their name ids, or an id. Default: the default namespace. */
  readonly namespace?: string | undefined
  /** How many play at once, over a day. Default: 100. */
  readonly concurrent?: number | undefined
  /** For how long one plays, on average: `12m`. Default: that. */
  readonly session?: string | undefined
  /** How often each game mode is wanted, by its id: weights. Default: all alike. */
  readonly modes?: Readonly<Record<string, number>> | undefined
}

/** Where nobody shall come any more. Default: the default namespace. */
export interface EndSimulationOptions {
  readonly namespace?: string | undefined
}

/** Players who come to a namespace, and go, and how many are in its lobbies now, whoever they are. */
export interface SimulationState {
  /** `<game>/<namespace>`, by their name ids. */
  readonly namespace: string
  readonly namespace_id: string
  readonly concurrent: number
  readonly session: string
  readonly modes?: Readonly<Record<string, number>>
  /** As in ISO 8601. */
  readonly began_at: string
  readonly players: { readonly connected: number; readonly reserved: number }
}

/** How the environment of a lobby's server is made. */
export interface LobbyEnvironmentOptions {
  /** Where the server of the lobby reaches the world. Default: not said. */
  readonly url?: string | undefined
}

/** What steers one world. The client has the same names, over HTTP. */
export interface Steering {
  /** What the world is called among those of its server. */
  readonly id: string
  readonly world: World
  /** The tokens of the scenario. */
  readonly tokens: readonly TokenInfo[]
  /** Made-up trouble. */
  readonly faults: Faults
  /** What has been asked of the world, and what it answered. */
  readonly journal: Journal
  /** Its change sets and exchanges as they happen. */
  changes(options?: ChangesOptions): Changes
  /** Why a lobby is not listed, which operation answers a request and for whom, or why a name does not pass. Throws `UsageError` where it asks for none of them. */
  explain(question: Question): Explanation
  /**
   * The environment that the server of a lobby sees in the real service, by the names of its variables. Throws `ApiError`
   * where the lobby is not there, or has stopped.
   */
  lobbyEnvironment(lobbyId: string, options?: LobbyEnvironmentOptions): Environment
  /** Has players come to a namespace, and go, from now on; if they do already, otherwise than before. Rejects with `UsageError`. */
  simulate(options?: SimulationOptions): Promise<SimulationState>
  /** Where players come and go. */
  simulations(): SimulationState[]
  /** Has nobody come to a namespace any more: those who are there leave in their time. `false` where nobody came. Rejects with `UsageError`. */
  endSimulation(options?: EndSimulationOptions): Promise<boolean>
  /** Takes world, clock, faults and journal back to the start, in one turn, and removes the resolvers of `on`. */
  reset(options?: SteeringResetOptions): Promise<void>
  /** Changes over to another scenario, in one turn: the name of one on hand, or one in the fixture format. Rejects with `UsageError`. */
  load(scenario: string | ScenarioInput): Promise<void>
  /** The whole world, in the fixture format. */
  snapshot(options?: SnapshotOptions): ScenarioInput
  /** Puts a snapshot back, in one turn: every answer is as it was, but for watch indexes, which rise. Faults and journal stay where it has none. Rejects with `UsageError`. */
  restore(snapshot: ScenarioInput): Promise<void>
  /** Completes a device link without a cloud token. Rejects with `ApiError`, as the service would refuse it, and with `UsageError` where there is no such game. */
  completeDeviceLink(token: string, options?: CompletionOptions): Promise<void>
  /** Has a device link expire now. Rejects with `ApiError` where there is none. */
  expireDeviceLink(token: string): Promise<void>
}

/** How a world is made: of a scenario, of another world as it stands, or of the server's own scenario. */
export interface NewWorldOptions {
  /** The name of a scenario on hand, or one in the fixture format. */
  readonly scenario?: string | ScenarioInput | undefined
  /** The id of the world that it shall equal. */
  readonly fork?: string | undefined
  /** Instead of the scenario's. The chance of a fork begins anew with it. */
  readonly seed?: number | undefined
}

/** What steers the worlds of a server. */
export interface SteeringWorlds {
  /** All of them, `default` first. */
  list(): WorldSummary[]
  get(id: string): Steering | undefined
  /** Makes a world, or has the one of that id begin anew. Rejects with `UsageError` or `ApiError`, and then nothing has happened. */
  put(id: string, options?: NewWorldOptions): Promise<Steering>
  /** Deletes a world; `false` where there is none. Rejects with `UsageError` for the default one. */
  delete(id: string): Promise<boolean>
}
