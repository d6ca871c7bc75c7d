import { describe, expect, it } from 'vitest'
import { readScenario } from '../../../src/core/scenario/read.js'
import { problemLines } from '../../support/worlds.js'

const problems = (input: unknown) => problemLines(() => readScenario(input))
const catalogue =
  'lnd-atl, lnd-sfo, lnd-fra, lnd-syd, lnd-tok, lnd-mba, lnd-tor, lnd-dca, lnd-dfw, lnd-ewr, lnd-lon, lnd-sgp'
const regions = ['lnd-fra', 'lnd-atl']
const twoGames = [{ name_id: 'tanks' }, { name_id: 'karts' }]
const inGames = (...namespaces: object[]) => ({ games: [{ name_id: 'tanks', namespaces }, { name_id: 'karts' }] })
const port = { label: 'default', proxy_protocol: 'udp' }

describe('a repeated id', () => {
  it.each([
    [
      'a name of a game',
      { games: [{ name_id: 'tanks' }, { name_id: 'tanks' }] },
      'games[1].name_id is "tanks", which games[0].name_id is already',
    ],
    ['a default name of a game', { games: [{}, {}] }, 'games[1].name_id is "game", which games[0].name_id is already'],
    [
      'a game',
      {
        games: [
          { name_id: 'a', game_id: 'x' },
          { name_id: 'b', game_id: 'x' },
        ],
      },
      'games[1].game_id is "x", which games[0].game_id is already',
    ],
    [
      'a name of a namespace in its game',
      inGames({ name_id: 'prod' }, { name_id: 'prod' }),
      'games[0].namespaces[1].name_id is "prod", which games[0].namespaces[0].name_id is already',
    ],
    [
      'a namespace in another game',
      { games: twoGames.map(game => ({ ...game, namespaces: [{ namespace_id: 'x' }] })) },
      'games[1].namespaces[0].namespace_id is "x", which games[0].namespaces[0].namespace_id is already',
    ],
    [
      'a game mode',
      { game_modes: ['duel', { game_mode_id: 'duel' }] },
      'game_modes[1].game_mode_id is "duel", which game_modes[0] is already',
    ],
    [
      'a region',
      { regions: ['lnd-fra', { region_id: 'lnd-fra' }] },
      'regions[1].region_id is "lnd-fra", which regions[0] is already',
    ],
    [
      'a lobby in another namespace',
      inGames(
        { name_id: 'a', game_modes: ['duel'], lobbies: [{ lobby_id: 'x' }] },
        { name_id: 'b', game_modes: ['duel'], lobbies: [{}, { lobby_id: 'x' }] },
      ),
      'games[0].namespaces[1].lobbies[1].lobby_id is "x", which games[0].namespaces[0].lobbies[0].lobby_id is already',
    ],
    [
      'a token of another kind',
      { games: [{ tokens: { cloud: 'x' }, namespaces: [{ tokens: { development: 'x' } }] }] },
      'games[0].namespaces[0].tokens.development is "x", which games[0].tokens.cloud is already',
    ],
    [
      'a token of a device link',
      { tokens: { public: 'x' }, device_links: [{ token: 'x' }] },
      'device_links[0].token is "x", which tokens.public is already',
    ],
    [
      'a device link',
      { device_links: [{ device_link_id: 'x' }, { device_link_id: 'x' }] },
      'device_links[1].device_link_id is "x", which device_links[0].device_link_id is already',
    ],
    [
      'a domain in another namespace',
      inGames({ name_id: 'a', domains: ['a.example'] }, { name_id: 'b', domains: ['a.example'] }),
      'games[0].namespaces[1].domains[0] is "a.example", which games[0].namespaces[0].domains[0] is already',
    ],
  ])('is refused: %s', (_, input, line) => {
    expect(problems(input)).toEqual([`scenario: ${line}. Give each its own.`])
  })

  it('is refused: a label of a port', () => {
    expect(problems({ development: { lobby_ports: [port, port] } })).toEqual([
      'scenario: development.lobby_ports[1].label is "default": expected a label that no other port has',
    ])
  })

  it('is allowed if both may have the same id', () => {
    const namespace = { name_id: 'prod', game_modes: ['duel'], development: { lobby_ports: [port] } }
    const games = twoGames.map(game => ({ ...game, namespaces: [namespace] }))

    expect(problems({ games })).toEqual([])
  })
})

