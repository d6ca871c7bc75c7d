/** A process that the mock has started as the game server of a lobby. */
export interface GameServerState {
  readonly lobby_id: string
  readonly game_mode_id: string
  readonly command: string
  /** Absent if the process could not start. */
  readonly pid?: number
  /** By label. A range has its first port. */
  readonly ports: Readonly<Record<string, number>>
  /** The real time, in ISO 8601. */
  readonly started_at: string
  /** `stopping`: the mock has sent SIGTERM. */
  readonly status: 'starting' | 'ready' | 'stopping' | 'exited'
  /** Absent while it runs, and after a signal. */
  readonly exit_code?: number
  /** How many processes of its game mode ended before their lobbies, until it started. */
  readonly restarts: number
}
