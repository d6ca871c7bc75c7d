/** What a read depended on: a record, an index key, a whole table, or that a time has passed. */
export type Tag = string

/** Touched by each change to a table. */
export const tableTag = (table: string): Tag => table
/** Touched by each change to one record, its making and its end included. */
export const recordTag = (table: string, id: string): Tag => `${table}#${id}`
/** Touched when the world is reset and its clock goes back: a time that had passed may be to come again. */
export const clockTag: Tag = '@clock'
/** Touched by each change to a record that has, or had, that value in the column. */
export const indexTag = (table: string, column: string, value: string): Tag => `${table}.${column}=${value}`
/** Touched by each change to a sum, and perhaps by one that leaves it as it was. */
export const sumTag = (table: string, sum: string, group: string): Tag => `${table}+${sum}=${group}`
/** Touched by each change to what a view shows. */
export const viewTag = (table: string, view: string, group: string): Tag => `${table}~${view}=${group}`
