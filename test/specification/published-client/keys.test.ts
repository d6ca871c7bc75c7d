import { type Rivet, RivetClient } from '@rivet-gg/api'
import * as serializers from '@rivet-gg/api/serialization'
import { describe, expect, it } from 'vitest'
import type { OperationId } from '../../../src/core/contract/index.js'
import { createMockmaker } from '../../../src/index.js'
import { listen } from '../../../src/server/http/index.js'
import { itKeepsEvidence, noteAnswers } from '../../support/evidence.js'
import { reservedPlayer, successes, tokenOf } from '../../support/example-calls.js'
import { sendTo } from '../../support/http.js'
import { spec } from '../../support/openapi.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'

/** The methods of the client's serializers that these tests use. */
interface Serializer {
  parse(raw: unknown, options: { readonly unrecognizedObjectKeys: 'fail' }): unknown
  json(request: object): unknown
}

/** Internal methods of an object's serializer: its keys in camelCase, and as sent. The client's types omit them. */
interface ObjectSerializer {
  _getParsedProperties(): Promise<string[]>
  _getRawProperties(): Promise<string[]>
}

/** The request of a type with all keys required, so that a missing key does not compile. */
type EveryKey<T> = { readonly [Key in keyof T]-?: object extends Pick<T, Key> ? T[Key] | undefined : T[Key] }
const everyKey = <T>(request: EveryKey<T>) => request

/** A call of the client for an operation. */
interface ClientCall {
  call(client: RivetClient, request: never): Promise<unknown>
  /** The required keys. */
  readonly required?: object
  /** Serializes the body of the request, and knows all its keys. */
  readonly body?: Serializer
  /** More optional keys: of queries and headers, and nested ones. */
  readonly undefinedToo?: object
  /** Parses the answer. Absent if the client expects nothing. */
  readonly answer?: Serializer
}

const { cloud, matchmaker } = serializers
const { namespaces } = cloud.games
const port = { label: 'default', targetPort: 7777, proxyProtocol: 'http' } as const
type LobbyPort = Rivet.cloud.version.matchmaker.LobbyGroupRuntimeDockerPort
type DevelopmentPort = Rivet.cloud.MatchmakerDevelopmentPort

const lobbyCalls = {
  'lobbies.list': {
    call: (client, request: Rivet.matchmaker.ListLobbiesRequest) => client.matchmaker.lobbies.list(request),
    undefinedToo: everyKey<Rivet.matchmaker.ListLobbiesRequest>({ includeState: undefined }),
    answer: matchmaker.ListLobbiesResponse,
  },
  'lobbies.find': {
    call: (client, request: Rivet.matchmaker.FindLobbyRequest) => client.matchmaker.lobbies.find(request),
    required: { gameModes: ['ffa'] },
    body: matchmaker.FindLobbyRequest,
    undefinedToo: { origin: undefined },
    answer: matchmaker.FindLobbyResponse,
  },
  'lobbies.join': {
    call: (client, request: Rivet.matchmaker.JoinLobbyRequest) => client.matchmaker.lobbies.join(request),
    required: { lobbyId: ids.lobby },
    body: matchmaker.JoinLobbyRequest,
    answer: matchmaker.JoinLobbyResponse,
  },
  'lobbies.create': {
    call: (client, request: Rivet.matchmaker.CreateLobbyRequest) => client.matchmaker.lobbies.create(request),
    required: { gameMode: 'duel' },
    body: matchmaker.CreateLobbyRequest,
    answer: matchmaker.CreateLobbyResponse,
  },
  'lobbies.ready': { call: client => client.matchmaker.lobbies.ready() },
  'lobbies.setClosed': {
    call: (client, request: Rivet.matchmaker.SetLobbyClosedRequest) => client.matchmaker.lobbies.setClosed(request),
    required: { isClosed: true },
    body: matchmaker.SetLobbyClosedRequest,
  },
  'lobbies.setState': { call: client => client.matchmaker.lobbies.setState(undefined) },
  'lobbies.getState': {
    call: client => client.matchmaker.lobbies.getState('arena'),
    answer: matchmaker.lobbies.getState.Response,
  },
  'players.connected': {
    call: (client, request: Rivet.matchmaker.PlayerConnectedRequest) => client.matchmaker.players.connected(request),
    required: { playerToken: reservedPlayer },
    body: matchmaker.PlayerConnectedRequest,
  },
  'players.disconnected': {
    call: (client, request: Rivet.matchmaker.PlayerDisconnectedRequest) =>
      client.matchmaker.players.disconnected(request),
    required: { playerToken: tokens.connected },
    body: matchmaker.PlayerDisconnectedRequest,
  },
  'players.getStatistics': {
    call: client => client.matchmaker.players.getStatistics(),
    answer: matchmaker.GetStatisticsResponse,
  },
  'regions.list': { call: client => client.matchmaker.regions.list(), answer: matchmaker.ListRegionsResponse },
} satisfies { readonly [id in OperationId]?: ClientCall }

