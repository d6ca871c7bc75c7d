import { createInterface } from 'node:readline'
import type { Console } from './console.js'

/** What a key does. It is pressed with Enter. */
export interface Key {
  readonly key: string
  /** What it does, for the help. */
  readonly does: string
  press(): void | Promise<void>
}

/** Where keys come from, and what they do. */
interface KeysOptions {
  readonly input: NodeJS.ReadableStream
  readonly keys: readonly Key[]
  readonly console: Pick<Console, 'print' | 'fail' | 'style'>
}

/** Presses keys as their lines come, and `h`, which lists them. */
export function listenToKeys({ input, keys, console }: KeysOptions): void {
  const help: Key = { key: 'h', does: 'help', press: () => printKeys([...keys, help], console) }
  const all = [...keys, help]
  // Not as a terminal: that would take Ctrl+C from the process.
  const lines = createInterface({ input, terminal: false })
  // A terminal that is gone presses no more keys.
  input.on('error', () => lines.close())
  lines.on('line', line => {
    const pressed = line.trim()
    if (pressed === '') return
    const known = all.find(({ key }) => key === pressed)
    if (!known) return console.print(`  ${JSON.stringify(pressed)} is no key: h + Enter lists them`)
    // A key that cannot do what it should is told of, and the next one is pressed all the same.
    Promise.resolve()
      .then(() => known.press())
      .catch((error: unknown) => console.fail(error instanceof Error ? error.message : String(error)))
  })
}

function printKeys(keys: readonly Key[], { print, style }: Pick<Console, 'print' | 'style'>): void {
  print('')
  for (const { key, does } of keys) print(`  ${style('bold', key)} + Enter  ${does}`)
  print('')
}
