import * as z from 'zod'

/** A token as the scenario names it. Clients treat it as opaque (PROTOCOL.md B1). */
export const Token = z
  .string()
  .regex(/^[!-~]+$/, 'expected a token: visible ASCII without white space')
  .describe('Default: from the seed.')
