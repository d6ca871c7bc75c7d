import * as z from 'zod'

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
