import { RivetClient, RivetError } from '@rivet-gg/api'
import { it as base, describe, expect } from 'vitest'
import { scenarios } from '../../../src/core/scenario/index.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { createMockmaker, type ScenarioInput } from '../../../src/index.js'
import { listen } from '../../../src/server/http/index.js'
import { itKeepsEvidence, noteAnswers } from '../../support/evidence.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'

/** Serves a mock, by default with the world `tanks` on a running clock. */
async function serve(scenario: ScenarioInput = { ...tanks, clock: 'running', now: undefined }) {
  const mock = createMockmaker({ scenario })
  return { mock, ...(await listen(mock, { port: 0, host: '127.0.0.1' })) }
}

/** A served mock for each test, and a client for each token. */
const it = base.extend<{ url: string; as: (token?: string) => RivetClient }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  url: async ({}, use) => {
    const { mock, url, close } = await serve()
    await use(url)
    noteAnswers(mock)
    expect(mock.warnings.list()).toEqual([])
    await close()
  },
  as: ({ url }, use) => use(token => new RivetClient({ environment: url, ...(token === undefined ? {} : { token }) })),
})

/** Returns the client's error: its status, code and message. */
async function failureOf(call: Promise<unknown>): Promise<{ failure: string; message: unknown }> {
  const error = await call.then(
    value => {
      throw new Error(`answered ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )
  if (!(error instanceof RivetError)) throw error
  const { code, message } = error.body as { code: string; message: unknown }
  return { failure: `${error.statusCode} ${code}`, message }
}

/** Expects a call to fail with that status and code, and with a message. */
async function expectFailure(call: Promise<unknown>, failure: string): Promise<void> {
  expect(await failureOf(call)).toEqual({ failure, message: expect.stringMatching(/./) })
}

const versionId = '5e5e5e5e-1111-4222-8333-444444444444'
const createNamespace = (client: RivetClient, nameId: string) =>
  client.cloud.games.namespaces.createGameNamespace(ids.tanks, { displayName: 'Beta', nameId, versionId })
const getNamespace = (client: RivetClient, namespaceId: string) =>
  client.cloud.games.namespaces.getGameNamespaceById(ids.tanks, namespaceId)
const getLink = (client: RivetClient, deviceLinkToken: string, watchIndex?: string) =>
  client.cloud.devices.links.get({ deviceLinkToken, ...(watchIndex === undefined ? {} : { watchIndex }) })

// What each operation answers is in test/specification, and the keys of all answers are in keys.test.ts.
describe('cloud.games', () => {
  it('gets a namespace with its domains and limits', async ({ as }) => {
    const { namespaces } = as(tokens.cloud).cloud.games
    const { namespaceId } = await createNamespace(as(tokens.cloud), 'limited')
    const config = { lobbyCountMax: 3, maxPlayers: 4 }
    const before = await namespaces.getGameNamespaceById(ids.tanks, namespaceId)

    await namespaces.toggleNamespaceDomainPublicAuth(ids.tanks, namespaceId, { enabled: true })
    await namespaces.addNamespaceDomain(ids.tanks, namespaceId, { domain: 'one.example' })
    await namespaces.addNamespaceDomain(ids.tanks, namespaceId, { domain: 'two.example' })
    await namespaces.removeNamespaceDomain(ids.tanks, namespaceId, 'one.example')
    const valid = await namespaces.validateGameNamespaceMatchmakerConfig(ids.tanks, namespaceId, config)
    await namespaces.updateGameNamespaceMatchmakerConfig(ids.tanks, namespaceId, config)

    const { namespace } = await namespaces.getGameNamespaceById(ids.tanks, namespaceId)
    const createTs = namespace.createTs
    expect(valid).toEqual({ errors: [] })
    expect([createTs instanceof Date, Math.abs(Date.now() - createTs.getTime()) < 60_000]).toEqual([true, true])
    expect(before.namespace.config.cdn).toMatchObject({ enableDomainPublicAuth: false, domains: [] })
    expect(namespace).toEqual({
      namespaceId,
      createTs,
      displayName: 'Beta',
      versionId,
      nameId: 'limited',
      config: {
        cdn: {
          enableDomainPublicAuth: true,
          domains: [
            {
              domain: 'two.example',
              createTs,
              verificationStatus: 'active',
              verificationMethod: { http: { cnameRecord: 'tanks--limited.mock.localhost' } },
              verificationErrors: [],
            },
          ],
          authType: 'none',
          authUserList: [],
        },
        matchmaker: {
          lobbyCountMax: 3,
          maxPlayersPerClient: 4,
          maxPlayersPerClientVpn: 4,
          maxPlayersPerClientProxy: 4,
          maxPlayersPerClientTor: 4,
          maxPlayersPerClientHosting: 4,
        },
        kv: {},
        identity: {},
      },
    })
  })

  it('can be watched', async ({ as }) => {
    const { games } = as(tokens.cloud).cloud.games
    const { game, watch } = await games.getGameById(ids.tanks)
    const watching = games.getGameById(ids.tanks, { watchIndex: watch.index })

    // A second answer shows that the first request has been read, and blocks.
    await games.getGameById(ids.tanks)
    const { namespaceId } = await createNamespace(as(tokens.cloud), 'watched')

    const after = await watching
    const [region] = game.availableRegions
    expect(game).toMatchObject({ gameId: ids.tanks, nameId: 'tanks', displayName: 'tanks', totalPlayerCount: 2 })
    expect(game.createTs).toBeInstanceOf(Date)
    expect(region).toEqual({
      regionId: '37aeb24a-12f6-45ea-ba7e-d2589588d7db',
      regionNameId: 'lnd-fra',
      provider: 'linode',
      universalRegion: 'frankfurt',
      providerDisplayName: 'Linode',
      regionDisplayName: 'Frankfurt',
    })
    expect(after.game.namespaces.at(-1)).toMatchObject({ namespaceId, nameId: 'watched', versionId })
    expect(after.game.versions.at(-1)).toMatchObject({ versionId, displayName: '0.0.3' })
    expect(BigInt(after.watch.index)).toBeGreaterThan(BigInt(watch.index))
  })
})

describe('cloud.devices.links', () => {
  it('can be prepared, watched, and completed by a person', async ({ as, url }) => {
    const device = as()
    const { deviceLinkToken, deviceLinkUrl } = await device.cloud.devices.links.prepare()
    const pending = await getLink(device, deviceLinkToken)
    const watching = getLink(device, deviceLinkToken, pending.watch.index)

    // A second answer shows that the first request has been read, and blocks.
    await getLink(device, deviceLinkToken)
    const completed = await fetch(`${url}/cloud/devices/links/complete`, {
      method: 'POST',
      headers: bearer(tokens.cloud),
      body: JSON.stringify({ device_link_token: deviceLinkToken, game_id: ids.tanks }),
    })

    const { cloudToken, watch } = await watching
    expect([deviceLinkUrl, completed.status]).toEqual([
      expect.stringContaining(`/devices/link/${deviceLinkToken}`),
      200,
    ])
    expect(pending).toEqual({ watch: { index: expect.stringMatching(/^\d+$/) } })
    expect(BigInt(watch.index)).toBeGreaterThan(BigInt(pending.watch.index))
    const validated = as(cloudToken).cloud.games.namespaces.validateGameNamespace(ids.tanks, {
      displayName: 'Beta',
      nameId: 'beta',
    })
    expect(await validated).toEqual({ errors: [] })
  })
})

describe.for([
  ['default', 7],
  ['empty', 0],
  // Of 400 lobbies, without the empty ones.
  ['friday-night', 330],
  ['nasty', 5],
  ['tokens-only', 3],
] as const)('the shipped scenario %s', ([name, count]) => {
  it('is listed by the client, with each kind of token', async () => {
    const { mock, url, close } = await serve(scenarios[name])
    const listAs = (kind: 'public' | 'development') => {
      const { token = '' } = mock.tokens.find(one => one.kind === kind) ?? {}
      return new RivetClient({ environment: url, token }).matchmaker.lobbies.list({ includeState: true })
    }

    const [real, canned] = [await listAs('public'), await listAs('development')]

    expect(real.lobbies).toHaveLength(count)
    expect(canned.lobbies).toHaveLength(real.gameModes.length)
    const known = new Set(real.regions.map(({ regionId }) => regionId))
    expect(real.lobbies.filter(({ regionId }) => !known.has(regionId))).toEqual([])
    noteAnswers(mock)
    await close()
  })
})

type Failure = readonly [code: string, token: string, call: (client: RivetClient, url: string) => Promise<unknown>]

const find = (client: RivetClient, more: object = {}) => client.matchmaker.lobbies.find({ gameModes: ['ffa'], ...more })
const join = (client: RivetClient, lobbyId: string) => client.matchmaker.lobbies.join({ lobbyId })
const connect = (client: RivetClient, playerToken: string) => client.matchmaker.players.connected({ playerToken })
const addDomain = (client: RivetClient, domain: string) =>
  client.cloud.games.namespaces.addNamespaceDomain(ids.tanks, ids.closed, { domain })
const limit = (url: string, limits: { lobbyCountMax: number; maxPlayers: number }) =>
  new RivetClient({ environment: url, token: tokens.cloud }).cloud.games.namespaces.updateGameNamespaceMatchmakerConfig(
    ids.tanks,
    ids.prod,
    limits,
  )
const setVersion = (client: RivetClient, versionId: string) =>
  client.cloud.games.namespaces.updateGameNamespaceVersion(ids.tanks, ids.prod, { versionId })
const tags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`tag${at}`, '']))

const failures: readonly Failure[] = [
  ['404 API_NOT_FOUND', tokens.public, (_, url) => find(new RivetClient({ environment: `${url}/x` }))],
  ['401 API_UNAUTHORIZED', '', client => client.matchmaker.players.getStatistics()],
  ['400 TOKEN_INVALID', 'nobody', client => client.matchmaker.lobbies.list()],
  ['401 CLAIMS_ENTITLEMENT_EXPIRED', tokens.expired, client => client.matchmaker.lobbies.list()],
  ['403 API_FORBIDDEN', tokens.cloud, client => client.cloud.games.games.getGameById(ids.boats)],
  ['400 API_BAD_BODY', tokens.cloud, client => setVersion(client, 'v1')],
  ['400 API_BODY_TOO_LARGE', tokens.arena, client => client.matchmaker.lobbies.setState('x'.repeat(1024 * 1024))],
  ['400 VALIDATION_ERROR', tokens.cloud, client => createNamespace(client, 'prod')],
  ['404 NAMESPACE_NOT_FOUND', tokens.cloud, client => getNamespace(client, 'nobody')],
  ['400 CDN_INVALID_DOMAIN', tokens.cloud, client => addDomain(client, 'a..b')],
  ['400 CLOUD_HOSTNAME_TAKEN', tokens.cloud, client => addDomain(client, 'tanks.example')],
  [
    '400 CDN_TOO_MANY_DOMAINS',
    tokens.cloud,
    async client => {
      for (let at = 0; at < 11; at++) await addDomain(client, `d${at}.example`)
    },
  ],
  ['400 API_BAD_QUERY', tokens.cloud, client => getLink(client, tokens.pending, 'x')],
  ['400 TOKEN_EXPIRED', tokens.cloud, client => getLink(client, tokens.expired)],
  ['400 MATCHMAKER_NO_GAME_MODE_PROVIDED', tokens.public, client => find(client, { gameModes: [] })],
  ['400 MATCHMAKER_GAME_MODE_NOT_FOUND', tokens.public, client => find(client, { gameModes: ['dual'] })],
  ['400 MATCHMAKER_REGION_NOT_FOUND', tokens.public, client => find(client, { regions: ['x'] })],
  ['400 MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE', tokens.public, client => find(client, { regions: ['lnd-atl'] })],
  [
    '400 MATCHMAKER_NO_AVAILABLE_LOBBIES',
    tokens.public,
    client => find(client, { regions: ['lnd-fra'], preventAutoCreateLobby: true }),
  ],
  ['400 MATCHMAKER_TOO_MANY_TAGS', tokens.public, client => find(client, { tags: tags(9) })],
  ['400 MATCHMAKER_TAG_NAME_TOO_LONG', tokens.public, client => find(client, { tags: { ['x'.repeat(129)]: '' } })],
  ['400 MATCHMAKER_TAG_TOO_LONG', tokens.public, client => find(client, { tags: { a: 'x'.repeat(513) } })],
  ['400 MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID', tokens.public, client => find(client, { maxPlayers: 0 })],
  [
    '400 MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED',
    tokens.publicClosed,
    client => find(client, { gameModes: ['solo'], maxPlayers: 1 }),
  ],
  ['400 MATCHMAKER_TAGS_DISABLED', tokens.publicClosed, client => find(client, { gameModes: ['solo'], tags: tags(1) })],
  ['400 MATCHMAKER_FIND_DISABLED', tokens.publicClosed, client => find(client, { gameModes: ['walled'] })],
  ['400 MATCHMAKER_JOIN_DISABLED', tokens.publicClosed, client => join(client, 'walled')],
  ['400 MATCHMAKER_LOBBY_NOT_FOUND', tokens.public, client => join(client, 'nobody')],
  ['400 MATCHMAKER_LOBBY_STOPPED', tokens.publicClosed, client => join(client, 'stopped')],
  [
    '400 MATCHMAKER_LOBBY_FULL',
    tokens.public,
    async client => join(client, (await find(client, { maxPlayers: 1 })).lobby.lobbyId),
  ],
  [
    '400 MATCHMAKER_CUSTOM_LOBBIES_DISABLED',
    tokens.publicClosed,
    client => client.matchmaker.lobbies.create({ gameMode: 'walled' }),
  ],
  [
    '400 MATCHMAKER_CUSTOM_LOBBY_CONFIG_INVALID',
    tokens.public,
    client => client.matchmaker.lobbies.create({ gameMode: 'ffa', lobbyConfig: 'x'.repeat(16 * 1024) }),
  ],
  [
    '400 MATCHMAKER_TOO_MANY_LOBBIES',
    tokens.public,
    async (client, url) => {
      await limit(url, { lobbyCountMax: 0, maxPlayers: 8 })
      await client.matchmaker.lobbies.create({ gameMode: 'ffa' })
    },
  ],
  [
    '400 MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE',
    tokens.public,
    async (client, url) => {
      await limit(url, { lobbyCountMax: 8, maxPlayers: 0 })
      await find(client)
    },
  ],
  ['400 TOKEN_ERROR', tokens.arena, client => connect(client, 'nobody')],
  ['401 CLAIMS_MISSING_ENTITLEMENT', tokens.arena, client => connect(client, tokens.arena)],
  ['400 MATCHMAKER_PLAYER_ALREADY_CONNECTED', tokens.arena, client => connect(client, tokens.connected)],
  ['400 MATCHMAKER_PLAYER_REMOVED', tokens.arena, client => connect(client, tokens.gone)],
  ['400 MATCHMAKER_PLAYER_REGISTRATION_EXPIRED', tokens.arena, client => connect(client, tokens.late)],
  ['400 MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY', lobbyTokenOf('empty'), client => connect(client, tokens.connected)],
]

it.for(failures)('the client gets %s, with a message', async ([failure, token, call]) => {
  const { mock, url, close } = await serve()
  const client = new RivetClient({ environment: url, ...(token === '' ? {} : { token }) })

  await expectFailure(call(client, url), failure)

  noteAnswers(mock)
  await close()
})

itKeepsEvidence()
