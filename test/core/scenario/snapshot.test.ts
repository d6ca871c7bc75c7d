import { it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { uuid } from '../../support/http.js'
import { tanks } from '../../support/tanks.js'
import { snapshotOf, worldOf } from '../../support/worlds.js'

describe('a snapshot', () => {
  it('reads like a scenario of a person, without the defaults of lobbies, modes and regions', () => {
    const world = worldOf({
      ...tanks,
      games: [
        {
          name_id: 'tanks',
          game_id: 'T',
          developer_group_id: 'G',
          namespaces: [{ namespace_id: 'P', version_id: 'V', game_modes: ['duel'], lobbies: [{ lobby_id: 'L' }] }],
        },
      ],
      regions: ['lnd-fra', { region_id: 'attic' }],
      device_links: [],
      bearer_tokens: [],
    })
    expect(JSON.parse(JSON.stringify(snapshotOf(world.state)))).toEqual({
      title: 'Tanks',
      seed: 7,
      revision: Date.UTC(2026, 10, 20, 20),
      now: '2026-11-20T20:00:00.000Z',
      clock: 'frozen',
      chance: { world: world.random.save() },
      cdn_domain: 'mock.localhost',
      default_namespace: 'tanks/prod',
      regions: [
        'lnd-fra',
        {
          region_id: 'attic',
          region_uuid: expect.stringMatching(uuid),
          provider_display_name: 'Own',
          region_display_name: 'attic',
          datacenter_coord: { latitude: 0, longitude: 0 },
        },
      ],
      games: [
        {
          name_id: 'tanks',
          display_name: 'tanks',
          game_id: 'T',
          created_at: '2026-11-20T20:00:00.000Z',
          developer_group_id: 'G',
          namespaces: [
            {
              name_id: 'prod',
              display_name: 'Production',
              namespace_id: 'P',
              version_id: 'V',
              created_at: '2026-11-20T20:00:00.000Z',
              tokenless: true,
              domains: [],
              matchmaker: { lobby_count_max: 128 },
              game_modes: [
                {
                  game_mode_id: 'duel',
                  max_players: { normal: 32, direct: 40, party: 40 },
                  regions: ['lnd-fra', 'attic'],
                },
              ],
              lobbies: [{ lobby_id: 'L', game_mode_id: 'duel', region_id: 'lnd-fra', total_player_count: 0 }],
            },
          ],
        },
      ],
      device_links: [],
      bearer_tokens: [],
    })
  })

  it('writes times as dates, and durations in the largest unit that divides them', () => {
    const world = worldOf({
      game_modes: ['duel'],
      players: { session: '720000ms' },
      lobbies: [{ stops_at: '2026-11-20T23:00:00+01:00' }],
      device_links: [{ completes_after: '90s' }],
    })

    const { games, device_links } = snapshotOf(world.state)
    const namespace = games?.[0]?.namespaces?.[0]

    expect(namespace?.players?.session).toBe('12m')
    expect(namespace?.lobbies?.[0]?.stops_at).toBe('2026-11-20T22:00:00.000Z')
    expect(device_links?.[0]?.completes_at).toBe('2026-11-20T20:01:30.000Z')
  })
})
