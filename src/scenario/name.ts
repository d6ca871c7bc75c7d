import * as z from 'zod'
import { isDisplayName } from '../contract/display-name.js'
import { isIdentifier } from '../contract/identifier.js'

/** What a game, a namespace or a port is called in paths and host names (PROTOCOL.md B5). */
export const NameId = z
  .string()
  .refine(isIdentifier, 'expected an identifier: 1 to 16 of 0-9 a-z and -, with single - inside only')

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

/** What a game and its namespace are called where a scenario does not say. */
export const defaultNames = {
  game: { name_id: 'game', display_name: 'Game' },
  namespace: { name_id: 'prod', display_name: 'Production' },
} as const

/** Names as an entry of a scenario gives them: one that has only a `name_id` is displayed by it. */
export function namesOf(given: GivenNames, defaults: Names): Names {
  const { name_id = defaults.name_id, display_name = given.name_id ?? defaults.display_name } = given
  return { name_id, display_name }
}

/** What paths and host names call something, and what people do. */
export interface Names {
  readonly name_id: string
  readonly display_name: string
}

type GivenNames = { readonly [Key in keyof Names]?: Names[Key] | undefined }
