import type * as nodeFs from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { isSystemError, systemReason } from '../../core/lib/messages.js'
import { runAtOnce, type Steps } from '../../core/lib/steps.js'
import { StorageError } from '../../core/storage/storage.js'

/** The calls of `node:fs` that a folder of worlds makes. */
export type FileCalls = Pick<
  typeof nodeFs,
  | 'closeSync'
  | 'fdatasync'
  | 'fdatasyncSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readdirSync'
  | 'readFileSync'
  | 'readSync'
  | 'renameSync'
  | 'rmSync'
  | 'statSync'
  | 'unlinkSync'
  | 'writeSync'
>

/** The version of the format of all files. A newer one is refused. */
export const formatVersion = 1

/** Files are for their owner only: a world has tokens. */
export const fileMode = 0o600
export const folderMode = 0o700

const start = `{"format":${formatVersion},`
const sealLength = `,"crc32":"00000000"}\n`.length

/**
 * Makes a folder and those above it, unless they exist. With `recursive`, Node tries for ever below a folder that takes none,
 * such as /proc. Calls `onMade` with each folder that got a new one. Throws the errors of the system.
 */
export function makeFolders(
  folder: string,
  options: {
    readonly fs: Pick<FileCalls, 'mkdirSync' | 'statSync'>
    readonly mode?: number | undefined
    onMade?(parent: string): void
  },
): void {
  const { fs, mode, onMade } = options
  if (fs.statSync(folder, { throwIfNoEntry: false })) return
  const parent = dirname(resolve(folder))
  if (parent !== folder) makeFolders(parent, options)
  try {
    fs.mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (codeOf(error) !== 'EEXIST') throw error
  }
  onMade?.(parent)
}

/** Writes a CRC-32 as eight hexadecimal digits. */
export function crcText(crc: number): string {
  return crc.toString(16).padStart(8, '0')
}

/** Small parts are joined to this many characters before they are written. */
const chunkLength = 65_536

/** Makes the bytes of a JSON file: format version, fields, check sum. The parts end between two characters. */
export function* seal(parts: Iterable<string>): Generator<Buffer> {
  let crc = 0
  let text = start
  const encode = () => {
    const bytes = Buffer.from(text)
    crc = crc32(bytes, crc)
    text = ''
    return bytes
  }
  for (const part of parts) {
    text += part
    if (text.length >= chunkLength) yield encode()
  }
  yield encode()
  yield Buffer.from(`,"crc32":"${crcText(crc)}"}\n`)
}

/** Returns the text of the fields that `seal` got. `undefined` if the file is damaged. */
export function sealedText(bytes: Buffer): string | undefined {
  const end = bytes.lastIndexOf('\n') + 1 - sealLength
  if (end < start.length || bytes.toString('latin1', 0, start.length) !== start) return undefined
  const expected = `,"crc32":"${crcText(crc32(bytes.subarray(0, end)))}"}\n`
  return bytes.toString('latin1', end, end + sealLength) === expected
    ? bytes.toString('utf8', start.length, end)
    : undefined
}

/** Returns the fields that `seal` got. Throws `StorageError` if the file is damaged or newer. `advice` ends the message. */
export function unseal(bytes: Buffer, file: string, advice = worldAdvice(file)): string {
  checkFormat(bytes, file)
  const text = sealedText(bytes)
  if (text === undefined) throw new StorageError(`${file} is damaged: ${advice}`)
  return text
}

/** Says how to mend a file of a world, as the end of a message. */
export function worldAdvice(file: string): string {
  return `restore it from a copy, or delete the world (its folder is ${dirname(file)})`
}

/** Throws `StorageError` if the first bytes of a file name a newer version of the format. */
export function checkFormat(bytes: Buffer, file: string): void {
  const head = bytes.toString('latin1', 0, 80)
  const format = Number(/^[^\n]*?"format":(\d{1,9})\b/.exec(head)?.[1] ?? formatVersion)
  if (format > formatVersion)
    throw new StorageError(
      `${file} has format ${format}, and this version of mockmaker reads formats up to ${formatVersion}: update mockmaker, or use another folder`,
    )
}

/** Opens a file, or creates it for its owner only, and closes it after use. Throws the errors of the system. */
export function withFile<T>(fs: FileCalls, path: string, flags: string | number, use: (fd: number) => T): T {
  const fd = fs.openSync(path, flags, fileMode)
  try {
    return use(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Writes bytes, in several calls if necessary. Returns their number. */
export function writeAll(fs: FileCalls, fd: number, parts: Iterable<Buffer>): number {
  let size = 0
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const written = fs.writeSync(fd, part, at)
      if (written === 0) throw noSpace()
      at += written
    }
    size += part.length
  }
  return size
}

/** Writes a file for its owner only. Returns its size. Throws the errors of the system. */
export function writeFile(fs: FileCalls, path: string, flags: string | number, parts: Iterable<Buffer>): number {
  return withFile(fs, path, flags, fd => writeAll(fs, fd, parts))
}

/** The error of a write that took only some of the bytes. The next one would have said why. */
export function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })
}

/** Writes a new file, and waits until the disk has it. Returns its size. */
export function writeSynced(fs: FileCalls, path: string, parts: Iterable<Buffer>): number {
  return runAtOnce(writeSyncedInSteps(fs, path, parts))
}

export function* writeSyncedInSteps(fs: FileCalls, path: string, parts: Iterable<Buffer>): Steps<number> {
  const fd = fs.openSync(path, 'w', fileMode)
  try {
    let size = 0
    for (const part of parts) {
      size += writeAll(fs, fd, [part])
      yield
    }
    fs.fsyncSync(fd)
    return size
  } finally {
    fs.closeSync(fd)
  }
}

/** Waits until the disk has the names of the files in a folder. */
export function syncFolder(fs: FileCalls, path: string): void {
  // Windows cannot open a folder.
  if (process.platform === 'win32') return
  withFile(fs, path, 'r', fd => fs.fsyncSync(fd))
}

/** Removes what an interrupted write has left, if it can. */
export function removeLeftovers(fs: FileCalls, folder: string, names: readonly string[]): void {
  for (const name of names) {
    try {
      fs.rmSync(join(folder, name), { recursive: true, force: true })
    } catch {
      // A leftover does no harm.
    }
  }
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** Ways to mend a failed write, by the code of its error. */
const remedies: Readonly<Record<string, string>> = {
  EACCES: 'make it writable',
  EDQUOT: 'free some space',
  EIO: 'check the disk and the log of the system',
  ENOSPC: 'free some space',
  EPERM: 'make it writable',
  EROFS: 'make it writable',
  EMFILE: 'raise the limit of open files (ulimit -n)',
}

/** Returns the error of a call of `node:fs`. Throws any other one: it is a bug. */
export function systemError(error: unknown): Error {
  if (isSystemError(error)) return error
  throw error
}

/** Makes a call of `node:fs` that nothing depends on. If it fails, nothing happens. */
export function callIfPossible(call: () => void): void {
  try {
    call()
  } catch (error) {
    systemError(error)
  }
}

/** Describes why a write failed, and what helps: `no space left on the device: free some space`. */
export function writeProblem(thrown: unknown): string {
  const error = systemError(thrown)
  const remedy = remedies[codeOf(error) ?? '']
  return remedy === undefined ? systemReason(error) : `${systemReason(error)}: ${remedy}`
}

/** Turns the error of a call of `node:fs` into a `StorageError` that begins with `what`. Returns any other error as it is. */
export function asStorageError(error: unknown, what: string): unknown {
  if (!isSystemError(error)) return error
  return new StorageError(`${what}: ${writeProblem(error)}`)
}
