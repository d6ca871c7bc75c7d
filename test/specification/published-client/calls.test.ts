import { RivetClient, RivetError } from '@rivet-gg/api'
import { it as base, describe, expect } from 'vitest'
import { scenarios } from '../../../src/core/scenario/index.js'
import { createMockmaker, type ScenarioInput } from '../../../src/index.js'
import { listen } from '../../../src/server/http/index.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'

/** Serves a mock, by default with the world `tanks` on a running clock. */
async function serve(scenario: ScenarioInput = { ...tanks, clock: 'running', now: undefined }) {
  const mock = createMockmaker({ scenario })
  return { mock, ...(await listen(mock, { port: 0, host: '127.0.0.1' })) }
}

/** A served mock, and a client for each token. */
const it = base.extend<{ url: string; as: (token?: string) => RivetClient }>({
  url: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    async ({}, use) => {
      const { mock, url, close } = await serve()
      await use(url)
      expect(mock.warnings.list()).toEqual([])
      await close()
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

// What each operation answers is in test/specification, and the keys of all answers are in keys.test.ts.
describe('cloud.games', () => {
  const versionId = '5e5e5e5e-1111-4222-8333-444444444444'
  const create = (client: RivetClient, nameId: string) =>
    client.cloud.games.namespaces.createGameNamespace(ids.tanks, { displayName: 'Beta', nameId, versionId })

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

  it.for([
    [
      'a game of another team',
      (client: RivetClient) => client.cloud.games.games.getGameById(ids.boats),
      '403 API_FORBIDDEN',
    ],
    ['a name that is taken', (client: RivetClient) => create(client, 'prod'), '400 VALIDATION_ERROR'],
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
  ['default', 6],
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
    await close()
  })
})
