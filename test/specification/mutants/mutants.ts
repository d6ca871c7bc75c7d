/** The mutants of the loaded modules, whose code has been changed to call `declare` and `is`. Each has its place and what it is. */
interface Mutants {
  readonly all: Set<string>
  /** Those that the code has asked for since this was emptied. */
  readonly reached: Set<string>
  planted: string | undefined
  declare(names: readonly string[]): void
  /** Tells whether this one is planted. Throws if it is asked so often that it loops for ever. */
  is(name: string): boolean
}

declare global {
  var mutants: Mutants
}

const mostInARow = 1_000_000
let inARow = 0

// The files of a worker share it.
globalThis.mutants ??= {
  all: new Set(),
  reached: new Set(),
  planted: undefined,
  declare(names) {
    for (const name of names) this.all.add(name)
  },
  is(name) {
    this.reached.add(name)
    inARow = name === this.planted ? inARow + 1 : 0
    if (inARow > mostInARow) throw new Error('the mutant loops for ever')
    return name === this.planted
  },
}
