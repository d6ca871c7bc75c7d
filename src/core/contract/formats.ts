import * as z from 'zod'
import { nestingLimit, nestsWithin } from '../lib/json.js'
import { TextEncoder } from '../lib/real-globals.js'
import { typeTexts } from '../lib/schemas.js'
import { limits } from './limits.js'

export const uint32Max = limits.lobbies.most

/** An unsigned 32-bit integer: 0 to 4294967295. */
export const Uint32 = z.int().min(0).max(uint32Max).meta({ format: 'uint32' })

/** A signed 32-bit integer. Not `z.int32()`, which tells the limit of safe integers instead of its own. */
export const Int32 = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1)
  .meta({ format: 'int32' })

/** A range of ports, inclusive. */
export const PortRange = z.object({ min: Int32, max: Int32 })

/** A UUID. It is parsed to lower case, as the service shows it. */
export const Uuid = z.guid('expected a UUID, as in 11111111-1111-4111-8111-111111111111').toLowerCase()

/** A date and time of RFC 3339, in UTC. */
export const Timestamp = z
  .string()
  .meta({ format: 'date-time', description: 'A point in time in UTC, as in `2026-11-20T20:00:00.000Z`.' })

const identifier = /^(?=.{1,16}$)[0-9a-z]+(-[0-9a-z]+)*$/

/** JSON Schema of an identifier. */
export const identifierShape = {
  type: 'string',
  pattern: '^[0-9a-z]+(-[0-9a-z]+)*$',
  maxLength: limits.identifierBytes.most,
}

/** Checks a name_id or a port label: 1 to 16 of `0-9 a-z -`, no `-` at an end, no `--` (PROTOCOL.md B5). */
export function isIdentifier(text: string): boolean {
  return identifier.test(text)
}

/** The name_id of a game or a namespace, or the label of a port (PROTOCOL.md B5). */
export const Identifier = z
  .string()
  .refine(isIdentifier, 'expected an identifier: 1 to 16 of 0-9 a-z and -, with single - inside only')

const whiteSpace = /\p{White_Space}/u
const encoder = new TextEncoder()
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ascii = /^[\x00-\x7f]*$/

/** Counts the bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return ascii.test(text) ? text.length : encoder.encode(text).length
}

/**
 * Checks a display name: 1 to 128 bytes of UTF-8, no white space except single inner spaces (PROTOCOL.md B5).
 * White space is Unicode's White_Space, which has U+0085 and lacks U+FEFF, unlike `\s`.
 */
export function isDisplayName(text: string): boolean {
  // UTF-8 cannot encode half of a surrogate pair.
  if (/\p{Surrogate}/u.test(text) || utf8Length(text) > limits.displayNameBytes.most) return false
  return text.split(' ').every(word => word !== '' && !whiteSpace.test(word))
}

/** The display name of a game or a namespace (PROTOCOL.md B5). */
export const DisplayName = z
  .string()
  .refine(isDisplayName, 'expected a display name: 1 to 128 bytes of UTF-8, no white space but single inner spaces')

const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'
const hostName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`)

/** A host name as browsers send it in an Origin. */
export const HostName = z
  .string()
  .regex(hostName, 'expected a host name in lower case, without scheme and port, as in tanks.example')

/** The version of the data in an answer. If a client sends it back as `watch_index`, the call blocks until the next version (PROTOCOL.md B7). */
export const Watch = z.object({ index: z.string() }).meta({
  id: 'Watch',
  description: 'The version of the data in this answer. Send it back as `watch_index` to wait for the next one.',
})

/** JSON Schema of a query parameter that is parsed from the texts `true` and `false`. */
export const booleanInQuery = { type: 'boolean', enum: undefined }

/** JSON Schema of a query parameter that is parsed from the digits of a whole number. */
export const integerInQuery = { type: 'integer', minimum: 0, pattern: undefined }

/** The query parameter `watch_index`. It is a bigint, because a float cannot hold 19 digits. */
export const WatchIndex = z
  .string()
  .regex(/^\d{1,19}$/, 'expected the watch.index of an earlier answer, a decimal integer of 1 to 19 digits')
  .transform(BigInt)
  .register(typeTexts, { type: 'bigint' })
  .meta({ description: 'The `watch.index` of an earlier answer. The call then blocks until the data changes.' })

/** Any JSON value that nests at most 64 levels. */
export const Json = z
  .unknown()
  .refine(value => nestsWithin(value), `expected JSON that nests at most ${nestingLimit} levels`)
  .refine(
    // A value that failed the first check may have cycles.
    value => !nestsWithin(value) || isJson(value),
    'expected JSON: finite numbers, texts, true, false, null, lists and plain objects',
  )

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return ['string', 'boolean', 'object'].includes(typeof value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every(isJson)
}

/** A `z.record` with any keys. It keeps and checks the key `__proto__`, which `z.record` drops. */
export function record<Value extends z.core.$ZodType>(value: Value): z.ZodRecord<z.ZodString, Value> {
  const definition = { type: 'record', keyType: z.string(), valueType: value } as const
  // The class has no type parameters. The definition has the types of keys and values.
  return new ProtoKeepingRecord(definition) as z.ZodRecord<z.ZodString, Value>
}

// `.optional()` and `.describe()` copy a schema by its class, so this must be a zod class.
const ProtoKeepingRecord = z.core.$constructor<z.ZodRecord>('ProtoKeepingRecord', (schema, def) => {
  const init: (instance: typeof schema, definition: typeof def) => void = z.ZodRecord.init
  init(schema, def)
  const parse = schema._zod.parse
  schema._zod.parse = (payload, context) => {
    const input = payload.value
    const parsed = parse(payload, context)
    if (parsed instanceof Promise || parsed.value === input) return parsed
    const own = Object.getOwnPropertyDescriptor(input, '__proto__')
    if (!own) return parsed
    const inner = def.valueType._zod.run({ value: own.value, issues: [] }, context)
    if (inner instanceof Promise) throw new z.core.$ZodAsyncError()
    parsed.issues.push(...z.core.util.prefixIssues('__proto__', inner.issues))
    const others = parsed.value as Record<string, unknown> // a record is parsed to an object
    const innerOf = (key: string) => (key === '__proto__' ? inner.value : others[key])
    // In the order of the input.
    parsed.value = Object.fromEntries(Object.keys(input as object).map(key => [key, innerOf(key)]))
    return parsed
  }
})
