import { randomUUID } from 'node:crypto'
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { styleText } from 'node:util'
import { asWriteError, counted, escapedLine, systemReason } from '../core/lib/messages.js'

/**
 * Everything that the command prints goes through here. The console escapes control characters, so no text from outside
 * can control the terminal. It keeps only the newlines of `warn` and the codes of `style`.
 */
export interface Console {
  print(line: string): void
  /** Prints lines. Of equal ones in a row, the first comes at once, and the others as one line with a count. */
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
  clear(): void
}

/** A line that may come many times in a row. */
export interface CountedLine {
  /** Tells whether it says the same as an earlier line. Called when the line is written. */
  repeats(earlier: CountedLine): boolean
  /** Returns the text of a line that stands for `count` lines. Called when the line is written. */
  text(count: number): string
}

/** The first two characters of every escape code. */
const codeStart = '\u001b['

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
  const stderr = new OutputStream(process.stderr, () => {})
  const onStdoutError = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    process.exitCode = writeFailureExitCode
    warn(`cannot write to standard output: ${systemReason(error)}. mockmaker prints nothing more there.`)
  }
  const stdout = new OutputStream(process.stdout, onStdoutError)
  const warn = (text: string) => {
    // Earlier lines stand above it on a terminal.
    stdout.endRun()
    stderr.addLine({ text: () => escapeLines(text) })
    stderr.flush()
  }
  const printLine = batchLines(process, stdout)
  const hasColours = stdout.isTerminal && !process.env.NO_COLOR
  const hasErrorColours = stderr.isTerminal && !process.env.NO_COLOR
  return {
    print: line => printLine({ text: () => escapeLine(line) }),
    printCounted: line => printLine({ counted: line, text: count => escapeLine(line.text(count)) }),
    printJson(object) {
      const create = typeof object === 'function' ? object : () => object
      printLine({ text: () => escapedLine(JSON.stringify(create())), isJson: true })
    },
    printDocument: text => stdout.writeAfterLines(`${stdout.isTerminal ? escapeLines(text) : text}\n`),
    warn,
    fail(text) {
      const [first = '', ...others] = text.split('\n')
      warn([hasErrorColours ? styled('red', first) : first, ...others].join('\n'))
    },
    style: (format, text) => (hasColours ? styled(format, text) : text),
    clear: () => stdout.writeAfterLines(`${codeStart}2J${codeStart}3J${codeStart}H`),
  }
}

export type PrintDocument = (text: string) => void | Promise<void>

/** Returns a function that prints a document on standard output (`-`), or writes it to a file. It replaces an older file. It rejects with `UsageError`. */
export function documentPrinter(file: string | undefined, console: Console): PrintDocument {
  if (file === undefined || file === '-') return text => console.printDocument(text)
  return text => replaceFile(file, `${text}\n`)
}

/** Writes a file, or replaces one as a whole: if the new one cannot be written, the older one stays. Rejects with `UsageError`. */
export async function replaceFile(path: string, text: string, options: { readonly mode?: number } = {}): Promise<void> {
  const file = await realpath(path).catch(() => resolve(path))
  const known = await stat(file).catch(() => undefined)
  const made = `${file}.${process.pid}.tmp`
  try {
    // A device or a pipe stays where it is.
    if (known && !known.isFile()) return await writeFile(file, text)
    await writeFile(made, text, { mode: known?.mode, ...options, flag: 'wx' })
    await rename(made, file)
  } catch (error) {
    await rm(made, { force: true })
    throw asWriteError(error, path)
  }
}

/** Lines are collected for this time before they are written, in ms. */
const batchMs = 10

/** Writes the first line at once, and collects those that follow: a write for each response would cost as much as that. */
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

/** A line whose text is made when it is written. */
interface NewLine extends Pick<CountedLine, 'text'> {
  readonly counted?: CountedLine
  readonly isJson?: boolean
}

/** No line is written while more bytes than this wait for the reader. */
const maxWaiting = 1024 * 1024

/**
 * Standard output or standard error. Writing never throws and never blocks. While a reader does not read, new lines are
 * dropped and counted. After the first error the stream writes nothing more.
 */
class OutputStream {
  readonly #stream: NodeJS.WriteStream
  readonly #onError: (error: NodeJS.ErrnoException) => void
  #newLines: NewLine[] = []
  /** The last line, and the number of those before it that it repeats. */
  #run: { last: NewLine; repetitions: number } | undefined
  #dropped = 0
  #isJson = false
  #isBroken = false

  /** Calls `onError` once, with the first error. */
  constructor(stream: NodeJS.WriteStream, onError: (error: NodeJS.ErrnoException) => void) {
    this.#stream = stream
    this.#onError = onError
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
    if (this.#isBroken) return
    this.#newLines.push(line)
    this.#isJson = line.isJson === true
  }

  /** Writes the new lines, or counts them if the reader does not read. */
  flush(): void {
    this.#writeLines(this.#takeNewLines())
  }

  /** Flushes, and prints the repetitions of the last line. A later line is no repetition of it. */
  endRun(): void {
    this.#writeLines([...this.#takeNewLines(), ...this.#closeRun()])
  }

  /** Writes the new lines, and then a text at once, unescaped and whole. */
  writeAfterLines(text: string): void {
    this.endRun()
    this.#write(text)
  }

  #takeNewLines(): NewLine[] {
    const added = this.#newLines
    this.#newLines = []
    return added.flatMap(line => {
      const { counted } = line
      const run = this.#run
      if (run?.last.counted && counted?.repeats(run.last.counted)) {
        run.last = line
        run.repetitions += 1
        return []
      }
      const lines = [...this.#closeRun(), line]
      if (counted) this.#run = { last: line, repetitions: 0 }
      return lines
    })
  }

  #closeRun(): NewLine[] {
    const run = this.#run
    this.#run = undefined
    return run === undefined || run.repetitions === 0 ? [] : [{ text: () => run.last.text(run.repetitions) }]
  }

  #writeLines(lines: readonly NewLine[]): void {
    if (this.#stream.writableLength > maxWaiting) {
      this.#dropped += lines.length
      return
    }
    const texts = lines.map(line => line.text(1))
    if (this.#dropped > 0) texts.unshift(droppedLine(this.#dropped, this.#isJson))
    this.#dropped = 0
    if (texts.length > 0) this.#write(`${texts.join('\n')}\n`)
  }

  #write(text: string): void {
    if (this.#isBroken) return
    try {
      this.#stream.write(text)
    } catch (error) {
      // Only the system throws here.
      this.#break(error as NodeJS.ErrnoException)
    }
  }

  #break(error: NodeJS.ErrnoException): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#newLines = []
    this.#run = undefined
    this.#onError(error)
  }
}

function droppedLine(lines: number, isJson: boolean): string {
  if (isJson) return JSON.stringify({ event: 'dropped', lines })
  return `… ${counted(lines, 'line', 'lines')} dropped`
}
