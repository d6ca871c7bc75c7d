import { randomUUID } from 'node:crypto'
import { styleText } from 'node:util'
import { escapedLine } from '../lib/quote.js'
import { systemReason } from '../node/system-error.js'
import type { Progress } from '../scenario/world-state.js'
import { Output } from './output.js'
import { createProgressBar } from './progress-bar.js'

type Format = Parameters<typeof styleText>[0]

/**
 * Where the command writes. All of its output goes through here. It escapes control characters, so that no text from outside
 * controls the terminal. Only the newlines of `warn` and the codes of `style` stay.
 */
export interface Console {
  /** Prints one line on standard output. A function is called when the line is written. */
  print(line: string | (() => string)): void
  /** Prints an object on standard output, as one line of JSON. A function is called when the line is written. */
  printJson(object: object | (() => object)): void
  /** Prints a document on standard output: as it is in a file or a pipe, escaped on a terminal. */
  printDocument(text: string): void
  /** Prints a document that comes in pieces, each when the reader has taken the one before. */
  printPieces(pieces: AsyncIterable<string>): Promise<void>
  /** Prints lines on standard error. */
  warn(text: string): void
  /** Prints what went wrong on standard error; the first line is red on a terminal. */
  fail(text: string): void
  /** Styles text where standard output is a terminal and `NO_COLOR` is not set; else returns it as it is. */
  style(format: Format, text: string): string
  /** Clears the screen of a terminal. */
  clear(): void
  /** Draws a progress bar on standard error, where that is a terminal. */
  progress(): Progress
}

/** Every escape code begins with this. */
const codeStart = '\u001b['

/** Exit code of a command whose output could not be written. */
const failed = 1

/**
 * The console of a process. Output that cannot be written is reported once, on standard error, and dropped from then on;
 * a reader that goes away, as `head` does, is no error. The exit code becomes 1, unless the command sets another one.
 */
export function createConsole(process: NodeJS.Process): Console {
  // No text from outside can contain it, so only our own codes become codes.
  const mark = randomUUID()
  const shown = (text: string) => escapedLine(text).replaceAll(mark, codeStart)
  const lines = (text: string) => text.split('\n').map(shown).join('\n')
  const styled = (format: Format, text: string) => {
    const codes = styleText(format, '|', { validateStream: false })
    const [before, after] = codes.replaceAll(codeStart, mark).split('|')
    return `${before}${text}${after}`
  }
  const stderr = new Output(process.stderr, () => {})
  const stdout = new Output(process.stdout, error => {
    if (error.code === 'EPIPE') return
    process.exitCode = failed
    warn(`standard output cannot be written: ${systemReason(error)}. Nothing more is printed there.`)
  })
  const warn = (text: string) => {
    stderr.add({ text: lines(text) })
    stderr.flush()
  }
  const printLater = createPrinter(process, stdout)
  const hasColours = stdout.isTerminal && !process.env.NO_COLOR
  const hasErrorColours = stderr.isTerminal && !process.env.NO_COLOR
  return {
    print: line => printLater({ text: () => shown(typeof line === 'string' ? line : line()) }),
    printJson: object =>
      printLater({
        text: () => escapedLine(JSON.stringify(typeof object === 'function' ? object() : object)),
        isJson: true,
      }),
    printDocument(text) {
      stdout.flush()
      stdout.write(`${stdout.isTerminal ? lines(text) : text}\n`)
    },
    async printPieces(pieces) {
      stdout.flush()
      for await (const piece of pieces) await stdout.writePiece(stdout.isTerminal ? lines(piece) : piece)
    },
    warn,
    fail(text) {
      const [first = '', ...others] = text.split('\n')
      warn([hasErrorColours ? styled('red', first) : first, ...others].join('\n'))
    },
    style: (format, text) => (hasColours ? styled(format, text) : text),
    clear: () => stdout.write(`${codeStart}2J${codeStart}3J${codeStart}H`),
    progress: () =>
      createProgressBar(
        {
          isTTY: stderr.isTerminal,
          columns: process.stderr.columns,
          write: text => stderr.write(text),
        },
        () => performance.now(),
      ),
  }
}

/** How long lines are gathered before they are written, in ms. */
const gatheringMs = 10

/**
 * Writes the first line at once, and gathers the lines that follow soon after: a write for each response would cost as much
 * as the response. Lines that are left when the process ends are written then.
 */
function createPrinter(process: NodeJS.Process, stdout: Output): Output['add'] {
  let isGathering = false
  const flush = () => {
    isGathering = stdout.hasAdded
    if (!isGathering) return
    // Before the lines are made: one that throws must not be the last that is printed.
    setTimeout(flush, gatheringMs).unref()
    stdout.flush()
  }
  process.on('exit', flush)
  return line => {
    stdout.add(line)
    if (isGathering) return
    isGathering = true
    setImmediate(flush)
  }
}
