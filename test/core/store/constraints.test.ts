import { describe, expect, it } from 'vitest'
import type { TransactionTables } from '../../../src/core/store/world-tables.js'
import { game, smallWorld } from '../../support/small-world.js'
import { describeRefusals, setLobby } from './refusals.js'

const identifier = 'expected an identifier: 1 to 16 of 0-9 a-z and -, with single - inside only'
const hostName = 'expected a host name in lower case, without scheme and port, as in tanks.example'

/** Updates the namespace prod of the small world. */
const withNamespace = (columns: object) => (tx: TransactionTables) => {
  tx.namespaces.update(q => q.where({ namespace_id: 'prod' }), { data: draft => void Object.assign(draft, columns) })
}

const port = { label: 'a', proxy_protocol: 'udp' }

describe('a row that does not fit its schema', () => {
  describeRefusals([
    [
      'a create with a value of the wrong type',
      t => t.lobbies.create({ is_closed: 'no' as never }),
      'lobbies.create: is_closed is "no": expected boolean',
    ],
    [
      'a create with too many players',
      t => t.lobbies.create({ total_player_count: 9 }),
      'lobbies.create: total_player_count is 9: expected at most 8 players, the largest limit of the lobby',
    ],
    [
      'a create with an id that has a slash',
      t => t.games.create({ game_id: 'a/b', name_id: 'a' }),
      'games.create: game_id is "a/b": expected 1 to 128 characters without white space, control characters or /',
    ],
    [
      'an update that deletes a required column',
      t =>
        t.games.update(q => q.where({ game_id: 'tanks' }), {
          data: draft => void Reflect.deleteProperty(draft, 'name_id'),
        }),
      'games.update: name_id is missing: expected string',
    ],
    [
      'several problems',
      t => t.lobbies.create({ is_closed: 1 as never, publicity: 'all' as never }),
      'lobbies.create: publicity is "all": expected "public" or "private"; is_closed is 1: expected boolean',
    ],
    ['a changed id', setLobby({ lobby_id: 'l9' }), 'lobbies.update: lobby_id "l0" cannot change to "l9"'],
  ])
})

describe('a value that no scenario can have', () => {
  describeRefusals([
    [
      'a game whose name is not an identifier',
      t => t.games.create({ name_id: 'My-Game' }),
      `games.create: name_id is "My-Game": ${identifier}`,
    ],
    [
      'a game with the name of another',
      t => t.games.create({ name_id: 'tanks', game_id: 'twin' }),
      'games "twin": name_id "tanks" is taken by game tanks: choose another',
    ],
    [
      'a domain that is not a host name',
      withNamespace({ domains: ['https://a.example'] }),
      `namespaces.update: domains[0] is "https://a.example": ${hostName}`,
    ],
    [
      'a repeated domain in a namespace',
      withNamespace({ domains: ['a.example', 'b.example', 'a.example'] }),
      'namespaces "prod": domains has "a.example" twice',
    ],
    [
      'a domain of two namespaces',
      t => {
        withNamespace({ domains: ['a.example', 'b.example'] })(t)
        t.namespaces.create({ namespace_id: 'live', name_id: 'live', domains: ['c.example', 'b.example'] })
      },
      'namespaces "prod": domains "b.example" is taken by namespace live: choose another',
    ],
    [
      'two ports of one label',
      withNamespace({ development: { hostname: '', lobby_ports: [port, port] } }),
      'namespaces.update: development.lobby_ports[1].label is "a": expected a label that no other port has',
    ],
    [
      'a time beyond the last Date',
      t => t.deviceLinks.create({ device_link_token: 'd', expires_at: 8.64e15 + 1 }),
      'deviceLinks.create: expires_at is 8640000000000001: expected at most 8640000000000000',
    ],
    [
      'a device link with the id of another',
      t => t.deviceLinks.create({ device_link_token: 'd', device_link_id: 'sofa' }),
      'deviceLinks "d": device_link_id "sofa" is taken by device link device.mock.sofa: choose another',
    ],
    [
      'a device link with a bearer token',
      t => t.deviceLinks.create({ device_link_token: 'cloud.mock.tanks' }),
      'deviceLinks "cloud.mock.tanks": device_link_token is taken by a bearer token: choose another',
    ],
  ])
})

