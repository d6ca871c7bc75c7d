import { Emitter } from '../../core/lib/emitter.js'
import { StorageError } from '../../core/storage/storage.js'
import { asStorageError, callIfPossible, type FileCalls, isMissing, noSpace, writeProblem } from './folder-files.js'
import { encodeNote, encodeTrial } from './folder-log-format.js'

/** An answer that waits until the disk has the first `count` records. */
interface Waiter {
  readonly count: number
  resolve(): void
  reject(error: StorageError): void
}

/** Ends a message about a failed write. */
export const retryText = 'Writing is tried again each second'

/** A file that is open for reading and appending. */
export interface OpenLog {
  readonly fd: number
  size: number
}

/** The log of a world, opened for appending. After a failed write it takes no more records until a trial succeeds. */
export class LogFile {
  /** The number of records that were appended, and how many of them the disk has. The opening of the log has appended the first one. */
  #appended = 1
  #synced = 0
  /** The bytes that the disk has, if the log does not say it yet. */
  #unmarked: number | undefined
  #isSyncing = false
  #waiters: Waiter[] = []
  #failure: { readonly message: string; readonly isFinal: boolean } | undefined
  /** The file may be longer than its whole records. */
  #isTorn = false
  /** The length of the record that failed. A trial needs as much space. */
  #failedLength = 0
  #isClosed = false
  readonly #failures = new Emitter<StorageError | undefined>()

  constructor(
    private readonly fs: FileCalls,
    readonly path: string /** The open file, and the length of its whole records. */,
    private file: OpenLog,
  ) {}

  get size(): number {
    return this.file.size
  }

  /** Calls the listener when the log fails, and with `undefined` when it works again. */
  watch(listener: (error: StorageError | undefined) => void): () => void {
    return this.#failures.subscribe(listener)
  }

