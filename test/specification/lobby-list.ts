import { expect } from 'vitest'
import { failure, ok } from '../support/http.js'
import { bearer, ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

const list = (headers: Record<string, string> = {}, query = '') =>
  ({ method: 'GET', path: '/matchmaker/lobbies/list', query, headers }) as const

export function specifyLobbyList({ describe, it }: Frame): void {
  describe('lobbies.list', () => {
    const path = '/matchmaker/lobbies/list'

    it('lists the open lobbies with all modes and the regions of these modes', async ({ mock }) => {
      const got = await mock.send(list(bearer(tokens.public)))

      const distance = { kilometers: 0, miles: 0 }
      expect(ok(got)).toEqual({
        game_modes: [{ game_mode_id: 'duel' }, { game_mode_id: 'ffa' }, { game_mode_id: 'secret' }],
        lobbies: [
          {
            region_id: 'lnd-fra',
            game_mode_id: 'duel',
            lobby_id: ids.lobby,
            max_players_normal: 2,
            max_players_direct: 2,
            max_players_party: 2,
            total_player_count: 1,
          },
          {
            region_id: 'lnd-syd',
            game_mode_id: 'ffa',
            lobby_id: 'empty',
            max_players_normal: 8,
            max_players_direct: 10,
            max_players_party: 12,
            total_player_count: 0,
          },
        ],
        regions: [
          {
            region_id: 'lnd-fra',
            provider_display_name: 'Linode',
            region_display_name: 'Frankfurt',
            datacenter_coord: { latitude: 50.11044, longitude: 8.68183 },
            datacenter_distance_from_client: distance,
          },
          {
            region_id: 'lnd-syd',
            provider_display_name: 'Linode',
            region_display_name: 'Sydney',
            datacenter_coord: { latitude: -33.87271, longitude: 151.20569 },
            datacenter_distance_from_client: distance,
          },
        ],
      })
    })

    it('includes the state if asked and if it is an object', async ({ mock }) => {
      const { lobbies } = ok(await mock.send(list(bearer(tokens.public), 'include_state=true'))) as {
        lobbies: { state?: unknown }[]
      }

      expect(lobbies.map(lobby => ('state' in lobby ? lobby.state : 'absent'))).toEqual([{ map: 'dust' }, 'absent'])
    })

    it('answers a development token with a canned list', async ({ mock }) => {
      const got = await mock.send(list(bearer(tokens.development), 'include_state=true'))

      const lobby = {
        region_id: 'dev-lcl',
        lobby_id: '00000000-0000-0000-0000-000000000000',
        total_player_count: 0,
        state: { foo: 'bar' },
      }
      expect(ok(got)).toEqual({
        game_modes: [{ game_mode_id: 'duel' }, { game_mode_id: 'ffa' }, { game_mode_id: 'secret' }],
        lobbies: [
          { ...lobby, game_mode_id: 'duel', max_players_normal: 2, max_players_direct: 2, max_players_party: 2 },
          { ...lobby, game_mode_id: 'ffa', max_players_normal: 8, max_players_direct: 10, max_players_party: 12 },
          { ...lobby, game_mode_id: 'secret', max_players_normal: 32, max_players_direct: 40, max_players_party: 40 },
        ],
        regions: [
          {
            region_id: 'dev-lcl',
            provider_display_name: 'Development',
            region_display_name: 'Local',
            datacenter_coord: { latitude: 0, longitude: 0 },
            datacenter_distance_from_client: { kilometers: 0, miles: 0 },
          },
        ],
      })
    })

    // rivet v23.2.0-rc1, svc/api/matchmaker/tests/common.rs: Ctx::http_client
    it('accepts x-coords out of range', async ({ mock }) => {
      const distances = async (coords: string) => {
        const { regions } = ok(await mock.send(list({ 'x-coords': coords }))) as {
          regions: { datacenter_distance_from_client: { kilometers: number } }[]
        }
        return regions.map(region => Math.round(region.datacenter_distance_from_client.kilometers))
      }

      // Ten degrees beyond the pole is on its other side.
      expect(await distances('100, 200')).toEqual(await distances('80, 20'))
      expect(await distances('100, 200')).not.toContain(0)
      // JavaScript writes a small number so.
      expect(await distances('8e1, 2e+1')).toEqual(await distances('80, 20'))
    })

    it('answers a development token before it checks any header', async ({ mock }) => {
      const got = await mock.send(list({ ...bearer(tokens.development), 'x-coords': 'nowhere' }))

      expect(got.status).toBe(200)
    })

    it('has the distance of each region from x-coords', async ({ mock }) => {
      const got = await mock.send(list({ 'x-coords': ' 50.11044 , 8.68183 ' }))

      const { regions } = ok(got) as {
        regions: { datacenter_distance_from_client: { kilometers: number; miles: number } }[]
      }
      const [frankfurt, sydney] = regions.map(region => region.datacenter_distance_from_client)
      expect(frankfurt).toEqual({ kilometers: 0, miles: 0 })
      expect(Math.abs((sydney?.kilometers ?? 0) / 16_480 - 1)).toBeLessThan(0.001)
      expect(sydney?.miles).toBeCloseTo((sydney?.kilometers ?? 0) * 0.621371, 6)
    })

    it.for([
      ['no token, from nowhere in particular', {}, 3],
      ['a domain of the namespace', { origin: 'https://tanks.example' }, 3],
      ["the game's name at the cdn, which is its prod", { origin: 'https://boats.mock.localhost' }, 1],
      ['game and namespace at the cdn', { origin: 'http://tanks--prod.mock.localhost:5173' }, 3],
      ['an unknown origin, as the default namespace', { origin: 'https://nobody.example' }, 3],
      ['a header that is no bearer token', { authorization: `bearer ${tokens.public}` }, 3],
      ['two spaces, which is no bearer token either', { authorization: `Bearer  ${tokens.public}` }, 3],
    ] as const)('needs no token in a tokenless namespace: %s', async ([, headers, modes], { mock }) => {
      const { game_modes } = ok(await mock.send(list({ ...headers }))) as { game_modes: unknown[] }

      expect(game_modes).toHaveLength(modes)
    })

    it.for([
      [
        'a namespace that is not tokenless',
        { origin: 'https://tanks--closed.mock.localhost' },
        '401 CLAIMS_MISSING_ENTITLEMENT',
      ],
      ['a cloud token', bearer(tokens.cloud), '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['a device token', bearer(tokens.pending), '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['an unknown token', bearer('pub_prod.real'), '400 TOKEN_INVALID'],
      ['a malformed token', bearer('a b'), '400 TOKEN_INVALID'],
      ['an expired token', bearer(tokens.expired), '401 CLAIMS_ENTITLEMENT_EXPIRED'],
      ['coordinates that are none', { 'x-coords': '50' }, '400 API_BAD_HEADERS'],
      ['coordinates of three numbers', { 'x-coords': '100, 200, 300' }, '400 API_BAD_HEADERS'],
    ] as const)('refuses %s', async ([, headers, expected], { mock }) => {
      expect(failure(await mock.send(list({ ...headers })))).toBe(expected)
    })

    it.for(['include_state=yes', 'include_state=', 'include_state=true&include_state=true'])(
      'refuses the query %s',
      async (query, { mock }) => {
        expect(failure(await mock.send(list({}, query)))).toBe('400 API_BAD_QUERY')
      },
    )

    it('ignores unknown parameters, and watch_index', async ({ mock }) => {
      const got = await mock.send(list({}, 'watch_index=1&watch_index=2&utm=x'))

      expect(got.status).toBe(200)
    })

    it('answers a public token of a namespace that is not tokenless', async ({ mock }) => {
      expect(ok(await mock.send(list(bearer(tokens.publicClosed))))).toMatchObject({
        game_modes: [{ game_mode_id: 'solo' }, { game_mode_id: 'walled' }],
      })
    })

    it('answers HEAD like GET, without the body', async ({ mock }) => {
      const got = await mock.send({ ...list(), method: 'HEAD' })

      expect([got.status, got.body]).toEqual([200, ''])
      expect(got.headers['content-type']).toBe('application/json')
    })

    it('checks the token before the query', async ({ mock }) => {
      const got = await mock.send({ method: 'GET', path, query: 'include_state=x', headers: bearer('unknown') })

      expect(failure(got)).toBe('400 TOKEN_INVALID')
    })
  })
}
