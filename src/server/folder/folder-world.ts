import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { basename, join } from 'node:path'
import { runAtOnce, type Steps } from '../../core/lib/steps.js'
import { LogLines } from '../../core/storage/log-lines.js'
import { type Origin, originOf } from '../../core/storage/origins.js'
import {
  type KeptLine,
  type KeptSummary,
  type KeptWorld,
  type NewBase,
  type NewKeptWorld,
  StorageError,
} from '../../core/storage/storage.js'
import {
  asStorageError,
  checkFormat,
  type FileCalls,
  fileMode,
  isMissing,
  removeLeftovers,
  seal,
  sealedText,
  syncFolder,
  systemError,
  unseal,
  worldAdvice,
  writeAll,
  writeFile,
  writeProblem,
  writeSynced,
  writeSyncedInSteps,
} from './folder-files.js'
import { LogFile, type OpenLog, retryText } from './folder-log.js'
import {
  decodeLines,
  encodeHeader,
  encodeLine,
  encodeNote,
  type LogHeader,
  type ReadLog,
  readLog,
} from './folder-log-format.js'

/** The names of the files of a world. A file that is being written ends with `.new`. */
export const logName = 'log'
export const baseName = 'base.json'
const timeName = 'time'
const originName = (hash: string) => `origin-${hash}.json`
const beside = (name: string) => `${name}.new`
const isLeftover = (name: string) => name.endsWith(beside(''))
/** Tells the file of an origin by its name. */
export const isOrigin = (name: string): boolean => /^origin-[0-9a-f]{16}\.json$/.test(name)

/** The parts of a folder that its worlds use. */
export interface FolderContext {
  readonly fs: FileCalls
  readonly isReadOnly: boolean
  /** Answers wait until the disk has their changes. */
  readonly isAlwaysSynced: boolean
  /** Throws `StorageError` if another process has taken the folder over. */
  checkLock(): void
  /** Called when the summary of a world has changed, or the memory that it takes. */
  onChange(): void
  onClose(id: string): void
}

interface Base {
  readonly revision: number
  readonly originHash: string
  readonly base: string | undefined
  readonly baseBytes: number
}

function readSealed(fs: FileCalls, path: string): { readonly text: string; readonly size: number } {
  const bytes = readBytes(fs, path)
  try {
    return { text: unseal(bytes, path), size: bytes.length }
  } catch (error) {
    // It may be longer than a text can be.
    throw asStorageError(error, `cannot read ${path}`)
  }
}

function readBytes(fs: FileCalls, path: string): Buffer {
  try {
    return fs.readFileSync(path)
  } catch (error) {
    if (isMissing(error)) throw new StorageError(`${path} is missing: ${worldAdvice(path)}`)
    throw asStorageError(error, `cannot read ${path}`)
  }
}

function* sealedBase(revision: number, originHash: string, parts: Iterable<string>): Generator<Buffer> {
  function* fields() {
    yield `"revision":${revision},"origin":"${originHash}","base":`
    yield* parts
  }
  yield* seal(fields())
}

function sealedOrigin({ pieces }: Origin): Generator<Buffer> {
  return seal(['"origin":', ...pieces])
}

const baseFields = /^"revision":(\d+),"origin":"([0-9a-f]{16})","base":/

function readBase(fs: FileCalls, path: string): Base {
  const { text, size } = readSealed(fs, path)
  const [head, revision, originHash] = baseFields.exec(text) ?? []
  if (head === undefined || originHash === undefined)
    throw new StorageError(`${path} is no base of a world: ${worldAdvice(path)}`)
  const base = text.slice(head.length)
  return {
    revision: Number(revision),
    originHash,
    base: base === 'null' ? undefined : base,
    baseBytes: size,
  }
}

function readWorld(fs: FileCalls, path: string, id: string): Base & { readonly log: ReadLog } {
  // The log first: if another process replaces the base meanwhile, the new base has what the new log lacks.
  const file = join(path, logName)
  const bytes = readBytes(fs, file)
  const log = readLog(bytes, file)
  if (log.header.world !== id)
    throw new StorageError(`${file} is the log of the world "${log.header.world}": give its folder the old name back`)
  return { ...readBase(fs, join(path, baseName)), log }
}