const cloudCalls = {
  'games.getGameById': {
    call: (client, request: Rivet.cloud.games.GetGameByIdRequest) =>
      client.cloud.games.games.getGameById(ids.tanks, request),
    undefinedToo: everyKey<Rivet.cloud.games.GetGameByIdRequest>({ watchIndex: undefined }),
    answer: cloud.games.GetGameByIdResponse,
  },
  'games.tokens.createCloudToken': {
    call: client => client.cloud.games.tokens.createCloudToken(ids.tanks),
    answer: cloud.games.CreateCloudTokenResponse,
  },
  'devices.links.get': {
    call: (client, request: Rivet.cloud.devices.GetDeviceLinkRequest) => client.cloud.devices.links.get(request),
    required: { deviceLinkToken: tokens.complete },
    undefinedToo: { watchIndex: undefined },
    answer: cloud.devices.GetDeviceLinkResponse,
  },
  'devices.links.prepare': {
    call: client => client.cloud.devices.links.prepare(),
    answer: cloud.devices.PrepareDeviceLinkResponse,
  },
  'auth.inspect': { call: client => client.cloud.auth.inspect(), answer: cloud.InspectResponse },
  'cloud.bootstrap': { call: client => client.cloud.bootstrap(), answer: cloud.BootstrapResponse },
} satisfies { readonly [id in OperationId]?: ClientCall }

type Namespaces = RivetClient['cloud']['games']['namespaces']
type RequestOf<Method extends keyof Namespaces> = Namespaces[Method] extends (
  game: string,
  namespace: string,
  request: infer Request,
) => unknown
  ? Request
  : never
const of = (client: RivetClient) => client.cloud.games.namespaces

