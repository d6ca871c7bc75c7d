import fc from 'fast-check'
import type { TestRequest } from './http.js'
import { madeTokens } from './random-write.js'
import { bearer, completion, ids, tokens } from './tanks.js'

const token = fc.constantFrom(...Object.values(tokens), ...Object.values(madeTokens), 'nobodys.token')
const caller = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(tokens.public, tokens.development, madeTokens.public) },
  { weight: 1, arbitrary: token },
)
const link = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(tokens.pending, tokens.complete, madeTokens.link) },
  { weight: 1, arbitrary: token },
)
const game = fc.constantFrom(ids.tanks, ids.boats, 'cars', 'nobodys')
const namespace = fc.constantFrom(ids.prod, ids.closed, ids.boatsProd, 'made', 'nobodys')
const origin = fc.constantFrom(
  'http://localhost:3000',
  'https://tanks.example',
  'https://made.example',
  'https://boats.mock.localhost',
  'https://tanks--beta.cdn.example',
)

/** Generates clients and their addresses: few, so that requests repeat. */
const headers = fc
  .record({
    token: fc.option(caller, { nil: undefined, freq: 3 }),
    origin: fc.option(origin, { nil: undefined, freq: 1 }),
  })
  .map(
    ({ token, origin }): Record<string, string> => ({
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(origin !== undefined && { origin }),
    }),
  )

const list = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
    query: fc.constantFrom(
      undefined,
      '',
      'include_state=true',
      'include_state=false',
      'a=1&include_state=true',
      'include_state=1',
    ),
    coords: fc.constantFrom(undefined, undefined, '1,2', '52.5,13.4', '91,0'),
    headers,
  })
  .map(({ method, query, coords, headers }) =>
    sent({
      method,
      path: '/matchmaker/lobbies/list',
      query,
      headers: { ...headers, ...(coords && { 'x-coords': coords }) },
    }),
  )

const validation = fc
  .record({ game, name_id: fc.constantFrom('prod', 'beta', 'a--b'), headers })
  .map(({ game, name_id, headers }) => ({
    method: 'POST',
    path: `/cloud/games/${game}/namespaces/validate`,
    headers,
    body: JSON.stringify({ display_name: 'A name', name_id }),
  }))

const tokenValidation = fc
  .record({ game, namespace, ports: fc.subarray([{ label: 'a', target_port: 80, proxy_protocol: 'http' }]), headers })
  .map(({ game, namespace, ports, headers }) => ({
    method: 'POST',
    path: `/cloud/games/${game}/namespaces/${namespace}/tokens/development/validate`,
    headers,
    body: JSON.stringify({ hostname: '127.0.0.1', lobby_ports: [...ports, ...ports] }),
  }))

const poll = fc
  .record({ link, index: fc.constantFrom('', '&watch_index=1', '&watch_index=x'), headers })
  .map(({ link, index, headers }) => ({
    method: 'GET',
    path: '/cloud/devices/links',
    query: `device_link_token=${link}${index}`,
    headers,
  }))

const inspection = headers.map(headers => ({ method: 'GET', path: '/cloud/auth/inspect', headers }))

/** Tokens for most cloud calls. */
const cloudHeaders = fc
  .constantFrom(tokens.cloud, tokens.cloud, tokens.cloudBoats, madeTokens.cloud, tokens.public)
  .map((token): Record<string, string> => bearer(token))

const shownGame = fc
  .record({ game, index: fc.constantFrom('', 'watch_index=1', 'watch_index=x'), headers: cloudHeaders })
  .map(({ game, index, headers }) => ({ method: 'GET', path: `/cloud/games/${game}`, query: index, headers }))

const place = fc
  .oneof(
    { weight: 3, arbitrary: fc.record({ game: fc.constant<string>(ids.tanks), namespace }) },
    { weight: 1, arbitrary: fc.record({ game, namespace }) },
  )
  .map(({ game, namespace }) => `/cloud/games/${game}/namespaces/${namespace}`)

const shownNamespace = fc.record({ path: place, headers: cloudHeaders }).map(sent => ({ method: 'GET', ...sent }))

const counted = fc
  .record({ path: fc.constantFrom('/matchmaker/players/statistics', '/matchmaker/regions'), headers })
  .map(sent => ({ method: 'GET', ...sent }))

const preflight = headers.map(headers => ({ method: 'OPTIONS', path: '/matchmaker/lobbies/list', headers }))

/** Generates reads of a world of tanks that do not block. Many repeat. */
export const randomRead: fc.Arbitrary<TestRequest> = fc.oneof(
  { weight: 6, arbitrary: list },
  { weight: 3, arbitrary: poll },
  { weight: 2, arbitrary: validation },
  { weight: 1, arbitrary: tokenValidation },
  { weight: 1, arbitrary: inspection },
  { weight: 2, arbitrary: shownGame },
  { weight: 2, arbitrary: shownNamespace },
  { weight: 2, arbitrary: counted },
  { weight: 1, arbitrary: preflight },
)

