/** A record with the revision that last touched it, and its place in the order of creation. */
export interface Entry<Row> {
  readonly row: Row
  readonly revision: number
  readonly place: number
}

/** What has become of a map since it was shared. */
export interface Since<Row> {
  readonly of: ReadonlyMap<string, Entry<Row>>
  /** Of the records that are not what they were, and perhaps of some that are again. */
  readonly ids: Set<string>
  order: 'the same' | 'another'
}
