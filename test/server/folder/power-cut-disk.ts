import { constants } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { FileCalls } from '../../../src/server/folder/folder-files.js'

/** The machine lost its power at a call of `node:fs`. */
export class PowerCut extends Error {}

/** A file or a folder: as its process sees it, and as the disk has it for sure. */
interface Node {
  readonly number: number
  bytes: Buffer
  synced: Buffer
  /** The files in a folder. `undefined` for a file. */
  names?: Map<string, Node>
  syncedNames?: Map<string, Node>
}

/** What a power cut may leave: names or bytes that nobody has synced are kept, lost, or some of each. */
export interface Loss {
  /** `inner`: those in the folders of worlds are kept, and the names of these folders are lost. */
  readonly names: 'lost' | 'kept' | 'inner' | 'random'
  /** `zeros`: a file has its new length, and zeros where its bytes were not synced. `random`: some pages are zeros. */
  readonly bytes: 'lost' | 'zeros' | 'random'
}

/** In bytes. So short that a line of a log has several. */
const pageSize = 64

/** A disk in memory that loses its power at a call. It has the calls of a folder of worlds, for absolute paths. */
export class Disk {
  #root = newFolder(0)
  #nodes = 1
  #calls = 0
  readonly #cutAt: number
  readonly #open = new Map<number, { readonly node: Node; at: number; readonly isAppending: boolean }>()
  #files = 2

  constructor(cutAt = Number.POSITIVE_INFINITY) {
    this.#cutAt = cutAt
  }

  /** Returns the disk after a power cut. `pick` decides what happens at random. */
  after({ names, bytes }: Loss, pick: () => boolean): Disk {
    const disk = new Disk()
    const copies = new Map<Node, Node>()
    const copy = (node: Node): Node => {
      const known = copies.get(node)
      if (known) return known
      const copied = { ...node, bytes: bytesAfter(node, bytes, pick) }
      copied.synced = copied.bytes
      copies.set(node, copied)
      if (!node.names) return copied
      const isInner = ![...node.names.values()].some(inner => inner.names)
      const isKept = names === 'kept' || (names === 'inner' && isInner) || (names === 'random' && pick())
      const kept = (isKept ? node.names : node.syncedNames) ?? new Map()
      copied.names = new Map([...kept].map(([name, inner]) => [name, copy(inner)]))
      copied.syncedNames = new Map(copied.names)
      return copied
    }
    disk.#root = copy(this.#root)
    disk.#nodes = this.#nodes
    return disk
  }

