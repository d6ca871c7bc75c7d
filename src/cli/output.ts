import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { stripVTControlCharacters, styleText } from 'node:util'
import { counted, escapedLine } from '../lib/text.js'
import { asWriteError, systemReason } from '../lib/usage-error.js'

/**
 * Everything that the command prints goes through here. The console escapes control characters, so no text from outside
 * can control the terminal. It keeps only the newlines of `warn` and the codes of `style`.
 */
export interface Console {
  /** Prints one line on standard output. A function is called when the line is written. */
  print(line: string | (() => string)): void
  /**
   * Prints one line on standard output. Lines with equal keys, and nothing between them, become one with a count. While
   * the status line is shown, the line changes in place. Anywhere else the first line comes at once. Its repetitions are
   * one line, before the next line or at the end.
   */
  printCounted(line: CountedLine): void
  /** Prints an object as one line of JSON on standard output. A function is called when the line is written. */
  printJson(object: object | (() => object)): void
  /** Prints a document on standard output. Escapes it only on a terminal. */
  printDocument(text: string): void
  /** Prints lines on standard error. */
  warn(text: string): void
  /** Prints an error on standard error. The first line is red on a terminal. */
  fail(text: string): void
  /** Styles text if standard output is a terminal and `NO_COLOR` is not set. */
  style(format: Parameters<typeof styleText>[0], text: string): string
  /** Clears the screen of a terminal. */
  clear(): void
  /**
   * Shows a line below all other lines of a terminal, cut to its width, until the next call. An empty text removes it. The
   * end of the process removes it too. Does nothing if standard output is no terminal.
   */
  showStatus(text: string): void
}

/** A line that may come many times in a row. */
export interface CountedLine {
  /** Called when the line is written. */
  key(): string
  /** Returns the text of a line that stands for `count` lines. Called when the line is written. */
  text(count: number): string
}

/** The first two characters of every escape code. */
const codeStart = '\u001b['

/** The exit code if the output cannot be written. */
const writeFailureExitCode = 1

/**
 * Creates the console of a process. If standard output fails, the console says so once on standard error and prints nothing
 * more there. The exit code becomes 1, unless the command sets another one. A reader that closes the pipe, as `head` does, is not an error.
 */
export function createConsole(process: NodeJS.Process): Console {
  // No text from outside contains this mark, so only our own codes become codes.
  const mark = randomUUID()
  const escapeLine = (text: string) => escapedLine(text).replaceAll(mark, codeStart)
  const escapeLines = (text: string) => text.split('\n').map(escapeLine).join('\n')
  const styled: Console['style'] = (format, text) => {
    const codes = styleText(format, '|', { validateStream: false })
    const [before, after] = codes.replaceAll(codeStart, mark).split('|')
    return `${before}${text}${after}`
  }
  const bottom = new BottomLine()
  const stderr = new OutputStream(process.stderr, () => {}, bottom)
  const onStdoutError = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    process.exitCode = writeFailureExitCode
    warn(`cannot write to standard output: ${systemReason(error)}. mockmaker prints nothing more there.`)
  }
  const stdout = new OutputStream(process.stdout, onStdoutError, bottom)
  const warn = (text: string) => {
    // Earlier lines stand above it on a terminal.
    stdout.endRun()
    stderr.addLine({ text: () => escapeLines(text) })
    stderr.flush()
  }
  const printLine = batchLines(process, stdout)
  const drawStatus = () => {
    // The last column stays free: after it, some terminals begin a new line.
    const line = escapedLine(bottom.status).slice(0, Math.max(0, (process.stdout.columns || defaultColumns) - 1))
    bottom.line = line === '' ? '' : escapeLine(hasColours ? styled('dim', line) : line)
    stdout.redraw()
  }
  const showStatus = (text: string) => {
    if (!stdout.isTerminal) return
    // From now on, other programs may write to the terminal.
    if (text === '') stdout.endRun()
    bottom.status = text
    drawStatus()
  }
  process.stdout.on('resize', () => {
    // The terminal may have wrapped the last line anew.
    stdout.endRun()
    drawStatus()
  })
  process.on('exit', () => showStatus(''))
  const hasColours = stdout.isTerminal && !process.env.NO_COLOR
  const hasErrorColours = stderr.isTerminal && !process.env.NO_COLOR
  return {
    print: line => printLine({ text: () => escapeLine(typeof line === 'string' ? line : line()) }),
    printCounted: line => printLine({ key: () => line.key(), text: count => escapeLine(line.text(count)) }),
    printJson: object => printLine({ text: () => escapedLine(jsonOf(object)), format: 'json' }),
    printDocument: text => stdout.writeAfterLines(`${stdout.isTerminal ? escapeLines(text) : text}\n`),
    warn,
    fail(text) {
      const [first = '', ...others] = text.split('\n')
      warn([hasErrorColours ? styled('red', first) : first, ...others].join('\n'))
    },
    style: (format, text) => (hasColours ? styled(format, text) : text),
    clear: () => stdout.writeAfterLines(`${codeStart}2J${codeStart}3J${codeStart}H`),
    showStatus,
  }
}

