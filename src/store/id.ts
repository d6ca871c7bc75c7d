import * as z from 'zod'

/** Ids stand in paths and in tokens, and are joined by `/` and by spaces. */
export const Id = z
  .string()
  .regex(/^[^/\s]{1,128}$/, 'expected 1 to 128 characters without white space or /')
  .refine(id => !/\p{Surrogate}/u.test(id), 'expected whole characters: half of a surrogate pair stands for nothing')

/** What a token is written with: tokens are opaque, and a real one is longer than any id (PROTOCOL.md B1). */
export const tokenPattern = /^[!-~]+$/
export const Token = z.string().regex(tokenPattern, 'expected visible ASCII without white space')
