import { styleText } from 'node:util'
import type { Progress } from '../scenario/progress.js'
import { createProgressBar } from './progress-bar.js'

/** Where the command writes. */
export interface Console {
  /** A line on standard output; a function of it is called when it is written. */
  print(line: string | (() => string)): void
  /** A line on standard error. */
  warn(line: string): void
  /** Text in a style, where standard output is a terminal and `NO_COLOR` is not set; else as it is. */
  style(format: Parameters<typeof styleText>[0], text: string): string
  /** Clears the screen of a terminal. */
  clear(): void
  /** Begins to draw how far a long work is, on standard error, where that is a terminal. */
  progress(): Progress
}

/** The console of this process. A reader that goes away, as `head` does, is no error. */
export function createConsole(process: NodeJS.Process): Console {
  const { stdout, stderr, env } = process
  const colours = stdout.isTTY && !env.NO_COLOR
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  return {
    print: createPrinter(process),
    warn: line => void stderr.write(`${line}\n`),
    style: (format, text) => (colours ? styleText(format, text, { validateStream: false }) : text),
    clear: () => void stdout.write('\u001b[2J\u001b[3J\u001b[H'),
    progress: () => createProgressBar(stderr, () => performance.now()),
  }
}

/** For how long lines are gathered before they are written, in ms. */
const gatheringMs = 10

/**
 * Prints the first line as soon as it may be, and gathers those that follow close on it: a write for each answer costs as
 * much as the answer. What is gathered when the process ends is written then.
 */
function createPrinter(process: NodeJS.Process): Console['print'] {
  const lines: (string | (() => string))[] = []
  let gathering = false
  const flush = () => {
    gathering = lines.length > 0
    if (!gathering) return
    // Before the lines are made: one that throws must not be the last that is printed.
    setTimeout(flush, gatheringMs).unref()
    const texts = lines.splice(0).map(line => (typeof line === 'string' ? line : line()))
    process.stdout.write(`${texts.join('\n')}\n`)
  }
  process.on('exit', flush)
  return line => {
    lines.push(line)
    if (gathering) return
    gathering = true
    setImmediate(flush)
  }
}
