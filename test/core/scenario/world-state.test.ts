import { describe, expect, it } from 'vitest'
import { readScenario } from '../../../src/core/scenario/read.js'
import { defineWorld } from '../../../src/core/scenario/world.js'
import { tokenLabel } from '../../../src/core/store/tokens.js'
import { createMockmaker } from '../../../src/index.js'
import { startAt } from '../../support/tanks.js'
import { closedAfterTest, rowsOf, twoGames, worldOf } from '../../support/worlds.js'

const dayMs = 86_400_000
describe('the world of an empty scenario', () => {
  it('has one game with one namespace', () => {
    const { games, namespaces } = rowsOf({})

    expect(games).toEqual([
      {
        game_id: expect.any(String),
        name_id: 'game',
        display_name: 'Game',
        created_at: startAt,
        developer_group_id: expect.any(String),
      },
    ])
    expect(namespaces).toEqual([
      {
        namespace_id: expect.any(String),
        game_id: games[0]?.game_id,
        name_id: 'prod',
        display_name: 'Production',
        created_at: startAt,
        version_id: expect.any(String),
        tokenless: true,
        domains: [],
        lobby_count_max: 128,
      },
    ])
  })

  it('has the regions of the catalogue, and no game mode, lobby or device link', () => {
    const { regions, gameModes, lobbies, deviceLinks } = rowsOf({})

    expect(regions).toHaveLength(12)
    expect([gameModes, lobbies, deviceLinks]).toEqual([[], [], []])
  })

  // PROTOCOL.md D.
  it.each([
    ['lnd-atl', 'Atlanta', '54c60ee9-ae31-4a3f-b5ff-06aa5639310f', 33.74819, -84.39086],
    ['lnd-sfo', 'San Francisco', '19f1b737-0ff1-4676-a834-1af8c4e9890f', 37.77938, -122.41843],
    ['lnd-fra', 'Frankfurt', '37aeb24a-12f6-45ea-ba7e-d2589588d7db', 50.11044, 8.68183],
    ['lnd-syd', 'Sydney', '6041893e-7a35-4ab7-a31d-9fd4d6f9dee2', -33.87271, 151.20569],
    ['lnd-tok', 'Tokyo', '1f34955f-c0a5-472f-b1c6-1912698141eb', 35.68951, 139.6917],
    ['lnd-mba', 'Mumbai', 'a699aff0-9d2d-4cad-bef4-b929a78d430e', 18.9401, 72.83466],
    ['lnd-tor', 'Toronto', '33eaba37-0f06-4dc0-959a-2267481e63df', 43.65161, -79.38313],
    ['lnd-dca', 'Washington, DC', '732757b5-51dd-464f-a673-6ae40502c832', 38.89212, -77.00909],
    ['lnd-dfw', 'Dallas', '06e30e05-cd47-4cc7-adeb-8cb4a1a189b7', 32.77557, -96.7956],
    ['lnd-ewr', 'New York City', 'ed6dac28-c16d-4c03-8daa-98adfbae4758', 40.71298, -74.0072],
    ['lnd-lon', 'London', '161e738d-f7ed-4d43-af64-7731e39835ef', 51.50335, -0.0794],
    ['lnd-sgp', 'Singapore', '4baddf3d-3a70-4139-aed7-21e06a74b9f4', 1.2798, 103.83728],
  ])('has %s, which is %s, with the UUID of the real service', (region_id, name, region_uuid, latitude, longitude) => {
    expect(rowsOf({}).regions.find(region => region.region_id === region_id)).toEqual({
      region_id,
      region_uuid,
      provider_display_name: 'Linode',
      region_display_name: name,
      datacenter_coord: { latitude, longitude },
    })
  })

  it.each([
    ['atl', 'Atlanta', 33.74819, -84.39086],
    ['fra', 'Frankfurt', 50.11044, 8.68183],
    ['lax', 'Los Angeles', 34.0522, -118.2437],
    ['osa', 'Osaka', 34.6937, 135.5023],
    ['gru', 'Sao Paulo', -23.5505, -46.6333],
    ['bom', 'Mumbai', 18.9401, 72.83466],
    ['sin', 'Singapore', 1.2798, 103.83728],
  ])('can list %s, which is %s, without a provider', (region_id, region_display_name, latitude, longitude) => {
    const mock = closedAfterTest(createMockmaker({ scenario: { regions: ['lnd-atl', 'lnd-fra', region_id] } }))
    const region = { region_id, region_display_name, datacenter_coord: { latitude, longitude } }

    expect(mock.world.regions.all()).toMatchObject([{}, {}, region])
    expect(mock.snapshot().regions).toEqual(['lnd-atl', 'lnd-fra', region_id])
  })

  it('has a public, a development and a cloud token, each valid for a year', () => {
    const { tokens, games, namespaces } = rowsOf({})
    const namespace = { namespace_id: namespaces[0]?.namespace_id, expires_at: startAt + 365 * dayMs }
    const minted = (label: string) => expect.stringMatching(new RegExp(`^${label}\\.mock\\.[0-9a-z]{24}$`))

    expect(tokens).toEqual([
      { kind: 'public', token: minted('pub_prod'), ...namespace },
      { kind: 'development', token: minted('dev_prod'), ...namespace },
      { kind: 'cloud', token: minted('cloud'), game_id: games[0]?.game_id, expires_at: startAt + 365 * dayMs },
    ])
  })

  it('has the default settings', () => {
    const { settings, namespaces } = rowsOf({})

    expect(settings).toEqual([
      {
        settings_id: 'settings',
        cdn_domain: 'mock.localhost',
        default_namespace_id: namespaces[0]?.namespace_id,
        hide_empty_lobbies: false,
        servers: 'auto',
        public_url: 'https://hub.mock.localhost',
      },
    ])
  })

  it('has the title Untitled and seed 1, and runs from the real time', () => {
    const { title, seed, clock, now } = defineWorld(readScenario({}))

    expect({ title, seed, clock, now }).toEqual({ title: 'Untitled', seed: 1, clock: 'running', now: undefined })
  })
})