/** Prints a document, or writes it to a file. */
export type PrintDocument = (text: string) => void | Promise<void>

/** Returns a function that prints a document on standard output, or writes it to a file. It replaces an older file. It rejects with `UsageError`. */
export function documentPrinter(file: string | undefined, console: Console): PrintDocument {
  if (file === undefined) return text => console.printDocument(text)
  return text =>
    writeFile(file, `${text}\n`).catch(error => {
      throw asWriteError(error, file)
    })
}

function jsonOf(object: object | (() => object)): string {
  return JSON.stringify(typeof object === 'function' ? object() : object)
}

/** The size of a terminal that does not tell it. */
const [defaultColumns, defaultRows] = [80, 24]

/** The status line below all other lines of a terminal. Standard output and standard error share it. */
class BottomLine {
  /** The whole text of the line. */
  status = ''
  /** The line as it is written, with its codes. */
  line = ''
  #shown = ''

  get isOutdated(): boolean {
    return this.#shown !== this.line
  }

  /** Puts lines above the status line. */
  withLines(lines: string): string {
    // To the start of the line, and erase everything from there.
    const erase = this.#shown === '' ? '' : `\r${codeStart}J`
    this.#shown = this.line
    return `${erase}${lines}${this.line}`
  }
}

/** Lines are collected for this time before they are written, in ms. */
const batchMs = 10

/**
 * Writes the first line at once, and collects the lines that follow soon after. One write for each response would cost as
 * much as the response. Writes the rest when the process ends.
 */
function batchLines(process: NodeJS.Process, stdout: OutputStream): OutputStream['addLine'] {
  let isBatching = false
  const flush = () => {
    isBatching = stdout.hasNewLines
    if (!isBatching) return
    // Before the flush: a line that throws must not stop the lines after it.
    setTimeout(flush, batchMs).unref()
    stdout.flush()
  }
  process.on('exit', () => stdout.endRun())
  return line => {
    stdout.addLine(line)
    if (isBatching) return
    isBatching = true
    setImmediate(flush)
  }
}

type LineFormat = 'text' | 'json'

/** A line whose text is made when it is written. Only lines with a key are counted. */
type NewLine = Omit<CountedLine, 'key'> & { key?(): string; readonly format?: LineFormat }

/** A line, and the lines with the same key that followed it. */
interface Run {
  readonly key: string
  /** The newest line. */
  line: NewLine
  /** The number of lines that one text stands for. */
  count: number
  /** The number of these lines that have been printed. */
  printed: number
  /** The rows of the text on the terminal. `undefined` if it cannot be replaced there. */
  rows: number | undefined
}

/** Matches a text whose characters take one column each on every terminal. */
const narrow = /^[ -~\u00a1-\u00ac\u00ae-\u02ff→…]*$/

/** The most characters that wait for a slow reader. The oldest lines are dropped first. */
const maxWaiting = 1024 * 1024

/**
 * Standard output or standard error. Writing never throws and never blocks. Lines for a slow reader wait here, up to a limit.
 * After the first error the stream writes nothing more.
 */
class OutputStream {
  readonly #stream: NodeJS.WriteStream
  readonly #onError: (error: NodeJS.ErrnoException) => void
  /** The line below the lines of this stream. Absent if it is no terminal. */
  readonly #bottom: BottomLine | undefined
  #newLines: NewLine[] = []
  /** The run that the newest line belongs to. */
  #run: Run | undefined
  #waiting: { readonly text: string; readonly format: LineFormat; readonly erase?: string | undefined }[] = []
  #dropped = 0
  #isBroken = false

