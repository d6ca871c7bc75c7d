import * as z from 'zod'

/** The highest unsigned 32-bit integer. */
export const uint32Max = 4_294_967_295

/** An unsigned 32-bit integer: 0 to 4294967295. */
export const Uint32 = z.int().min(0).max(uint32Max).meta({ format: 'uint32' })

/** A UUID, in lower case whatever it came in, as the service shows them. */
export const Uuid = z.guid('expected a UUID, as in 11111111-1111-4111-8111-111111111111').toLowerCase()

/** A point in time on the wire, as RFC 3339 has it, in UTC. */
export const Timestamp = z
  .string()
  .meta({ format: 'date-time', description: 'A point in time in UTC, as in `2026-11-20T20:00:00.000Z`.' })

/** The most bytes of UTF-8 that an identifier has (PROTOCOL.md B5). */
export const identifierMaxBytes = 16

const identifier = /^(?=.{1,16}$)[0-9a-z]+(-[0-9a-z]+)*$/

/** An identifier in a JSON schema. */
export const identifierShape = { type: 'string', pattern: '^[0-9a-z]+(-[0-9a-z]+)*$', maxLength: identifierMaxBytes }

/** Whether a name id or a port label is an identifier: 1 to 16 of `0-9 a-z -`, no `-` at an end, no `--` (PROTOCOL.md B5). */
export function isIdentifier(text: string): boolean {
  return identifier.test(text)
}

/** What a game, a namespace or a port is called in paths and host names (PROTOCOL.md B5). */
export const Identifier = z
  .string()
  .refine(isIdentifier, 'expected an identifier: 1 to 16 of 0-9 a-z and -, with single - inside only')

/** The most bytes of UTF-8 that a display name may have (PROTOCOL.md B5). */
export const displayNameMaxBytes = 128

const whiteSpace = /\p{White_Space}/u
const encoder = new TextEncoder()
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ascii = /^[\x00-\x7f]*$/

/** The length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return ascii.test(text) ? text.length : encoder.encode(text).length
}

/**
 * Whether a text is a display name: 1 to 128 bytes of UTF-8, no white space but single inner spaces (PROTOCOL.md B5).
 * White space is Unicode's White_Space, which has U+0085 and lacks U+FEFF, unlike `\s`.
 */
export function isDisplayName(text: string): boolean {
  const words = text.split(' ')
  // Half of a pair is no UTF-8.
  return (
    !/\p{Surrogate}/u.test(text) &&
    utf8Length(text) <= displayNameMaxBytes &&
    words.every(word => word !== '' && !whiteSpace.test(word))
  )
}

/** What a game or a namespace is called on a page (PROTOCOL.md B5). */
export const DisplayName = z
  .string()
  .refine(isDisplayName, 'expected a display name: 1 to 128 bytes of UTF-8, no white space but single inner spaces')

const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'
const hostName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`)

/** A host name as browsers send it in an Origin. */
export const HostName = z
  .string()
  .regex(hostName, 'expected a host name in lower case, without scheme and port, as in tanks.example')

const index = /^\d{1,19}$/

/** `watch.index` is the version of the data answered; sent back as `watch_index` it blocks until the next one (PROTOCOL.md B7). */
export const Watch = z.object({ index: z.string() }).meta({
  id: 'Watch',
  description: 'The version of the data answered. Sent back as `watch_index`, it blocks until the next one.',
})

/** The query parameter: a decimal integer of 1 to 19 digits, compared as a bigint, never as a float. */
export const WatchIndex = z
  .string()
  .regex(index, 'expected the watch.index of an earlier answer, a decimal integer of 1 to 19 digits')
  .transform(BigInt)
  .meta({ description: 'The `watch.index` of an earlier answer: the call then blocks until there is another one.' })
