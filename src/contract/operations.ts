import * as z from 'zod'
import { CoordinatesHeader } from './coordinates.js'
import { DeviceLink, PreparedDeviceLink } from './device-link.js'
import { GameMode } from './game-mode.js'
import { Lobby } from './lobby.js'
import type { OperationSpec } from './operation.js'
import { Port } from './port.js'
import { Region } from './region.js'
import { Uint32 } from './uint32.js'
import { Validation } from './validation.js'
import { WatchIndex } from './watch.js'

const inGame = z.object({ game_id: z.string().meta({ description: 'The id of a game.' }) })
const inNamespace = inGame.extend({
  namespace_id: z.string().meta({ description: 'The id of a namespace of the game.' }),
})

/** The table of operations: what the service promises. Routes, types, behaviours, OpenAPI and docs come from it. */
export const operations = {
  'lobbies.list': {
    method: 'GET',
    path: '/matchmaker/lobbies/list',
    summary: 'Lists the open lobbies of a namespace, with its game modes and regions.',
    auth: 'namespace',
    kind: 'read',
    query: z.object({
      include_state: z
        .enum(['true', 'false'])
        .default('false')
        .transform(text => text === 'true')
        .meta({ description: 'Whether each lobby carries its state.' }),
    }),
    headers: z.object({ 'x-coords': CoordinatesHeader.optional() }),
    output: z.object({ game_modes: z.array(GameMode), lobbies: z.array(Lobby), regions: z.array(Region) }),
    errors: ['CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_QUERY', 'API_BAD_HEADERS'],
    source: 'interface',
    fidelity: [
      'Every open lobby is listed, also an empty one: the real service hides an empty lobby unless it is the only one of its mode. `hide_empty_lobbies: true` in the scenario does the same.',
      'Where no token and no known Origin is sent (curl, a native client), the default namespace of the scenario answers if it is tokenless: the real service refuses.',
      'An Origin is matched by its host name alone, with any scheme and port: games under development run on http and odd ports.',
      'The distance is the WGS84 geodesic from `x-coords`, else from the `client` of the scenario, else 0: nothing looks up where an address is.',
    ],
  },
  'games.namespaces.validateGameNamespace': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/validate',
    summary: 'Says what is wrong with the names of a namespace to be. Creates nothing.',
    auth: 'bearer',
    kind: 'read',
    params: inGame,
    body: z.object({ display_name: z.string(), name_id: z.string() }),
    output: Validation,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
    source: 'interface',
    fidelity: ['An unknown game is no error: its names are taken as free.'],
  },
  'games.namespaces.validateGameNamespaceTokenDevelopment': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/tokens/development/validate',
    summary: 'Says what is wrong with the ports of a development token to be. Creates nothing.',
    auth: 'bearer',
    kind: 'read',
    params: inNamespace,
    body: z.object({ hostname: z.string(), lobby_ports: z.array(Port) }),
    output: Validation,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
    source: 'interface',
    fidelity: ['The hostname is not checked.'],
  },
  'games.namespaces.updateGameNamespaceMatchmakerConfig': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/mm-config',
    summary: 'Sets how many lobbies a namespace may have, and how many players may come from one client address.',
    auth: 'bearer',
    kind: 'write',
    params: inNamespace,
    body: z.object({ lobby_count_max: Uint32, max_players: Uint32 }),
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
    source: 'interface',
    fidelity: [
      'The two numbers are kept and shown, and limit nothing: no operation here makes a lobby or a player.',
      'An unknown namespace, or one of another game, is 404 `NAMESPACE_NOT_FOUND`: the real service answers 500 without a reason.',
    ],
  },
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

type Operations = typeof operations
export type OperationId = keyof Operations

/** The names of all operations, in the table's order. */
export const operationIds = Object.keys(operations) as OperationId[] // the type of the table has these keys and no other

type Part<Spec, Name extends string> = Spec extends { [name in Name]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : unknown

/** What an operation gets, parsed: the fields of its params, query, headers and body together. */
export type OperationInput<Id extends OperationId> = Part<Operations[Id], 'params'> &
  Part<Operations[Id], 'query'> &
  Part<Operations[Id], 'headers'> &
  Part<Operations[Id], 'body'>

/** What an operation answers; `undefined` for an empty body. */
export type OperationOutput<Id extends OperationId> = Operations[Id] extends {
  output: infer Schema extends z.ZodType
}
  ? z.output<Schema>
  : undefined
