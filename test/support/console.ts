import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { vi } from 'vitest'
import { type Console, createConsole } from '../../src/cli/output.js'
import { Screen } from './screen.js'

/** A console that records its lines. */
export function recordingConsole() {
  const [lines, errors]: [string[], string[]] = [[], []]
  const console: Console = {
    print: line => void lines.push(typeof line === 'string' ? line : line()),
    printCounted: line => void lines.push(line.text(1)),
    printJson: object => void lines.push(JSON.stringify(typeof object === 'function' ? object() : object)),
    printDocument: text => void lines.push(text),
    warn: line => void errors.push(line),
    fail: line => void errors.push(line),
    style: (_, text) => text,
    clear: () => void lines.push('cleared'),
    showStatus: () => {},
  }
  return { console, lines, errors }
}

/** A process, and the text that was written to its streams. */
export function processWith({
  isTTY = false,
  ...more
}: {
  readonly isTTY?: boolean
  readonly argv?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
} = {}) {
  const written = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => {
    const through = new PassThrough()
    through.on('data', (chunk: Buffer) => {
      written[name] += chunk.toString()
    })
    return Object.assign(through, { isTTY })
  }
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const streams = { stdin, stdout: stream('stdout'), stderr: stream('stderr') }
  const process = Object.assign(new EventEmitter(), { env: {}, ...more, ...streams })
  // The console and the command use no other part of a process, unless they serve.
  return { process: process as unknown as NodeJS.Process, written }
}

/** A terminal that a console writes to with both of its streams. */
export function terminal({
  columns = 40,
  rows = 24,
  env = { NO_COLOR: '1' },
}: {
  columns?: number
  rows?: number
  env?: NodeJS.ProcessEnv
} = {}) {
  let output = ''
  const stream = () =>
    Object.assign(new EventEmitter(), {
      isTTY: true,
      columns,
      rows,
      writableNeedDrain: false,
      write(text: string) {
        output += text
        return true
      },
    })
  const process = Object.assign(new EventEmitter(), { stdout: stream(), stderr: stream(), env })
  // The console uses no other part of a process.
  const console = createConsole(process as unknown as NodeJS.Process)
  return {
    console,
    output: () => output,
    lines: () => new Screen(columns).write(output).lines(),
    resize(to: number) {
      process.stdout.columns = to
      process.stdout.emit('resize')
    },
    exit: () => process.emit('exit'),
  }
}

/** Lets the console write its lines. The timers are fake. */
export const written = () => vi.advanceTimersByTimeAsync(20)
