import * as z from 'zod'
import { keepDigits, sameJson } from '../lib/json.js'
import * as inputs from '../store/inputs.js'
import type { Rows, TableName } from '../store/rows.js'
import type { ReadTables } from '../store/table-calls.js'

type Shape = Readonly<Record<string, z.ZodType>>

/** Returns optional keys of a scenario entry for the columns of a row. `defaults`: values of the row, which editors show. */
export function entryKeys<Columns extends Shape, Omitted extends keyof Columns = never>(
  columns: Columns,
  { omit = [], defaults = {} }: { omit?: readonly Omitted[]; defaults?: { [Name in keyof Columns]?: unknown } },
) {
  const keys = Object.entries(columns).flatMap(([name, column]) => {
    if (omit.includes(name as Omitted)) return []
    const key = column instanceof z.ZodOptional ? column : column.optional()
    const value = defaults[name]
    if (value === undefined) return [[name, key]]
    // Compiling the schema takes longer than encoding one value.
    return [[name, key.meta({ ...key.meta(), default: z.encode(column, value, { jitless: true }) })]]
  })
  return Object.fromEntries(keys) as { [Name in Exclude<keyof Columns, Omitted>]: z.ZodOptional<Columns[Name]> }
}

/** Copies the defined keys of an entry. The copy can be spread over defaults. */
export function givenKeys<Entry extends object>(
  entry: Entry,
): { [Key in keyof Entry]: Exclude<Entry[Key], undefined> } {
  const given = Object.entries(entry).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [Key in keyof Entry]: Exclude<Entry[Key], undefined> } // its other keys
}

/** Returns the entry of a row: the keys of its schema, without values that are defaults. */
export function entryOf<Name extends TableName, Schema extends z.ZodObject>(
  name: Name,
  row: Rows[Name],
  { schema, tables, defaults = {} }: { schema: Schema; tables: ReadTables; defaults?: object },
): z.output<Schema> {
  const columns: Readonly<Record<string, unknown>> = { ...row }
  const omitted: Readonly<Record<string, unknown>> = { ...defaults }
  const keys: (typeof inputs.entryKeys)[TableName] = inputs.entryKeys[name]
  const entry: Record<string, unknown> = {}
  for (const key in schema.shape) {
    const value = keys?.[key]?.of ? keys[key].of(row, tables) : columns[key]
    if (value !== undefined && !sameJson(value, omitted[key])) entry[key] = value
  }
  return keepDigits(entry, row) as z.output<Schema> // `z.encode` checks it
}
