import { tableNames } from './model.js'
import type { TableName } from './rows.js'

/**
 * One thing for each table. `T` is a mapped type over the names of tables; TypeScript cannot follow that what `make` is
 * given and what it makes belong to the same name, so what it makes is taken at its word. `turn.ts` and `world.ts` cast
 * for the same reason.
 */
export function mapTables<T extends { readonly [Name in TableName]: unknown }>(make: (name: TableName) => unknown): T {
  return Object.fromEntries(tableNames.map(name => [name, make(name)])) as unknown as T
}

/** The same, each made when it is first asked for; they cannot be listed. */
export function lazyTables<T extends { readonly [Name in TableName]: unknown }>(make: (name: TableName) => unknown): T {
  return new LazyTables(make) as unknown as T
}

/** Its getters are of the prototype: to define them for each turn takes longer than to make all tables. */
export class LazyTables {
  #made: { [Name in TableName]?: unknown } | undefined
  readonly #make: (name: TableName) => unknown

  constructor(make: (name: TableName) => unknown) {
    this.#make = make
  }

  static {
    const get = (name: TableName) =>
      function (this: LazyTables) {
        this.#made ??= {}
        this.#made[name] ??= this.#make(name)
        return this.#made[name]
      }
    for (const name of tableNames) Object.defineProperty(LazyTables.prototype, name, { get: get(name) })
  }
}
