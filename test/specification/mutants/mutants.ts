/** The mutants of the loaded modules, whose code has been changed to call `declare` and `is`. A name is `<file>:<line> <code> <change>`. */
interface Mutants {
  readonly all: Set<string>
  /** Those that the code has asked for since this was emptied. */
  readonly reached: Set<string>
  planted: string | undefined
  declare(names: readonly string[]): void
  /** Tells whether this one is planted. Throws if the code has asked so often since one was planted that it loops for ever. */
  is(name: string): boolean
}

declare global {
  var mutants: Mutants
}

/** A loop that a mutant never ends asks for it, or for others, more often. */
const mostAsks = 10_000_000
let planted: string | undefined
let asks = 0

// The files of a worker share it.
globalThis.mutants ??= {
  all: new Set(),
  reached: new Set(),
  get planted() {
    return planted
  },
  set planted(name) {
    planted = name
    asks = 0
  },
  declare(names) {
    for (const name of names) this.all.add(name)
  },
  is(name) {
    this.reached.add(name)
    if (planted === undefined) return false
    asks += 1
    if (asks > mostAsks) throw new Error('the mutant loops for ever')
    return name === planted
  },
}