describe('the host of game servers', () => {
  it.each([
    [
      { development: { hostname: '10.0.0.7:7777' } },
      'development.hostname is "10.0.0.7:7777", which has a port. Write the host alone, and the port in lobby_ports.',
    ],
    [
      { game_modes: [{ game_mode_id: 'duel', ports: { hostname: '[::1]:7777' } }] },
      'game_modes[0].ports.hostname is "[::1]:7777", which has a port. Write the host alone, and the port in lobby_ports.',
    ],
    [
      { development: { hostname: 'https://play.example.com' } },
      'development.hostname is "https://play.example.com", which is no host. Write a name or an address: play.example.com.',
    ],
    [
      inGames({ development: { hostname: '{lobby}.localhost' } }),
      'games[0].namespaces[0].development.hostname is "{lobby}.localhost", and the mock fills in no {lobby}. Known: lobby_id, region_id, label. Did you mean lobby_id?',
    ],
  ])('cannot be that of %j', (scenario, text) => {
    expect(problems(scenario)).toEqual([`scenario: ${text}`])
  })

  it.each(['::1', '[::1]', 'fe80::1%eth0', '10.0.0.7', 'game.example', '{lobby_id}-{label}.{region_id}.localhost'])(
    'can be %s',
    hostname => {
      expect(problems({ development: { hostname } })).toEqual([])
    },
  )
})

describe('a reference to a missing record', () => {
  it.each([
    [
      'regions',
      { regions: ['lnd-frA'] },
      `regions[0] is "lnd-frA", which no region of the catalogue has. Known: ${catalogue}. Did you mean lnd-fra?`,
    ],
    [
      'a mode’s regions',
      { regions, game_modes: [{ game_mode_id: 'duel', regions: ['lnd-atl', 'lnd-syd'] }] },
      'game_modes[0].regions[1] is "lnd-syd", which no region has. Known: lnd-fra, lnd-atl.',
    ],
    [
      'default_namespace',
      { default_namespace: 'game/prd' },
      'default_namespace is "game/prd", which no namespace has. Known: game/prod. Did you mean game/prod?',
    ],
    [
      'a lobby’s game mode',
      { game_modes: ['duel', 'ffa'], lobbies: [{ game_mode_id: 'dual' }] },
      'lobbies[0].game_mode_id is "dual", which no game mode of the namespace has. Known: duel, ffa. Did you mean duel?',
    ],
    [
      'a lobby’s game mode, in a namespace without modes',
      { lobbies: [{ game_mode_id: 'duel' }] },
      'lobbies[0].game_mode_id is "duel", which no game mode of the namespace has. There are none.',
    ],
    [
      'a game mode of simulated players',
      { game_modes: ['duel', 'ffa'], players: { modes: { dual: 1, ffa: 2 } } },
      'players.modes.dual is no game mode of the namespace. Known: duel, ffa. Did you mean duel?',
    ],
    [
      'a lobby’s default game mode',
      { lobbies: [{}] },
      'lobbies[0].game_mode_id is missing, and the namespace has no game mode to be the default.',
    ],
    [
      'a lobby’s region',
      { regions, game_modes: ['duel'], lobbies: [{ region_id: 'lnd-frA' }] },
      'lobbies[0].region_id is "lnd-frA", which no region has. Known: lnd-fra, lnd-atl. Did you mean lnd-fra?',
    ],
    [
      'a region that the mode does not enable',
      { game_modes: [{ game_mode_id: 'duel', regions }], lobbies: [{ region_id: 'lnd-syd' }] },
      'lobbies[0].region_id is "lnd-syd", which game mode duel does not enable. Known: lnd-fra, lnd-atl.',
    ],
    [
      'a wrong region of the mode alone, which the lobby may mean',
      { regions, game_modes: [{ game_mode_id: 'duel', regions: ['fra'] }], lobbies: [{ region_id: 'lnd-fra' }] },
      'game_modes[0].regions[0] is "fra", which no region has. Known: lnd-fra, lnd-atl. Did you mean lnd-fra?',
    ],
    [
      'a lobby’s default region',
      { game_modes: [{ game_mode_id: 'duel', regions: [] }], lobbies: [{}] },
      'lobbies[0].region_id is missing, and game mode duel enables no region.',
    ],
    [
      'a device link’s game',
      { games: twoGames, device_links: [{ game: 'tank' }] },
      'device_links[0].game is "tank", which no game has. Known: tanks, karts. Did you mean tanks?',
    ],
    [
      'a complete link’s game, of two',
      { games: twoGames, device_links: [{ status: 'complete' }] },
      'device_links[0].game is missing, and the scenario does not have exactly one game. Known: tanks, karts.',
    ],
    [
      'a completing link’s game, of none',
      { games: [], device_links: [{ completes_after: '5s' }] },
      'device_links[0].game is missing, and the scenario does not have exactly one game. There are none.',
    ],
    [
      'the game mode of generated lobbies',
      { generate: { lobbies: 4 } },
      'generate.lobbies is 4, but no game mode of the namespace enables a region. Add one to game_modes.',
    ],
    [
      'the region of generated lobbies',
      { game_modes: [{ game_mode_id: 'duel', regions: [] }], generate: { lobbies: 4 } },
      'generate.lobbies is 4, but no game mode of the namespace enables a region. Add one to game_modes.',
    ],
  ])('is refused: %s', (_, input, line) => {
    expect(problems(input)).toEqual([`scenario: ${line}`])
  })

  it('is reported for both the game mode and the region of a lobby', () => {
    expect(problems({ regions, game_modes: ['duel'], lobbies: [{ game_mode_id: 'x', region_id: 'y' }] })).toEqual([
      'scenario: lobbies[0].game_mode_id is "x", which no game mode of the namespace has. Known: duel.',
      'scenario: lobbies[0].region_id is "y", which no region has. Known: lnd-fra, lnd-atl.',
    ])
  })
})