const namespaceCalls = {
  'games.namespaces.validateGameNamespace': {
    call: (client, request: Rivet.cloud.games.namespaces.ValidateGameNamespaceRequest) =>
      of(client).validateGameNamespace(ids.tanks, request),
    required: { displayName: '', nameId: 'a b' },
    body: namespaces.ValidateGameNamespaceRequest,
    answer: namespaces.ValidateGameNamespaceResponse,
  },
  'games.namespaces.createGameNamespace': {
    call: (client, request: Rivet.cloud.games.namespaces.CreateGameNamespaceRequest) =>
      of(client).createGameNamespace(ids.tanks, request),
    required: { displayName: 'Beta', nameId: 'beta', versionId: ids.prod },
    body: namespaces.CreateGameNamespaceRequest,
    answer: namespaces.CreateGameNamespaceResponse,
  },
  'games.namespaces.getGameNamespaceById': {
    call: client => of(client).getGameNamespaceById(ids.tanks, ids.prod),
    answer: namespaces.GetGameNamespaceByIdResponse,
  },
  'games.namespaces.updateGameNamespaceVersion': {
    call: (client, request: RequestOf<'updateGameNamespaceVersion'>) =>
      of(client).updateGameNamespaceVersion(ids.tanks, ids.prod, request),
    required: { versionId: ids.lobby },
    body: namespaces.UpdateGameNamespaceVersionRequest,
  },
  'games.namespaces.updateGameNamespaceMatchmakerConfig': {
    call: (client, request: RequestOf<'updateGameNamespaceMatchmakerConfig'>) =>
      of(client).updateGameNamespaceMatchmakerConfig(ids.tanks, ids.prod, request),
    required: { lobbyCountMax: 0, maxPlayers: 4_294_967_295 },
    body: namespaces.UpdateGameNamespaceMatchmakerConfigRequest,
  },
  'games.namespaces.validateGameNamespaceMatchmakerConfig': {
    call: (client, request: RequestOf<'validateGameNamespaceMatchmakerConfig'>) =>
      of(client).validateGameNamespaceMatchmakerConfig(ids.tanks, ids.prod, request),
    required: { lobbyCountMax: 0, maxPlayers: 4_294_967_295 },
    body: namespaces.ValidateGameNamespaceMatchmakerConfigRequest,
    answer: namespaces.ValidateGameNamespaceMatchmakerConfigResponse,
  },
  'games.namespaces.validateGameNamespaceTokenDevelopment': {
    call: (client, request: RequestOf<'validateGameNamespaceTokenDevelopment'>) =>
      of(client).validateGameNamespaceTokenDevelopment(ids.tanks, ids.prod, request),
    required: { hostname: 'x', lobbyPorts: [port, port] },
    body: namespaces.ValidateGameNamespaceTokenDevelopmentRequest,
    undefinedToo: {
      lobbyPorts: [port, port].map(one => everyKey<LobbyPort>({ ...one, portRange: undefined })),
    },
    answer: namespaces.ValidateGameNamespaceTokenDevelopmentResponse,
  },
  'games.namespaces.createGameNamespaceTokenDevelopment': {
    call: (client, request: RequestOf<'createGameNamespaceTokenDevelopment'>) =>
      of(client).createGameNamespaceTokenDevelopment(ids.tanks, ids.prod, request),
    required: { hostname: 'x', ports: { default: { port: 7777, protocol: 'http' } } },
    body: namespaces.CreateGameNamespaceTokenDevelopmentRequest,
    undefinedToo: {
      ports: { default: everyKey<DevelopmentPort>({ port: 7777, portRange: undefined, protocol: 'http' }) },
    },
    answer: namespaces.CreateGameNamespaceTokenDevelopmentResponse,
  },
  'games.namespaces.createGameNamespaceTokenPublic': {
    call: client => of(client).createGameNamespaceTokenPublic(ids.tanks, ids.prod),
    answer: namespaces.CreateGameNamespaceTokenPublicResponse,
  },
  'games.namespaces.toggleNamespaceDomainPublicAuth': {
    call: (client, request: RequestOf<'toggleNamespaceDomainPublicAuth'>) =>
      of(client).toggleNamespaceDomainPublicAuth(ids.tanks, ids.prod, request),
    required: { enabled: false },
    body: namespaces.ToggleNamespaceDomainPublicAuthRequest,
  },
  'games.namespaces.addNamespaceDomain': {
    call: (client, request: RequestOf<'addNamespaceDomain'>) =>
      of(client).addNamespaceDomain(ids.tanks, ids.prod, request),
    required: { domain: 'beta.example' },
    body: namespaces.AddNamespaceDomainRequest,
  },
  'games.namespaces.removeNamespaceDomain': {
    call: client => of(client).removeNamespaceDomain(ids.tanks, ids.prod, 'tanks.example'),
  },
} satisfies { readonly [id in OperationId]?: ClientCall }

/** All operations of the published client. It cannot complete a device link. */
const calls: { readonly [id in Exclude<OperationId, 'devices.links.complete'>]: ClientCall } = {
  ...lobbyCalls,
  ...cloudCalls,
  ...namespaceCalls,
}
const callIds = Object.keys(calls) as (keyof typeof calls)[] // the type of the table has these keys and no other

/** Runs `use` against a new world of tanks on a socket. Each has the same ids and tokens. */
async function withMock<T>(use: (url: string) => Promise<T>): Promise<T> {
  const mock = createMockmaker({ scenario: tanks })
  await mock.world.players.create({ lobby_id: 'arena', player_token: reservedPlayer, status: 'reserved' })
  const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
  try {
    return await use(url)
  } finally {
    noteAnswers(mock)
    await close()
  }
}

