import type { Console } from '../../src/cli/output.js'

/** A console that records its lines. */
export function recordingConsole() {
  const [lines, errors]: [string[], string[]] = [[], []]
  const console: Console = {
    print: line => void lines.push(typeof line === 'string' ? line : line()),
    printJson: object => void lines.push(JSON.stringify(typeof object === 'function' ? object() : object)),
    printDocument: text => void lines.push(text),
    printStream: async () => {},
    warn: line => void errors.push(line),
    fail: line => void errors.push(line),
    style: (_, text) => text,
    clear: () => void lines.push('cleared'),
    showStatus: () => {},
  }
  return { console, lines, errors }
}
