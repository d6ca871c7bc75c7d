// `npm run generate` writes this file from the schemas.
import type { TableName } from './rows.js'
import type { AnyScenarioName, ScenarioInput } from './scenario.js'

/** Options of a Mockmaker. All are optional. */
export interface MockmakerOptions {
  /** The scenario that the world `default` and new worlds start with. Default: the shipped `default`. */
  readonly scenario?: ScenarioInput | undefined
  /** Replaces the seed of the scenario. */
  readonly seed?: number | undefined
  /**
   * The handlers match this: an origin (`https://matchmaker.example`), `*` for any, or nothing for the page's own,
   * and a path if wanted (`/api`). Default: `*`.
   */
  readonly baseUrl?: string | undefined
  /**
   * Names the world of a request in-process, such as by a cookie. It must return at once. `undefined` leaves the
   * choice to the path and the header of the request. Default: always `undefined`.
   */
  readonly world?: ((request: Request) => string | undefined) | undefined
  /** The longest time that a watch waits for a change, in ms of the world's clock. Default: 40 000. */
  readonly watchTimeoutMs?: number | undefined
  /** The beginning of the device links in answers, without a slash at its end. Default: `https://hub.{cdn_domain}`. */
  readonly publicUrl?: string | undefined
  /**
   * More origins whose pages may use the mock, besides loopback and the domains of the namespaces. `null` means
   * sandboxed frames. Default: none.
   */
  readonly corsOrigins?: readonly string[] | undefined
  /** The most worlds, including the default one. Default: 10 000. */
  readonly maxWorlds?: number | undefined
  /**
   * The time after which an unused world is deleted, in real ms. The default world and those of your code stay.
   * Default: 30 minutes.
   */
  readonly worldTtlMs?: number | undefined
  /** The most requests in the journal of each world. Default: 1 000. */
  readonly journalSize?: number | undefined
  /**
   * How far the history of each world goes back: a duration of the world's clock, or a number of change sets. It
   * takes at most 64 MiB: beyond them it drops the oldest change sets. Default: `1h`.
   */
  readonly history?: number | string | undefined
  /**
   * Makes `reset`, `close` and `isolated` fail, after their work, if a fault that code has added never applied to
   * a request. Default: false.
   */
  readonly strict?: boolean | undefined
  /**
   * Simulates players in each namespace that has a game mode, unless the scenario sets its players. Default:
   * false.
   */
  readonly live?: boolean | undefined
}

/** Options of a server. All are optional. */
export interface ListenOptions {
  /** 0 picks a free port. Default: 4100. */
  readonly port?: number | undefined
  /** The address to listen on. Default: 127.0.0.1 and ::1. */
  readonly host?: string | undefined
  /** Names to allow in the Host header besides those of this machine and IP addresses. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Turns the control API on or off. Default: on. */
  readonly control?: boolean | undefined
  /** Addresses and networks of other machines that may use the control API; `*` means all. Default: none. */
  readonly controlHosts?: readonly string[] | undefined
  /**
   * The token that every call of the control API needs, from this machine too. With it, any address may call.
   * Pages of the mock show no tokens then. It has 16 to 512 letters, digits or `. _ ~ + / = -`. Default: none.
   */
  readonly controlToken?: string | undefined
  /**
   * Addresses and networks of proxies in front of the mock. The last address in `x-forwarded-for` or `forwarded`
   * that is none of them is that of the client. Default: none.
   */
  readonly trustProxy?: readonly string[] | undefined
  /**
   * The folder that keeps the worlds. If it has worlds, the mock goes on with them. Default: they are only in
   * memory.
   */
  readonly data?: string | undefined
  /** Starts the game servers that the mock's own scenario has commands for. Default: false. */
  readonly servers?: boolean | undefined
}

/** Options of `reset`. */
export interface ResetOptions {
  /** The parts that a reset leaves unchanged. Default: none. */
  readonly keep?: readonly ('clock' | 'faults' | 'journal')[] | undefined
  /** Replaces the seed, until the next reset. Default: the seed of the scenario. */
  readonly seed?: number | undefined
}

/** Options of `snapshot`. */
export interface SnapshotOptions {
  /** The parts to add to the snapshot. Default: none. */
  readonly with?: readonly ('faults' | 'journal')[] | undefined
  /** The world as it was right after this change set. Default: the newest one. */
  readonly revision?: number | undefined
  /** The world as it was right before this request: the id of its journal entry. Default: as it is now. */
  readonly before?: number | undefined
}

/** Options of `capsule`. */
export interface CapsuleOptions {
  /** How much of the past the capsule has, by the world's clock: `10m`, or ms. Default: the whole history. */
  readonly last?: string | number | undefined
}

/** The state of a new world: from a scenario, as a copy of another world, or as the scenario of the mock. */
export interface NewWorldOptions {
  /** The name of a scenario, or one in the fixture format. Default: the server's scenario. */
  readonly scenario?: AnyScenarioName | ScenarioInput | undefined
  /** The id of a world to copy. */
  readonly fork?: string | undefined
  /** The revision of that world to copy. Default: the newest. */
  readonly revision?: number | undefined
  /** Replaces the scenario's seed. In a fork it restarts the random numbers. */
  readonly seed?: number | undefined
}

