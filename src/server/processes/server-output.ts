import { StringDecoder } from 'node:string_decoder'
import { counted } from '../../core/lib/messages.js'
import { real } from '../../core/lib/real-globals.js'

// Reads what a game server writes. A server that writes without pause must not slow down the mock.

const longestLine = 2_000 // characters
const linesPerSecond = 100
/** The most output of a game server that is read in a second, in bytes. After that the server has to wait. */
const bytesPerSecond = 512 * 1024
/** Once the lines of a second are used up, only the end of each chunk is read as lines. In bytes. */
const tailBytes = 4 * 1024

const newline = 10

interface Readable {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'end', listener: () => void): unknown
  pause(): unknown
  resume(): unknown
  /** Lets the process end while the stream is open. */
  unref?(): unknown
}

/** Reads the output of a process as lines. If it writes too much in a second, drops and counts lines, and stops reading. */
export class ServerOutput {
  /** Dropped ones too. */
  readonly #last = new KeptLines()
  readonly #streams: readonly Readable[]
  readonly #onLine: (line: string) => void
  /** Each ends the line that a stream has begun. */
  readonly #unended: (() => void)[] = []
  #second = 0
  #lines = 0
  #bytes = 0
  #dropped = 0
  #resumeTimer: ReturnType<typeof setTimeout> | undefined

  constructor(streams: readonly Readable[], onLine: (line: string) => void) {
    this.#streams = streams
    this.#onLine = onLine
    for (const stream of streams) this.#read(stream)
  }

  /** The newest lines, dropped ones too, the oldest first. */
  get lastLines(): readonly string[] {
    return this.#last.texts
  }

  /** Reads on at once. Call it when the process has exited: only the rest in the pipes is left. */
  readRest(): void {
    this.#bytes = 0
    this.#resume()
  }

  /** Passes on the last lines, and counts the dropped ones. The pipe no longer keeps this process alive. */
  end(): void {
    for (const end of this.#unended) end()
    this.#reportDropped()
    for (const stream of this.#streams) stream.unref?.()
  }

  #read(stream: Readable): void {
    const decoder = new StringDecoder()
    let line = ''
    let isCut = false
    const extend = (part: Buffer) => {
      const text = decoder.write(part.subarray(0, 4 * longestLine))
      if (line.length + text.length > longestLine) isCut = true
      if (line.length < longestLine) line += text.slice(0, longestLine - line.length)
    }
    const end = () => {
      decoder.end()
      this.#addLine(isCut ? `${line}…` : line.replace(/\r$/, ''))
      line = ''
      isCut = false
    }
    stream.on('data', chunk => {
      this.#startSecond()
      let from = 0
      for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
        extend(chunk.subarray(from, to))
        end()
        from = to + 1
        const tail = chunk.length - tailBytes
        if (this.#lines < linesPerSecond || from >= tail) continue
        this.#dropped += countNewlines(chunk.subarray(from, tail))
        from = tail
      }
      extend(chunk.subarray(from))
      this.#addBytes(chunk.length)
    })
    const endLast = () => {
      if (line !== '') end()
    }
    this.#unended.push(endLast)
    stream.on('end', endLast)
  }

  #addLine(line: string): void {
    this.#last.add({ text: line })
    this.#lines += 1
    if (this.#lines > linesPerSecond) this.#dropped += 1
    else this.#onLine(line)
  }

  #addBytes(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < bytesPerSecond || this.#resumeTimer) return
    for (const stream of this.#streams) stream.pause()
    this.#resumeTimer = real.setTimeout(() => this.#resume(), 1000 - (real.now() % 1000)).unref()
  }

  #resume(): void {
    real.clearTimeout(this.#resumeTimer)
    this.#resumeTimer = undefined
    for (const stream of this.#streams) stream.resume()
  }

  #startSecond(): void {
    const second = Math.floor(real.now() / 1000)
    if (second === this.#second) return
    this.#reportDropped()
    this.#second = second
    this.#lines = 0
    this.#bytes = 0
  }

  #reportDropped(): void {
    const dropped = this.#dropped
    this.#dropped = 0
    if (dropped > 0) this.#onLine(`… ${counted(dropped, 'line', 'lines')} dropped`)
  }
}

/** The most lines of a process that are kept, and the most characters of them. */
const mostLines = 500
const mostCharacters = 64 * 1024

/** The newest lines of a process. */
export class KeptLines<Line extends { readonly text: string } = { readonly text: string }> {
  /** The oldest first. */
  readonly lines: Line[] = []
  /** The number of lines until now, with those that are no longer kept. */
  count = 0
  #characters = 0

  get texts(): string[] {
    return this.lines.map(({ text }) => text)
  }

  add(line: Line): void {
    this.lines.push(line)
    this.count += 1
    this.#characters += line.text.length
    while (this.lines.length > mostLines || this.#characters > mostCharacters)
      this.#characters -= this.lines.shift()?.text.length ?? 0
  }
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte === newline) count += 1
  return count
}
