import { UnavailableError } from '../contract/errors.js'
import type { Steps } from '../lib/steps.js'
import type { Hash, Origin } from './origins.js'

/** Keeps worlds outside the process. All texts are JSON on one line. */
export interface Storage {
  /** The place as users know it, for messages: `.mockmaker`. */
  readonly place: string
  /** The memory that all worlds take there, in bytes. */
  readonly bytes: number
  /** The text of `saveSettings`. */
  readonly settings: string | undefined
  /** Creates the hash that names origins: SHA-256. */
  createHash(): Hash
  /** Keeps a text for all worlds together. `undefined` removes it. Throws `StorageError`. */
  saveSettings(text: string | undefined): void
  /** The number of kept worlds. */
  readonly count: number
  /** Finds a kept world, without opening it. Takes the same time for any number of worlds. */
  find(id: string): KeptSummary | undefined
  /** Lists the kept worlds, without opening them. */
  list(): readonly KeptSummary[]
  /** Opens a world. Returns `undefined` if the id is unknown. Throws `StorageError` if its files are damaged or of a newer version. */
  open(id: string): KeptWorld | undefined
  /** Creates a world, and opens it. Throws `StorageError`. */
  create(id: string, start: NewKeptWorld): KeptWorld
  /** Deletes a world, open or not, damaged or not. Does nothing if the id is unknown. Throws `StorageError`. */
  delete(id: string): void
  /** Writes what is left to write, and lets other processes use the place. */
  close(): void
}

/** A world that its storage lists. */
export interface KeptSummary {
  readonly id: string
  readonly title: string
  readonly seed: number
  readonly revision: number
  /** The time of the world's clock, in ms since the epoch. */
  readonly now: number
  /** True if the world stays until somebody deletes it. */
  readonly isKept: boolean
  /** The real time of its last use, in ms since the epoch. */
  readonly usedAt: number
  /** The real time of its creation, in ms since the epoch. Absent if an earlier version has created it. */
  readonly createdAt?: number | undefined
  /** The number of players with a seat. Absent if it is unknown. */
  readonly players?: number
  /** The number of them that are on the way. */
  readonly reserved?: number
  /** The number of requests that are blocked on a watch index, if a process runs the world. Default: 0. */
  readonly waiters?: number
}

export interface NewKeptWorld {
  readonly summary: Omit<KeptSummary, 'id'>
  readonly origin: Origin
  /** The first state. Absent if it is that of the origin. */
  readonly base?: string
}

/** The content of a world at its opening, and its log. */
export interface KeptWorld {
  /** A random text, which tells the world from an earlier one of its id. */
  readonly born: string
  /** The number of openings, with this one. */
  readonly starts: number
  /** The hash of the origin that the base has. Lines of the log may name later ones. */
  readonly originHash: string
  /** The state before the first line. `undefined` if it is that of the origin. */
  readonly base: string | undefined
  /** The lines after the base, the oldest first. A line is decoded when it is read. */
  readonly lines: Iterable<KeptLine>
  /** The time of the clock that `writeTime` has written. */
  readonly time: string | undefined
  /**
   * The most real ms that the former process may have run after `time` and the newest line. Clients have seen its clock go on for
   * that long.
   */
  readonly lagMs: number
  /** The bytes of torn last lines that were cut off. A storage that only reads ignores them. 0 if there were none. */
  readonly cutBytes: number
  /** Frees `base` and `lines`. Call it when the world is loaded. */
  release(): void
  /** Reads an origin by its hash. Throws `StorageError`. */
  origin(hash: string): string
  /** Stores an origin, before a line of the log names it. Throws `StorageError`. */
  putOrigin(origin: Origin): void
  /** Throws `StorageError` if it takes no lines now. `watch` may not have told yet. */
  check(): void
  /** Appends a line of a later revision than the one before. A killed process does not lose it. If it throws `StorageError`, nothing was appended. */
  append(line: KeptLine): void
  /**
   * Resolves when the lines until now are kept. `undefined` if they are. Rejects with `StorageError` if one is not, and in a shared
   * storage if nothing may leave this process now.
   */
  settled(): Promise<void> | undefined
  /**
   * Resolves when few lines wait to be kept, or when they cannot be kept. `undefined` if they are few. Absent if `append` keeps a
   * line at once.
   */
  drained?(): Promise<void> | undefined
  /** The bytes of the lines up to a revision. */
  bytesUpTo(revision: number): number
  /** The bytes of the base. */
  readonly baseBytes: number
  /** True if the storage has lost lines that it had kept. Until it gets the present state as a base, it keeps nothing. */
  readonly needsBase?: boolean
  /**
   * Replaces the base, and then drops the lines up to its revision. It has `originHash`. Each part ends between two characters.
   * Throws `StorageError`: the base is the old or the new one, and nothing is lost.
   */
  replaceBase(base: NewBase): void
  /** Does the same in steps, between which lines may be appended. Absent if `replaceBase` takes no time. */
  replaceBaseInSteps?(base: NewBase): Steps<void>
  /** Writes the time of a clock in place of the one before. Does not throw: a failure is one of `watch`. */
  writeTime(time: string): void
  /** Sets what `Storage.list` returns for the world. */
  summarize(summary: Omit<KeptSummary, 'id'>): void
  /**
   * Calls the listener with the error when the storage takes no more lines, and with `undefined` when it does again. A shared storage
   * whose server takes no changes now calls it at once. An error that only a restart ends may follow another one. Returns a function
   * that unsubscribes.
   */
  watch(listener: (error: StorageError | undefined) => void): () => void
  close(): void
}

/** A state in place of the lines up to its revision. */
export interface NewBase {
  readonly parts: Iterable<string>
  readonly revision: number
  readonly originHash: string
}

/** A line of a log. */
export interface KeptLine {
  /** The revision that the world has after the line. */
  readonly revision: number
  readonly text: string
}

/** The storage does not take a change, or cannot read a world. A client gets 503, and may ask again. */
export class StorageError extends UnavailableError {}
