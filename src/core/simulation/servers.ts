import type { OperationId } from '../contract/operations.js'
import { Emitter } from '../lib/emitter.js'
import type { LiveWorld } from '../store/world.js'

/** A line that a game server has written. */
export interface ServerLine {
  /** The time on the world's clock, in ISO 8601. */
  readonly at: string
  readonly text: string
}

/** A process that the mock has started as the game server of a lobby. */
export interface GameServerState {
  /** The lobby names its server. */
  readonly lobby_id: string
  readonly game_mode_id: string
  readonly region_id: string
  readonly command: string
  /** Absent if the process could not start. */
  readonly pid?: number
  /** By label. A range has its first port. */
  readonly ports: Readonly<Record<string, number>>
  /** When the process started, on the world's clock, in ISO 8601. */
  readonly started_at: string
  /**
   * `starting`: it has not called ready yet. `stopping`: the mock has sent SIGTERM. `ended`: it has exited with code 0. `crashed`: it
   * ended in another way, or could not start. `stopped`: it ended because its lobby had stopped. `copied`: it ran when a capsule
   * was made, at `ended_at`, and does not run here.
   */
  readonly status: 'starting' | 'ready' | 'stopping' | 'ended' | 'crashed' | 'stopped' | 'copied'
  /** When it was ready, on the world's clock, in ISO 8601. Absent until then. */
  readonly ready_at?: string
  /** The time from its start until it was ready, in real ms. Absent until then. */
  readonly ready_ms?: number
  /** When it ended, on the world's clock, in ISO 8601. Absent until then. */
  readonly ended_at?: string
  /** Absent while it runs, and after a signal. */
  readonly exit_code?: number
  /** The signal that ended it, such as `SIGTERM`. Absent otherwise. */
  readonly signal?: string
  /** The end of the server and its cause, in a sentence. Absent while it runs, and of a `stopped` one that was ready. */
  readonly message?: string
  /** The number of times that the mock has restarted the server of this lobby. */
  readonly restarts: number
  /** The number of lines that it has written. */
  readonly lines: number
  /** Its last three lines. Of a `crashed` one: up to 20 lines, from its last error on. Long lines are cut. */
  readonly last_lines: readonly ServerLine[]
}

/** A game server with its output. */
export interface GameServerLog extends GameServerState {
  /** The newest lines, the oldest first: at most 500 lines, with 65,536 characters. */
  readonly log: readonly ServerLine[]
  /** The environment variables that the mock has given it. Empty until its process starts. */
  readonly environment: Readonly<Record<string, string>>
}

/** Says how a server ended by itself: `its game server ended with exit code 1`. `undefined` if it did not. */
export function endText({ status, exit_code, signal, message }: Partial<GameServerState> = {}): string | undefined {
  if (status !== 'crashed' && status !== 'ended') return undefined
  if (exit_code !== undefined) return `its game server ended with exit code ${exit_code}`
  if (signal !== undefined) return `its game server was ended by ${signal}`
  // The message of one without a process: `not started: no such command`.
  return message && `its game server was ${message}`
}

/** The processes that the mock has started as game servers. */
export interface GameServerProcesses {
  /** Lists the servers that run, and the last 100 that have ended, the oldest first. */
  list(): readonly GameServerState[]
  /** Returns the server of a lobby with its output. `undefined` if the mock has started none. */
  get(lobbyId: string): GameServerLog | undefined
  /**
   * Restarts the server of a lobby. The lobby loses its players and its state, and waits for the new process. If the server has
   * ended, its lobby has stopped: then a new lobby of the same game mode and region gets the new server. Returns that server.
   * Returns `undefined` if the mock has started none. Throws `UsageError` if the lobby cannot be created.
   */
  restart(lobbyId: string): GameServerState | undefined
  /**
   * Kills the server of a lobby with its children, as if its machine had failed. Its lobby stops. One that has ended stays as it is.
   * Returns the server. `undefined` if the mock has started none.
   */
  kill(lobbyId: string): GameServerState | undefined
}

/** Runs the game servers of a world. */
export interface ServerRunner extends GameServerProcesses {
  /** Lists the servers of `list` with their output. A lobby may have had several, and `get` returns the newest of them. */
  logs(): readonly GameServerLog[]
}

/** A player who has had a seat in a lobby, and what the server of the lobby has called for it. */
export interface ServedPlayer {
  readonly token: string
  /** Two words from the token, as in its story. */
  readonly name: string
  /** True if the server has called `players/connected`, and the call was accepted. */
  readonly connected: boolean
  /** True if the server has called `players/disconnected` for it. */
  readonly disconnected: boolean
  /** The present state of the player, or its end, in a sentence. */
  readonly sentence: string
}

