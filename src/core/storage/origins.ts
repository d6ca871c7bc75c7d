/** The scenario or the state that a reset goes back to, as JSON. */
export interface Origin {
  /** The hash of the text. It names the origin. */
  readonly hash: string
  /** The text. Each piece ends between two characters. */
  readonly pieces: readonly string[]
}

/** A hash of `node:crypto` that takes a text in pieces. */
export interface Hash {
  update(text: string): unknown
  digest(encoding: 'hex'): string
}

/** Names an origin by the hash of its text. Each part ends between two characters. */
export function originOf(parts: Iterable<string>, hash: Hash): Origin {
  const pieces: string[] = []
  for (const piece of joined(parts, pieceLength)) {
    hash.update(piece)
    pieces.push(piece)
  }
  return { hash: hash.digest('hex').slice(0, hashLength), pieces }
}

const hashLength = 16

/** A piece has at least this many characters. */
const pieceLength = 65_536

/** Joins short parts to parts of at least that length. */
export function* joined(parts: Iterable<string>, length: number): Generator<string, void, undefined> {
  let text = ''
  for (const part of parts) {
    text += part
    if (text.length < length) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
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

  /** Adds an origin for the next line, unless the storage has it. Those that it names come before it. */
  add({ hash, pieces }: Origin): void {
    const isKnown = this.#names.has(hash)
    const text = pieces.join('')
    // After `clear`, one that names others may have come before them.
    this.#names.set(hash, namedBy(text, [...this.#names.keys()]))
    if (!isKnown) this.#added.push(hash, text)
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