describe('a row that conflicts with other rows', () => {
  describeRefusals([
    [
      'players in a lobby that has stopped',
      t => t.lobbies.create({ lobby_id: 'new', status: 'stopped', total_player_count: 2 }),
      'lobbies.create: total_player_count is 2, but a stopped lobby has no players',
    ],
    [
      'a lobby whose id does not fit into a path',
      t => t.lobbies.create({ lobby_id: '..' }),
      'lobbies.create: lobby_id is "..": expected an id that a path can contain: not . or ..',
    ],
    [
      'a lobby that moves to another namespace',
      setLobby({ namespace_id: 'beta' }),
      'lobbies.update: namespace_id cannot change to beta: create another lobby there',
    ],
    [
      'a token with the prefix of lobby tokens',
      t => t.tokens.create({ token: 'lobby.mock.l0', kind: 'public', namespace_id: 'prod' }),
      'tokens.create: token is "lobby.mock.l0": expected a token that does not begin with lobby.mock., as only tokens of lobbies do',
    ],
    [
      'a lobby of a namespace that does not exist',
      t => t.lobbies.create({ namespace_id: 'prodd', game_mode_id: 'duel', region_id: 'fra' }),
      /^lobbies "[^"]+": namespace_id is "prodd", which does not exist\. Known: prod, beta\. Did you mean prod\?$/,
    ],
    [
      'a namespace with the name of another in its game',
      t => t.namespaces.create({ name_id: 'prod', namespace_id: 'twin' }),
      'namespaces "twin": name_id "prod" is taken by namespace prod: choose another',
    ],
    [
      'a lobby in a region that its mode lacks',
      setLobby({ region_id: 'atl' }),
      'lobbies "l0": region_id is "atl", which the game mode does not enable. Known: fra.',
    ],
    [
      'a region with the uuid of another',
      t => t.regions.create({ region_id: 'new', region_uuid: t.regions.findFirst()?.region_uuid ?? '' }),
      /^regions "new": region_uuid ".*" is taken by region fra: choose another$/,
    ],
    [
      'a game mode that leaves the region of a lobby',
      t =>
        t.gameModes.update(q => q.where({ namespace_id: 'prod', game_mode_id: 'duel' }), {
          data: draft => void draft.regions.splice(0, 1, 'atl'),
        }),
      'gameModes "prod/duel": regions lacks "fra", but lobby l0 runs there: delete it first',
    ],
    [
      'a complete link of a game that does not exist',
      t => t.deviceLinks.create({ device_link_token: 'd', status: 'complete', game_id: 'cars', cloud_token: 'c' }),
      'deviceLinks "d": game_id is "cars", which does not exist. Known: tanks, boats.',
    ],
    [
      'a default namespace that does not exist',
      t =>
        t.settings.update(q => q.where({ settings_id: 'settings' }), {
          data: draft => void Object.assign(draft, { default_namespace_id: 'none' }),
        }),
      'settings "settings": default_namespace_id is "none", which does not exist. Known: prod, beta.',
    ],
    [
      'a delete of a game that has a namespace',
      t => t.games.delete(q => q.where({ game_id: 'boats' })),
      'games "boats": namespace beta still refers to it: delete both in one transaction',
    ],
    [
      'a delete of the settings',
      t => t.settings.delete(q => q.where(() => true)),
      'settings "settings": the world needs it: update it instead',
    ],
  ])
})