const config = fc.record({ game, namespace, max: fc.nat(2), headers }).map(({ game, namespace, max, headers }) => ({
  method: 'POST',
  path: `/cloud/games/${game}/namespaces/${namespace}/mm-config`,
  headers,
  body: JSON.stringify({ lobby_count_max: max, max_players: max }),
}))

const completed = fc
  .record({ device_link_token: link, game_id: game, headers })
  .map(({ device_link_token, game_id, headers }) => ({
    ...completion,
    headers: { ...completion.headers, ...headers },
    body: JSON.stringify({ device_link_token, game_id }),
  }))

const madeNamespace = fc
  .record({ game, name_id: fc.constantFrom('prod', 'beta', 'gamma', 'a--b'), headers: cloudHeaders })
  .map(({ game, name_id, headers }) => ({
    method: 'POST',
    path: `/cloud/games/${game}/namespaces`,
    headers,
    body: JSON.stringify({ display_name: 'A name', name_id, version_id: ids.lobby }),
  }))

/** Generates writes to a namespace: a method, the rest of the path, and a body. */
const parts = fc.constantFrom<readonly [method: string, path: string, body?: unknown]>(
  ['POST', '/tokens/public'],
  ['POST', '/tokens/development', { hostname: 'h', ports: { a: { port: 80, protocol: 'http' } } }],
  ['POST', '/tokens/development', { hostname: 'h', lobby_ports: [{ label: 'a b', proxy_protocol: 'http' }] }],
  ['PUT', '/domain-public-auth', { enabled: true }],
  ['PUT', '/domain-public-auth', { enabled: false }],
  ['POST', '/domains', { domain: 'made.example' }],
  ['POST', '/domains', { domain: 'Tanks.Example' }],
  ['POST', '/domains', { domain: 'a b' }],
  ['DELETE', '/domains/tanks.example'],
  ['DELETE', '/domains/MADE%2eexample'],
)

const managed = fc
  .record({ at: place, parts, headers: cloudHeaders })
  .map(({ at, parts: [method, path, body], headers }) => ({
    method,
    path: at + path,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }))

const seeker = fc
  .record({ headers, from: fc.constantFrom(undefined, undefined, '203.0.113.1', '::1') })
  .map(({ headers, from }) => ({ ...headers, ...(from !== undefined && { 'x-forwarded-for': from }) }))

/** Generates requests of players for seats. */
const seat = fc
  .record({
    asked: fc.constantFrom<readonly [path: string, body: object]>(
      ['find', { game_modes: ['duel'] }],
      ['find', { game_modes: ['ffa', 'duel'], prevent_auto_create_lobby: true }],
      ['find', { game_modes: ['ffa'], regions: ['lnd-fra'], tags: { map: 'ice' }, max_players: 2 }],
      ['find', { game_modes: ['nobodys'] }],
      ['join', { lobby_id: ids.lobby }],
      ['join', { lobby_id: 'empty' }],
      ['join', { lobby_id: 'closed' }],
      ['create', { game_mode: 'ffa', publicity: 'private', lobby_config: [1] }],
      ['create', { game_mode: 'duel', region: 'lnd-syd' }],
    ),
    headers: seeker,
  })
  .map(({ asked: [path, body], headers }) => ({
    method: 'POST',
    path: `/matchmaker/lobbies/${path}`,
    headers,
    body: JSON.stringify(body),
  }))

/** Generates calls of game servers. */
const said = fc
  .record({
    parts: fc.constantFrom<readonly [method: string, path: string, body?: unknown]>(
      ['POST', '/lobbies/ready'],
      ['PUT', '/lobbies/closed', { is_closed: true }],
      ['PUT', '/lobbies/closed', { is_closed: false }],
      ['PUT', '/lobbies/state', { map: 'ice' }],
      ['PUT', '/lobbies/state', 7],
      ['PUT', '/lobbies/state'],
      ['GET', '/lobbies/arena/state'],
      ['POST', '/players/connected', { player_token: tokens.connected }],
      ['POST', '/players/disconnected', { player_token: tokens.connected }],
    ),
    token: fc.constantFrom(tokens.arena, tokens.arena, tokens.development, 'lobby.mock.empty', tokens.public),
  })
  .map(({ parts: [method, path, body], token }) => ({
    method,
    path: `/matchmaker${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }))

/** Generates writes to a world of tanks. Some are refused. */
export const randomWriteCall: fc.Arbitrary<TestRequest> = fc.oneof(
  seat,
  seat,
  said,
  said,
  config,
  completed,
  madeNamespace,
  managed,
  fc.constant(completion),
  fc.constant({ method: 'POST', path: '/cloud/devices/links' }),
)

function sent({ query, ...others }: Omit<TestRequest, 'query'> & { readonly query: string | undefined }): TestRequest {
  return query === undefined ? others : { ...others, query }
}
