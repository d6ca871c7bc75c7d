import { Collection } from '@mswjs/data'
import type * as z from 'zod'
import { issueTexts, listKnownKeys } from '../lib/issues.js'
import { UsageError } from '../lib/usage-error.js'
import { frozenCopy } from './json-copy.js'

/**
 * One write through the data library: it checks the row and makes it, in a Collection of its own, because a Collection
 * walks all its records on each write. The library logs what does not fit, and throws without saying what: the schema
 * that it is handed throws first. `where` begins the message.
 */
interface LibraryWrite<Row> {
  readonly schema: z.ZodType<Row>
  readonly where: string
  /** For `many` rows the schema is compiled first, which takes as long as to check some hundreds. Default: `many`. */
  readonly rows?: 'few' | 'many'
}

/** A row as it is to be, checked and frozen. Throws `UsageError`. */
export async function makeRow<Row extends object>(input: unknown, write: LibraryWrite<Row>): Promise<Row> {
  // The library copies what it is given before it checks it: what holds itself has no end.
  check(input, write)
  return frozenCopy(await collection(write).create(input))
}

/** A row for the beginning of a world, checked and frozen at once. Throws `UsageError`. */
export function parseRow<Row extends object>(input: unknown, write: LibraryWrite<Row>): Row {
  return frozenCopy(check(input, write))
}

function check<Row>(input: unknown, { schema, where, rows = 'many' }: LibraryWrite<Row>): Row {
  const parsed = schema.safeParse(input, { jitless: rows === 'few', error: listKnownKeys })
  if (parsed.success) return parsed.data
  throw new UsageError(`${where}: ${parsed.error.issues.flatMap(issue => issueTexts(issue, input)).join('; ')}`)
}

function collection<Row>(write: LibraryWrite<Row>) {
  const validate = (input: unknown) => ({ value: check(input, write) })
  const schema = { '~standard': { version: 1, vendor: 'mockmaker', validate } }
  // A Standard Schema is all that a Collection uses of a schema; calling it the zod schema keeps the library's types.
  return new Collection({ schema: schema as unknown as z.ZodType<Row> })
}
