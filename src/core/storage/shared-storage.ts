import type { KeptSummary, KeptWorld, Storage } from './storage.js'

/** One process of several that share a storage. */
export interface ReplicaInfo {
  /** New at each start. */
  readonly id: string
  /** The URL by which other replicas reach it: `http://10.0.0.5:4100`. */
  readonly address: string
  /** The real time of its start, in ms since the epoch. */
  readonly startedAt: number
  /** Proofs of the secrets that all replicas have in common, by their names. Default: none. */
  readonly proofs?: Readonly<Record<string, string>>
}

/** The answer to a claim. */
export type Claim =
  /** This replica runs the world. Its content is read: `open` returns it. */
  | { readonly kind: 'mine'; readonly epoch: number }
  /** No world has the id, and no other replica can create one: `create` does. */
  | { readonly kind: 'new'; readonly epoch: number }
  | { readonly kind: 'other'; readonly owner: ReplicaInfo; readonly epoch: number }
  /** There is no such world, and it may not be created. */
  | { readonly kind: 'absent' }

export interface SharedSummary extends KeptSummary {
  /** The replica that runs it. Absent: nobody does. */
  readonly owner?: ReplicaInfo
  readonly epoch: number
  /** When the owner claimed it, in ms since the epoch. */
  readonly claimedAt: number
  /** The id of the replica that had it before, and did not give it back. */
  readonly takenFrom?: string
}

/** A storage that several replicas share. Each world has at most one owner. */
export interface SharedStorage extends Storage {
  readonly self: ReplicaInfo
  /** A random text that all replicas of the storage know. */
  readonly secret: string
  list(): readonly SharedSummary[]
  /** Claims a world. If no replica owns it, this one does from now on. Rejects with `StorageError`. */
  claim(id: string, options: { readonly create: boolean }): Promise<Claim>
  /** True while this replica owns the world, and has read its content. */
  owns(id: string): boolean
  /** Gives a world back, after its open appends. A claimed one that was never created is forgotten. Does not reject. */
  release(id: string): Promise<void>
  /**
   * Reads a world as it is now, whichever replica owns it. The result takes no changes, and is `undefined` if the id is unknown.
   * Rejects with `StorageError`.
   */
  read(id: string): Promise<KeptWorld | undefined>
  /**
   * Calls the listener when a world must leave memory. Another replica owns it, or a change was refused and the world must be read
   * again. Returns a function that unsubscribes.
   */
  onLost(listener: (lost: { readonly id: string; readonly because: string }) => void): () => void
  /** Throws `StorageError` if the lease may have run out: nothing may leave this process then. */
  checkLease(): void
  /** Why requests get 503 now, without the address of the server. `undefined` if all is well. */
  readonly trouble: string | undefined
  /**
   * `undefined` if the lease holds, or has ended for good. If it has just ended, resolves when it holds again, or after 2 s. A
   * process that was stopped needs that moment.
   */
  leaseSoon(): Promise<void> | undefined
  /** True if that replica's lease lives. Rejects with `StorageError`. */
  isAlive(replicaId: string): Promise<boolean>
  /** Lists the replicas whose leases live. Rejects with `StorageError`. */
  replicas(): Promise<readonly ReplicaInfo[]>
  /** Reads the index of the worlds again, for `list`. Rejects with `StorageError`. */
  refresh(): Promise<readonly SharedSummary[]>
  /** The time that the server's clock is ahead of this system's, in ms, at the last renewal. */
  readonly clockOffsetMs: number
  /**
   * Resolves when creations and deletions of a world until now are kept. Without an id, those of all worlds, and the settings.
   * Rejects with `StorageError` if one was refused, or its outcome is unknown.
   */
  flush(id?: string): Promise<void>
  /** Gives every world back, ends the lease, and disconnects. */
  leave(): Promise<void>
}
