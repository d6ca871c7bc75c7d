import type { Tag } from './tag.js'

/** What a turn does to one record. `again`: it was deleted first, and so it moves to the end. */
export type Change<Row> = { readonly put: Row; readonly again: boolean } | 'delete'

/** When changes land, and where the tags that they touch are gathered. */
export interface Landing {
  readonly revision: number
  /** Absent where nobody listens: tags are texts that take longer to make than a record to keep. */
  readonly touched: Set<Tag> | undefined
}

/** What has really changed: a change to what was there already is none. */
export interface Landed<Row> {
  readonly puts: { readonly table: string; readonly id: string; readonly row: Row }[]
  readonly deletes: string[]
}
