import { styleText } from 'node:util'

/** Where the command writes. */
export interface Console {
  /** A line on standard output. */
  print(line: string): void
  /** A line on standard error. */
  warn(line: string): void
  /** Text in a style, where standard output is a terminal and `NO_COLOR` is not set; else as it is. */
  style(format: Parameters<typeof styleText>[0], text: string): string
}

/** The console of this process. A reader that goes away, as `head` does, is no error. */
export function createConsole({ stdout, stderr, env }: NodeJS.Process): Console {
  const colours = stdout.isTTY && !env.NO_COLOR
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  return {
    print: line => void stdout.write(`${line}\n`),
    warn: line => void stderr.write(`${line}\n`),
    style: (format, text) => (colours ? styleText(format, text) : text),
  }
}
