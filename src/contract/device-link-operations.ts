import * as z from 'zod'
import { DeviceLink, PreparedDeviceLink } from './device-link.js'
import type { OperationSpec } from './operation.js'
import { WatchIndex } from './watch.js'

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
