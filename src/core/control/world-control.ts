import * as z from 'zod'
import type { ExchangeMatch, JournalEntry, OperationPattern, PendingRequest } from '../contract/journal.js'
import type { Coordinates } from '../contract/regions.js'
import type * as types from '../generated/options.js'
import { isJsonObject } from '../lib/json.js'
import { lazy } from '../lib/lazy.js'
import { lazyObject, typeTexts } from '../lib/schemas.js'
import { formatInstant } from '../lib/time.js'
import { DurationInCode } from '../lib/time-schemas.js'
import type { Failure, FaultHandle, FaultOptions } from '../pipeline/fault-calls.js'
import type { FaultDelayInput } from '../pipeline/fault-input.js'
import type { Faults } from '../pipeline/faults.js'
import type { HeldRequests } from '../pipeline/held-requests.js'
import type { Journal } from '../pipeline/journal.js'
import type { WaitOptions } from '../pipeline/wait-options.js'
import type { AnyScenarioName, ScenarioInput } from '../scenario/schema.js'
import type { GameServerCalls } from '../simulation/servers.js'
import type { Clock } from '../store/clock.js'
import type { LobbyRow, PlayerRow } from '../store/matchmaker-rows.js'
import { countPlayers } from '../store/seats.js'
import { listKey, tablesByPath } from '../store/table-names.js'
import type { TokenInfo } from '../store/tokens.js'
import type { LiveWorld, World } from '../store/world.js'
import type { CompletionOptions } from './device-links.js'
import type { Environment, LobbyEnvironmentOptions } from './environment.js'
import type { ChangesOptions, MockEvents } from './events.js'
import type { Question } from './explain/explain.js'
import type { Explanation } from './explain/explain-find.js'
import type { HistoryJson, HistoryOptions } from './history.js'
import type { NewLobbies, NewLobby, NewPlayer } from './new-rows.js'
import type { ScheduledJob, ScheduleOptions } from './schedule.js'
import type { EndSimulationOptions, SimulationOptions, SimulationState } from './simulation.js'
import type { Stories } from './stories/find-stories.js'
import type { Warnings } from './warnings/warning.js'

export const ResetOptions = lazyObject(() => ({
  /** The parts that a reset leaves unchanged. Default: none. */
  keep: z
    .array(z.enum(['clock', 'faults', 'journal']))
    .readonly()
    .optional(),
  /** Replaces the seed, until the next reset. Default: the seed of the scenario. */
  seed: z.int().optional(),
}))
/** Options of `reset`. */
export type ResetOptions = types.ResetOptions

export const SnapshotOptions = lazy(() =>
  z
    .strictObject({
      /** The parts to add to the snapshot. Default: none. */
      with: z
        .array(z.enum(['faults', 'journal']))
        .readonly()
        .optional(),
      /** The world as it was right after this change set. Default: the newest one. */
      revision: z.int().min(0).optional(),
      /** The world as it was right before this request: the id of its journal entry. Default: as it is now. */
      before: z.int().min(1).optional(),
    })
    .refine(({ revision, before }) => revision === undefined || before === undefined, {
      path: ['before'],
      error: 'expected either revision or before, not both',
    }),
)
/** Options of `snapshot`. */
export type SnapshotOptions = types.SnapshotOptions

export const CapsuleOptions = lazyObject(() => ({
  /** How much of the past the capsule has, by the world's clock: `10m`, or ms. Default: the whole history. */
  last: DurationInCode.optional(),
}))
/** Options of `capsule`. */
export type CapsuleOptions = types.CapsuleOptions

const expectedScenario = 'expected a scenario, or the name of one'

/** Any object is accepted, because the reader of scenarios checks it. */
export const ScenarioOrName = lazy(() =>
  z.union(
    [
      z
        .custom<AnyScenarioName>(value => typeof value === 'string', expectedScenario)
        .register(typeTexts, { type: 'AnyScenarioName' }),
      z.custom<ScenarioInput>(isJsonObject, expectedScenario).register(typeTexts, { type: 'ScenarioInput' }),
    ],
    { error: expectedScenario },
  ),
)

export const NewWorldOptions = lazy(() =>
  z
    .strictObject({
      /** The name of a scenario, or one in the fixture format. Default: the server's scenario. */
      scenario: ScenarioOrName().optional(),
      /** The id of a world to copy. */
      fork: z.string().optional(),
      /** The revision of that world to copy. Default: the newest. */
      revision: z.int().min(0).optional(),
      /** Replaces the scenario's seed. In a fork it restarts the random numbers. */
      seed: z.int().optional(),
    })
    .refine(({ scenario, fork }) => scenario === undefined || fork === undefined, {
      path: ['fork'],
      error: 'expected either scenario or fork, not both',
    })
    .refine(({ fork, revision }) => fork !== undefined || revision === undefined, {
      path: ['revision'],
      error: 'expected fork too, because this is a revision of the world to copy',
    }),
)
/** The state of a new world: from a scenario, as a copy of another world, or as the scenario of the mock. */
export type NewWorldOptions = types.NewWorldOptions

