import { createInterface, emitKeypressEvents, type Key as KeyPress } from 'node:readline'
import type { Console } from './output.js'

/** A key that the user presses. */
export interface Key {
  readonly key: string
  readonly description: string
  press(): void | Promise<void>
}

/** The mode of the keys: `key` acts at once, `line` after Enter. `undefined`: no key acts. */
export type KeyMode = 'key' | 'line' | undefined

/** Names a key as the user presses it: `h`, or `h + Enter`. */
export function keyText(key: string, mode: KeyMode): string {
  return mode === 'line' ? `${key} + Enter` : key
}

/** The input of a terminal. Raw mode delivers each key at once, without an echo. */
export interface KeyInput extends NodeJS.ReadableStream {
  setRawMode?(isRaw: boolean): unknown
}

/** Tries raw mode. If the terminal refuses it, keys need Enter. */
export function keyModeOf(input: KeyInput): KeyMode {
  return setRawMode(input, true) ? 'key' : 'line'
}

function setRawMode(input: KeyInput, isRaw: boolean): boolean {
  let isDone = input.setRawMode !== undefined
  // Node reports a refusal with this event, before the call returns.
  const onError = () => {
    isDone = false
  }
  input.once('error', onError)
  try {
    input.setRawMode?.(isRaw)
  } catch {
    isDone = false
  }
  input.off('error', onError)
  return isDone
}

type KeyConsole = Pick<Console, 'print' | 'fail' | 'style'>

/** Presses a key at once. `h` lists all keys. Ctrl+C and Ctrl+Z call their functions: raw mode makes no signals of them. */
export function listenToKeys(
  input: KeyInput,
  keys: readonly Key[],
  { console, interrupt, suspend }: { readonly console: KeyConsole; interrupt(): void; suspend(): void },
): void {
  const press = presser(keys, 'key', console)
  emitKeypressEvents(input)
  // The terminal may go away. The mock stays.
  input.on('error', () => {})
  input.on('keypress', (text: string | undefined, { ctrl, meta, name }: KeyPress) => {
    if (ctrl && name === 'c') return interrupt()
    if (ctrl && name === 'z') return suspend()
    // Others are arrows, Enter, and the like.
    if (!ctrl && !meta && text !== undefined && /^[^\s\p{Cc}]$/u.test(text)) press(text)
  })
  // A question before may have paused it.
  input.resume()
}

/** Presses the key that each line of the input names. `h` lists all keys. */
export function listenToLines(input: NodeJS.ReadableStream, keys: readonly Key[], console: KeyConsole): void {
  const press = presser(keys, 'line', console)
  // A terminal interface would take Ctrl+C from the process.
  const lines = createInterface({ input, terminal: false })
  input.on('error', () => lines.close())
  lines.on('line', line => {
    if (line.trim() !== '') press(line.trim())
  })
}

/** Asks a question. Enter, `y` and `yes` mean yes. Everything else means no, and so does the end of the input. */
export async function confirmOn(
  input: NodeJS.ReadableStream,
  question: string,
  { print }: Pick<Console, 'print'>,
): Promise<boolean> {
  for (const line of question.split('\n')) print(line)
  const lines = createInterface({ input, terminal: false })
  const answer = await new Promise<string>(resolve => {
    lines.once('line', resolve)
    lines.once('close', () => resolve('no'))
  })
  lines.close()
  return /^(y|yes)?$/i.test(answer.trim())
}

function presser(keys: readonly Key[], mode: KeyMode, console: KeyConsole): (name: string) => void {
  const { print, style } = console
  const printKeys = () => {
    print('')
    for (const { key, description } of all) print(`  ${style('bold', key)}${keyText('', mode)}  ${description}`)
    print('  Something is wrong? Read docs/something-is-wrong.md of the package')
    print('')
  }
  const help: Key = { key: 'h', description: 'help', press: printKeys }
  const all = [...keys, help]
  return name => {
    const key = all.find(({ key }) => key === name)
    if (!key) return console.print(`  there is no key ${JSON.stringify(name)}: ${keyText('h', mode)} lists the keys`)
    Promise.resolve()
      .then(() => key.press())
      .catch((error: unknown) => console.fail(error instanceof Error ? error.message : String(error)))
  }
}

/** Obeys the keys of this process's terminal. */
export function obeyKeys(keys: readonly Key[], mode: KeyMode, console: KeyConsole): void {
  if (mode === 'line') listenToLines(process.stdin, keys, console)
  if (mode !== 'key') return
  const terminal = new RawTerminal(process)
  listenToKeys(process.stdin, keys, {
    console,
    interrupt: () => terminal.interrupt(),
    suspend: () => terminal.suspend(),
  })
}

type RawProcess = Pick<NodeJS.Process, 'platform' | 'kill' | 'on' | 'emit'> & { readonly stdin: KeyInput }

/** A stop that does not come within this time never comes, in ms. A process without a shell cannot be stopped. */
const suspendMs = 50

/** The raw mode of the terminal of a process. It ends with the process, and while the process is suspended. */
export class RawTerminal {
  /** The terminal is in raw mode already. */
  constructor(private readonly process: RawProcess) {
    process.on('exit', () => setRawMode(process.stdin, false))
    // While the process was stopped, the shell has changed the mode of the terminal.
    if (process.platform !== 'win32') process.on('SIGCONT', () => this.#enter())
  }

  /** Does what Ctrl+C does outside of raw mode. */
  interrupt(): void {
    // No signal: on Windows it would end the process without its listeners.
    this.process.emit('SIGINT', 'SIGINT')
  }

  /** Does what Ctrl+Z does outside of raw mode. Does nothing on Windows. */
  suspend(): void {
    if (this.process.platform === 'win32') return
    setRawMode(this.process.stdin, false)
    // To the whole group, as from the terminal: otherwise the shell would wait for npm, which still runs.
    this.process.kill(0, 'SIGTSTP')
    setTimeout(() => this.#enter(), suspendMs).unref()
  }

  #enter(): void {
    const { stdin } = this.process
    // Node does nothing if it believes that the mode is set.
    setRawMode(stdin, false)
    setRawMode(stdin, true)
  }
}
