import * as z from 'zod'
import { Watch, WatchIndex } from './formats.js'
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

/** A new device link: the token the device watches, and the URL on which a person completes it. */
export const PreparedDeviceLink = z
  .object({ device_link_id: z.string(), device_link_token: z.string(), device_link_url: z.string() })
  .meta({
    id: 'PreparedDeviceLink',
    description: 'A new device link: the token the device watches, and the URL on which a person completes it.',
  })

/** Where a device link stands. `cloud_token` is absent until a person has completed the link. */
export const DeviceLink = z.object({ cloud_token: z.string().optional(), watch: Watch }).meta({
  id: 'DeviceLink',
  description: 'Where a device link stands. `cloud_token` is absent until a person has completed the link.',
})

/** How a device gets a cloud token that a person has agreed to. */
export const deviceLinkOperations = {
  'devices.links.get': {
    method: 'GET',
    path: '/cloud/devices/links',
    summary: 'Tells whether a device link has been completed. Blocks while `watch_index` is the current index.',
    auth: 'none',
    kind: 'watch',
    query: z.object({
      device_link_token: z.string().meta({ description: 'The token that `devices.links.prepare` answered.' }),
      watch_index: WatchIndex.optional(),
    }),
    output: DeviceLink,
    errors: ['API_BAD_QUERY', 'TOKEN_EXPIRED', 'CLAIMS_MISSING_ENTITLEMENT'],
    source: 'interface',
    fidelity: ['A link that the scenario lists never expires, unless the scenario says `expires_after`.'],
  },
  'devices.links.prepare': {
    method: 'POST',
    path: '/cloud/devices/links',
    summary: 'Begins a device link: a token for the device to watch, and the URL on which a person completes it.',
    auth: 'none',
    kind: 'write',
    output: PreparedDeviceLink,
    errors: [],
    source: 'client',
    fidelity: [
      'The command points `device_link_url` at a page of its own, where one press of a button completes the link.',
    ],
  },
  'devices.links.complete': {
    method: 'POST',
    path: '/cloud/devices/links/complete',
    summary: 'Completes a device link for a game: the device gets a cloud token of that game.',
    auth: 'cloud',
    kind: 'write',
    body: z.object({ device_link_token: z.string(), game_id: z.string() }),
    output: z.object({}),
    errors: [
      'API_UNAUTHORIZED',
      'API_BAD_BODY',
      'TOKEN_EXPIRED',
      'CLAIMS_MISSING_ENTITLEMENT',
      'CLOUD_DEVICE_LINK_ALREADY_COMPLETE',
    ],
    source: 'client',
    fidelity: [],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