  /** Calls `onError` once, with the first error. */
  constructor(stream: NodeJS.WriteStream, onError: (error: NodeJS.ErrnoException) => void, bottom: BottomLine) {
    this.#stream = stream
    this.#onError = onError
    this.#bottom = this.isTerminal ? bottom : undefined
    stream.on('error', error => this.#break(error)).on('drain', () => this.flush())
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true
  }

  get hasNewLines(): boolean {
    return this.#newLines.length > 0
  }

  /** Adds a line for the next flush, which makes its text. */
  addLine(line: NewLine): void {
    if (!this.#isBroken) this.#newLines.push(line)
  }

  /** Writes the new lines, or keeps them while the reader does not read. */
  flush(): void {
    this.#takeNewLines()
    this.#writeOrKeep()
  }

  /** Flushes, and prints the repetitions of the last line. A later line is no repetition of it. */
  endRun(): void {
    this.#takeNewLines()
    this.#closeRun()
    this.#writeOrKeep()
  }

  #writeOrKeep(): void {
    if (this.#stream.writableNeedDrain) this.#dropOldest()
    else this.#writeWaiting()
  }

  #takeNewLines(): void {
    const added = this.#newLines
    this.#newLines = []
    for (const line of added) {
      const key = line.key?.()
      const run = this.#run
      if (run !== undefined && run.key === key) {
        run.line = line
        run.count += 1
        continue
      }
      this.#closeRun()
      const text = line.text(1)
      this.#waiting.push({ text, format: line.format ?? 'text' })
      if (key !== undefined) this.#run = { key, line, count: 1, printed: 1, rows: this.#rowsOf(text) }
    }
    if (this.#run?.rows !== undefined) this.#replaceLine(this.#run, this.#run.rows)
  }

  #closeRun(): void {
    const run = this.#run
    this.#run = undefined
    if (run === undefined || run.count === run.printed) return
    if (run.rows !== undefined) this.#replaceLine(run, run.rows)
    else this.#waiting.push({ text: run.line.text(run.count - run.printed), format: 'text' })
  }

  /** Replaces the last line of the terminal, which takes this many rows, by one with the whole count. */
  #replaceLine(run: Run, rows: number): void {
    if (run.count === run.printed) return
    const text = run.line.text(run.count)
    const last = this.#waiting.pop()
    // To the first row of the line, and erase everything from there. A line that still waits is on no row.
    const erase = last === undefined ? `\r${codeStart}${rows}A${codeStart}J` : last.erase
    this.#waiting.push({ text, format: 'text', erase })
    run.printed = run.count
    run.rows = this.#rowsOf(text)
  }

  /** Counts the rows of a text on the terminal. `undefined`: unknown, too many, or the terminal has no status line. */
  #rowsOf(text: string): number | undefined {
    const plain = stripVTControlCharacters(text)
    if (!this.#bottom?.status || !narrow.test(plain)) return undefined
    const { columns, rows: height } = this.#stream
    const rows = Math.ceil(plain.length / (columns || defaultColumns))
    // The cursor cannot go up beyond the first row. The status line takes one.
    return rows < (height || defaultRows) - 1 ? rows : undefined
  }

  /** Writes the new lines, and then a text at once, unescaped and whole. */
  writeAfterLines(text: string): void {
    this.endRun()
    this.#write(text)
  }

  #write(text: string): void {
    if (this.#isBroken) return
    try {
      this.#stream.write(this.#bottom?.withLines(text) ?? text)
    } catch (error) {
      // Only the system throws here.
      this.#break(error as NodeJS.ErrnoException)
    }
  }

  /** Writes the new lines, and the status line below them. */
  redraw(): void {
    this.flush()
    // A slow reader gets the status line with the lines that wait for it.
    if (this.#bottom?.isOutdated && !this.#stream.writableNeedDrain) this.#write('')
  }

  #writeWaiting(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    const lines = this.#waiting.map(({ text, erase = '' }) => `${erase}${text}`)
    if (this.#dropped > 0) lines.unshift(droppedLine(this.#dropped, first.format))
    this.#waiting = []
    this.#dropped = 0
    this.#write(`${lines.join('\n')}\n`)
  }

  #dropOldest(): void {
    let length = this.#waiting.reduce((sum, { text }) => sum + text.length, 0)
    let count = 0
    // The newest line stays, however long it is.
    for (; length > maxWaiting && count < this.#waiting.length - 1; count += 1)
      length -= this.#waiting[count]?.text.length ?? 0
    this.#waiting.splice(0, count)
    this.#dropped += count
  }

  #break(error: NodeJS.ErrnoException): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#newLines = []
    this.#run = undefined
    this.#waiting = []
    this.#onError(error)
  }
}

function droppedLine(lines: number, format: LineFormat): string {
  if (format === 'json') return JSON.stringify({ event: 'dropped', lines })
  return `… ${counted(lines, 'line', 'lines')} dropped`
}
