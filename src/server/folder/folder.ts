import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import * as nodeFs from 'node:fs'
import { join } from 'node:path'
import { worldId } from '../../core/contract/paths.js'
import { asUsageError, quoted, UsageError } from '../../core/lib/messages.js'
import { real, unref } from '../../core/lib/real-globals.js'
import type { Hash } from '../../core/storage/origins.js'
import {
  type KeptSummary,
  type KeptWorld,
  type NewKeptWorld,
  type Storage,
  StorageError,
} from '../../core/storage/storage.js'
import {
  asStorageError,
  callIfPossible,
  checkFormat,
  codeOf,
  type FileCalls,
  folderMode,
  isMissing,
  makeFolders,
  removeLeftovers,
  seal,
  sealedText,
  syncFolder,
  systemError,
  unseal,
  writeFile,
  writeProblem,
  writeSynced,
} from './folder-files.js'
import { FolderLock, touchMs } from './folder-lock.js'
import {
  baseName,
  describeWorld,
  type FolderContext,
  type FolderEntry,
  FolderWorld,
  isOrigin,
  logName,
  writeWorld,
} from './folder-world.js'

export interface FolderOptions {
  /**
   * When changes reach the disk. `second`: once a second, so that a power cut may lose the last second. `always`: before each
   * answer. A killed process loses nothing either way. Default: `second`.
   */
  readonly sync?: 'second' | 'always' | undefined
  /** Reads the worlds, and changes nothing. Another process may serve them meanwhile. Default: false. */
  readonly readOnly?: boolean | undefined
  /** The calls of `node:fs`. Tests let some of them fail. */
  readonly fs?: FileCalls | undefined
}

/** Opens a folder of worlds, or creates it. Throws `UsageError` if it cannot be used, or another process has it. */
export function openFolder(path: string, options: FolderOptions = {}): Storage {
  checkIsNoUrl(path)
  return new Folder(path, options)
}

/** Throws `UsageError` for a URL, also for one with a typing error. No message shows its user and password. */
function checkIsNoUrl(path: string): void {
  // Its user and password would become names of folders.
  const [scheme] = /^[a-z][a-z\d+.-]*:(?=\/\/)/i.exec(path) ?? []
  if (scheme !== undefined)
    throw new UsageError(
      `the place of the worlds begins with ${scheme}, and is no folder: name a folder by its path. The command mockmaker also takes redis://host:port, or rediss://host:port with TLS`,
    )
  if (/:\/\/|\/\/[^/]*@/.test(path))
    throw new UsageError(
      'the place of the worlds looks like a URL with a typing error, and is no folder: write redis://host:port, without quotes and spaces, or name a folder by its path',
    )
}

const indexName = '.worlds.json'
const settingsName = '.scenario.json'
/** The end of a message about the scenario of the mock, which only says whether it has changed. */
const settingsAdvice = 'restore it from a copy, or delete this file. The worlds stay'
const newIndexName = '.worlds.json.new'
/** The index is written each second for this many worlds, and less often for more: an old index only slows the next start. */
const indexedPerSecond = 200
const newWorld = '.new-'
const deletedWorld = '.deleted-'

class Folder implements Storage {
  readonly place: string
  readonly #fs: FileCalls
  readonly #isReadOnly: boolean
  readonly #context: FolderContext
  /** All worlds. `#open` has newer facts about the open ones. */
  readonly #entries: Map<string, FolderEntry>
  readonly #open = new Map<string, FolderWorld>()
  readonly #lock: FolderLock | undefined
  readonly #timer: ReturnType<typeof setInterval> | undefined
  #isIndexDirty = false
  #indexAge = 0
  #isClosed = false