describe('a contradiction', () => {
  const beyond = (most: number) => `is ${most + 1}, above ${most}, the most players that the lobby takes.`

  it.each([
    [
      'more players than the maximum of the mode',
      { game_modes: [{ game_mode_id: 'duel', max_players: 2 }], lobbies: [{ total_player_count: 3 }] },
      `lobbies[0].total_player_count ${beyond(2)}`,
    ],
    [
      'more players than the default',
      { game_modes: ['duel'], lobbies: [{ total_player_count: 41 }] },
      `lobbies[0].total_player_count ${beyond(40)}`,
    ],
    [
      'more players than the maximum of the lobby',
      { game_modes: ['duel'], lobbies: [{ max_players: { direct: 7, party: 8, normal: 6 }, total_player_count: 9 }] },
      `lobbies[0].total_player_count ${beyond(8)}`,
    ],
    [
      'more players with a seat than the lobby takes',
      {
        game_modes: [{ game_mode_id: 'duel', max_players: 2 }],
        lobbies: [{ players: [{}, {}, { status: 'reserved' }, { status: 'removed' }] }],
      },
      'lobbies[0].players has 2 with 1 reserved, above 2, the most players that the lobby takes.',
    ],
    [
      'fewer players than are listed',
      { game_modes: ['duel'], lobbies: [{ total_player_count: 0, players: [{}, {}] }] },
      'lobbies[0].total_player_count is 0, below 2, the connected players that players lists.',
    ],
    [
      'a player count of a stopped lobby',
      { game_modes: ['duel'], lobbies: [{ status: 'stopped', total_player_count: 5 }] },
      'lobbies[0].total_player_count counts players in a lobby that has stopped. Remove them, or change the status.',
    ],
    [
      'players with a seat in a stopped lobby',
      { game_modes: ['duel'], lobbies: [{ status: 'stopped', players: [{ status: 'reserved' }] }] },
      'lobbies[0].players counts players in a lobby that has stopped. Remove them, or change the status.',
    ],
    [
      'a starting lobby with a simulated server',
      { game_modes: ['duel'], lobbies: [{ status: 'starting', run_by: 'mock' }] },
      'lobbies[0].run_by is mock, but a starting lobby waits for a server of its own. Write server, or remove it.',
    ],
    [
      'a time of another status',
      { game_modes: ['duel'], lobbies: [{ ready_by: '2026-11-20T20:00:00Z' }] },
      'lobbies[0].ready_by needs a lobby with status starting, and this one has ready. Remove it, or change the status.',
    ],
    [
      'a time of another status of a player',
      {
        game_modes: ['duel'],
        lobbies: [{ players: [{}, { status: 'reserved', forgotten_at: '2026-11-20T20:00:00Z' }] }],
      },
      'lobbies[0].players[1].forgotten_at needs a player with status expired or removed, and this one has reserved. Remove it, or change the status.',
    ],
    [
      'more players than may arrive in a second',
      { game_modes: ['duel'], players: { concurrent: 20_000, session: '10s' } },
      'players arrive too fast: expected fewer players, or longer sessions: at most 1000 may arrive in a second.',
    ],
    [
      'a complete link that completes later',
      { device_links: [{ status: 'complete', completes_after: '5s' }] },
      'device_links[0].completes_after needs a device link with status pending, and this one has complete. Remove it, or change the status.',
    ],
    [
      'keys of a namespace beside games',
      { games: [], lobbies: [] },
      'lobbies is not allowed beside games. Move it to a namespace, as in games[0].namespaces[0].lobbies.',
    ],
  ])('is refused: %s', (_, input, line) => {
    expect(problems(input)).toEqual([`scenario: ${line}`])
  })

  it.each([
    'namespace_id',
    'tokenless',
    'domains',
    'matchmaker',
    'tokens',
    'development',
    'game_modes',
    'lobbies',
    'generate',
  ])('is refused: %s beside games', key => {
    const value = { namespace_id: 'x', tokenless: true, domains: [], game_modes: [], lobbies: [] }[key] ?? {}

    expect(problems({ games: [{}], [key]: value })).toHaveLength(1)
  })

  it('does not include a lobby with as many players as its largest maximum', () => {
    const game_modes = [{ game_mode_id: 'duel', max_players: { normal: 2, direct: 3, party: 4 } }]

    expect(problems({ game_modes, lobbies: [{ total_player_count: 4 }] })).toEqual([])
  })
})
