import { describe, expect, it } from 'vitest'
import { describeRefusals, setLobby } from '../support/refusals.js'
import { game, smallWorld } from '../support/small-world.js'

describeRefusals([
  [
    'players in a lobby that has stopped',
    t => t.lobbies.create({ lobby_id: 'new', status: 'stopped', total_player_count: 2 }),
    'lobbies.create: total_player_count is 2, and nobody is in a lobby that has stopped',
  ],
  [
    'a lobby that a path cannot lead to',
    t => t.lobbies.create({ lobby_id: '..' }),
    'lobbies.create: lobby_id is "..": expected an id that can stand in a path: . and .. are steps in one',
  ],
  [
    'a lobby that moves to another namespace',
    setLobby({ namespace_id: 'beta' }),
    'lobbies.update: namespace_id cannot become beta: make another lobby there',
  ],
  [
    'a token that begins as those of lobbies do',
    t => t.tokens.create({ token: 'lobby.mock.l0', kind: 'public', namespace_id: 'prod' }),
    'tokens.create: token is "lobby.mock.l0": expected a token that does not begin as those of lobbies do, with lobby.mock.',
  ],
  [
    'a lobby of a namespace that is not there',
    t => t.lobbies.create({ namespace_id: 'prodd', game_mode_id: 'duel', region_id: 'fra' }),
    /^lobbies "[^"]+": namespace_id is "prodd", which does not exist\. Known: prod, beta\. Did you mean prod\?$/,
  ],
  [
    'a lobby of a game mode that is not there',
    setLobby({ game_mode_id: 'dual' }),
    'lobbies "l0": game_mode_id is "dual", which does not exist. Known: duel, ffa. Did you mean duel?',
  ],
  [
    'a namespace with the name of another in its game',
    t => t.namespaces.create({ name_id: 'prod', namespace_id: 'twin' }),
    'namespaces "twin": name_id is "prod", as that of prod is',
  ],
  [
    'a lobby in a region that its mode lacks',
    setLobby({ region_id: 'atl' }),
    'lobbies "l0": region_id is "atl", which the game mode does not enable. Known: fra.',
  ],
  [
    'a game mode in a region that is not there',
    t => t.gameModes.create({ game_mode_id: 'new', regions: ['fra', 'frb'] }),
    'gameModes "prod/new": regions is "frb", which does not exist. Known: fra, atl. Did you mean fra?',
  ],
  [
    'a game mode that leaves the region of a lobby',
    t =>
      t.gameModes.update(q => q.where({ namespace_id: 'prod', game_mode_id: 'duel' }), {
        data: draft => void draft.regions.splice(0, 1, 'atl'),
      }),
    'gameModes "prod/duel": regions lacks "fra", where lobby l0 runs',
  ],
  [
    'a game mode of a namespace that is not there',
    t => t.gameModes.create({ namespace_id: 'none', game_mode_id: 'new' }),
    'gameModes "none/new": namespace_id is "none", which does not exist. Known: prod, beta.',
  ],
  [
    'a namespace of a game that is not there',
    t => t.namespaces.create({ namespace_id: 'n', name_id: 'n', game_id: 'cars' }),
    'namespaces "n": game_id is "cars", which does not exist. Known: tanks, boats.',
  ],
  [
    'a public token of a namespace that is not there',
    t => t.tokens.create({ token: 't', kind: 'public', namespace_id: 'none' }),
    'tokens "t": namespace_id is "none", which does not exist. Known: prod, beta.',
  ],
  [
    'a development token with two ports of one label',
    t =>
      t.tokens.create({
        token: 't',
        kind: 'development',
        namespace_id: 'prod',
        development: { hostname: 'h', lobby_ports: [1, 2].map(() => ({ label: 'a', proxy_protocol: 'udp' })) },
      }),
    'tokens "t": development.lobby_ports has "a" twice',
  ],
  [
    'a cloud token of a game that is not there',
    t => t.tokens.create({ token: 't', kind: 'cloud', game_id: 'cars' }),
    'tokens "t": game_id is "cars", which does not exist. Known: tanks, boats.',
  ],
  [
    'a complete link of a game that is not there',
    t => t.deviceLinks.create({ device_link_token: 'd', status: 'complete', game_id: 'cars', cloud_token: 'c' }),
    'deviceLinks "d": game_id is "cars", which does not exist. Known: tanks, boats.',
  ],
  [
    'a link to be completed for a game that is not there',
    t => t.deviceLinks.create({ device_link_token: 'd', status: 'pending', completes: { at: 1, game_id: 'cars' } }),
    'deviceLinks "d": completes.game_id is "cars", which does not exist. Known: tanks, boats.',
  ],
  [
    'a default namespace that is not there',
    t =>
      t.settings.update(q => q.where({ settings_id: 'settings' }), {
        data: draft => void Object.assign(draft, { default_namespace_id: 'none' }),
      }),
    'settings "settings": default_namespace_id is "none", which does not exist. Known: prod, beta.',
  ],
  [
    'a delete of a game that has a namespace',
    t => t.games.delete(q => q.where({ game_id: 'boats' })),
    'games "boats": namespace beta still needs it: delete that in the same turn, or leave this',
  ],
  [
    'a delete of a namespace that has a game mode',
    t => t.namespaces.delete(q => q.where({ namespace_id: 'beta' })),
    'namespaces "beta": game mode duel still needs it: delete that in the same turn, or leave this',
  ],
  [
    'a delete of a game mode that has a lobby',
    t => t.gameModes.delete(q => q.where({ namespace_id: 'prod', game_mode_id: 'duel' })),
    'gameModes "prod/duel": lobby l0 still needs it: delete that in the same turn, or leave this',
  ],
  [
    'a delete of a region that a game mode enables',
    t => t.regions.delete(q => q.where({ region_id: 'fra' })),
    'regions "fra": game mode duel still needs it: delete that in the same turn, or leave this',
  ],
  [
    'a delete of the settings',
    t => t.settings.delete(q => q.where(() => true)),
    'settings "settings": the world needs it: update it instead',
  ],
])