  constructor(path: string, { sync = 'second', readOnly = false, fs = nodeFs }: FolderOptions) {
    this.place = path
    this.#fs = fs
    this.#isReadOnly = readOnly
    this.#context = {
      fs,
      isReadOnly: readOnly,
      isAlwaysSynced: sync === 'always',
      checkLock: () => this.#lock?.check(),
      onChange: () => {
        this.#isIndexDirty = true
      },
      onClose: id => this.#onClose(id),
    }
    this.#prepare()
    if (!readOnly) this.#lock = new FolderLock(fs, path)
    try {
      this.#entries = this.#readEntries()
    } catch (error) {
      this.#lock?.release()
      if (error instanceof StorageError) throw new UsageError(error.message)
      throw asUsageError(error, `cannot read the folder ${path}`)
    }
    if (readOnly) return
    this.#timer = unref(real.setInterval(() => this.#tick(), touchMs))
  }

  createHash(): Hash {
    return createHash('sha256')
  }

  get bytes(): number {
    let bytes = 0
    for (const id of this.#entries.keys()) bytes += this.#entry(id)?.bytes ?? 0
    return bytes
  }

  get settings(): string | undefined {
    const path = join(this.place, settingsName)
    try {
      return unseal(this.#fs.readFileSync(path), path, settingsAdvice).slice('"settings":'.length)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw asStorageError(error, `cannot read ${path}`)
    }
  }

  saveSettings(text: string | undefined): void {
    this.#check()
    const path = join(this.place, settingsName)
    try {
      if (text === undefined) this.#fs.rmSync(path, { force: true })
      else {
        writeSynced(this.#fs, `${path}.new`, seal(['"settings":', text]))
        this.#fs.renameSync(`${path}.new`, path)
      }
      syncFolder(this.#fs, this.place)
    } catch (error) {
      throw asStorageError(error, `cannot write ${path}`)
    }
  }

  get count(): number {
    return this.#entries.size
  }

  find(id: string): KeptSummary | undefined {
    return this.#entry(id)?.summary
  }

  list(): readonly KeptSummary[] {
    return [...this.#entries.keys()].sort().flatMap(id => this.#entry(id)?.summary ?? [])
  }

  open(id: string): KeptWorld | undefined {
    this.#check()
    const path = this.#pathOf(id)
    if (!isWorld(this.#fs, path)) return undefined
    return this.#add(id, path)
  }

  create(id: string, start: NewKeptWorld): KeptWorld {
    this.#checkWritable()
    const path = this.#pathOf(id)
    const temporary = join(this.place, `${newWorld}${fileNameOf(id)}`)
    try {
      this.#fs.rmSync(temporary, { recursive: true, force: true })
      this.#fs.mkdirSync(temporary, { mode: folderMode })
      writeWorld(this.#fs, temporary, id, start)
      this.#fs.renameSync(temporary, path)
      syncFolder(this.#fs, this.place)
    } catch (error) {
      removeLeftovers(this.#fs, this.place, [`${newWorld}${fileNameOf(id)}`])
      if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? ''))
        throw new StorageError(
          isWorld(this.#fs, path)
            ? `cannot create the world "${id}": ${path} exists. Delete the world first`
            : `cannot create the world "${id}": ${path} exists, and is no world: it has no origin-….json. Move it away`,
        )
      throw asStorageError(error, `cannot create the world "${id}" in ${this.place}`)
    }
    return this.#add(id, path, start.summary.usedAt)
  }

  delete(id: string): void {
    this.#checkWritable()
    const path = this.#pathOf(id)
    if (!isWorld(this.#fs, path)) return
    const deleted = `${deletedWorld}${fileNameOf(id)}`
    try {
      this.#fs.rmSync(join(this.place, deleted), { recursive: true, force: true })
      // From here on it is gone, wherever the process ends.
      this.#fs.renameSync(path, join(this.place, deleted))
    } catch (error) {
      throw asStorageError(error, `cannot delete the world "${id}" in ${this.place}`)
    }
    this.#open.get(id)?.close()
    this.#entries.delete(id)
    this.#isIndexDirty = true
    try {
      syncFolder(this.#fs, this.place)
    } catch (error) {
      throw asStorageError(error, `the world "${id}" is deleted, but may come back after a power cut`)
    }
    // Only now: a world that comes back must be whole.
    removeLeftovers(this.#fs, this.place, [deleted])
  }

  close(): void {
    if (this.#isClosed) return
    real.clearInterval(this.#timer)
    const loss = this.#lock?.touch()
    for (const world of [...this.#open.values()]) {
      if (loss !== undefined) world.stop(loss)
      world.close()
    }
    this.#isClosed = true
    if (loss === undefined && !this.#isReadOnly) this.#writeIndex()
    this.#lock?.release()
  }

  /** Throws if worlds cannot be opened, created or deleted. */
  #check(): void {
    if (this.#isClosed) throw new StorageError('the mock is closing')
    this.#lock?.check()
  }

  #checkWritable(): void {
    if (this.#isReadOnly) throw new StorageError(`${this.place} is open for reading only`)
    this.#check()
  }

  #prepare(): void {
    try {
      if (!this.#isReadOnly)
        makeFolders(this.place, { fs: this.#fs, mode: folderMode, onMade: parent => this.#sync(parent) })
      if (this.#fs.statSync(this.place).isDirectory()) {
        if (!this.#isReadOnly) this.#hideFromGit()
        return
      }
    } catch (error) {
      if (isMissing(error) && this.#isReadOnly) throw new UsageError(`there is no folder ${this.place}`)
      if (codeOf(error) !== 'EEXIST')
        throw new UsageError(`cannot use the folder ${this.place}: ${writeProblem(error)}`)
    }
    throw new UsageError(`${this.place} is a file: name a folder`)
  }

  /** Syncs the names of the files in a folder to the disk, if the system allows it. */
  #sync(folder: string): void {
    // We may not read every folder above ours.
    callIfPossible(() => syncFolder(this.#fs, folder))
  }

  /** Lets Git ignore a new folder, because worlds have tokens. One that has files already may be shared with others. */
  #hideFromGit(): void {
    // The folder works without it, and another process may be as fast.
    callIfPossible(() => {
      if (this.#fs.readdirSync(this.place).length > 0) return
      writeFile(this.#fs, join(this.place, '.gitignore'), 'wx', [Buffer.from('*\n')])
    })
  }

  #pathOf(id: string): string {
    if (!worldId.pattern.test(id))
      throw new UsageError(`the world id ${quoted(id)} is invalid: use ${worldId.expected}`)
    return join(this.place, fileNameOf(id))
  }

  #add(id: string, path: string, usedAt = this.#entries.get(id)?.summary.usedAt ?? 0): FolderWorld {
    if (this.#open.has(id)) throw new Error(`the world "${id}" is already open`)
    const world = new FolderWorld(this.#context, path, id, usedAt)
    // A read-only world has nothing newer than the index.
    if (this.#isReadOnly) return world
    this.#open.set(id, world)
    this.#entries.set(id, entryOf(world))
    this.#isIndexDirty = true
    return world
  }

  #onClose(id: string): void {
    const world = this.#open.get(id)
    if (!world) return
    this.#entries.set(id, entryOf(world))
    this.#open.delete(id)
  }

  #entry(id: string): FolderEntry | undefined {
    const world = this.#open.get(id)
    return world ? entryOf(world) : this.#entries.get(id)
  }

  /** Does the work of each second. */
  #tick(): void {
    const loss = this.#lock?.touch()
    for (const world of [...this.#open.values()]) {
      if (loss === undefined) world.tick()
      else world.stop(loss)
    }
    this.#indexAge += 1
    const isDue = this.#isIndexDirty && this.#indexAge >= this.#entries.size / indexedPerSecond
    if (loss === undefined && isDue) this.#writeIndex()
  }

  #writeIndex(): void {
    const entries = [...this.#entries.keys()].map(id => ({
      ...this.#entry(id),
      logChangedAt: this.#logOf(id)?.mtimeMs,
    }))
    const path = join(this.place, newIndexName)
    // It is only a cache, and the next second tries again.
    callIfPossible(() => {
      writeFile(this.#fs, path, 'w', seal([`"worlds":${JSON.stringify(entries)}`]))
      this.#fs.renameSync(path, join(this.place, indexName))
      this.#isIndexDirty = false
      this.#indexAge = 0
    })
  }

  /** Returns what is known about each world. Takes it from the index where that is as new as the log. */
  #readEntries(): Map<string, FolderEntry> {
    const names = this.#fs.readdirSync(this.place)
    const leftovers = names.filter(name => [newWorld, deletedWorld, newIndexName].some(start => name.startsWith(start)))
    if (!this.#isReadOnly && leftovers.length > 0) {
      // A power cut must not bring back half of a deleted world.
      this.#sync(this.place)
      removeLeftovers(this.#fs, this.place, leftovers)
    }
    const indexed = this.#readIndex()
    const entries = new Map<string, FolderEntry>()
    for (const name of names) {
      const id = worldOf(name)
      const path = join(this.place, name)
      if (id === undefined || !isWorld(this.#fs, path)) continue
      const entry = indexed.get(id)
      const log = this.#logOf(id)
      const isNew = entry === undefined || entry.logBytes !== log?.size || entry.logChangedAt !== log.mtimeMs
      entries.set(id, isNew ? describeWorld(this.#fs, path, id) : entry)
      if (isNew) this.#isIndexDirty = true
    }
    return entries
  }

  #logOf(id: string): Stats | undefined {
    try {
      return this.#fs.statSync(join(this.#pathOf(id), logName))
    } catch (error) {
      systemError(error)
      return undefined
    }
  }

  #readIndex(): ReadonlyMap<string, IndexedEntry> {
    const path = join(this.place, indexName)
    try {
      const bytes = this.#fs.readFileSync(path)
      checkFormat(bytes, path)
      const { worlds } = JSON.parse(`{${sealedText(bytes) ?? '"worlds":[]'}}`) as {
        readonly worlds: readonly IndexedEntry[]
      } // we wrote it
      return new Map(worlds.map(entry => [entry.summary.id, entry]))
    } catch (error) {
      if (error instanceof StorageError) throw error
      // It is only a cache.
      systemError(error)
      return new Map()
    }
  }
}

/** A log that has become shorter and longer again differs in its time. */
type IndexedEntry = FolderEntry & { readonly logChangedAt?: number }

function entryOf({ summary, bytes, logBytes }: FolderWorld): FolderEntry {
  return { summary, bytes, logBytes }
}

function isWorld(fs: FileCalls, path: string): boolean {
  try {
    const names = fs.readdirSync(path)
    return (names.includes(logName) || names.includes(baseName)) && names.some(isOrigin)
  } catch (error) {
    if (isMissing(error)) return false
    systemError(error)
    return true
  }
}

/** Devices that Windows finds in each folder. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** Returns the name of a world's folder. File systems may ignore case, so `Ab` becomes `+ab`. */
function fileNameOf(id: string): string {
  const name = id.replaceAll(/[A-Z]/g, letter => `+${letter.toLowerCase()}`)
  return reserved.test(name) ? `${name}+` : name
}

function worldOf(name: string): string | undefined {
  const id = name.replace(/\+$/, '').replaceAll(/\+[a-z]/g, ([, letter = '']) => letter.toUpperCase())
  return worldId.pattern.test(id) && fileNameOf(id) === name ? id : undefined
}