/** A call of a game server that the mock has refused. */
export interface RefusedCall {
  /** The id of the request in the journal. */
  readonly request: number
  /** On the world's clock, in ISO 8601. */
  readonly at: string
  readonly method: string
  readonly path: string
  /** Absent if no operation has the path. */
  readonly operation?: OperationId
  readonly status: number
  /** The error code. */
  readonly code: string
  readonly message: string
}

/** The calls of the game server of a lobby. */
export interface ServedLobby {
  readonly lobby_id: string
  /** When it first called ready, on the world's clock, in ISO 8601. Absent if it has not. */
  readonly ready_at?: string
  /** True if it has closed the lobby, false if it has opened it again. Absent if it has called neither. */
  readonly closed?: boolean
  /** The state that it has set. Absent if it has set none, or has cleared it. */
  readonly state?: unknown
  /** The players who have had a seat in the lobby, the oldest first. */
  readonly players: readonly ServedPlayer[]
  /**
   * Its refused calls, the oldest first. A call of a game server with an unknown token counts for every lobby, because nobody
   * knows which lobby it is for. Calls that a fault has failed do not count.
   */
  readonly refused: readonly RefusedCall[]
  /** The number of requests that the journal no longer has. Those calls are missing here. */
  readonly dropped: number
}

/** The game servers of a world: those that the mock has started for its lobbies, and what the server of each lobby has called. */
export interface GameServerCalls extends GameServerProcesses {
  /**
   * Returns what the game server of a lobby has called: ready, its players, its state. The server may be any program. Throws
   * `ApiError` if there was no such lobby.
   */
  served(lobbyId: string): ServedLobby
}

/** An event of a process that the mock has started as the game server of a lobby, for the rules of warnings. */
export type ServerEvent = Pick<GameServerState, 'lobby_id' | 'game_mode_id' | 'region_id'> & ServerFacts

/** The kinds of events, with their facts. */
export type ServerFacts =
  | {
      /** It has called ready, and nothing listens on ports to which its seats lead. */
      readonly kind: 'dead ports'
      /** `variable` is `PORT_default`. */
      readonly dead: readonly { readonly port: number; readonly variable: string }[]
      /** The TCP ports on which its processes listen. Empty if the system does not tell. */
      readonly listening: readonly number[]
    }
  | {
      /** It has ended by itself while players had seats. */
      readonly kind: 'ended'
      /** `crashed with exit code 1`, `was ended by SIGSEGV`. */
      readonly exit: string
      /** False if its exit code was 0. */
      readonly isCrash: boolean
      /** The tokens of these players. */
      readonly players: readonly string[]
    }
  | {
      /** It has been ready for some time, and has written nothing. */
      readonly kind: 'silent'
    }

/** The game servers of a world. Without a program that runs them, there are none. */
export class LiveServers implements GameServerCalls {
  /** Publishes `now` after a change of a server, and `soon` after a line of its output. */
  readonly changes = new Emitter<'now' | 'soon'>()
  readonly events = new Emitter<ServerEvent>()
  #runner: ServerRunner | undefined
  /** The servers of the past that a capsule has brought. */
  #past: readonly GameServerLog[] = []

  constructor(
    private readonly world: Pick<LiveWorld, 'checkUsable' | 'starter'>,
    private readonly servedLobby: (lobbyId: string) => ServedLobby,
  ) {}

  /** Lets a runner answer the calls from now on. Its `starter` starts the servers of lobbies that have none. */
  runBy(runner: ServerRunner, starter = this.world.starter): void {
    this.#runner = runner
    this.world.starter = starter
    this.changes.emit('now')
  }

  /** Shows the servers of a past from now on, before the own ones. No process of them runs after its end. */
  showPast(servers: readonly GameServerLog[], end: string): void {
    this.#past = servers.map(server =>
      server.ended_at === undefined
        ? {
            ...server,
            status: 'copied',
            ended_at: end,
            message: `it was ${server.status} when the capsule was made, and does not run here`,
          }
        : server,
    )
    this.changes.emit('now')
  }

  list(): readonly GameServerState[] {
    this.world.checkUsable()
    const own = this.#runner?.list() ?? []
    const past = this.#past.filter(({ lobby_id }) => !own.some(server => server.lobby_id === lobby_id))
    return [...past.map(({ log: _, environment: __, ...state }) => state), ...own]
  }

  logs(): readonly GameServerLog[] {
    return [...this.#past, ...(this.#runner?.logs() ?? [])]
  }

  get(lobbyId: string): GameServerLog | undefined {
    this.world.checkUsable()
    return this.#runner?.get(lobbyId) ?? this.#past.findLast(server => server.lobby_id === lobbyId)
  }

  restart(lobbyId: string): GameServerState | undefined {
    this.world.checkUsable()
    return this.#runner?.restart(lobbyId)
  }

  kill(lobbyId: string): GameServerState | undefined {
    this.world.checkUsable()
    return this.#runner?.kill(lobbyId)
  }

  served(lobbyId: string): ServedLobby {
    this.world.checkUsable()
    return this.servedLobby(lobbyId)
  }
}
