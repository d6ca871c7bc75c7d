import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type OpenApiOperation, type OperationId, openapi, operationIds } from '../../src/contract.js'
import { createMockmaker } from '../../src/index.js'
import { ids, tanks, tokens } from '../tanks.js'
import { documented, spec } from './openapi-operation.js'

const namespace = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}`
const port = { label: 'default', target_port: 7777, proxy_protocol: 'http' }

/** A call of each operation that succeeds in a world of tanks. */
const successes: { readonly [id in OperationId]: { readonly path: string; query?: string; body?: object } } = {
  'lobbies.list': { path: '/matchmaker/lobbies/list', query: 'include_state=true' },
  'lobbies.find': { path: '/matchmaker/lobbies/find', body: { game_modes: ['ffa'], tags: { map: 'dust' } } },
  'lobbies.join': { path: '/matchmaker/lobbies/join', body: { lobby_id: ids.lobby } },
  'lobbies.create': { path: '/matchmaker/lobbies/create', body: { game_mode: 'duel', lobby_config: [1] } },
  'lobbies.ready': { path: '/matchmaker/lobbies/ready' },
  'lobbies.setClosed': { path: '/matchmaker/lobbies/closed', body: { is_closed: true } },
  'lobbies.setState': { path: '/matchmaker/lobbies/state', body: { map: 'dust' } },
  'lobbies.getState': { path: '/matchmaker/lobbies/arena/state' },
  'players.connected': { path: '/matchmaker/players/connected', body: { player_token: 'player.mock.reserved' } },
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
  'auth.inspect': { path: '/cloud/auth/inspect' },
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What a mock of tanks answers to a call. */
async function call(
  id: OperationId,
  { token, ...sent }: { path: string; query?: string; body?: object; token?: string | undefined },
) {
  const mock = createMockmaker({ scenario: tanks })
  await mock.world.players.create({ lobby_id: 'arena', player_token: 'player.mock.reserved', status: 'reserved' })
  const answer = await mock.answer({
    method: spec(id).method,
    path: sent.path,
    query: sent.query,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    body: sent.body && encoder.encode(JSON.stringify(sent.body)),
  })
  return { ...answer, body: decoder.decode(answer.body) }
}

/** What a schema of the document takes. */
function schemaOf(operation: OpenApiOperation, status: number): z.ZodType {
  const schema = operation.responses[status]?.content?.['application/json'].schema
  const { schemas } = openapi().components
  const text = JSON.stringify({ ...schema, $defs: schemas }).replaceAll('#/components/schemas/', '#/$defs/')
  return z.fromJSONSchema(JSON.parse(text))
}

/** The token that an operation's call needs. */
const tokenOf = (id: OperationId) => tokenFor[spec(id).auth]
const tokenFor = {
  none: undefined,
  namespace: undefined,
  bearer: tokens.cloud,
  cloud: tokens.cloud,
  public: tokens.public,
  lobby: tokens.arena,
} as const

describe.each(operationIds.filter(id => spec(id).output))('a success of %s', id => {
  it('is what the document says', async () => {
    const { status, headers, body } = await call(id, { ...successes[id], token: tokenOf(id) })

    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json' })
    expect(schemaOf(documented(id), 200).safeParse(JSON.parse(body))).toMatchObject({ success: true })
  })

  it('has no field that the document lacks', async () => {
    const { body } = await call(id, { ...successes[id], token: tokenOf(id) })

    // What the document does not name, its schema lets through, and the table's drops.
    expect(JSON.parse(body)).toEqual(spec(id).output?.parse(JSON.parse(body)))
  })
})

describe.each(operationIds.filter(id => !spec(id).output))('a success of %s', id => {
  it('is an empty body', async () => {
    const { status, body } = await call(id, { ...successes[id], token: tokenOf(id) })

    expect({ status, body }).toEqual({ status: 200, body: '' })
  })
})

describe.each(operationIds)('a failure of %s', id => {
  it('is what the document says where a token is unknown', async () => {
    const { status, body } = await call(id, { ...successes[id], token: 'nobody' })

    expect(schemaOf(documented(id), status).safeParse(JSON.parse(body))).toMatchObject({ success: true })
  })
})

describe.each(operationIds.filter(id => spec(id).body))('a failure of %s', id => {
  it('is what the document says where the body is none', async () => {
    const { status, body } = await call(id, { ...successes[id], body: [], token: tokenOf(id) })

    expect(JSON.parse(body)).toMatchObject({ code: 'API_BAD_BODY' })
    expect(schemaOf(documented(id), status).safeParse(JSON.parse(body))).toMatchObject({ success: true })
  })
})

describe('the schemas of the document', () => {
  it('refuse a lobby without its count, so that the tests above mean something', async () => {
    const { body } = await call('lobbies.list', successes['lobbies.list'])
    const answer = JSON.parse(body)
    delete answer.lobbies[0].total_player_count

    expect(schemaOf(documented('lobbies.list'), 200).safeParse(answer)).toMatchObject({ success: false })
  })

  it('refuse a namespace without one of its limits', async () => {
    const id = 'games.namespaces.getGameNamespaceById'
    const { body } = await call(id, { ...successes[id], token: tokenOf(id) })
    const answer = JSON.parse(body)
    delete answer.namespace.config.matchmaker.max_players_per_client_tor

    expect(schemaOf(documented(id), 200).safeParse(answer)).toMatchObject({ success: false })
  })

  it('refuse a code that the operation does not list', () => {
    const failure = { code: 'CLOUD_DEVICE_LINK_ALREADY_COMPLETE', message: 'no' }

    expect(schemaOf(documented('lobbies.list'), 400).safeParse(failure)).toMatchObject({ success: false })
  })
})
