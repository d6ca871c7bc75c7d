import { styleText } from 'node:util'
import type { Progress } from '../scenario/progress.js'
import { createProgressBar } from './progress-bar.js'

/** Where the command writes. */
export interface Console {
  /** A line on standard output. */
  print(line: string): void
  /** A line on standard error. */
  warn(line: string): void
  /** Text in a style, where standard output is a terminal and `NO_COLOR` is not set; else as it is. */
  style(format: Parameters<typeof styleText>[0], text: string): string
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
  const lines: string[] = []
  const flush = () => {
    if (lines.length > 0) stdout.write(`${lines.splice(0).join('\n')}\n`)
  }
  process.on('exit', flush)
  return {
    // What is printed in one turn of the event loop is written at once: a write for each answer costs as much as the answer.
    print(line) {
      if (lines.push(line) === 1) setImmediate(flush)
    },
    warn: line => void stderr.write(`${line}\n`),
    style: (format, text) => (colours ? styleText(format, text, { validateStream: false }) : text),
    progress: () => createProgressBar(stderr, () => performance.now()),
  }
}