describe('rows with references', () => {
  it('can be created in any order within a transaction', async () => {
    const world = smallWorld()

    world.transaction(({ games, namespaces, gameModes, lobbies }) => {
      lobbies.create({ lobby_id: 'new', namespace_id: 'live', game_mode_id: 'race', region_id: 'atl' })
      gameModes.create({ namespace_id: 'live', game_mode_id: 'race', regions: ['atl'] })
      namespaces.create({ namespace_id: 'live', name_id: 'live', game_id: 'cars' })
      games.create({ game_id: 'cars', name_id: 'cars' })
    })

    expect(world.lobbies.get('new')).toMatchObject({ namespace_id: 'live', game_mode_id: 'race', region_id: 'atl' })
  })

  it('count players that were created before their lobby', () => {
    const world = smallWorld()

    world.transaction(({ players, lobbies }) => {
      players.create({ lobby_id: 'new', status: 'reserved' })
      players.create({ lobby_id: 'new', status: 'connected' })
      lobbies.create({ lobby_id: 'new', total_player_count: 1 })
    })

    expect(world.lobbies.get('new')).toMatchObject({ total_player_count: 2, reserved_player_count: 1 })
  })

  it('can be deleted in any order within a transaction', async () => {
    const world = smallWorld()

    world.transaction(({ games, namespaces, gameModes }) => {
      games.delete(q => q.where({ game_id: 'boats' }))
      namespaces.delete(q => q.where({ namespace_id: 'beta' }))
      gameModes.delete(q => q.where({ namespace_id: 'beta' }))
    })

    expect(world.games.all().map(({ game_id }) => game_id)).toEqual(['tanks'])
  })

  it('can be deleted and created again within a transaction', async () => {
    const world = smallWorld()

    world.transaction(({ games }) => {
      const row = games.delete(q => q.where({ game_id: 'boats' }))
      games.create({ ...row, name_id: 'ships' })
    })

    expect(world.games.get('boats')?.name_id).toBe('ships')
  })

  it.each(['complete', 'pending'] as const)('keep the game of a %s device link', async status => {
    const world = smallWorld({ rows: { games: [game('cars')] } })
    const link = { device_link_token: 'd', device_link_id: 'sofa' }
    const named = { game_id: 'cars', at: 1 }
    await world.deviceLinks.create(
      status === 'complete'
        ? { ...link, status, game_id: 'cars', cloud_token: 'cloud.mock.c' }
        : { ...link, status, completes: named },
    )

    expect(() => world.games.delete('cars')).toThrow(
      'games "cars": device link sofa still refers to it: delete both in one transaction',
    )
  })
})

describe('the token of a player', () => {
  it.each([
    ['tokens', { token: 'mine', kind: 'public', namespace_id: 'prod' }, 'tokens "mine": token is'],
    ['deviceLinks', { device_link_token: 'mine' }, 'deviceLinks "mine": device_link_token is'],
  ] as const)('differs from the tokens of %s', async (table, input, where) => {
    const world = smallWorld()
    await world.players.create({ lobby_id: 'l0', player_token: 'mine' })

    const create = world[table].create(input as never) // the input of that table

    await expect(create).rejects.toThrow(`${where} taken by a player: choose another`)
  })
})

describe('unique names', () => {
  it('can be swapped within a transaction', () => {
    const world = smallWorld()
    const rename = { tanks: 'boats', boats: 'tanks' }

    world.transaction(({ games }) => {
      for (const [game_id, name_id] of Object.entries(rename))
        games.update(q => q.where({ game_id }), { data: draft => void Object.assign(draft, { name_id }) })
    })

    expect(world.games.all().map(({ name_id }) => name_id)).toEqual(['boats', 'tanks'])
  })

  it('allow an update of a namespace that keeps its name and its domains', () => {
    const world = smallWorld()
    world.transaction(withNamespace({ domains: ['a.example'] }))

    world.transaction(withNamespace({ tokenless: false }))

    expect(world.namespaces.get('prod')).toMatchObject({ domains: ['a.example'], tokenless: false })
  })

  it('allow an update of a device link that keeps its token', async () => {
    const world = smallWorld()

    await world.deviceLinks.update(q => q.where({ device_link_id: 'sofa' }), {
      data: draft => void Object.assign(draft, { expires_at: 5 }),
    })

    expect(world.deviceLinks.all()[0]?.expires_at).toBe(5)
  })
})
