import { type Rivet, RivetClient, RivetError } from '@rivet-gg/api'
import { it as base, describe, expect } from 'vitest'
import { file, openCommand, serveJson } from '../support/command.js'
import { bearer, ids, tanks, tokens } from '../support/tanks.js'

/** The command with the world `tanks` on a running clock, and a client for each token. */
const it = base.extend<{ url: string; as: (token?: string) => RivetClient }>({
  url: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    async ({}, use) => {
      const scenario = { ...tanks, clock: 'running', now: undefined }
      const command = await openCommand([await file('tanks.json', JSON.stringify(scenario))])
      await use(command.url)
      await command.end()
    },
    { scope: 'file' },
  ],
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

describe('matchmaker.lobbies.list', () => {
  it('lists the open lobbies with a public token', async ({ as }) => {
    const { gameModes, lobbies, regions } = await as(tokens.public).matchmaker.lobbies.list({ includeState: true })

    expect(gameModes).toEqual(['duel', 'ffa', 'secret'].map(gameModeId => ({ gameModeId })))
    expect(regions.map(({ regionId }) => regionId)).toEqual(['lnd-fra', 'lnd-syd'])
    expect(lobbies[0]).toEqual({
      regionId: 'lnd-fra',
      gameModeId: 'duel',
      lobbyId: ids.lobby,
      maxPlayersNormal: 2,
      maxPlayersDirect: 2,
      maxPlayersParty: 2,
      totalPlayerCount: 1,
      state: { map: 'dust' },
    })
  })

  it('lists canned lobbies with a development token', async ({ as }) => {
    const { lobbies, regions } = await as(tokens.development).matchmaker.lobbies.list()

    expect(regions).toEqual([
      {
        regionId: 'dev-lcl',
        providerDisplayName: 'Development',
        regionDisplayName: 'Local',
        datacenterCoord: { latitude: 0, longitude: 0 },
        datacenterDistanceFromClient: { kilometers: 0, miles: 0 },
      },
    ])
    expect(lobbies).toHaveLength(3)
  })

  it('lists the open lobbies of the default namespace without a token', async ({ as }) => {
    expect((await as().matchmaker.lobbies.list()).lobbies).toHaveLength(2)
  })

  it.for([
    ['an unknown token', 'nobody', '400 TOKEN_INVALID'],
    ['an expired token', tokens.expired, '401 CLAIMS_ENTITLEMENT_EXPIRED'],
    ['a cloud token', tokens.cloud, '401 CLAIMS_MISSING_ENTITLEMENT'],
  ] as const)('fails with %s', async ([, token, failure], { as }) => {
    await expectFailure(as(token).matchmaker.lobbies.list(), failure)
  })

  it('fails without a token if the namespace is not tokenless', async () => {
    const { url } = await serveJson(['tokens-only'])
    const client = new RivetClient({ environment: url })

    await expectFailure(client.matchmaker.lobbies.list(), '401 CLAIMS_MISSING_ENTITLEMENT')
  })
})

describe('cloud.games.namespaces.validateGameNamespace', () => {
  it.for([tokens.public, tokens.development, tokens.cloud])('reports each wrong name: %s', async (token, { as }) => {
    const request = { displayName: '', nameId: 'prod' }

    const { errors } = await as(token).cloud.games.namespaces.validateGameNamespace(ids.tanks, request)

    expect(errors).toEqual([
      { path: ['display-name', 'too-short'] },
      { path: ['display-name', 'invalid'] },
      { path: ['name-id', 'not-unique'] },
    ])
  })

  it('reports nothing for valid names', async ({ as }) => {
    const request = { displayName: 'Beta', nameId: 'beta' }

    const answer = await as(tokens.cloud).cloud.games.namespaces.validateGameNamespace(ids.tanks, request)

    expect(answer).toEqual({ errors: [] })
  })

  it.for([
    ['without a token', undefined, '401 API_UNAUTHORIZED'],
    ['with an unknown token', 'nobody', '400 TOKEN_INVALID'],
  ] as const)('fails %s', async ([, token, failure], { as }) => {
    const request = { displayName: 'Beta', nameId: 'beta' }

    await expectFailure(as(token).cloud.games.namespaces.validateGameNamespace(ids.tanks, request), failure)
  })
})

describe('cloud.games.namespaces.validateGameNamespaceTokenDevelopment', () => {
  type Port = Rivet.cloud.version.matchmaker.LobbyGroupRuntimeDockerPort
  const validate = (client: RivetClient, lobbyPorts: Port[]) => {
    const request = { hostname: '127.0.0.1', lobbyPorts }
    return client.cloud.games.namespaces.validateGameNamespaceTokenDevelopment(ids.tanks, ids.prod, request)
  }

  it('reports wrong ports', async ({ as }) => {
    const { errors } = await validate(as(tokens.development), [
      { label: 'default', targetPort: 7777, proxyProtocol: 'http' },
      { label: 'default', portRange: { min: 9, max: 8 }, proxyProtocol: 'udp' },
      { label: 'web', targetPort: 443, proxyProtocol: 'tcp_tls' },
    ])

    expect(errors).toEqual([{ path: ['ports', '1', 'label-not-unique'] }, { path: ['ports', '1', 'range-min-gt-max'] }])
  })

  it('fails without a token', async ({ as }) => {
    await expectFailure(validate(as(), []), '401 API_UNAUTHORIZED')
  })

  it('fails with a port that is not a 32-bit integer', async ({ as }) => {
    const ports = [{ label: 'a', targetPort: 2 ** 31, proxyProtocol: 'udp' as const }]

    await expectFailure(validate(as(tokens.cloud), ports), '400 API_BAD_BODY')
  })
})

describe('cloud.games.namespaces.updateGameNamespaceMatchmakerConfig', () => {
  const update = (client: RivetClient, namespaceId: string, most: number) => {
    const request = { lobbyCountMax: most, maxPlayers: most }
    return client.cloud.games.namespaces.updateGameNamespaceMatchmakerConfig(ids.tanks, namespaceId, request)
  }

  it.for([0, 4_294_967_295])('accepts %d', async (most, { as }) => {
    expect(await update(as(tokens.cloud), ids.prod, most)).toBeUndefined()
  })

  it.for([
    [-1, ids.prod, tokens.cloud, '400 API_BAD_BODY'],
    [4_294_967_296, ids.prod, tokens.cloud, '400 API_BAD_BODY'],
    [1.5, ids.prod, tokens.cloud, '400 API_BAD_BODY'],
    [1, ids.boatsProd, tokens.cloud, '404 NAMESPACE_NOT_FOUND'],
    [1, ids.prod, undefined, '401 API_UNAUTHORIZED'],
  ] as const)('fails with %d for namespace %s as %s', async ([most, namespaceId, token, failure], { as }) => {
    await expectFailure(update(as(token), namespaceId, most), failure)
  })
})

describe('cloud.games', () => {
  const versionId = '5e5e5e5e-1111-4222-8333-444444444444'
  const create = (client: RivetClient, nameId: string) =>
    client.cloud.games.namespaces.createGameNamespace(ids.tanks, { displayName: 'Beta', nameId, versionId })

  it('creates a namespace and a token, and lists its lobbies with the token', async ({ as }) => {
    const { namespaces } = as(tokens.cloud).cloud.games
    const lobbyPorts = [{ label: 'default', targetPort: 7777, proxyProtocol: 'http' as const }]
    const valid = await namespaces.validateGameNamespace(ids.tanks, { displayName: 'Beta', nameId: 'listed' })

    const { namespaceId } = await create(as(tokens.cloud), 'listed')
    const validPorts = await namespaces.validateGameNamespaceTokenDevelopment(ids.tanks, namespaceId, {
      hostname: 'dev.example',
      lobbyPorts,
    })
    const fromList = await namespaces.createGameNamespaceTokenDevelopment(ids.tanks, namespaceId, {
      hostname: 'dev.example',
      lobbyPorts,
    })
    const byLabel = await namespaces.createGameNamespaceTokenDevelopment(ids.tanks, namespaceId, {
      hostname: 'dev.example',
      ports: { voice: { portRange: { min: 8000, max: 8009 }, protocol: 'udp' } },
    })
    const shared = await namespaces.createGameNamespaceTokenPublic(ids.tanks, namespaceId)

    expect([valid, validPorts]).toEqual([{ errors: [] }, { errors: [] }])
    for (const { token } of [fromList, byLabel, shared]) {
      const { gameModes } = await as(token).matchmaker.lobbies.list()
      expect(gameModes).toEqual(['duel', 'ffa', 'secret'].map(gameModeId => ({ gameModeId })))
    }
    expect((await as(fromList.token).matchmaker.lobbies.list()).lobbies).toHaveLength(3)
    expect((await as(shared.token).matchmaker.lobbies.list()).lobbies).toEqual([])
  })

  it('gets a namespace with its domains and limits', async ({ as }) => {
    const { namespaces } = as(tokens.cloud).cloud.games
    const { namespaceId } = await create(as(tokens.cloud), 'limited')
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
    const { namespaceId } = await create(as(tokens.cloud), 'watched')

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

  it('are described by their cloud token', async ({ as }) => {
    expect(await as(tokens.cloudBoats).cloud.auth.inspect()).toEqual({ agent: { gameCloud: { gameId: ids.boats } } })
  })

  it.for([
    [
      'a game of another team',
      (client: RivetClient) => client.cloud.games.games.getGameById(ids.boats),
      '403 API_FORBIDDEN',
    ],
    ['a name that is taken', (client: RivetClient) => create(client, 'prod'), '400 VALIDATION_ERROR'],
    [
      'a version that is not a UUID',
      (client: RivetClient) =>
        client.cloud.games.namespaces.createGameNamespace(ids.tanks, {
          displayName: 'Beta',
          nameId: 'beta',
          versionId: 'v1',
        }),
      '400 API_BAD_BODY',
    ],
    [
      'a development token without ports',
      (client: RivetClient) =>
        client.cloud.games.namespaces.createGameNamespaceTokenDevelopment(ids.tanks, ids.prod, { hostname: 'h' }),
      '400 API_BAD_BODY',
    ],
    [
      'the domain of another namespace',
      (client: RivetClient) =>
        client.cloud.games.namespaces.addNamespaceDomain(ids.tanks, ids.closed, { domain: 'tanks.example' }),
      '400 VALIDATION_ERROR',
    ],
    [
      'an unknown namespace',
      (client: RivetClient) => client.cloud.games.namespaces.getGameNamespaceById(ids.tanks, 'nobody'),
      '404 NAMESPACE_NOT_FOUND',
    ],
  ] as const)('fail for %s', async ([, call, failure], { as }) => {
    await expectFailure(call(as(tokens.cloud)), failure)
  })
})

describe('cloud.devices.links', () => {
  const get = (client: RivetClient, deviceLinkToken: string, index?: string) =>
    client.cloud.devices.links.get({ deviceLinkToken, ...(index === undefined ? {} : { watchIndex: index }) })

  it('can be prepared, watched, and completed by a person', async ({ as, url }) => {
    const device = as()
    const { deviceLinkToken, deviceLinkUrl } = await device.cloud.devices.links.prepare()
    const pending = await get(device, deviceLinkToken)
    const watching = get(device, deviceLinkToken, pending.watch.index)

    // A second answer shows that the first request has been read, and blocks.
    await get(device, deviceLinkToken)
    const completed = await fetch(`${url}/cloud/devices/links/complete`, {
      method: 'POST',
      headers: bearer(tokens.cloud),
      body: JSON.stringify({ device_link_token: deviceLinkToken, game_id: ids.tanks }),
    })

    const { cloudToken, watch } = await watching
    expect([deviceLinkUrl, completed.status]).toEqual([`${url}/devices/link/${deviceLinkToken}`, 200])
    expect(pending).toEqual({ watch: { index: expect.stringMatching(/^\d+$/) } })
    expect(BigInt(watch.index)).toBeGreaterThan(BigInt(pending.watch.index))
    const validated = as(cloudToken).cloud.games.namespaces.validateGameNamespace(ids.tanks, {
      displayName: 'Beta',
      nameId: 'beta',
    })
    expect(await validated).toEqual({ errors: [] })
  })

  it('have their cloud token at once if they are complete', async ({ as }) => {
    expect((await get(as(), tokens.complete)).cloudToken).toMatch(/^cloud\.mock\./)
  })

  it('answer the index of another run at once', async ({ as }) => {
    expect(await get(as(), tokens.pending, '1')).toEqual(await get(as(), tokens.pending))
  })

  it.for([
    ['an unknown link', 'nobody', undefined, '400 TOKEN_INVALID'],
    ['an expired link', tokens.expired, undefined, '400 TOKEN_EXPIRED'],
    ['a token of another kind', tokens.public, undefined, '401 CLAIMS_MISSING_ENTITLEMENT'],
    ['an invalid index', tokens.pending, 'newest', '400 API_BAD_QUERY'],
  ] as const)('fail for %s', async ([, token, index, failure], { as }) => {
    await expectFailure(get(as(), token, index), failure)
  })

  it('fail with an unknown bearer token', async ({ as }) => {
    await expectFailure(get(as('nobody'), tokens.pending), '400 TOKEN_INVALID')
  })
})

describe.for([
  ['default', 6],
  ['empty', 0],
  // Of 400 lobbies, without the empty ones.
  ['friday-night', 330],
  ['nasty', 5],
  ['tokens-only', 3],
] as const)('the shipped scenario %s', ([name, count]) => {
  it('is listed by the client, with each kind of token', async () => {
    const { url, tokens } = await serveJson([name])
    const listAs = (kind: 'public' | 'development') => {
      const { token = '' } = tokens.find(one => one.kind === kind) ?? {}
      return new RivetClient({ environment: url, token }).matchmaker.lobbies.list({ includeState: true })
    }

    const [real, canned] = [await listAs('public'), await listAs('development')]

    expect(real.lobbies).toHaveLength(count)
    expect(canned.lobbies).toHaveLength(real.gameModes.length)
    const known = new Set(real.regions.map(({ regionId }) => regionId))
    expect(real.lobbies.filter(({ regionId }) => !known.has(regionId))).toEqual([])
  })
})
