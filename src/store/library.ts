import { Collection } from '@mswjs/data'
import type * as z from 'zod'
import { issueText } from '../contract/issue.js'
import { UsageError } from '../contract/usage-error.js'
import { frozenCopy } from './frozen-copy.js'
import { sameJson } from './same-json.js'

/**
 * One write through the data library: it checks the row and makes it, in a Collection of its own, because a Collection
 * walks all its records on each write. The library logs what does not fit, and throws without saying what: the schema
 * that it is handed throws first. `where` begins the message.
 */
interface LibraryWrite<Row> {
  readonly schema: z.ZodType<Row>
  readonly where: string
}

/** A new row, checked and frozen. Throws `UsageError`. */
export async function createRow<Row extends object>(input: unknown, write: LibraryWrite<Row>): Promise<Row> {
  // The library copies what it is given before it checks it: what holds itself has no end.
  check(input, write)
  return frozenCopy(await collection(write).create(input))
}

/**
 * A row changed by a draft function, checked and frozen; the old one stays as it is. Throws `UsageError`.
 * The function gets a copy and its result is assigned to the library's own draft, which loses a `__proto__` key from what is changed inside it.
 */
export async function updateRow<Row extends object>(
  row: Row,
  draft: (row: Row) => void | Promise<void>,
  write: LibraryWrite<Row>,
): Promise<Row> {
  const next = structuredClone(row)
  await draft(next)
  check(next, write)
  const rows = collection(write)
  await rows.create(row)
  const data = (target: object) => {
    for (const key of Object.keys(target)) if (!Object.hasOwn(next, key)) Reflect.deleteProperty(target, key)
    // The library makes an event of each key that is assigned.
    for (const [key, value] of Object.entries(next))
      if (!sameJson(row[key as keyof Row], value)) Reflect.set(target, key, value)
  }
  return frozenCopy(await rows.update(query => query.where(() => true), { data, strict: true }))
}

/** A row for the beginning of a world, checked and frozen at once. Throws `UsageError`. */
export function parseRow<Row extends object>(input: unknown, write: LibraryWrite<Row>): Row {
  return frozenCopy(check(input, write))
}

function check<Row>(input: unknown, { schema, where }: LibraryWrite<Row>): Row {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw new UsageError(`${where}: ${parsed.error.issues.map(issue => issueText(issue, input)).join('; ')}`)
}

function collection<Row>(write: LibraryWrite<Row>) {
  const validate = (input: unknown) => ({ value: check(input, write) })
  const schema = { '~standard': { version: 1, vendor: 'mockmaker', validate } }
  // A Standard Schema is all that a Collection uses of a schema; calling it the zod schema keeps the library's types.
  return new Collection({ schema: schema as unknown as z.ZodType<Row> })
}
