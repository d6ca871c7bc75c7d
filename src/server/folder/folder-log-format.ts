import { crc32 } from 'node:zlib'
import { type KeptLine, StorageError } from '../../core/storage/storage.js'
import { checkFormat, crcText, formatVersion, worldAdvice } from './folder-files.js'

/** Takes the place of the revision in a record that is no line of the world: the header, a note, a trial. */
const noRevision = '-'

/** The header of a log. Later notes change it. */
export interface LogHeader {
  readonly world: string
  /** A random text, which tells the world from an earlier one of its id. */
  readonly born: string
  readonly starts: number
  readonly isKept: boolean
  readonly title: string
  readonly seed: number
  /** The time of the world's clock when the record was written, in ms since the epoch. */
  readonly now: number
  /** The real time of the world's creation, in ms since the epoch. Earlier versions did not write it. */
  readonly createdAt?: number | undefined
  /** The most bytes before the record that a power cut may still take. Earlier versions did not write it. */
  readonly unsynced?: number | undefined
}

/** Encodes the first line of a log. */
export function encodeHeader(header: LogHeader): Buffer {
  return encodeRecord(noRevision, JSON.stringify({ format: formatVersion, ...header, unsynced: 0 }))
}

/** Encodes a record that changes what the header says. */
export function encodeNote(note: Partial<LogHeader>): Buffer {
  return encodeRecord(noRevision, JSON.stringify(note))
}

/** Encodes a record that says nothing, and has about this many bytes. */
export function encodeTrial(length: number): Buffer {
  return encodeRecord(noRevision, `{}${' '.repeat(length)}`)
}

export function encodeLine({ revision, text }: KeptLine): Buffer {
  return encodeRecord(String(revision), text)
}

const crcLength = 'xxxxxxxx '.length

/** A record is one line: CRC-32 of what follows, length of the JSON in bytes, revision, JSON. */
function encodeRecord(revision: string, text: string): Buffer {
  const length = Buffer.byteLength(text)
  const head = `${length} ${revision} `
  const bytes = Buffer.allocUnsafe(crcLength + head.length + length + 1)
  bytes.write(head, crcLength, 'latin1')
  bytes.write(text, crcLength + head.length)
  bytes[bytes.length - 1] = newline
  bytes.write(`${crcText(crc32(bytes.subarray(crcLength, -1)))} `, 0, 'latin1')
  return bytes
}

interface LogRecord {
  /** `undefined` in a record that is no line of the world. */
  readonly revision: number | undefined
  /** The offset of the text. */
  readonly start: number
  /** The offset of the next record. */
  readonly end: number
}

function textOf(bytes: Buffer, { start, end }: Pick<LogRecord, 'start' | 'end'>): string {
  return bytes.toString('utf8', start, end - 1)
}

const recordHead = /^([0-9a-f]{8}) (\d{1,10}) (\d{1,16}|-) /

/** Matches in this many bytes. */
const longestHead = 40

const newline = 10

function recordAt(bytes: Buffer, at: number): LogRecord | undefined {
  const [head, crc, length, revision] = recordHead.exec(bytes.toString('latin1', at, at + longestHead)) ?? []
  if (head === undefined || crc === undefined) return undefined
  const start = at + head.length
  const end = start + Number(length)
  if (bytes[end] !== newline) return undefined
  if (crc32(bytes.subarray(at + crcLength, end)) !== Number.parseInt(crc, 16)) return undefined
  return {
    revision: revision === noRevision ? undefined : Number(revision),
    start,
    end: end + 1,
  }
}

/** A log, read from its bytes. */
export interface ReadLog {
  readonly bytes: Buffer
  readonly header: LogHeader
  readonly lines: readonly LogLine[]
  /** The offset behind the header. */
  readonly start: number
  /** The length of the whole records. What follows is a torn tail. */
  readonly size: number
}

interface LogLine extends Pick<LogRecord, 'start' | 'end'> {
  readonly revision: number
}

/** Decodes lines one by one: the texts of a long log together would keep the garbage collector busy. */
export function* decodeLines(bytes: Buffer, lines: readonly LogLine[]): Generator<KeptLine, void, undefined> {
  for (const line of lines) yield { revision: line.revision, text: textOf(bytes, line) }
}

/** Reads a log. Its torn tail has no whole record behind it. Throws `StorageError` if another record is damaged. */
export function readLog(bytes: Buffer, file: string): ReadLog {
  checkFormat(bytes, file)
  let header: Partial<LogHeader> = {}
  const lines: LogLine[] = []
  const first = recordAt(bytes, 0)
  let size = 0
  for (let record = first; record; record = recordAt(bytes, size)) {
    const { revision, start, end } = record
    if (revision === undefined)
      header = { ...header, ...(JSON.parse(textOf(bytes, record)) as Partial<LogHeader>) } // we wrote it
    else lines.push({ revision, start, end })
    size = end
  }
  if (header.world === undefined || (size < bytes.length && !isTorn(bytes, size, header)))
    throw new StorageError(damageText(bytes, size, file))
  return { bytes, header: header as LogHeader, lines, start: first?.end ?? 0, size } // the first record has all keys
}

/**
 * Tells whether the end of a log was not written whole. A process that ends leaves a part of a line, without its newline. A power cut
 * leaves zeros for what the disk had not yet. It may have had later lines: then no note says that the zeros were on the disk once.
 */
function isTorn(bytes: Buffer, at: number, { unsynced }: Partial<LogHeader>): boolean {
  const [first, ...others] = recordsAfter(bytes, at)
  if (!first) return bytes.includes(0, at) || bytes.indexOf(newline, at) === -1
  if (unsynced === undefined || !bytes.subarray(at, first.start).includes(0)) return false
  return [first, ...others].every(record => syncedBefore(record, bytes) <= at)
}

function syncedBefore({ revision, start, end }: LogRecord, bytes: Buffer): number {
  if (revision !== undefined) return 0
  const { unsynced = start } = JSON.parse(textOf(bytes, { start, end })) as Partial<LogHeader> // we wrote it
  return start - unsynced
}

function* recordsAfter(bytes: Buffer, at: number): Generator<LogRecord> {
  for (let end = bytes.indexOf(newline, at); end !== -1; ) {
    const record = recordAt(bytes, end + 1)
    if (record) yield record
    end = bytes.indexOf(newline, record ? record.end - 1 : end + 1)
  }
}

function damageText(bytes: Buffer, at: number, file: string): string {
  let line = 1
  for (let end = bytes.indexOf(newline); end !== -1 && end < at; end = bytes.indexOf(newline, end + 1)) line += 1
  const where = `${file}:${line}: the line is damaged`
  if (line === 1) return `${where}: ${worldAdvice(file)}`
  const follow = recordsAfter(bytes, at).next().value ? ', and whole lines follow it' : ''
  return `${where}${follow}: restore the file from a copy. To lose the changes from that line on, cut the file to ${at} bytes`
}
