import * as z from 'zod'
import type { OperationSpec } from './operation.js'

/** Whom a cloud token speaks for. */
const Agent = z
  .object({
    identity: z.object({ identity_id: z.string() }).optional(),
    game_cloud: z.object({ game_id: z.string() }).optional(),
  })
  .meta({ id: 'Agent', description: 'Whom a cloud token speaks for: a game.' })

/** What a client of the cloud must know before its first call. */
const Bootstrap = z
  .object({
    access: z.enum(['public', 'private']),
    captcha: z.object({}),
    cluster: z.enum(['enterprise', 'oss']),
    domains: z.object({ cdn: z.string(), job: z.string(), main: z.string() }),
    login_methods: z.object({ access_token: z.boolean(), email: z.boolean() }),
    origins: z.object({ hub: z.string().meta({ description: 'Where device links are completed.' }) }),
  })
  .meta({ id: 'Bootstrap', description: 'What a client of the cloud must know before its first call.' })

/** What the cloud tells about itself and about who asks. */
export const authOperations = {
  'cloud.bootstrap': {
    method: 'GET',
    path: '/cloud/bootstrap',
    summary: 'Returns what a client of the cloud needs before its first call.',
    auth: 'none',
    kind: 'read',
    output: Bootstrap,
    errors: [],
    source: 'client',
    fidelity: [
      '`origins.hub` is the `publicUrl` of the mock, which the command sets to its own URL. Each of `domains` is the `cdn_domain` of the scenario.',
      'The only login method is a token, and the mock asks for no captcha.',
    ],
  },
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
