import * as z from 'zod'
import type { OperationSpec } from './operation.js'

/** Whom a cloud token speaks for. */
const Agent = z
  .object({
    identity: z.object({ identity_id: z.string() }).optional(),
    game_cloud: z.object({ game_id: z.string() }).optional(),
  })
  .meta({ id: 'Agent', description: 'Whom a cloud token speaks for: a game.' })

/** What the cloud tells about who asks. */
export const authOperations = {
  'auth.inspect': {
    method: 'GET',
    path: '/cloud/auth/inspect',
    summary: 'Tells which game a cloud token is of.',
    auth: 'cloud',
    kind: 'read',
    output: z.object({ agent: Agent }),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT'],
    source: 'client',
    fidelity: ['Nobody signs in: `identity` is always absent.'],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
