import { randomBytes } from 'node:crypto'
import { constants, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isSystemError, UsageError } from '../../core/lib/messages.js'
import { real } from '../../core/lib/real-globals.js'
import { StorageError } from '../../core/storage/storage.js'
import { processStat } from '../processes/process-stat.js'
import {
  callIfPossible,
  checkFormat,
  codeOf,
  type FileCalls,
  fileMode,
  isMissing,
  removeLeftovers,
  seal,
  sealedText,
  systemError,
  withFile,
  writeAll,
  writeProblem,
} from './folder-files.js'

/** The holder touches its lock this often, in ms. */
export const touchMs = 1_000

/** A process on another host holds its lock until it has not touched it for this time, in ms. */
const staleMs = 10_000

const lockName = '.lock'
/** A process that takes over writes its lock here, and then renames it. */
const claimName = '.claim'

interface Holder {
  /** Different for each start. */
  readonly id: string
  readonly pid: number
  /** When the process started, in the unit of its system. Empty if the system does not say. */
  readonly started: string
  readonly host: string
  /** The namespace of process ids: two containers may have one host name. Empty if the system has none. */
  readonly pids: string
}

/** A lock as it was read. `holder` is `undefined` if the file is damaged, as after a power cut. */
interface FoundLock {
  readonly id: string
  readonly holder: Holder | undefined
  /** When it was touched, by the clock of the file system. */
  readonly touchedAt: number
}

/** Lets one process at a time use a folder. A lock on another host is free after ten seconds without a touch. */
export class FolderLock {
  readonly #fs: FileCalls
  readonly #folder: string
  readonly #own: Holder
  readonly #bytes: Buffer
  /** When the lock was last looked at, in ms since the epoch. */
  #checkedAt = 0
  #loss: string | undefined

  /** Takes the lock of a folder. Throws `UsageError` if another process has it. */
  constructor(fs: FileCalls, folder: string) {
    this.#fs = fs
    this.#folder = folder
    this.#own = {
      id: randomBytes(8).toString('hex'),
      pid: process.pid,
      started: startOfProcess('self') ?? '',
      host: hostname(),
      pids: pidNamespace(),
    }
    this.#bytes = Buffer.concat([...seal([JSON.stringify(this.#own).slice(1, -1)])])
    try {
      if (!this.#createFile(lockName)) this.#takeOver()
      this.#checkedAt = real.date()
      removeLeftovers(fs, folder, fs.readdirSync(folder).filter(isLeftover))
    } catch (error) {
      if (!isSystemError(error)) throw error
      throw new UsageError(`cannot use the folder ${folder}: ${writeProblem(error)}`)
    }
  }