/** Writes the files of a new world to a folder, and waits until the disk has them. */
export function writeWorld(fs: FileCalls, path: string, id: string, start: NewKeptWorld): void {
  const { isKept, title, seed, now, revision, createdAt } = start.summary
  const { hash: originHash } = start.origin
  const born = randomBytes(8).toString('hex')
  writeSynced(fs, join(path, originName(originHash)), sealedOrigin(start.origin))
  writeSynced(fs, join(path, baseName), sealedBase(revision, originHash, [start.base ?? 'null']))
  writeSynced(fs, join(path, logName), [
    encodeHeader({ world: id, born, starts: 0, isKept, title, seed, now, createdAt }),
  ])
  syncFolder(fs, path)
}

/** The facts about a world that is not open. */
export interface FolderEntry {
  readonly summary: KeptSummary
  /** The memory that the world takes on disk. */
  readonly bytes: number
  /** The size of the log that the entry describes. */
  readonly logBytes: number
}

/** Summarizes a world from its files. Somebody has to look at a damaged one, so it counts as kept until it is deleted. */
export function describeWorld(fs: FileCalls, path: string, id: string): FolderEntry {
  const sizes = fileSizes(fs, path)
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
  const { size: logBytes = 0, changedAt = 0 } = sizes.find(({ name }) => name === logName) ?? {}
  const found = { id, usedAt: Math.round(changedAt) }
  try {
    const { revision, log } = readWorld(fs, path, id)
    const { title, seed, now, isKept, createdAt } = log.header
    const last = Math.max(log.lines.at(-1)?.revision ?? 0, revision)
    return { summary: { ...found, title, seed, revision: last, now, isKept, createdAt }, bytes, logBytes }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return { summary: { ...found, title: '', seed: 0, revision: 0, now: 0, isKept: true }, bytes, logBytes }
  }
}

function fileSizes(fs: FileCalls, path: string): { name: string; size: number; changedAt: number }[] {
  try {
    return fs.readdirSync(path).flatMap(name => {
      const stats = fs.statSync(join(path, name), { throwIfNoEntry: false })
      return stats ? { name, size: stats.size, changedAt: stats.mtimeMs } : []
    })
  } catch (error) {
    systemError(error)
    return []
  }
}

export class FolderWorld implements KeptWorld {
  readonly starts: number
  readonly time: string | undefined
  readonly lagMs = 0
  readonly cutBytes: number
  #content: { readonly base: string | undefined; readonly bytes: Buffer; readonly lines: ReadLog['lines'] }
  originHash: string
  baseBytes: number
  #header: LogHeader
  #summary: KeptSummary
  /** The last revision that the base or the log has. */
  #revision: number
  readonly #lines: LogLines
  /** `undefined` if the folder is only read. */
  readonly #log: LogFile | undefined
  /** The sizes of the other files, by name. */
  readonly #sizes = new Map<string, number>()
  #isClosed = false
  readonly #context: FolderContext
  readonly #path: string
  readonly #id: string

  constructor(context: FolderContext, path: string, id: string, usedAt: number) {
    this.#context = context
    this.#path = path
    this.#id = id
    const { fs, isReadOnly } = context
    const { log, ...base } = readWorld(fs, path, id)
    const lines = log.lines.filter(line => line.revision > base.revision)
    this.#content = { base: base.base, bytes: log.bytes, lines }
    this.originHash = base.originHash
    this.baseBytes = base.baseBytes
    this.#lines = new LogLines(log.lines.findLast(line => line.revision <= base.revision)?.end ?? log.start)
    for (const { revision, end } of lines) this.#lines.add(revision, end)
    this.#revision = lines.at(-1)?.revision ?? base.revision
    this.starts = log.header.starts + 1
    this.#header = { ...log.header, starts: this.starts }
    const { title, seed, now, isKept, createdAt } = log.header
    this.#summary = { id, title, seed, now, isKept, revision: this.#revision, usedAt, createdAt }
    this.cutBytes = log.bytes.length - log.size
    this.time = this.#readTime()
    if (!isReadOnly) this.#log = this.#openLog(log.size)
    for (const { name, size } of fileSizes(fs, path)) if (isOrigin(name)) this.#sizes.set(name, size)
  }

  get born(): string {
    return this.#header.born
  }

  get base(): string | undefined {
    return this.#content.base
  }