describe('the state of a new world', () => {
  it('has a revision above that of the scenario', () => {
    expect([startAt - 1, startAt, startAt + 1e6].map(revision => worldOf({ revision }).revision)).toEqual([
      startAt,
      startAt + 1,
      startAt + 1e6 + 1,
    ])
  })

  it("has a given seed instead of the scenario's", () => {
    expect(defineWorld(readScenario({ seed: 7 }), { seed: 0 }).seed).toBe(0)
    expect(rowsOf({ seed: 7 }, { seed: 0 })).toEqual(rowsOf({ seed: 0 }))
  })
})

describe('settings', () => {
  it('come from the scenario', () => {
    const client = { latitude: 52.52, longitude: 13.4 }

    const { settings } = rowsOf({ ...twoGames, client, hide_empty_lobbies: true, cdn_domain: 'cdn.example' })

    expect(settings[0]).toMatchObject({
      client,
      hide_empty_lobbies: true,
      cdn_domain: 'cdn.example',
      public_url: 'https://hub.cdn.example',
      default_namespace_id: 'KB',
    })
  })

  it('use the public URL for links, without a slash at its end', () => {
    expect(rowsOf({}, { publicUrl: 'http://localhost:4100/' }).settings[0]?.public_url).toBe('http://localhost:4100')
  })

  it('have no default namespace if there is none', () => {
    expect(worldOf({ games: [] }).settings.all()[0]).not.toHaveProperty('default_namespace_id')
    expect(worldOf({ games: [{ namespaces: [] }] }).settings.all()[0]).not.toHaveProperty('default_namespace_id')
    expect(worldOf({ default_namespace: 'none' }).settings.all()[0]).not.toHaveProperty('default_namespace_id')
  })
})

describe('games, namespaces and their tokens', () => {
  it('have the tokens of the scenario, and else one each', () => {
    const tokens = rowsOf(twoGames).tokens.map(row => [row.kind, row.kind === 'cloud' ? row.game_id : row.namespace_id])

    expect(tokens.slice(2)).toEqual([
      ['public', 'KP'],
      ['development', 'KP'],
      ['public', 'KB'],
      ['development', 'KB'],
      ['cloud', 'T'],
      ['cloud', 'K'],
    ])
    expect(rowsOf(twoGames).tokens.map(row => row.token)).toEqual(expect.arrayContaining(['p', 'd', 'cloud.T']))
  })

  it('have tokens with the usual labels', () => {
    const world = worldOf({ games: [{ namespaces: [{ name_id: 'my-own-beta' }] }] })
    const labels = world.tokens.all().map(row => row.token.split('.')[0])

    expect(labels).toEqual(world.tokens.all().map(row => tokenLabel(row, world.tables)))
    expect(labels).toEqual(['pub_my_own_beta', 'dev_my_own_beta', 'cloud'])
  })

  it('have the time, version and developers of the scenario', () => {
    const { games, namespaces } = rowsOf({
      games: [
        {
          created_at: '2020-02-29T12:00:00+01:00',
          developer_group_id: 'makers',
          namespaces: [{ created_at: '2021-01-01T00:00:00Z', version_id: 'v2' }],
        },
      ],
    })

    expect(games).toMatchObject([{ created_at: Date.UTC(2020, 1, 29, 11), developer_group_id: 'makers' }])
    expect(namespaces).toMatchObject([{ created_at: Date.UTC(2021, 0, 1), version_id: 'v2' }])
  })

  it('accept tokens of any length, with any visible character', () => {
    const token = 'pub_prod.eyJ0eXAi/+=~!'.repeat(20)

    expect(worldOf({ tokens: { public: token } }).tokens.get(token)?.kind).toBe('public')
  })

  it('have the other keys of a namespace, which may be at the top level', () => {
    const lobby_ports = [{ label: 'default', target_port: 7777, proxy_protocol: 'http' as const }]

    const { namespaces } = rowsOf({
      namespace_id: 'N',
      tokenless: false,
      domains: ['tanks.example'],
      matchmaker: { lobby_count_max: 0, max_players_per_client: 4 },
      development: { lobby_ports },
    })

    expect(namespaces[0]).toMatchObject({
      namespace_id: 'N',
      name_id: 'prod',
      tokenless: false,
      domains: ['tanks.example'],
      lobby_count_max: 0,
      max_players: 4,
      development: { lobby_ports },
    })
  })
})
