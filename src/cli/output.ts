/** A line to write. A function is called when the line is written. */
export interface Line {
  readonly text: string | (() => string)
  /** Whether the line is a JSON object. Decides how dropped lines before it are reported. */
  readonly isJson?: boolean
}

/** A line whose text is made. */
interface MadeLine {
  readonly text: string
  readonly isJson: boolean
}

/** The parts of a stream that `Output` uses. */
type OutputStream = Pick<NodeJS.WriteStream, 'isTTY' | 'write' | 'writableNeedDrain' | 'on'>

/** The most characters that wait for a slow reader. The oldest lines are dropped first. */
const mostWaiting = 1024 * 1024

/**
 * Standard output or standard error. Writing never throws, and never blocks on a slow reader: the waiting lines are bounded.
 * After the first error it writes no more.
 */
export class Output {
  readonly #stream: OutputStream
  readonly #onError: (error: NodeJS.ErrnoException) => void
  #added: Line[] = []
  #waiting: MadeLine[] = []
  #dropped = 0
  #isBroken = false
  /** Resolve the `writePiece` calls that wait until more can be written. */
  #writers: (() => void)[] = []

  /** `onError` is called once, with the first error. */
  constructor(stream: OutputStream, onError: (error: NodeJS.ErrnoException) => void) {
    this.#stream = stream
    this.#onError = onError
    stream
      .on('error', error => this.#break(error))
      .on('drain', () => {
        this.flush()
        this.#letWrite()
      })
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true
  }

  /** Whether lines were added since the last flush. */
  get hasAdded(): boolean {
    return this.#added.length > 0
  }

  add(line: Line): void {
    if (!this.#isBroken) this.#added.push(line)
  }

  /** Writes the lines that were added, or keeps them while the reader does not read. */
  flush(): void {
    const added = this.#added
    this.#added = []
    for (const { text, isJson = false } of added)
      this.#waiting.push({ text: typeof text === 'string' ? text : text(), isJson })
    if (this.#stream.writableNeedDrain) this.#dropOldest()
    else this.#writeWaiting()
  }

  /** Writes a text as it is, at once. For our own escape codes, and for documents, which are never shortened. */
  write(text: string): void {
    if (this.#isBroken) return
    try {
      this.#stream.write(text)
    } catch (error) {
      // Nothing but the system throws here.
      this.#break(error as NodeJS.ErrnoException)
    }
  }

  /** Writes a piece of a document, and resolves when the reader has taken it, or the stream is broken. */
  async writePiece(text: string): Promise<void> {
    this.write(text)
    if (this.#isBroken || !this.#stream.writableNeedDrain) return
    await new Promise<void>(resolve => this.#writers.push(resolve))
  }

  #letWrite(): void {
    for (const write of this.#writers.splice(0)) write()
  }

  #writeWaiting(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    const lines = this.#waiting.map(({ text }) => text)
    if (this.#dropped > 0) lines.unshift(droppedLine(this.#dropped, first.isJson))
    this.#waiting = []
    this.#dropped = 0
    this.write(`${lines.join('\n')}\n`)
  }

  #dropOldest(): void {
    let length = this.#waiting.reduce((sum, { text }) => sum + text.length, 0)
    let count = 0
    // The newest line stays, however long it is.
    for (; length > mostWaiting && count < this.#waiting.length - 1; count += 1)
      length -= this.#waiting[count]?.text.length ?? 0
    this.#waiting.splice(0, count)
    this.#dropped += count
  }

  #break(error: NodeJS.ErrnoException): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#added = []
    this.#waiting = []
    this.#letWrite()
    this.#onError(error)
  }
}

function droppedLine(lines: number, isJson: boolean): string {
  if (isJson) return JSON.stringify({ event: 'dropped', lines })
  return `… ${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'} dropped`
}
