import type { LiveWorld } from '../../src/store/world.js'
import type { Sent } from '../doors.js'

const anyUuid = '12345678-1234-4234-8234-123456789012'

/** Calls of every operation that name all that there is in a world. Those that write come last. */
export function callsTo({ view: { tables } }: LiveWorld): Sent[] {
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
  // Most of the cloud wants a cloud token of the very game.
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
