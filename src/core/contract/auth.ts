import * as z from 'zod'
import { component } from '../lib/schemas.js'
import { Watch, WatchIndex } from './formats.js'
import { operation } from './operation.js'

export const Agent = component('Agent', 'The owner of a cloud token: a game.', () => ({
  identity: z.object({ identity_id: z.string() }).optional(),
  game_cloud: z.object({ game_id: z.string() }).optional(),
}))

export const Bootstrap = component(
  'Bootstrap',
  'The settings that a cloud client needs before its first call.',
  () => ({
    access: z.enum(['public', 'private']),
    captcha: z.object({}),
    cluster: z.enum(['enterprise', 'oss']),
    domains: z.object({ cdn: z.string(), job: z.string(), main: z.string() }),
    login_methods: z.object({ access_token: z.boolean(), email: z.boolean() }),
    origins: z.object({ hub: z.string().meta({ description: 'The URL at which device links are completed.' }) }),
  }),
)

export const PreparedDeviceLink = component(
  'PreparedDeviceLink',
  'A new device link: the token that the device watches, and the URL at which a person completes it.',
  () => ({
    device_link_id: z.string(),
    device_link_token: z.string(),
    device_link_url: z.string(),
  }),
)

export const DeviceLink = component(
  'DeviceLink',
  'The status of a device link. `cloud_token` is absent until a person completes the link.',
  () => ({
    cloud_token: z.string().optional(),
    watch: Watch,
  }),
)

/** The calls by which a device gets a cloud token, after a person has agreed to it, and the calls of cloud clients. */
export const authOperations = {
  'devices.links.get': operation(
    'GET /cloud/devices/links',
    {
      summary: 'Returns the status of a device link. Blocks while `watch_index` is the current index.',
      auth: 'none',
      kind: 'watch',
      errors: ['API_BAD_QUERY', 'TOKEN_EXPIRED', 'CLAIMS_MISSING_ENTITLEMENT'],
      source: 'interface',
      fidelity: ['A link in the scenario expires only if the scenario says `expires_after`.'],
    },
    () => ({
      query: z.object({
        device_link_token: z.string().meta({ description: 'The token from `devices.links.prepare`.' }),
        watch_index: WatchIndex.optional(),
      }),
      output: DeviceLink(),
    }),
  ),
  'devices.links.prepare': operation(
    'POST /cloud/devices/links',
    {
      summary: 'Creates a device link: a token to watch, and the URL at which a person completes it.',
      auth: 'none',
      kind: 'write',
      errors: [],
      source: 'client',
      fidelity: ['`device_link_url` of the command is a page of the mock.'],
    },
    () => ({ output: PreparedDeviceLink() }),
  ),
  'devices.links.complete': operation(
    'POST /cloud/devices/links/complete',
    {
      summary: 'Completes a device link. The device gets a cloud token of the game.',
      auth: 'cloud',
      kind: 'write',
      errors: [
        'API_UNAUTHORIZED',
        'API_BAD_BODY',
        'TOKEN_EXPIRED',
        'CLAIMS_MISSING_ENTITLEMENT',
        'CLOUD_DEVICE_LINK_ALREADY_COMPLETE',
      ],
      source: 'client',
      fidelity: ['A cloud token completes a link. The real service needs the token of a person.'],
    },
    () => ({ body: z.object({ device_link_token: z.string(), game_id: z.string() }), output: z.object({}) }),
  ),
  'cloud.bootstrap': operation(
    'GET /cloud/bootstrap',
    {
      summary: 'Returns the settings of a cloud client.',
      auth: 'none',
      kind: 'read',
      errors: [],
      source: 'client',
      fidelity: [
        '`origins.hub` is the `publicUrl` of the mock, and all `domains` are the `cdn_domain` of the scenario.',
        'The only login method is a token, without a captcha.',
      ],
    },
    () => ({ output: Bootstrap() }),
  ),
  'auth.inspect': operation(
    'GET /cloud/auth/inspect',
    {
      summary: 'Returns the game of a cloud token.',
      auth: 'cloud',
      kind: 'read',
      errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT'],
      source: 'client',
      fidelity: ['No one signs in, so `identity` is always absent.'],
    },
    () => ({ output: z.object({ agent: Agent() }) }),
  ),
}
