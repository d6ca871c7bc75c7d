import { type OperationId, operations } from '../../src/core/contract/index.js'
import type { LiveWorld } from '../../src/core/store/world.js'
import type { TestRequest } from './http.js'
import { ids, tokens } from './tanks.js'

const namespace = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}`
const port = { label: 'default', target_port: 7777, proxy_protocol: 'http' }

/** The request of a call. */
interface SuccessfulCall {
  readonly path: string
  readonly query?: string
  readonly body?: object
}

/** The token of a player with a seat in `arena`. The world of tanks does not have it. */
export const reservedPlayer = 'player.mock.reserved'

/** Calls of each operation that succeed in a world of tanks with a reserved seat. `tokenOf` names their tokens. */
export const successes: { readonly [id in OperationId]: SuccessfulCall } = {
  'lobbies.list': { path: '/matchmaker/lobbies/list', query: 'include_state=true' },
  'lobbies.find': { path: '/matchmaker/lobbies/find', body: { game_modes: ['ffa'], tags: { map: 'dust' } } },
  'lobbies.join': { path: '/matchmaker/lobbies/join', body: { lobby_id: ids.lobby } },
  'lobbies.create': { path: '/matchmaker/lobbies/create', body: { game_mode: 'duel', lobby_config: [1] } },
  'lobbies.ready': { path: '/matchmaker/lobbies/ready' },
  'lobbies.setClosed': { path: '/matchmaker/lobbies/closed', body: { is_closed: true } },
  'lobbies.setState': { path: '/matchmaker/lobbies/state', body: { map: 'dust' } },
  'lobbies.getState': { path: '/matchmaker/lobbies/arena/state' },
  'players.connected': { path: '/matchmaker/players/connected', body: { player_token: reservedPlayer } },
  'players.disconnected': { path: '/matchmaker/players/disconnected', body: { player_token: tokens.connected } },
  'players.getStatistics': { path: '/matchmaker/players/statistics' },
  'regions.list': { path: '/matchmaker/regions' },
  'games.namespaces.validateGameNamespace': {
    path: `/cloud/games/${ids.tanks}/namespaces/validate`,
    body: { display_name: '', name_id: 'a b' },
  },
  'games.getGameById': { path: `/cloud/games/${ids.tanks}` },
  'games.namespaces.createGameNamespace': {
    path: `/cloud/games/${ids.tanks}/namespaces`,
    body: { display_name: 'Beta', name_id: 'beta', version_id: ids.prod },
  },
  'games.namespaces.getGameNamespaceById': { path: namespace },
  'games.namespaces.validateGameNamespaceMatchmakerConfig': {
    path: `${namespace}/mm-config/validate`,
    body: { lobby_count_max: 0, max_players: 4_294_967_295 },
  },
  'games.namespaces.createGameNamespaceTokenDevelopment': {
    path: `${namespace}/tokens/development`,
    body: { hostname: 'x', ports: { default: { port: 7777, protocol: 'http' } } },
  },
  'games.namespaces.createGameNamespaceTokenPublic': { path: `${namespace}/tokens/public` },
  'games.namespaces.toggleNamespaceDomainPublicAuth': {
    path: `${namespace}/domain-public-auth`,
    body: { enabled: false },
  },
  'games.namespaces.addNamespaceDomain': { path: `${namespace}/domains`, body: { domain: 'beta.example' } },
  'games.namespaces.removeNamespaceDomain': { path: `${namespace}/domains/tanks.example` },
  'games.namespaces.validateGameNamespaceTokenDevelopment': {
    path: `${namespace}/tokens/development/validate`,
    body: { hostname: 'x', lobby_ports: [port, port] },
  },
  'games.namespaces.updateGameNamespaceMatchmakerConfig': {
    path: `${namespace}/mm-config`,
    body: { lobby_count_max: 0, max_players: 4_294_967_295 },
  },
  'devices.links.get': { path: '/cloud/devices/links', query: 'device_link_token=device.mock.pending' },
  'devices.links.prepare': { path: '/cloud/devices/links' },
  'devices.links.complete': {
    path: '/cloud/devices/links/complete',
    body: { device_link_token: tokens.pending, game_id: ids.tanks },
  },
  'games.tokens.createCloudToken': { path: `/cloud/games/${ids.tanks}/tokens/cloud` },
  'games.namespaces.updateGameNamespaceVersion': { path: `${namespace}/version`, body: { version_id: ids.lobby } },
  'cloud.bootstrap': { path: '/cloud/bootstrap' },
  'auth.inspect': { path: '/cloud/auth/inspect' },
}

const tokenFor = {
  none: undefined,
  namespace: undefined,
  bearer: tokens.cloud,
  cloud: tokens.cloud,
  public: tokens.public,
  lobby: tokens.arena,
} as const

/** Returns a valid token for a call, or undefined if it needs none. */
export const tokenOf = (id: OperationId) => tokenFor[operations[id].auth]

const anyUuid = '12345678-1234-4234-8234-123456789012'

/** Returns calls of every operation for all records of a world. Writes come last. */
export function callsTo({ tables }: LiveWorld): TestRequest[] {
  const { games, namespaces, tokens, deviceLinks, settings } = tables
  const cdn = settings.get('settings')?.cdn_domain
  const origins = [
    ...namespaces.all().flatMap(({ domains }) => domains),
    ...games.all().flatMap(({ name_id }) => [`${name_id}.${cdn}`, `${name_id}--b.${cdn}`]),
  ].map(host => ({ origin: `https://${host}` }))
  const links = deviceLinks.all().map(link => link.device_link_token)
  const bearers = [...tokens.all().map(({ token }) => token), ...links].map(token => ({
    authorization: `Bearer ${token}`,
  }))
  const gamePaths = games.all().map(({ game_id }) => `/cloud/games/${encodeURIComponent(game_id)}`)
  const paths = games.all().flatMap(({ game_id }) => {
    const root = `/cloud/games/${encodeURIComponent(game_id)}/namespaces`
    const own = namespaces.findMany(q => q.where({ game_id }))
    return [root, ...own.map(({ namespace_id }) => `${root}/${encodeURIComponent(namespace_id)}`)]
  })
  const namespacePaths = paths.filter(path => !path.endsWith('/namespaces'))
  // Most cloud calls need a cloud token of the same game.
  const clouds = tokens
    .all()
    .filter(({ kind }) => kind === 'cloud')
    .map(({ token }) => ({ authorization: `Bearer ${token}` }))
  const cloud = (method: string, path: string, body?: object) =>
    clouds.map(headers => ({ method, path, headers, ...(body && { body: JSON.stringify(body) }) }))
  const post = (path: string, body: object) =>
    bearers.slice(0, 3).map(headers => ({ method: 'POST', path, headers, body: JSON.stringify(body) }))
  return [
    ...[{}, ...bearers, ...origins].map(headers => ({
      method: 'GET',
      path: '/matchmaker/lobbies/list',
      query: 'include_state=true',
      headers,
    })),
    ...['nobodys', ...links].map(token => ({
      method: 'GET',
      path: '/cloud/devices/links',
      query: `device_link_token=${encodeURIComponent(token)}`,
    })),
    ...paths.flatMap(path => post(`${path}/validate`, { display_name: 'B', name_id: 'b' })),
    ...paths.flatMap(path => post(`${path}/tokens/development/validate`, { hostname: '', lobby_ports: [] })),
    ...[...gamePaths, ...namespacePaths, '/cloud/auth/inspect'].flatMap(path => cloud('GET', path)),
    ...paths.flatMap(path => post(`${path}/mm-config`, { lobby_count_max: 1, max_players: 2 })),
    ...gamePaths.flatMap(path =>
      cloud('POST', `${path}/namespaces`, { display_name: 'B', name_id: 'b', version_id: anyUuid }),
    ),
    ...namespacePaths.flatMap(path => [
      ...cloud('POST', `${path}/tokens/development`, { hostname: 'h', lobby_ports: [] }),
      ...cloud('POST', `${path}/tokens/public`),
      ...cloud('PUT', `${path}/domain-public-auth`, { enabled: true }),
      ...cloud('POST', `${path}/domains`, { domain: 'b.example' }),
      ...cloud('DELETE', `${path}/domains/tanks.example`),
    ]),
    { method: 'POST', path: '/cloud/devices/links' },
    ...games.all().flatMap(({ game_id }) =>
      links.flatMap(device_link_token =>
        bearers.map(headers => ({
          method: 'POST',
          path: '/cloud/devices/links/complete',
          headers,
          body: JSON.stringify({ device_link_token, game_id }),
        })),
      ),
    ),
    { method: 'POST', path: '/cloud/devices/links' },
  ]
}
