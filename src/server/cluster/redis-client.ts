/** A reply of the script: a list whose first element is a word. Numbers are texts. */
export type Reply = readonly ReplyPart[]
type ReplyPart = string | Reply

/** The commands of the script that several replicas share. A full server refuses those that need memory. */
export type ScriptCommand =
  | 'enter'
  | 'leave'
  | 'replica'
  | 'replicas'
  | 'list'
  | 'settings'
  | 'probe'
  | 'claim'
  | 'resume'
  | 'lines'
  | 'read'
  | 'create'
  | 'append'
  | 'part'
  | 'abandon'
  | 'base'
  | 'note'
  | 'release'
  | 'delete'

/** A client of the Redis server that all replicas share. Each replica has one. */
export interface RedisClient {
  /** The address as users know it, without user and password: `redis://10.0.0.5:6379`. */
  readonly place: string
  /**
   * Runs a command of the script, as a whole or not at all. Commands run in the order of their calls, as long as the connection
   * lasts. `args`: the id of the log, the id of the replica, and those of the command. Rejects with `RedisError`.
   */
  run(command: ScriptCommand, args: readonly string[]): Promise<Reply>
  /** Extends the lease of a replica. Needs no memory, and waits for no other command. Rejects with `RedisError`. */
  renew(replicaId: string, leaseMs: number): Promise<Renewal>
  /** Calls the listener when commands reach the server again after a break. */
  onConnect(listener: () => void): void
  /** Ends the connection. Commands that wait reject. */
  close(): void
}

export interface Renewal {
  /** False if the lease had ended. It has not begun again. */
  readonly isHeld: boolean
  /** The time of the server, in ms since the epoch. */
  readonly serverNow: number
}

/**
 * `away`: there was no reply, and whether the command ran is unknown. `unready`: the server runs no commands now, and may later.
 * `refused`: the server did not run this command.
 */
type RedisErrorKind = 'away' | 'unready' | 'refused'

/** The server did not run a command, or did not say so. The message is the reason. */
export class RedisError extends Error {
  readonly kind: RedisErrorKind

  constructor(kind: RedisErrorKind, message: string) {
    super(message)
    this.kind = kind
  }

  /** Says what the server at that address does. */
  saidOf(place: string): string {
    if (this.kind === 'away') return `${place} does not answer (${this.message})`
    return `${place} refuses commands, because ${this.message}`
  }
}
