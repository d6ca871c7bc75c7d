import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import type { World } from '../../../src/core/store/world.js'
import { createMockmaker } from '../../../src/index.js'
import { ids, startAt, tanks, tokens } from '../../support/tanks.js'
import { describeRefusals } from './refusals.js'

const worldOf = (scenario: ScenarioInput = tanks) => createMockmaker({ scenario }).world

describe('lobbies.create', () => {
  it('takes max_players as one number, players, and times as text', async () => {
    const world = worldOf()

    const lobby = await world.lobbies.create({
      game_mode_id: 'duel',
      max_players: 3,
      players: [{}, { status: 'reserved', expires_at: '2026-11-20T20:01:00Z' }, { token: 'mine', address: '10.0.0.1' }],
      state: { map: 'harbour' },
      stops_at: '2026-11-20T21:00:00Z',
    })

    expect(lobby).toMatchObject({
      max_players_normal: 3,
      max_players_direct: 3,
      max_players_party: 3,
      total_player_count: 2,
      reserved_player_count: 1,
      state: { map: 'harbour' },
      stops_at: startAt + 3_600_000,
    })
    const { lobby_id } = lobby
    expect(world.players.findMany(q => q.where({ lobby_id }))).toMatchObject([
      { status: 'connected', address: '127.0.0.1', namespace_id: ids.prod },
      { status: 'reserved', expires_at: startAt + 60_000 },
      { player_token: 'mine', address: '10.0.0.1' },
    ])
  })

  it('does the same inside a transaction, as one change set', () => {
    const world = worldOf()
    const seen: number[] = []
    world.subscribe(({ changes }) => seen.push(changes.length))

    const lobby = world.transaction(tx => {
      const created = tx.lobbies.create({ max_players: 2, players: [{ token: 'mine' }] })
      expect(tx.players.get('mine')?.lobby_id).toBe(created.lobby_id)
      return created
    })

    expect(lobby.total_player_count).toBe(1)
    expect(seen).toEqual([2])
  })
})

describe('games.create and namespaces.create', () => {
  /** The columns and tables that depend on the seed are left out. */
  const shownOf = (world: World) => ({
    games: world.games.all().map(({ developer_group_id: _, ...game }) => game),
    namespaces: world.namespaces.all().map(({ version_id: _, ...namespace }) => namespace),
    gameModes: world.gameModes.all(),
    lobbies: world.lobbies.all(),
    players: world.players.all(),
    simulations: world.simulations.all(),
  })

  it('create the same rows as a scenario with the same keys', () => {
    const { games = [], device_links: _, ...others } = tanks
    const [first, second] = games.map(game => ({
      ...game,
      name_id: String(game.name_id),
      namespaces: game.namespaces?.map(namespace => ({ ...namespace, players: { session: '12m', concurrent: 0 } })),
    }))
    if (!first || !second) throw new Error('tanks has two games')
    const world = worldOf({ ...others, default_namespace: 'none', games: [] })

    world.transaction(tx => {
      tx.games.create(first)
      tx.games.create(second)
    })

    const expected = worldOf({ ...others, games: [first, second] })
    expect(shownOf(world)).toEqual(shownOf(expected))
    for (const token of [tokens.public, tokens.development, tokens.publicClosed, tokens.cloud, tokens.cloudBoats])
      expect(world.tokens.get(token)).toEqual(expected.tokens.get(token))
  })

  it('take a whole namespace', async () => {
    const world = worldOf()

    const { namespace_id } = await world.namespaces.create({
      name_id: 'beta',
      game_id: ids.tanks,
      matchmaker: { lobby_count_max: 3, max_players_per_client: 5 },
      tokens: { public: 'pub_beta.mock.one' },
      development: { lobby_ports: [{ label: 'default', target_port: 7777, proxy_protocol: 'udp' }] },
      game_modes: ['duel', { game_mode_id: 'ffa', max_players: 4, ports: { hostname: '10.0.0.7' } }],
      lobbies: [{ game_mode_id: 'ffa', players: [{}] }],
      players: { concurrent: 2, session: '90s' },
    })

    expect(world.namespaces.get(namespace_id)).toMatchObject({
      lobby_count_max: 3,
      max_players: 5,
      development: { lobby_ports: [{ label: 'default' }] },
    })
    const own = { namespace_id }
    expect(world.tokens.findMany(q => q.where(own)).map(({ kind }) => kind)).toEqual(['public', 'development'])
    expect(world.tokens.get('pub_beta.mock.one')).toMatchObject(own)
    expect(world.gameModes.findMany(q => q.where(own))).toMatchObject([
      { game_mode_id: 'duel', max_players_normal: 32 },
      { game_mode_id: 'ffa', max_players_party: 4, ports: { hostname: '10.0.0.7' } },
    ])
    expect(world.lobbies.findMany(q => q.where(own))).toMatchObject([{ total_player_count: 1, max_players_normal: 4 }])
    expect(world.simulations.get(namespace_id)).toMatchObject({ concurrent: 2, session_ms: 90_000 })
  })

  it('accept the references that a namespace of a scenario has', async () => {
    const world = worldOf()

    const { game_id } = await world.games.create({ name_id: 'chess', namespaces: [{}] })

    expect(world.namespaces.findMany(q => q.where({ game_id }))).toMatchObject([
      { name_id: 'prod', display_name: 'Production' },
    ])
  })
})