  /** Throws `StorageError` if the log takes no records. */
  check(): void {
    if (this.#isClosed) throw new StorageError('this process has closed the world')
    if (this.#failure) throw new StorageError(this.#failure.message)
  }

  /** Appends a record. If it throws `StorageError`, nothing was appended. */
  append(record: Buffer): void {
    this.check()
    const { size, fd } = this.file
    const bytes =
      this.#unmarked === undefined ? record : Buffer.concat([encodeNote({ unsynced: size - this.#unmarked }), record])
    try {
      if (this.fs.writeSync(fd, bytes) < bytes.length) throw noSpace()
    } catch (error) {
      const problem = writeProblem(error)
      this.#failedLength = bytes.length
      this.#cut()
      throw this.fail(`cannot write ${this.path}: ${problem}. ${retryText}`)
    }
    this.file.size += bytes.length
    this.#appended += 1
    this.#unmarked = undefined
  }

  /** Lets the log take no more records: until a trial succeeds, or until a restart. Returns the error. */
  fail(message: string, { isFinal = false } = {}): StorageError {
    const error = new StorageError(message)
    if (this.#failure?.isFinal || (this.#failure && !isFinal)) return error
    this.#failure = { message, isFinal }
    this.#failures.emit(error)
    return error
  }

  /** Does the work of each second: looks for the file at its path, tries to write after a failure, syncs. */
  tick(): void {
    if (this.#failure?.isFinal) return
    const problem = this.#failure ? undefined : this.#placeProblem()
    if (this.#failure) this.#retry()
    else if (problem !== undefined) this.fail(problem)
    this.sync()
  }

  /** Resolves when the disk has the records until now. `undefined` if it has them. Rejects with `StorageError`. */
  settled(): Promise<void> | undefined {
    if (this.#synced === this.#appended) return undefined
    if (this.#failure?.isFinal) return Promise.reject(new StorageError(this.#failure.message))
    const count = this.#appended
    const settled = new Promise<void>((resolve, reject) => this.#waiters.push({ count, resolve, reject }))
    this.sync()
    return settled
  }

  /** Starts to sync what was appended since the last time. One sync serves all who wait. */
  sync(): void {
    if (this.#isSyncing || this.#isClosed || this.#synced === this.#appended || this.#failure?.isFinal) return
    this.#isSyncing = true
    const count = this.#appended
    const file = this.file
    const { size } = file
    this.fs.fdatasync(file.fd, error => {
      this.#isSyncing = false
      if (this.#isClosed) return
      // Another file, which the disk has, took the place of this one.
      if (file === this.file) {
        this.#unmarked = size
        this.#endSync(count, error)
      }
      if (this.#waiters.length > 0) this.sync()
    })
  }

  /** Reads from an offset to the end of the whole records. */
  readFrom(at: number): Buffer {
    const bytes = Buffer.alloc(this.file.size - at)
    for (let read = 0; read < bytes.length; ) {
      const count = this.fs.readSync(this.file.fd, bytes, read, bytes.length - read, at + read)
      if (count === 0) throw new StorageError(`${this.path} is shorter than it was: restart the mock`)
      read += count
    }
    return bytes
  }

  /** Goes on in another file, which took the place of this one. The disk has its bytes, and after `sync` its name. */
  moveTo(file: OpenLog, sync: () => void): void {
    const { fd } = this.file
    this.file = file
    this.#unmarked = file.size
    this.fs.closeSync(fd)
    try {
      sync()
    } catch (error) {
      this.#endSync(0, error as Error)
      throw error
    }
    this.#endSync(this.#appended, null)
  }

  /** Syncs what is left, and closes the file. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    try {
      if (this.#isTorn && !this.#failure?.isFinal) this.#cut()
      if (this.#synced < this.#appended && !this.#failure?.isFinal) {
        this.fs.fdatasyncSync(this.file.fd)
        this.#endSync(this.#appended, null)
      }
    } catch (error) {
      this.#endSync(0, error as Error)
    }
    this.#failures.clear()
    // The disk has the records, or `#endSync` has said that it may not.
    callIfPossible(() => this.fs.closeSync(this.file.fd))
  }

  /** After a failed sync, nobody knows what the disk has. */
  #endSync(count: number, error: Error | null): void {
    if (!error) {
      this.#synced = count
      const ready = this.#waiters.filter(waiter => waiter.count <= count)
      this.#waiters = this.#waiters.filter(waiter => waiter.count > count)
      for (const waiter of ready) waiter.resolve()
      return
    }
    const failure = this.fail(
      `cannot sync ${this.path}: ${writeProblem(error)}. The world takes no change until you restart the mock`,
      { isFinal: true },
    )
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) waiter.reject(failure)
  }

  /** Cuts the file to its whole records. If that fails, it is tried again before the next write. */
  #cut(): void {
    this.#isTorn = true
    try {
      this.fs.ftruncateSync(this.file.fd, this.file.size)
      this.#isTorn = false
    } catch {}
  }

  #retry(): void {
    if (this.#placeProblem() !== undefined) return
    try {
      if (this.#isTorn) this.fs.ftruncateSync(this.file.fd, this.file.size)
      const trial = encodeTrial(this.#failedLength)
      this.#isTorn = true
      if (this.fs.writeSync(this.file.fd, trial) < trial.length) throw noSpace()
      this.fs.ftruncateSync(this.file.fd, this.file.size)
      this.#isTorn = false
      this.#failure = undefined
    } catch {
      this.#cut()
    }
    if (!this.#failure) this.#failures.emit(undefined)
  }

  /** Describes why the file is not the one at its path. `undefined` if it is. */
  #placeProblem(): string | undefined {
    try {
      const own = this.fs.fstatSync(this.file.fd, { bigint: true })
      const there = this.fs.statSync(this.path, { bigint: true })
      if (own.ino === there.ino && own.dev === there.dev) return undefined
      return `${this.path} was replaced by another file: put the old one back, or restart the mock`
    } catch (error) {
      if (isMissing(error))
        return `${this.path} was deleted or moved: put it back, or save the world with mockmaker export before you restart`
      const { message } = asStorageError(error, `cannot read ${this.path}`) as Error
      return message
    }
  }
}