/** The calls for tests. They create rows with good defaults, wait for requests without polling, and add faults. */
export interface TestControls {
  /**
   * Resolves with the next request that is answered after this call, and that matches. The operation may be a pattern:
   * `lobbies.*`, or `*` for any request. Rejects with `UsageError` for wrong input, and if the world is reset, replaced or
   * closed before such a request comes. Rejects with `TimeoutError` after the `timeout` of its options.
   */
  next(operation: OperationPattern, match?: ExchangeMatch, options?: WaitOptions): Promise<JournalEntry>
  /**
   * Resolves as soon as at least `count` requests wait for their answers, with all of them: on a watch index, for a fault, for
   * a lobby, or for a resolver. Default: one request, of any operation. Rejects like `next`.
   */
  blocked(count?: number, operation?: OperationPattern, options?: WaitOptions): Promise<PendingRequest[]>
  /**
   * Creates a lobby. `players` may be a number of connected players. Default: the first game mode of the default namespace,
   * in its first region, without players. Rejects with `UsageError`.
   */
  lobby(fields?: NewLobby): Promise<LobbyRow>
  /** Creates several lobbies in one change set. Rejects with `UsageError`, and then it has created none. */
  lobbies(count: number, fields?: NewLobbies): Promise<LobbyRow[]>
  /**
   * Creates a connected player. Default: in the newest open lobby with a free seat, or in a new one. Rejects with
   * `UsageError`.
   */
  player(fields?: NewPlayer): Promise<PlayerRow>
  /**
   * Fails the requests of an operation: with a status, with a code of the service, or with both and a message. The operation
   * may be a pattern. Throws `UsageError`.
   */
  fail(operation: OperationPattern, failure: Failure, options?: FaultOptions): FaultHandle
  /** Delays the requests of an operation, by the world's clock. Throws `UsageError`. */
  delay(operation: OperationPattern, delay: FaultDelayInput, options?: FaultOptions): FaultHandle
  /** Holds the requests of an operation, until `release` of the handle. Throws `UsageError`. */
  hold(operation: OperationPattern, options?: FaultOptions): FaultHandle
}

/** Controls one world. The client has the same methods, over HTTP. */
export interface WorldControl extends TestControls {
  readonly id: string
  readonly world: World
  /** The clock of the world. `now()` first runs the jobs that are due, as a read of `world` does. */
  readonly clock: Clock
  /** The tokens of the scenario. */
  readonly tokens: readonly TokenInfo[]
  readonly faults: Faults
  /** The requests that faults hold or delay. */
  readonly held: HeldRequests
  readonly journal: Journal
  /** The game servers that the mock has started. */
  readonly servers: GameServerCalls
  /** The stories of the players, from the find to the end. */
  readonly stories: Stories
  /** The mistakes of clients and game servers. */
  readonly warnings: Warnings
  /** Lists change sets, the oldest first. Throws `UsageError` for a revision that is no longer kept. */
  history(options?: HistoryOptions): HistoryJson
  /**
   * Lists the jobs that are due next, in the order in which they run: when a lobby stops, a player leaves, simulated players
   * arrive. Throws `UsageError` for a wrong limit.
   */
  schedule(options?: ScheduleOptions): ScheduledJob[]
  /** Yields change sets and requests as they happen. */
  changes(options?: ChangesOptions): MockEvents
  /**
   * Explains why a lobby is or is not listed, how the mock answers a request, or why a name is refused. Throws `UsageError`
   * unless the question is about one of them.
   */
  explain(question: Question): Explanation
  /**
   * Returns the environment variables that the service gives to the server of a lobby. Throws `ApiError` if the lobby does
   * not exist, or has stopped.
   */
  lobbyEnvironment(lobbyId: string, options?: LobbyEnvironmentOptions): Environment
  /**
   * Moves the player, in one change set: the `client` of the scenario. Distances and find follow. `null` means that the place
   * is unknown. A request with the header `x-coords` is not affected. Rejects with `UsageError` for a place outside the ranges.
   */
  setClientLocation(location: Coordinates | null): Promise<void>
  /** Simulates players of a namespace from now on. Replaces an earlier simulation. Rejects with `UsageError`. */
  simulate(options?: SimulationOptions): Promise<SimulationState>
  /** Lists the simulations. */
  simulations(): SimulationState[]
  /**
   * Stops the simulation of a namespace. Its players leave when their sessions end. Resolves with `false` if there is none.
   * Rejects with `UsageError`.
   */
  endSimulation(options?: EndSimulationOptions): Promise<boolean>
  /**
   * Resets the world, its clock, faults and journal in one change set. Removes the resolvers of `on`. With a seed, the world
   * begins as its scenario does with that seed.
   */
  reset(options?: ResetOptions): Promise<void>
  /** Loads another scenario in one change set, by its name or in the fixture format. Rejects with `UsageError`. */
  load(scenario: AnyScenarioName | ScenarioInput): Promise<void>
  /**
   * Returns the whole world in the fixture format. Throws `UsageError` for a revision that the history no longer has: see
   * the option `history`.
   */
  snapshot(options?: SnapshotOptions): ScenarioInput
  /**
   * Returns the world with its past in one file, a page that opens in any browser, as HTML. In a page: as JSON. Rejects with
   * `UsageError`.
   */
  capsule(options?: CapsuleOptions): Promise<string>
  /**
   * Restores a snapshot in one change set. All answers are the same as then, but watch indexes rise. Faults and journal stay
   * if the snapshot has none. Rejects with `UsageError`.
   */
  restore(snapshot: ScenarioInput): Promise<void>
  /**
   * Completes a device link without a cloud token. Rejects with `ApiError` if the link is unknown, complete or expired, and
   * with `UsageError` for an unknown game.
   */
  completeDeviceLink(token: string, options?: CompletionOptions): Promise<void>
  /** Expires a device link now. Rejects with `ApiError` for an unknown link. */
  expireDeviceLink(token: string): Promise<void>
}