describe('create', () => {
  it('takes the name of a game mode or of a region of the catalogue', async () => {
    const world = worldOf()

    const mode = await world.gameModes.create('race')
    const region = await world.regions.create('lnd-tok')

    expect(mode).toMatchObject({ namespace_id: ids.prod, game_mode_id: 'race' })
    expect(region).toEqual(worldOf({ regions: ['lnd-tok'] }).regions.get('lnd-tok'))
  })

  it('takes the game and the times of a device link', async () => {
    const world = worldOf()

    const link = await world.deviceLinks.create({
      token: 'sofa',
      game: 'boats',
      completes_after: '5s',
      expires_after: '1h',
    })
    const dated = await world.deviceLinks.create({ game: 'tanks', completes_at: '2026-11-20T20:00:07Z' })

    expect(link).toMatchObject({
      device_link_token: 'sofa',
      completes: { at: startAt + 5000, game_id: ids.boats },
      expires_at: startAt + 3_600_000,
    })
    expect(dated).toMatchObject({ completes: { at: startAt + 7000, game_id: ids.tanks } })
  })

  it('creates the cloud token of a complete device link', async () => {
    const world = worldOf()

    const link = await world.deviceLinks.create({ token: 'tv', status: 'complete', game: 'boats' })

    if (link.status !== 'complete') throw new Error('the link is complete')
    expect(link.game_id).toBe(ids.boats)
    expect(world.tokens.get(link.cloud_token)).toMatchObject({ kind: 'cloud', game_id: ids.boats })
  })

  it('takes the owner of a token by name', async () => {
    const { tokens } = worldOf()

    expect(await tokens.create({ kind: 'cloud', game: 'boats' })).toMatchObject({ game_id: ids.boats })
    expect(await tokens.create({ kind: 'public', namespace: 'tanks/closed' })).toMatchObject({
      namespace_id: ids.closed,
    })
  })
})

/** Ignores the types, as JavaScript does. */
const wrong = (value: unknown) => value as never

describe('a wrong key of a scenario', () => {
  describeRefusals([
    [
      'a key beside its column',
      t => t.lobbies.create({ max_players: 2, max_players_party: 3 }),
      'lobbies.create: max_players and max_players_party set the same thing. Keep one of them',
    ],
    [
      'an unknown key inside one',
      t => t.lobbies.create({ max_players: wrong({ normall: 2 }) }),
      'lobbies.create: max_players.normall is an unknown key. Known: normal, direct, party. Did you mean normal?',
    ],
    [
      'a player of another lobby',
      t => t.lobbies.create({ players: [wrong({ lobby_id: 'l0' })] }),
      'lobbies.create: players[0].lobby_id is "l0": leave it out. The new row is the owner',
    ],
    [
      'a player with a wrong column',
      t => t.lobbies.create({ players: [{ status: wrong('here') }] }),
      'lobbies.create: players[0]: status is "here": expected reserved, connected, expired or removed',
    ],
    [
      'more players than seats',
      t => t.lobbies.create({ lobby_id: 'full', max_players: 1, players: [{}, {}] }),
      'lobbies.create: players[1]: lobby full: expected at most 1 players, the largest limit of the lobby',
    ],
    [
      'a count below the listed players',
      t => t.lobbies.create({ total_player_count: 1, players: [{}, {}] }),
      'lobbies.create: total_player_count is 1, below 2, the connected players that players lists. Raise it, or leave it out',
    ],
    [
      'an unknown region',
      t => t.regions.create('lnd-frA'),
      /^regions.create: the catalogue has no region "lnd-frA". Known: .* Did you mean lnd-fra\? For a region of your own, pass \{ region_id: "lnd-frA" \}$/,
    ],
    [
      'a deep value',
      t => t.games.create({ name_id: 'chess', namespaces: [{ lobbies: [{}], game_modes: [wrong({})] }] }),
      'games.create: namespaces[0].game_modes[0]: game_mode_id is missing: expected string',
    ],
    [
      'an invalid session',
      t => t.simulations.create({ namespace_id: 'live', session: '1s' }),
      'simulations.create: session is "1s": expected a duration from 10s to 7d',
    ],
    [
      'a namespace that a token cannot have',
      t => t.tokens.create({ kind: 'public', namespace: 'tanks/prodd' }),
      'tokens.create: namespace is "tanks/prodd", which no namespace has. Known: tanks/prod, boats/beta. Did you mean tanks/prod?',
    ],
  ])
})
