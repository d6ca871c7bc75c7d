import type * as z from 'zod'
import type { OperationId, Operations } from './operations.js'

type BodyOf<Id extends OperationId> = Operations[Id] extends { body: infer Body extends z.ZodType }
  ? z.input<Body>
  : Operations[Id] extends { jsonBody: z.ZodType }
    ? unknown
    : never

type WithBody = { [Id in OperationId]: [BodyOf<Id>] extends [never] ? never : Id }[OperationId]

const matchmakerConfig = { lobby_count_max: 128, max_players: 8 }
const lobby_id = '44444444-4444-4444-8444-444444444444'
const game_id = '11111111-1111-4111-8111-111111111111'
const player_token = 'player.mock.ykiz8tm5eqlgrhr6dd2a7r9x'
const device_link_token = 'device.mock.f1x7e9c0tq3m8v2b5n6h4k1z'

/** An example for each operation with a body. A missing one does not compile. */
const bodies: { readonly [Id in WithBody]: BodyOf<Id> } = {
  'lobbies.find': { game_modes: ['duel'], regions: ['lnd-fra', 'lnd-atl'] },
  'lobbies.join': { lobby_id },
  'lobbies.create': { game_mode: 'duel', region: 'lnd-fra', publicity: 'public', max_players: 4 },
  'lobbies.setClosed': { is_closed: true },
  'lobbies.setState': { map: 'dust', round: 3 },
  'players.connected': { player_token },
  'players.disconnected': { player_token },
  'games.namespaces.validateGameNamespace': { display_name: 'Staging', name_id: 'staging' },
  'games.namespaces.createGameNamespace': {
    display_name: 'Staging',
    name_id: 'staging',
    version_id: '55555555-5555-4555-8555-555555555555',
  },
  'games.namespaces.updateGameNamespaceVersion': { version_id: '55555555-5555-4555-8555-555555555555' },
  'games.namespaces.updateGameNamespaceMatchmakerConfig': matchmakerConfig,
  'games.namespaces.validateGameNamespaceMatchmakerConfig': matchmakerConfig,
  'games.namespaces.validateGameNamespaceTokenDevelopment': {
    hostname: '127.0.0.1',
    lobby_ports: [{ label: 'default', target_port: 7777, proxy_protocol: 'http' }],
  },
  'games.namespaces.createGameNamespaceTokenDevelopment': {
    hostname: '127.0.0.1',
    ports: { default: { port: 7777, protocol: 'http' } },
  },
  'games.namespaces.toggleNamespaceDomainPublicAuth': { enabled: true },
  'games.namespaces.addNamespaceDomain': { domain: 'tanks.example' },
  'devices.links.complete': { device_link_token, game_id },
}

/** An example for each parameter. A name means the same in every operation. */
const parameters: Readonly<Record<string, string>> = {
  game_id,
  namespace_id: '22222222-2222-4222-8222-222222222222',
  lobby_id,
  domain: 'tanks.example',
  include_state: 'true',
  watch_index: '1763668800000',
  device_link_token,
  'x-coords': '52.52,13.40',
}

/** Returns an example body, or `undefined` if the operation has no body. */
export function bodyExample(id: OperationId): unknown {
  return (bodies as { readonly [id in OperationId]?: unknown })[id]
}

export function parameterExample(name: string): string {
  const example = parameters[name]
  if (example === undefined) throw new Error(`parameter ${name} has no example: add one in openapi-examples.ts`)
  return example
}
