import * as z from 'zod'

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