/** Selects change sets of a world. All given keys must match. */
export interface HistoryOptions {
  /** A revision: only later change sets. Default: all that are kept. */
  readonly since?: number | undefined
  /** Only those that changed a row of this table, such as `lobbies`. */
  readonly table?: TableName | undefined
  /** Only those that a request caused, by its `rvt-ray-id`. */
  readonly request?: string | undefined
  /** The most change sets. With `since` the first of them, otherwise the newest. Default: 100. */
  readonly limit?: number | undefined
  /** `false`: the time, the cause and the names of the changed rows, but no values. Default: true. */
  readonly rows?: boolean | undefined
}

/** Options of `schedule`. */
export interface ScheduleOptions {
  /** The most jobs. Default: 20. */
  readonly limit?: number | undefined
}

/** Asks about a lobby, a request, a past request, a find, or the names of a namespace. */
export interface Question {
  /** Explains why this lobby is listed or not. */
  readonly lobby_id?: string | undefined
  /** Explains the answer to a request with this path. */
  readonly path?: string | undefined
  /** The method of the request. Default: GET. */
  readonly method?: string | undefined
  /** The bearer token of the request. Default: none. */
  readonly token?: string | undefined
  /** The Origin of the request. Default: none. */
  readonly origin?: string | undefined
  /** Checks this name id of a new namespace. */
  readonly name_id?: string | undefined
  /** Checks this display name of a new namespace. */
  readonly display_name?: string | undefined
  /** The game of that namespace, by its id or its `name_id`. Default: the first one. */
  readonly game?: string | undefined
  /** Explains what a find in this game mode does now, if no fault applies to it. */
  readonly find?: string | undefined
  /** The namespace of that game mode, by its id or as `<game>/<namespace>`. Default: the default namespace. */
  readonly namespace?: string | undefined
  /** Explains the answer to a past request: the id of its journal entry. */
  readonly exchange?: number | undefined
}

/** Selects stories. All given keys must match. */
export interface StoryFilter {
  /** A part of the token, the name, the address, the lobby, the game mode or the region, in any case. */
  readonly q?: string | undefined
  /** The token, or its beginning. */
  readonly token?: string | undefined
  /** The name: two words, in any case. */
  readonly name?: string | undefined
  /** The address of the client. */
  readonly address?: string | undefined
  /** The id of a lobby that the player was in. */
  readonly lobby?: string | undefined
  /** The present state of the story, or its end. */
  readonly outcome?: StoryOutcome | undefined
  /** `true`: only players of simulations. `false`: only others. */
  readonly simulated?: boolean | undefined
  /** The most stories. Default: 50. */
  readonly limit?: number | undefined
  /** The `id` of a story: only those that began before it. */
  readonly before?: number | undefined
}

/** Simulated players of a namespace. Absent keys get their defaults. */
export interface SimulationOptions {
  /** The name ids `<game>/<namespace>`, or the id of the namespace. Default: the default namespace. */
  readonly namespace?: string | undefined
  /** The number of players at once, averaged over a day. Default: 100. */
  readonly concurrent?: number | undefined
  /** The average length of a session. Default: `12m`. */
  readonly session?: string | number | undefined
  /** The weights of the game modes, by their ids. Default: all alike. */
  readonly modes?: Record<string, number> | undefined
}

/** Options of `completeDeviceLink`. */
export interface CompletionOptions {
  /** The game to complete the link for, by its id or its `name_id`. Default: the only one. */
  readonly game?: string | undefined
}

/**
 * How a story stands, or how it ended. `on_the_way`: the player has a seat, and has not connected yet.
 * `never_connected`: its seat expired. `connection_lost`: it reached the age limit. `gave_up`: the client left
 * before the answer. `wrong_lobby`: the server of another lobby reported it. `refused`: the world has no such
 * token. `canned`: a development token got a seat in no lobby.
 */
export type StoryOutcome =
  | 'on_the_way'
  | 'playing'
  | 'left'
  | 'never_connected'
  | 'connection_lost'
  | 'lobby_stopped'
  | 'server_ended'
  | 'removed'
  | 'gave_up'
  | 'wrong_lobby'
  | 'refused'
  | 'canned'

/**
 * What happened in a step of a story: a change of the player, or a call that named it. A find, a join and a
 * create have steps of their own, before that of the seat.
 */
export type StepKind =
  | 'present'
  | 'reserved'
  | 'connected'
  | 'lobby_ready'
  | 'handed_over'
  | 'moved'
  | 'changed'
  | 'added'
  | 'expired'
  | 'left'
  | 'session_ended'
  | 'too_old'
  | 'never_ready'
  | 'lobby_ended'
  | 'lobby_stopped'
  | 'region_down'
  | 'server_ended'
  | 'server_restarted'
  | 'mock_restarted'
  | 'removed'
  | 'gave_up'
  | 'wrong_lobby'
  | 'forgotten'
  | 'answered'
  | 'called'
  | 'refused'
  | 'canned'
  | 'found'
  | 'joined'
  | 'created'