/** Controls the worlds of a server. */
export interface WorldsControl {
  /** Lists all worlds, `default` first. */
  list(): ListedWorld[]
  get(id: string): WorldControl | undefined
  /**
   * Creates or replaces a world. It stays until your code deletes it or closes the mock. Rejects with `UsageError` or
   * `ApiError`, and then nothing has happened.
   */
  put(id: string, options?: NewWorldOptions): Promise<WorldControl>
  /** Deletes a world. Resolves with `false` if there is none. Rejects with `UsageError` for the default one. */
  delete(id: string): Promise<boolean>
}

/** The place that keeps the worlds of a mock. */
export interface KeptData {
  /** The folder as it was given, such as `.mockmaker`, or the URL of Redis without user and password. */
  readonly place: string
  /** The number of worlds in it, with those that are not in memory. */
  readonly worlds: number
  /** The memory that they take there, in bytes. */
  readonly bytes: number
}

/** A world in a list of worlds. */
export interface WorldSummary {
  readonly id: string
  readonly title: string
  readonly seed: number
  readonly revision: number
  /** In ISO 8601. */
  readonly now: string
  /**
   * The number of requests that are blocked on a watch index. In a list it is some seconds old for a world that another replica
   * runs.
   */
  readonly waiters: number
  /** The number of players with a seat, reserved or connected. Absent if the world sleeps, and its storage does not have the number. */
  readonly players?: number
  /** The part of `players` that is on the way. Absent like `players`. */
  readonly reserved?: number
  /** True if the server refuses every change. Absent otherwise. */
  readonly read_only?: true
  /**
   * True if the world is not in memory, and its numbers are those of its storage. The next request loads it. Absent otherwise.
   */
  readonly sleeping?: true
  /** The address of the replica that runs the world. Absent if none does, or there are no replicas. */
  readonly replica?: string
}

/** A world in the list of a server, with its real times. */
export interface ListedWorld extends WorldSummary {
  /** When it was created, in ISO 8601. Absent if an earlier version of the mock has created it, in a folder. */
  readonly created_at?: string
  /** When somebody last used it, in ISO 8601: by a request, a call or a stream. */
  readonly used_at: string
}

/** One of several processes that share their worlds. */
export interface ReplicaState {
  /** New at each start. */
  readonly id: string
  /** The URL by which the other replicas reach it. */
  readonly address: string
  /** In ISO 8601. */
  readonly started_at: string
  /** True for the one that answers. Absent for the others. */
  readonly self?: true
  /** The worlds that it runs. */
  readonly worlds: readonly OwnedWorld[]
}

/** A world that a replica runs. */
interface OwnedWorld {
  readonly id: string
  /** Rises each time that a replica begins to run the world. */
  readonly epoch: number
  /** When the replica began to run it, in ISO 8601. */
  readonly claimed_at: string
  /** The id of the replica that ran it before, and stopped without giving it back. Absent if none did. */
  readonly taken_from?: string
}

/** A scenario in a list. */
export interface ScenarioSummary {
  /** The name to load it by. */
  readonly name: string
  readonly title: string
  /** Absent if the scenario has none. */
  readonly description?: string
}

/** A world, with the number of records in each of its tables. */
export interface WorldDescription extends WorldSummary {
  /** The description of its scenario. Absent if there is none. */
  readonly description?: string
  readonly counts: Readonly<Record<string, number>>
}

/** A world with its id. */
export interface IdentifiedWorld {
  readonly id: string
  readonly world: LiveWorld
}

export function summarizeWorld({ id, world }: IdentifiedWorld): WorldSummary {
  const { title, seed, revision, waiters } = world
  const now = formatInstant(world.clock.now())
  return { id, title, seed, revision, now, waiters, ...countPlayers(world.tables) }
}

export function describeWorld(control: IdentifiedWorld): WorldDescription {
  const counts = Object.entries(tablesByPath).map(([path, name]) => {
    // For the compiler, the union of all tables is too complex to call.
    const table: { count(): number } = control.world[name]
    return [listKey(path), table.count()]
  })
  const { description } = control.world
  const described = description === undefined ? {} : { description }
  return { ...summarizeWorld(control), ...described, counts: Object.fromEntries(counts) }
}
