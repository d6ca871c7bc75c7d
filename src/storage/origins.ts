import { createHash } from 'node:crypto'

/** Returns the hash that names an origin. */
export function originHashOf(origin: string): string {
  return createHash('sha256').update(origin).digest('hex').slice(0, 16)
}

/** The origins of a world, by their hashes: those that a storage has, and those that it gets with the next line. */
export class Origins {
  /** The hashes that each origin names. */
  readonly #names = new Map<string, readonly string[]>()
  /** The hashes and the texts that the next line brings. */
  #added: string[] = []
  /** The revisions of the last lines that name an origin. */
  readonly #namedAt = new Map<string, number>()

  /** `stored`: the texts that the storage has. */
  constructor(stored: ReadonlyMap<string, string>) {
    const hashes = [...stored.keys()]
    for (const [hash, text] of stored) this.#names.set(hash, namedBy(text, hashes))
  }

  /** Adds an origin for the next line, unless the storage has it. Returns its hash. */
  add(text: string): string {
    const hash = originHashOf(text)
    if (this.#names.has(hash)) return hash
    this.#names.set(hash, namedBy(text, [...this.#names.keys()]))
    this.#added.push(hash, text)
    return hash
  }

  /** The hashes and the texts that the next line brings. */
  get added(): readonly string[] {
    return this.#added
  }

  /** Adds a line. Returns the hashes and the texts that it brings. */
  addLine(revision: number, text: string): readonly string[] {
    for (const hash of this.#names.keys()) if (text.includes(hash)) this.#namedAt.set(hash, revision)
    const added = this.#added
    this.#added = []
    return added
  }

  /** Forgets all but those that a base names, a line after it, the next line, or another of them. Returns their hashes. */
  keepNamed(originHash: string, revision: number): readonly string[] {
    const named = new Set([originHash])
    for (const [hash, at] of this.#namedAt) if (at > revision) named.add(hash)
    for (let i = 0; i < this.#added.length; i += 2) named.add(this.#added[i] ?? '')
    // A set grows while it is iterated.
    for (const hash of named) for (const other of this.#names.get(hash) ?? []) named.add(other)
    for (const hash of this.#names.keys()) if (!named.has(hash)) this.#names.delete(hash)
    return [...named]
  }

  /** Forgets all, because the storage may have lost them. Those that are named again come with the next line. */
  clear(): void {
    this.#names.clear()
    this.#namedAt.clear()
  }
}

function namedBy(text: string, hashes: readonly string[]): readonly string[] {
  return hashes.filter(hash => text.includes(hash))
}
