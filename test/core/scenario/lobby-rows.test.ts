import { describe, expect, it } from 'vitest'
import { uuid } from '../../support/http.js'
import { rowsOf } from '../../support/worlds.js'

describe('rows of a scenario', () => {
  it('include the named and described regions', () => {
    const { regions } = rowsOf({ regions: ['lnd-tok', { region_id: 'attic' }] })

    expect(regions.map(region => region.region_display_name)).toEqual(['Tokyo', 'attic'])
    expect(regions[1]).toEqual({
      region_id: 'attic',
      region_uuid: expect.stringMatching(uuid),
      provider_display_name: 'Own',
      region_display_name: 'attic',
      datacenter_coord: { latitude: 0, longitude: 0 },
    })
  })

  it('include game modes with their defaults', () => {
    const { gameModes } = rowsOf({
      namespace_id: 'N',
      regions: ['lnd-fra', 'lnd-atl'],
      game_modes: [
        'sandbox',
        { game_mode_id: 'ffa', max_players: 4 },
        { game_mode_id: 'duel', max_players: { direct: 3 }, regions: ['lnd-atl'], listable: false },
      ],
    })
    const most = (normal: number, direct: number, party: number) => ({
      max_players_normal: normal,
      max_players_direct: direct,
      max_players_party: party,
    })

    expect(gameModes).toEqual([
      {
        namespace_id: 'N',
        game_mode_id: 'sandbox',
        ...most(32, 40, 40),
        regions: ['lnd-fra', 'lnd-atl'],
        listable: true,
      },
      { namespace_id: 'N', game_mode_id: 'ffa', ...most(4, 4, 4), regions: ['lnd-fra', 'lnd-atl'], listable: true },
      { namespace_id: 'N', game_mode_id: 'duel', ...most(32, 3, 40), regions: ['lnd-atl'], listable: false },
    ])
  })

  it('include lobbies with the maxima of their mode', () => {
    const { lobbies } = rowsOf({
      namespace_id: 'N',
      game_modes: [{ game_mode_id: 'duel', max_players: 2, regions: ['lnd-syd', 'lnd-fra'] }],
      lobbies: [
        {},
        {
          lobby_id: 'L',
          region_id: 'lnd-fra',
          total_player_count: 1,
          max_players: { normal: 3 },
          publicity: 'private',
          is_closed: true,
          state: [1],
        },
      ],
    })

    expect(lobbies).toEqual([
      {
        lobby_id: expect.any(String),
        namespace_id: 'N',
        game_mode_id: 'duel',
        region_id: 'lnd-syd',
        max_players_normal: 2,
        max_players_direct: 2,
        max_players_party: 2,
        total_player_count: 0,
        publicity: 'public',
        is_closed: false,
        reserved_player_count: 0,
        run_by: 'mock',
        status: 'ready',
      },
      {
        lobby_id: 'L',
        namespace_id: 'N',
        game_mode_id: 'duel',
        region_id: 'lnd-fra',
        max_players_normal: 3,
        max_players_direct: 2,
        max_players_party: 2,
        total_player_count: 1,
        publicity: 'private',
        is_closed: true,
        state: [1],
        reserved_player_count: 0,
        run_by: 'mock',
        status: 'ready',
      },
    ])
  })
})