  /** Throws `StorageError` if another process has taken the folder over. Looks only if that was long ago. */
  check(): void {
    // A process that was stopped for a while must not write before it has looked.
    if (this.#loss === undefined && Math.abs(real.date() - this.#checkedAt) > 2 * touchMs) this.touch()
    if (this.#loss !== undefined) throw new StorageError(this.#loss)
  }

  /** Touches the lock. Returns a sentence if another process has taken it. */
  touch(): string | undefined {
    if (this.#loss !== undefined) return this.#loss
    this.#checkedAt = real.date()
    try {
      withFile(this.#fs, join(this.#folder, lockName), constants.O_RDWR, fd => {
        const found = this.#parse(this.#fs.readFileSync(fd), 0)
        if (found.holder && found.id !== this.#own.id) this.#loss = this.#lossText(found.holder)
        // Writing takes the time of the file system, whatever this machine's clock says.
        else this.#fs.writeSync(fd, this.#bytes, 0, this.#bytes.length, 0)
      })
    } catch (error) {
      if (error instanceof UsageError) this.#loss = error.message
      // Somebody has deleted it. Without its folder, the worlds fail by themselves.
      else if (isMissing(error)) callIfPossible(() => this.#createFile(lockName))
      else systemError(error)
    }
    return this.#loss
  }

  release(): void {
    // The lock of a process that is gone is free.
    callIfPossible(() => {
      if (this.#loss === undefined && this.#find(lockName)?.id === this.#own.id)
        this.#fs.unlinkSync(join(this.#folder, lockName))
    })
    this.#loss = `${this.#folder} is closed: open it again`
  }

  /**
   * Takes the place of a process that is gone. Several may try at once: whoever creates the file that is named after the old lock
   * may replace that lock. If it is killed before, the next one needs the file that is named after it.
   */
  #takeOver(): void {
    const claim = `${claimName}-${this.#own.id}`
    this.#createFile(claim)
    const created: string[] = [claim]
    try {
      const now = this.#fs.statSync(join(this.#folder, claim)).mtimeMs
      const old = this.#find(lockName)
      if (!old && this.#createFile(lockName)) return
      let before = this.#freeLock(old, now)
      for (;;) {
        const marker = `${lockName}-${before.id}`
        if (this.#createFile(marker)) {
          created.push(marker)
          break
        }
        before = this.#freeLock(this.#find(marker), now)
      }
      const current = this.#find(lockName)
      if (current?.id !== old?.id) throw this.#refusal(current?.holder)
      this.#fs.renameSync(join(this.#folder, claim), join(this.#folder, lockName))
    } catch (error) {
      // A faster process has removed what others left.
      throw isMissing(error) ? this.#refusal(this.#find(lockName)?.holder) : error
    } finally {
      removeLeftovers(this.#fs, this.#folder, created)
    }
  }

  /** Returns the lock if its process is gone. Throws `UsageError` otherwise. */
  #freeLock(found: FoundLock | undefined, now: number): FoundLock {
    // It went away meanwhile: another process is faster.
    if (!found) throw this.#refusal(undefined)
    const { holder, touchedAt } = found
    const isHere = holder?.host === this.#own.host && holder.pids === this.#own.pids
    const isFree = holder && isHere ? !isRunning(holder) : now - touchedAt >= staleMs
    if (isFree) return found
    throw this.#refusal(holder)
  }

  #refusal(holder: Holder | undefined): UsageError {
    const start = `the folder ${this.#folder} is in use by ${this.#describe(holder)}`
    // The lock came along with a copy, and its holder uses another folder.
    const end = `, or use another folder. If this folder is a copy, delete ${join(this.#folder, lockName)}`
    if (!holder) return new UsageError(`${start}: try again in 10 s${end}`)
    if (holder.pid === this.#own.pid && holder.host === this.#own.host && holder.started === this.#own.started)
      return new UsageError(`${start}: close the other mock first${end}`)
    if (holder.host === this.#own.host && holder.pids === this.#own.pids)
      return new UsageError(`${start}: stop that process${end}`)
    return new UsageError(`${start}: stop that process, or if it has crashed, try again in 10 s${end}`)
  }

  #lossText(holder: Holder): string {
    return `${this.#describe(holder)} has taken over the folder ${this.#folder}, and this one takes no more changes: use one process at a time, and restart this one`
  }

  #describe(holder: Holder | undefined): string {
    if (!holder) return 'another mockmaker, which has just started'
    if (holder.host !== this.#own.host) return `another mockmaker (process ${holder.pid} on the host ${holder.host})`
    if (holder.pids !== this.#own.pids) return `another mockmaker (process ${holder.pid} in another container)`
    if (holder.pid !== this.#own.pid) return `another mockmaker (process ${holder.pid})`
    return `this process (${holder.pid})`
  }

  /** Creates a file with the own name. Returns false if the file exists. */
  #createFile(name: string): boolean {
    let fd: number
    try {
      fd = this.#fs.openSync(join(this.#folder, name), 'wx', fileMode)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    }
    try {
      writeAll(this.#fs, fd, [this.#bytes])
    } catch (error) {
      removeLeftovers(this.#fs, this.#folder, [name])
      throw error
    } finally {
      this.#fs.closeSync(fd)
    }
    return true
  }

  #find(name: string): FoundLock | undefined {
    const path = join(this.#folder, name)
    try {
      const { ino, mtimeMs } = this.#fs.statSync(path)
      const bytes = this.#fs.readFileSync(path)
      return this.#parse(bytes, mtimeMs, `damaged-${ino}`)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  #parse(bytes: Buffer, touchedAt: number, damagedId = ''): FoundLock {
    try {
      checkFormat(bytes, join(this.#folder, lockName))
    } catch (error) {
      throw error instanceof StorageError ? new UsageError(error.message) : error
    }
    const text = sealedText(bytes)
    const holder = text === undefined ? undefined : (JSON.parse(`{${text}}`) as Holder) // one of us wrote it
    return { id: holder?.id ?? damagedId, holder, touchedAt }
  }
}

function isLeftover(name: string): boolean {
  return name.startsWith(`${lockName}-`) || name.startsWith(`${claimName}-`)
}

/** Tells whether a process of this machine runs. Another process may have got its number since. */
function isRunning({ pid, started }: Holder): boolean {
  const current = startOfProcess(pid)
  if (current !== undefined && started !== '') return current === started
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function startOfProcess(pid: number | 'self'): string | undefined {
  const stat = processStat(pid)
  return stat && (stat.isDead ? '' : stat.started)
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
