import * as z from 'zod'
import { tokenPattern } from '../store/id.js'

/** A token as the scenario names it. Clients treat it as opaque (PROTOCOL.md B1). */
export const Token = z
  .string()
  .regex(tokenPattern, 'expected a token: visible ASCII without white space')
  .describe('Default: from the seed.')
