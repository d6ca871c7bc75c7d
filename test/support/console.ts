import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Console } from '../../src/cli/output.js'

/** A console that records its lines. */
export function recordingConsole() {
  const [lines, errors]: [string[], string[]] = [[], []]
  const console: Console = {
    print: line => void lines.push(line),
    printCounted: line => void lines.push(line.text(1)),
    printJson: object => void lines.push(JSON.stringify(typeof object === 'function' ? object() : object)),
    printDocument: text => void lines.push(text),
    warn: line => void errors.push(line),
    fail: line => void errors.push(line),
    style: (_, text) => text,
    clear: () => void lines.push('cleared'),
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