  get fs(): FileCalls {
    const own = {
      closeSync: (fd: number) => void this.#open.delete(fd),
      fdatasync: (fd: number, done: (error: null) => void) => {
        this.#sync(fd)
        done(null)
      },
      fdatasyncSync: (fd: number) => this.#sync(fd),
      fsyncSync: (fd: number) => this.#sync(fd),
      fstatSync: (fd: number) => statsOf(this.#opened(fd).node),
      ftruncateSync: (fd: number, length: number) => {
        this.#call()
        const { node } = this.#opened(fd)
        node.bytes = Buffer.from(node.bytes.subarray(0, length))
      },
      mkdirSync: (path: string) => {
        const folder = this.#folderOf(path)
        if (folder.has(basename(path))) throw fsError('EEXIST')
        this.#call()
        folder.set(basename(path), newFolder(this.#nodes++))
      },
      openSync: (path: string, flags: string | number) => this.#openFile(path, flags),
      readdirSync: (path: string) => [...namesOf(this.#at(path)).keys()],
      readFileSync: (from: string | number) =>
        Buffer.from((typeof from === 'number' ? this.#opened(from).node : this.#at(from)).bytes),
      readSync: (fd: number, into: Buffer, offset: number, length: number, at: number) =>
        this.#opened(fd).node.bytes.copy(into, offset, at, at + length),
      renameSync: (from: string, to: string) => {
        const node = this.#at(from)
        const target = this.#folderOf(to)
        if ((target.get(basename(to))?.names?.size ?? 0) > 0) throw fsError('ENOTEMPTY')
        this.#call()
        this.#folderOf(from).delete(basename(from))
        target.set(basename(to), node)
      },
      rmSync: (path: string) => this.#remove(path),
      statSync: (path: string, { throwIfNoEntry = true } = {}) => {
        const node = this.#find(path)
        if (!node && throwIfNoEntry) throw fsError('ENOENT')
        return node && statsOf(node)
      },
      unlinkSync: (path: string) => this.#remove(path),
      writeSync: (fd: number, bytes: Buffer, offset = 0, length = bytes.length - offset, at?: number) =>
        this.#write(fd, bytes.subarray(offset, offset + length), at),
    }
    return own as unknown as FileCalls // the overloads that a folder uses
  }

  /** Counts a call that changes something. */
  #call(): void {
    if (this.#calls === this.#cutAt) throw new PowerCut()
    this.#calls += 1
  }

  #sync(fd: number): void {
    this.#call()
    const { node } = this.#opened(fd)
    node.synced = node.bytes
    if (node.names) node.syncedNames = new Map(node.names)
  }

  #write(fd: number, bytes: Buffer, at?: number): number {
    this.#call()
    const file = this.#opened(fd)
    const { node } = file
    const start = at ?? (file.isAppending ? node.bytes.length : file.at)
    const before = Buffer.alloc(Math.max(node.bytes.length, start + bytes.length))
    node.bytes.copy(before)
    bytes.copy(before, start)
    node.bytes = before
    if (at === undefined) file.at = start + bytes.length
    return bytes.length
  }

  #openFile(path: string, flags: string | number): number {
    const bits = typeof flags === 'number' ? flags : flagBits[flags as keyof typeof flagBits]
    const has = (bit: number) => (bits & bit) !== 0
    const known = this.#find(path)
    if (known && has(constants.O_EXCL)) throw fsError('EEXIST')
    if (!known && !has(constants.O_CREAT)) throw fsError('ENOENT')
    if (!known || has(constants.O_TRUNC)) this.#call()
    const node = known ?? { number: this.#nodes++, bytes: Buffer.alloc(0), synced: Buffer.alloc(0) }
    if (!known) this.#folderOf(path).set(basename(path), node)
    if (has(constants.O_TRUNC)) node.bytes = Buffer.alloc(0)
    this.#files += 1
    this.#open.set(this.#files, { node, at: 0, isAppending: has(constants.O_APPEND) })
    return this.#files
  }

  /** Removes a file, or a folder after all that is in it, the newest first: each is a call. */
  #remove(path: string): void {
    const node = this.#find(path)
    if (!node) return
    for (const name of [...(node.names?.keys() ?? [])].reverse()) this.#remove(`${path}/${name}`)
    this.#call()
    this.#folderOf(path).delete(basename(path))
  }

  #opened(fd: number) {
    const file = this.#open.get(fd)
    if (!file) throw fsError('EBADF')
    return file
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root
    for (const name of path.split('/').slice(1)) if (name !== '') node = node?.names?.get(name)
    return node
  }

  #at(path: string): Node {
    const node = this.#find(path)
    if (!node) throw fsError('ENOENT')
    return node
  }

  #folderOf(path: string): Map<string, Node> {
    return namesOf(this.#at(dirname(path)))
  }
}

const { O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = constants
const flagBits = { r: 0, w: O_CREAT | O_TRUNC, wx: O_CREAT | O_EXCL, 'ax+': O_CREAT | O_EXCL | O_APPEND }

function newFolder(number: number): Node {
  return { number, bytes: Buffer.alloc(0), synced: Buffer.alloc(0), names: new Map(), syncedNames: new Map() }
}

function namesOf({ names }: Node): Map<string, Node> {
  if (names) return names
  throw fsError('ENOTDIR')
}

function statsOf({ number, bytes, names }: Node) {
  return { size: bytes.length, mtimeMs: 0, ino: number, dev: 1, isDirectory: () => names !== undefined }
}

function bytesAfter({ bytes, synced }: Node, loss: Loss['bytes'], pick: () => boolean): Buffer {
  if (loss === 'lost' || bytes === synced) return synced
  const after = Buffer.alloc(bytes.length)
  synced.copy(after)
  if (loss === 'random')
    for (let at = 0; at < bytes.length; at += pageSize) if (pick()) bytes.copy(after, at, at, at + pageSize)
  return after
}

function fsError(code: string): Error {
  return Object.assign(new Error(`${code}: some words, call`), { code, syscall: 'call' })
}
