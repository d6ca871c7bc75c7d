import { keepDigits } from '../../core/lib/json.js'
import { Id } from '../../core/store/columns.js'
import { type HarRecording, shortestSecret } from './read.js'

/** Replaces what must not leave a HAR. */
export class Redaction {
  /** By their first characters: a recording may have a secret in each answer. */
  readonly #secrets = new Map<string, string[]>()
  /** By the recorded text. */
  readonly #replaced = new Map<string, string>()
  readonly #tokens = new Map<string, string>()

  constructor({ secrets }: Pick<HarRecording, 'secrets'>) {
    for (const secret of secrets) {
      const start = secret.slice(0, shortestSecret)
      const others = this.#secrets.get(start)
      if (others) others.push(secret)
      else this.#secrets.set(start, [secret])
    }
  }

  /** The tokens of the mock, by the recorded ones. */
  get tokens(): ReadonlyMap<string, string> {
    return this.#tokens
  }

  /** Returns a token of the mock for a recorded one, always the same. It tells nothing about the recorded one. */
  token(recorded: string, label: string): string {
    const known = this.#tokens.get(recorded)
    if (known !== undefined) return known
    const token = `${label}.mock.recorded-${this.#tokens.size + 1}`
    this.#tokens.set(recorded, token)
    return token
  }

  /** Makes a recorded token stand for a token of the mock that exists already. */
  alias(recorded: string, token: string): void {
    this.#tokens.set(recorded, token)
  }

  /** Returns a text, or another one if it has a secret in it: always the same for the same text. */
  text(recorded: string): string {
    const known = this.#replaced.get(recorded)
    if (known !== undefined) return known
    if (!this.#hasSecret(recorded)) return recorded
    const replacement = `redacted-${this.#replaced.size + 1}`
    this.#replaced.set(recorded, replacement)
    return replacement
  }

  #hasSecret(text: string): boolean {
    for (let at = 0; at + shortestSecret <= text.length; at += 1)
      if (this.#secrets.get(text.slice(at, at + shortestSecret))?.some(secret => text.startsWith(secret, at)))
        return true
    return false
  }

  /** Returns an id as `text` does. `undefined` if a world cannot have it. */
  id(recorded: string): string | undefined {
    return Id.safeParse(this.text(recorded)).data
  }

  /** Replaces the texts and the keys in a JSON value that have a secret in them. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value))
      return keepDigits(
        value.map(item => this.json(item)),
        value,
      )
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).map(([name, field]) => [this.text(name), this.json(field)])
    return keepDigits(Object.fromEntries(fields), value)
  }
}
