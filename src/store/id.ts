import * as z from 'zod'
import { lobbyTokenStart } from './lobby-token.js'

/** Ids stand in paths and in tokens, and are joined by `/` and by spaces. */
export const Id = z
  .string()
  .regex(/^[^/\s]{1,128}$/, 'expected 1 to 128 characters without white space or /')
  .refine(id => id !== '.' && id !== '..', 'expected an id that can stand in a path: . and .. are steps in one')
  .refine(id => !/\p{Surrogate}/u.test(id), 'expected whole characters: half of a surrogate pair stands for nothing')

/** Any token that is not a lobby's: tokens are opaque, and a real one is longer than any id (PROTOCOL.md B1). */
export const Token = z
  .string()
  .regex(/^[!-~]+$/, 'expected a token: visible ASCII without white space')
  .refine(
    token => !token.startsWith(lobbyTokenStart),
    `expected a token that does not begin as those of lobbies do, with ${lobbyTokenStart}`,
  )