  get lines(): Iterable<KeptLine> {
    return decodeLines(this.#content.bytes, this.#content.lines)
  }

  release(): void {
    this.#content = { base: undefined, bytes: Buffer.alloc(0), lines: [] }
  }

  get summary(): KeptSummary {
    return { ...this.#summary, revision: Math.max(this.#summary.revision, this.#revision) }
  }

  get logBytes(): number {
    return this.#log?.size ?? 0
  }

  /** The memory that the world takes on disk, in bytes. */
  get bytes(): number {
    let bytes = this.baseBytes + this.logBytes
    for (const size of this.#sizes.values()) bytes += size
    return bytes
  }

  origin(hash: string): string {
    const file = join(this.#path, originName(hash))
    const text = readSealed(this.#context.fs, file).text.slice('"origin":'.length)
    if (originOf([text], createHash('sha256')).hash === hash) return text
    throw new StorageError(`${file} has other content than its name says: ${worldAdvice(file)}`)
  }

  putOrigin(origin: Origin): void {
    const { fs } = this.#context
    const name = originName(origin.hash)
    this.#writable().check()
    if (this.#sizes.has(name)) return
    const file = join(this.#path, name)
    const temporary = beside(file)
    try {
      const size = writeSynced(fs, temporary, sealedOrigin(origin))
      fs.renameSync(temporary, file)
      syncFolder(fs, this.#path)
      this.#sizes.set(name, size)
    } catch (error) {
      removeLeftovers(fs, this.#path, [basename(temporary)])
      throw asStorageError(error, `cannot write ${file}`)
    }
    this.#context.onChange()
  }

  check(): void {
    this.#writable().check()
  }

  append(line: KeptLine): void {
    const log = this.#writable()
    if (line.revision <= this.#revision)
      throw new Error(`a line of revision ${line.revision} came after one of revision ${this.#revision}`)
    log.append(encodeLine(line))
    this.#revision = line.revision
    this.#lines.add(line.revision, log.size)
    this.#context.onChange()
  }

  settled(): Promise<void> | undefined {
    return this.#context.isAlwaysSynced ? this.#log?.settled() : undefined
  }

  bytesUpTo(revision: number): number {
    return this.#lines.endOf(revision) - this.#lines.start
  }

  replaceBase(base: NewBase): void {
    runAtOnce(this.replaceBaseInSteps(base))
  }

  *replaceBaseInSteps({ parts, revision, originHash }: NewBase): Steps<void> {
    const log = this.#writable()
    log.check()
    const { fs } = this.#context
    const path = join(this.#path, baseName)
    let next: OpenLog | undefined
    try {
      const baseBytes = yield* writeSyncedInSteps(fs, beside(path), sealedBase(revision, originHash, parts))
      // Meanwhile it may have been closed, deleted, or taken over. From here on there is no other step.
      this.#writable().check()
      const from = this.#lines.endOf(revision)
      const header = encodeHeader(this.#header)
      const tail = log.readFrom(from)
      next = this.#writeNextLog([header, tail])
      fs.renameSync(beside(path), path)
      this.baseBytes = baseBytes
      this.originHash = originHash
      this.#lines.dropUpTo(revision)
      this.#revision = Math.max(this.#revision, revision)
      // The disk must have the new base before the lines go.
      syncFolder(fs, this.#path)
      fs.renameSync(beside(log.path), log.path)
      this.#lines.move(header.length - from)
      const opened = next
      next = undefined
      log.moveTo(opened, () => syncFolder(fs, this.#path))
      this.#removeOriginsExcept(originHash, tail)
    } catch (error) {
      if (next) fs.closeSync(next.fd)
      // The files beside those of a closed world may be those of the next one. An opening removes what is left.
      if (!this.#isClosed) removeLeftovers(fs, this.#path, [baseName, logName].map(beside))
      throw asStorageError(error, `cannot replace ${path}`)
    } finally {
      this.#context.onChange()
    }
  }

  writeTime(time: string): void {
    const { fs } = this.#context
    const file = join(this.#path, timeName)
    // Spaces cover what a longer time has left.
    const text = Buffer.concat([...seal(['"time":', time])]).toString()
    const bytes = Buffer.from(text.padEnd(Math.max(timeLength, this.#sizes.get(timeName) ?? 0)))
    try {
      this.#writable().check()
      this.#sizes.set(timeName, writeFile(fs, file, constants.O_WRONLY | constants.O_CREAT, [bytes]))
    } catch (error) {
      if (error instanceof StorageError) return
      this.#log?.fail(`cannot write ${file}: ${writeProblem(error)}. ${retryText}`)
    }
  }

  summarize(summary: Omit<KeptSummary, 'id'>): void {
    this.#summary = { id: this.#id, ...summary }
    this.#context.onChange()
    const { title, seed, isKept, now } = summary
    if (title === this.#header.title && seed === this.#header.seed && isKept === this.#header.isKept) return
    try {
      this.#note({ title, seed, isKept, now })
    } catch (error) {
      // The next call tries again.
      if (!(error instanceof StorageError)) throw error
    }
  }

  watch(listener: (error: StorageError | undefined) => void): () => void {
    return this.#log?.watch(listener) ?? (() => {})
  }

  /** Does the work of each second. */
  tick(): void {
    this.#log?.tick()
  }

  /** Takes no more lines: another process has the folder. */
  stop(message: string): void {
    this.#log?.fail(message, { isFinal: true })
  }

  close(): void {
    // The folder may have been deleted in the last second.
    this.#log?.tick()
    this.#isClosed = true
    this.#log?.close()
    this.#context.onClose(this.#id)
  }

  #writable(): LogFile {
    if (!this.#log) throw new StorageError(`${this.#path} is open for reading only`)
    this.#context.checkLock()
    return this.#log
  }

  #openLog(size: number): LogFile {
    const { fs } = this.#context
    const file = join(this.#path, logName)
    let fd: number | undefined
    try {
      removeLeftovers(fs, this.#path, fs.readdirSync(this.#path).filter(isLeftover))
      fd = fs.openSync(file, constants.O_RDWR | constants.O_APPEND)
      if (this.cutBytes > 0) {
        fs.ftruncateSync(fd, size)
        // Otherwise a power cut could leave lines of the torn end behind new ones.
        fs.fdatasyncSync(fd)
      }
      const note = encodeNote({ starts: this.starts, unsynced: size })
      writeAll(fs, fd, [note])
      return new LogFile(fs, file, { fd, size: size + note.length })
    } catch (error) {
      if (fd !== undefined) fs.closeSync(fd)
      throw asStorageError(error, `cannot write ${file}`)
    }
  }

  #note(note: Partial<LogHeader>): void {
    this.#writable().append(encodeNote(note))
    this.#header = { ...this.#header, ...note }
  }

  #readTime(): string | undefined {
    const file = join(this.#path, timeName)
    const { fs } = this.#context
    try {
      const bytes = fs.readFileSync(file)
      this.#sizes.set(timeName, bytes.length)
      checkFormat(bytes, file)
      // A power cut may have damaged it. The log tells a time too, which is a little older.
      return sealedText(bytes)?.slice('"time":'.length)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw asStorageError(error, `cannot read ${file}`)
    }
  }

  /** Writes the log that comes after the base, and keeps it open. */
  #writeNextLog(parts: readonly Buffer[]): OpenLog {
    const { fs } = this.#context
    const file = join(this.#path, beside(logName))
    fs.rmSync(file, { force: true })
    const fd = fs.openSync(file, 'ax+', fileMode)
    try {
      const size = writeAll(fs, fd, parts)
      fs.fsyncSync(fd)
      return { fd, size }
    } catch (error) {
      fs.closeSync(fd)
      throw error
    }
  }

  /** Removes the origins that neither the base, nor a line, nor another origin names. */
  #removeOriginsExcept(originHash: string, lines: Buffer): void {
    const { fs } = this.#context
    const hashes = [...this.#sizes.keys()].filter(isOrigin).map(name => name.slice('origin-'.length, -'.json'.length))
    const named = new Set(hashes.filter(hash => hash === originHash || lines.includes(hash)))
    // A set grows while it is iterated.
    for (const hash of named) {
      const text = readBytes(fs, join(this.#path, originName(hash)))
      for (const other of hashes) if (text.includes(other)) named.add(other)
    }
    for (const name of hashes.filter(hash => !named.has(hash)).map(originName)) {
      removeLeftovers(fs, this.#path, [name])
      this.#sizes.delete(name)
    }
  }
}

/** The file with the time has at least this length, so that most times fit in place. */
const timeLength = 256