describe('records that hang together', () => {
  it('can be made in any order within a turn', async () => {
    const world = smallWorld()

    await world.write(async ({ games, namespaces, gameModes, lobbies }) => {
      await lobbies.create({ lobby_id: 'new', namespace_id: 'live', game_mode_id: 'race', region_id: 'atl' })
      await gameModes.create({ namespace_id: 'live', game_mode_id: 'race', regions: ['atl'] })
      await namespaces.create({ namespace_id: 'live', name_id: 'live', game_id: 'cars' })
      await games.create({ game_id: 'cars', name_id: 'cars' })
    })

    expect(world.lobbies.get('new')).toBeDefined()
  })

  it('can be deleted in any order within a turn', async () => {
    const world = smallWorld()

    await world.write(async ({ games, namespaces, gameModes }) => {
      await games.delete(q => q.where({ game_id: 'boats' }))
      await namespaces.delete(q => q.where({ namespace_id: 'beta' }))
      await gameModes.delete(q => q.where({ namespace_id: 'beta' }))
    })

    expect(world.games.all().map(({ game_id }) => game_id)).toEqual(['tanks'])
  })

  it('can be deleted and made again within a turn', async () => {
    const world = smallWorld()

    await world.write(async ({ games }) => {
      const row = await games.delete(q => q.where({ game_id: 'boats' }))
      await games.create({ ...row, name_id: 'ships' })
    })

    expect(world.games.get('boats')?.name_id).toBe('ships')
  })

  it.each(['complete', 'pending'] as const)('keep the game that a %s device link names', async status => {
    const world = smallWorld({ rows: { games: [game('cars')] } })
    const link = { device_link_token: 'd', device_link_id: 'sofa' }
    const named = { game_id: 'cars', at: 1 }
    await world.deviceLinks.create(
      status === 'complete'
        ? { ...link, status, game_id: 'cars', cloud_token: 'cloud.mock.c' }
        : { ...link, status, completes: named },
    )

    const deletion = world.games.delete(q => q.where({ game_id: 'cars' }))

    await expect(deletion).rejects.toThrow(
      'games "cars": device link sofa still needs it: delete that in the same turn, or leave this',
    )
  })
})

describe('the token of a player', () => {
  it.each([
    ['tokens', { token: 'mine', kind: 'public', namespace_id: 'prod' }, 'tokens "mine": token is'],
    ['deviceLinks', { device_link_token: 'mine' }, 'deviceLinks "mine": device_link_token is'],
  ] as const)('is not that of another one of %s', async (table, input, where) => {
    const world = smallWorld()
    await world.players.create({ lobby_id: 'l0', player_token: 'mine' })

    const create = world[table].create(input as never) // the input of that table

    await expect(create).rejects.toThrow(`${where} that of a player already`)
  })
})
