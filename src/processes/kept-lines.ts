import type { ServerLine } from '../control/servers.js'

const mostLines = 500
const mostCharacters = 64 * 1024

/** The newest lines of a game server. */
export class KeptLines {
  /** The oldest first. */
  readonly lines: ServerLine[] = []
  #count = 0
  #characters = 0

  /** The number of lines until now, with those that are no longer kept. */
  get count(): number {
    return this.#count
  }

  get texts(): string[] {
    return this.lines.map(({ text }) => text)
  }

  add(line: ServerLine): void {
    this.lines.push(line)
    this.#count += 1
    this.#characters += line.text.length
    while (this.lines.length > mostLines || this.#characters > mostCharacters)
      this.#characters -= this.lines.shift()?.text.length ?? 0
  }
}