/** Makes a call in a new world, and returns the client's result. */
function answered(id: keyof typeof calls, { token, request }: { token: string | undefined; request: object }) {
  const { call } = calls[id]
  return withMock(url =>
    call(new RivetClient({ environment: url, ...(token === undefined ? {} : { token }) }), request as never),
  )
}

/** Returns the optional keys of a body, from the client's serializer. */
async function optionalKeys({ body, required = {} }: ClientCall): Promise<{ parsed: string[]; raw: string[] }> {
  if (!body) return { parsed: [], raw: [] }
  const { _getParsedProperties, _getRawProperties } = body as Serializer & ObjectSerializer
  const { value } = (await body.json(required)) as { value: object }
  const without = (all: string[], some: object) => all.filter(key => !Object.hasOwn(some, key))
  return { parsed: without(await _getParsedProperties(), required), raw: without(await _getRawProperties(), value) }
}

const undefinedFor = (keys: readonly string[]) => Object.fromEntries(keys.map(key => [key, undefined]))

describe.each(callIds)('the published client calls %s', id => {
  const { required = {}, undefinedToo = {} } = calls[id]

  it.each([tokenOf(id), tokens.development])(
    'with every optional key undefined, and gets the same answer as without them, as %s',
    async token => {
      const { parsed } = await optionalKeys(calls[id])
      const request = { ...undefinedFor(parsed), ...required, ...undefinedToo }
      const outcome = (request: object) =>
        answered(id, { token, request }).then(
          answer => ({ answer }),
          error => ({ failure: error.body }),
        )

      const absent = await outcome(required)

      expect(await outcome(request)).toEqual(absent)
      if (token === tokenOf(id)) expect(absent).toHaveProperty('answer')
    },
  )
})

/** Tells whether a call accepts a development token. */
function takesDevelopmentToken(id: keyof typeof calls): boolean {
  return spec(id).auth !== 'cloud'
}

/** Keys of answers that only newer clients know. */
const newerKeys: { readonly [id in OperationId]?: readonly string[] } = {
  'cloud.bootstrap': ['access', 'domains', 'login_methods', 'origins'],
}

describe.each(callIds.filter(id => calls[id].answer))('the answer of %s', id => {
  it.each([tokenOf(id), tokens.development])(
    'has only keys and types that the published client knows, as %s',
    async token => {
      const { method } = spec(id)
      const { path, query, body } = successes[id]
      const { status, body: text } = await withMock(url =>
        sendTo(url, {
          method,
          path,
          ...(query === undefined ? {} : { query }),
          headers: token === undefined ? {} : bearer(token),
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      )
      if (token === tokens.development && !takesDevelopmentToken(id)) return expect(status).not.toBe(200)
      expect(status).toBe(200)
      const known = Object.entries(JSON.parse(text) ?? {}).filter(([key]) => !newerKeys[id]?.includes(key))
      const raw = id === 'lobbies.getState' ? JSON.parse(text) : Object.fromEntries(known)

      expect(await calls[id].answer?.parse(raw, { unrecognizedObjectKeys: 'fail' })).toMatchObject({ ok: true })
    },
  )
})

describe('the published client', () => {
  it('has the optional keys that these tests send', async () => {
    const sent = await Promise.all(callIds.map(async id => [id, (await optionalKeys(calls[id])).raw] as const))

    expect(Object.fromEntries(sent.filter(([, keys]) => keys.length > 0))).toEqual({
      'lobbies.find': ['regions', 'prevent_auto_create_lobby', 'tags', 'max_players', 'captcha', 'verification_data'],
      'lobbies.join': ['captcha', 'verification_data'],
      'lobbies.create': ['region', 'publicity', 'tags', 'max_players', 'lobby_config', 'captcha', 'verification_data'],
      'games.namespaces.createGameNamespaceTokenDevelopment': ['lobby_ports'],
    })
  })

  it('refuses an answer with an unknown key, so that the tests above can fail', async () => {
    const parsed = await matchmaker.ListRegionsResponse.parse(
      { regions: [], more: 1 },
      { unrecognizedObjectKeys: 'fail' },
    )

    expect(parsed).toMatchObject({ ok: false })
  })
})

itKeepsEvidence()
