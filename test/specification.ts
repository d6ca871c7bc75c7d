import { expect } from 'vitest'
import { specifyAuth } from './specification/auth.js'
import type { Frame } from './specification/frame.js'
import { specifyGames } from './specification/game.js'
import { specifyMatchmaker } from './specification/matchmaker.js'
import { specifyNamespaces } from './specification/namespace.js'
import { specifyNamespaceDomains } from './specification/namespace-domain.js'
import { specifyNamespaceTokens } from './specification/namespace-token.js'
import { specifyOptionalNull } from './specification/optional-null.js'
import { specifyServiceCloudTests } from './specification/service-cloud.js'
import { specifyServiceMatchmakerTests } from './specification/service-matchmaker.js'
import { failure, json, ok, post, type TestResponse, uuid } from './support/http.js'
import { bearer, ids, tokens } from './support/tanks.js'

const list = (headers: Record<string, string> = {}, query = '') =>
  ({ method: 'GET', path: '/matchmaker/lobbies/list', query, headers }) as const
const link = (query: string, headers: Record<string, string> = {}) =>
  ({ method: 'GET', path: '/cloud/devices/links', query, headers }) as const

/** What every operation promises, to whoever asks a mock of tanks that nobody has asked before. */
export function specification(frame: Frame): void {
  const { describe, it } = frame
  describe('lobbies.list', () => {
    const path = '/matchmaker/lobbies/list'

    it('lists the open lobbies with all modes and the regions that these enable', async ({ mock }) => {
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

    it('carries a state that is an object, and no other, when it is asked to', async ({ mock }) => {
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
    it('takes x-coords out of range as they are', async ({ mock }) => {
      const distances = async (coords: string) => {
        const { regions } = ok(await mock.send(list({ 'x-coords': coords }))) as {
          regions: { datacenter_distance_from_client: { kilometers: number } }[]
        }
        return regions.map(region => Math.round(region.datacenter_distance_from_client.kilometers))
      }

      // Ten degrees beyond the pole is on its other side.
      expect(await distances('100, 200')).toEqual(await distances('80, 20'))
      expect(await distances('100, 200')).not.toContain(0)
    })

    it('answers a development token before it looks at any header', async ({ mock }) => {
      const got = await mock.send(list({ ...bearer(tokens.development), 'x-coords': 'nowhere' }))

      expect(got.status).toBe(200)
    })

    it('tells how far each region is from x-coords', async ({ mock }) => {
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
      ['an origin that nobody knows, as the default namespace', { origin: 'https://nobody.example' }, 3],
      ['a header that is no bearer token', { authorization: `bearer ${tokens.public}` }, 3],
      ['two spaces, which is no bearer token either', { authorization: `Bearer  ${tokens.public}` }, 3],
    ] as const)('needs no token of a tokenless namespace: %s', async ([, headers, modes], { mock }) => {
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

    it('answers HEAD as GET, without its body', async ({ mock }) => {
      const got = await mock.send({ ...list(), method: 'HEAD' })

      expect([got.status, got.body]).toEqual([200, ''])
      expect(got.headers['content-type']).toBe('application/json')
    })

    it('checks the token before the query', async ({ mock }) => {
      const got = await mock.send({ method: 'GET', path, query: 'include_state=x', headers: bearer('unknown') })

      expect(failure(got)).toBe('400 TOKEN_INVALID')
    })
  })

  describe('games.namespaces.validateGameNamespace', () => {
    const path = `/cloud/games/${ids.tanks}/namespaces/validate`

    it.for([
      ['Beta', 'beta', []],
      [
        '',
        '',
        [
          ['display-name', 'too-short'],
          ['display-name', 'invalid'],
          ['name-id', 'too-short'],
          ['name-id', 'invalid'],
        ],
      ],
      ['é'.repeat(64), 'a-1', []],
      [
        `${'é'.repeat(64)}x`,
        'a',
        [
          ['display-name', 'too-long'],
          ['display-name', 'invalid'],
        ],
      ],
      ['two  spaces', 'a', [['display-name', 'invalid']]],
      [
        'Beta',
        'x'.repeat(17),
        [
          ['name-id', 'too-long'],
          ['name-id', 'invalid'],
        ],
      ],
      ['Beta', 'prod', [['name-id', 'not-unique']]],
      ['Beta', 'a--b', [['name-id', 'invalid']]],
    ] as const)('says of %j and %j what is wrong', async ([display_name, name_id, paths], { mock }) => {
      const got = await mock.send(post(path, { display_name, name_id }, tokens.public))

      expect(ok(got)).toEqual({ errors: paths.map(path => ({ path })) })
    })

    it.for([
      'nobody',
      'a%20b',
      // Broken percent-encoding.
      '%',
      '%zz',
    ])('finds no collision in a game that nobody knows: %j', async (game, { mock }) => {
      const got = await mock.send(
        post(`/cloud/games/${game}/namespaces/validate`, { display_name: 'B', name_id: 'prod' }, tokens.cloudBoats),
      )

      expect(ok(got)).toEqual({ errors: [] })
    })

    it('creates nothing', async ({ mock }) => {
      await mock.send(post(path, { display_name: 'Beta', name_id: 'beta' }, tokens.public))

      expect(ok(await mock.send(post(path, { display_name: 'Beta', name_id: 'beta' }, tokens.public)))).toEqual({
        errors: [],
      })
    })

    it.for([
      ['no token', {}, '401 API_UNAUTHORIZED'],
      ['an unknown token', bearer('x'), '400 TOKEN_INVALID'],
      ['an expired token', bearer(tokens.expired), '401 CLAIMS_ENTITLEMENT_EXPIRED'],
    ] as const)('refuses %s', async ([, headers, expected], { mock }) => {
      expect(failure(await mock.send({ method: 'POST', path, headers: { ...headers }, body: '{}' }))).toBe(expected)
    })

    it.for([
      '{}',
      '',
      '[]',
      'null',
      '"text"',
      '{"display_name": 1, "name_id": "a"}',
      '{"display_name": "A", "name_id": null}',
      '{"display_name": "A"',
      '{"__proto__": {"display_name": "A", "name_id": "a"}}',
    ])('refuses the body %s', async (body, { mock }) => {
      expect(failure(await mock.send(post(path, body, tokens.public)))).toBe('400 API_BAD_BODY')
    })

    it('says which field of the body is wrong, what it is, and what was expected', async ({ mock }) => {
      const got = await mock.send(post(path, { display_name: 'A', name_id: 7 }, tokens.public))

      expect(json(got)).toEqual({ code: 'API_BAD_BODY', message: 'body: name_id is 7: expected string' })
    })

    it('reads the body whatever its content-type is', async ({ mock }) => {
      const sent = post(path, { display_name: 'A', name_id: 'a', more: 1 }, tokens.public)

      const got = await mock.send({ ...sent, headers: { ...sent.headers, 'content-type': 'text/plain' } })

      expect(ok(got)).toEqual({ errors: [] })
    })
  })

  describe('games.namespaces.validateGameNamespaceTokenDevelopment', () => {
    const path = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/tokens/development/validate`

    it('says what is wrong with the ports', async ({ mock }) => {
      const lobby_ports = [
        { label: 'default', target_port: 7777, proxy_protocol: 'http' },
        { label: 'default', port_range: { min: 9, max: 8 }, proxy_protocol: 'udp' },
      ]

      const got = await mock.send(post(path, { hostname: '127.0.0.1', lobby_ports }, tokens.development))

      expect(ok(got)).toEqual({
        errors: [{ path: ['ports', '1', 'label-not-unique'] }, { path: ['ports', '1', 'range-min-gt-max'] }],
      })
    })

    it.for([
      { hostname: 'h' },
      { hostname: 'h', lobby_ports: {} },
      { hostname: 'h', lobby_ports: [{ label: 'a', proxy_protocol: 'gopher' }] },
      { hostname: 'h', lobby_ports: [{ label: 'a', target_port: 1.5, proxy_protocol: 'udp' }] },
      { hostname: 'h', lobby_ports: [{ label: 'a', target_port: 2147483648, proxy_protocol: 'udp' }] },
      { hostname: 'h', lobby_ports: [{ label: 'a', port_range: { min: 1 }, proxy_protocol: 'udp' }] },
    ])('refuses the body %j', async (body, { mock }) => {
      expect(failure(await mock.send(post(path, body, tokens.development)))).toBe('400 API_BAD_BODY')
    })
  })

  describe('games.namespaces.updateGameNamespaceMatchmakerConfig', () => {
    const path = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/mm-config`

    it.for([0, 4_294_967_295])('takes %d, and answers with an empty body', async (most, { mock }) => {
      const got = await mock.send(post(path, { lobby_count_max: most, max_players: most }, tokens.public))

      expect([got.status, got.body]).toEqual([200, ''])
    })

    it.for([
      {},
      { lobby_count_max: 1 },
      { lobby_count_max: -1, max_players: 1 },
      { lobby_count_max: 1, max_players: 4_294_967_296 },
      { lobby_count_max: 1.5, max_players: 1 },
      { lobby_count_max: '1', max_players: 1 },
      { lobby_count_max: null, max_players: 1 },
    ])('refuses the body %j', async (body, { mock }) => {
      expect(failure(await mock.send(post(path, body, tokens.public)))).toBe('400 API_BAD_BODY')
    })

    it.for([
      ['an unknown namespace', `/cloud/games/${ids.tanks}/namespaces/nobody/mm-config`],
      ['a namespace of another game', `/cloud/games/${ids.boats}/namespaces/${ids.prod}/mm-config`],
    ] as const)('does not find %s', async ([, path], { mock }) => {
      const got = await mock.send(post(path, { lobby_count_max: 1, max_players: 1 }, tokens.public))

      expect(failure(got)).toBe('404 NAMESPACE_NOT_FOUND')
    })
  })

  specifyGames(frame)
  specifyNamespaces(frame)
  specifyNamespaceTokens(frame)
  specifyNamespaceDomains(frame)
  specifyAuth(frame)
  specifyOptionalNull(frame)
  specifyServiceCloudTests(frame)
  specifyServiceMatchmakerTests(frame)

  describe('devices.links.get', () => {
    it('has no cloud token for a pending link, and a decimal index', async ({ mock }) => {
      const got = ok(await mock.send(link(`device_link_token=${tokens.pending}`)))

      expect(got).toEqual({ watch: { index: String(Date.parse('2026-11-20T20:00:00Z')) } })
    })

    it('has the cloud token of a complete link, which is valid', async ({ mock }) => {
      const { cloud_token } = ok(await mock.send(link(`device_link_token=${tokens.complete}`))) as {
        cloud_token: string
      }

      const got = await mock.send(link(`device_link_token=${tokens.pending}`, bearer(cloud_token)))
      expect(cloud_token).toMatch(/^cloud\.mock\./)
      expect(got.status).toBe(200)
    })

    it.for(['0', '1', '9999999999999999999', '0000000000000000001'])(
      'answers the index %s of another run at once, with the true one',
      async (index, { mock }) => {
        const got = ok(await mock.send(link(`device_link_token=${tokens.pending}&watch_index=${index}`)))

        expect(got).toEqual({ watch: { index: String(Date.parse('2026-11-20T20:00:00Z')) } })
      },
    )

    it.for([
      ['', '400 API_BAD_QUERY'],
      [`device_link_token=${tokens.pending}&device_link_token=x`, '400 API_BAD_QUERY'],
      [`device_link_token=${tokens.pending}&watch_index=`, '400 API_BAD_QUERY'],
      [`device_link_token=${tokens.pending}&watch_index=-1`, '400 API_BAD_QUERY'],
      [`device_link_token=${tokens.pending}&watch_index=1e3`, '400 API_BAD_QUERY'],
      [`device_link_token=${tokens.pending}&watch_index=12345678901234567890`, '400 API_BAD_QUERY'],
      [`device_link_token=${tokens.pending}&watch_index=1&watch_index=1`, '400 API_BAD_QUERY'],
      ['device_link_token=', '400 TOKEN_INVALID'],
      ['device_link_token=nobody', '400 TOKEN_INVALID'],
      [`device_link_token=${tokens.expired}`, '400 TOKEN_EXPIRED'],
      [`device_link_token=${tokens.public}`, '401 CLAIMS_MISSING_ENTITLEMENT'],
    ] as const)('refuses the query "%s"', async ([query, expected], { mock }) => {
      expect(failure(await mock.send(link(query)))).toBe(expected)
    })

    it('refuses a bearer that is not valid, although it needs none', async ({ mock }) => {
      expect(failure(await mock.send(link(`device_link_token=${tokens.pending}`, bearer('x'))))).toBe(
        '400 TOKEN_INVALID',
      )
    })

    it('blocks on its own index until the link is completed', async ({ mock }) => {
      const first = ok(await mock.send(link(`device_link_token=${tokens.pending}`))) as { watch: { index: string } }
      const watching = mock.send(link(`device_link_token=${tokens.pending}&watch_index=${first.watch.index}`))

      // A second answer shows that the first request was read, and is blocked.
      await mock.send(list())
      await mock.send(
        post('/cloud/devices/links/complete', { device_link_token: tokens.pending, game_id: ids.tanks }, tokens.cloud),
      )

      const second = ok(await watching) as { cloud_token: string; watch: { index: string } }
      expect(second.cloud_token).toMatch(/^cloud\.mock\.[0-9a-z]{24}$/)
      expect(BigInt(second.watch.index)).toBeGreaterThan(BigInt(first.watch.index))
    })
  })

  describe('devices.links.prepare', () => {
    it.for(['', '{}', 'not json', '{"device_link_token": 1}'])(
      'begins a pending link, whatever the body: %j',
      async (body, { mock }) => {
        const got = await mock.send({ method: 'POST', path: '/cloud/devices/links', body })

        const prepared = ok(got) as Record<string, string>
        expect(Object.keys(prepared)).toEqual(['device_link_id', 'device_link_token', 'device_link_url'])
        expect(prepared.device_link_id).toMatch(uuid)
        expect(prepared.device_link_token).toMatch(/^device\.mock\.[0-9a-z]{24}$/)
        expect(prepared.device_link_url?.endsWith(`/devices/link/${prepared.device_link_token}`)).toBe(true)
      },
    )

    it('begins another one each time', async ({ mock }) => {
      const first = ok(await mock.send(post('/cloud/devices/links', ''))) as { device_link_token: string }
      const second = ok(await mock.send(post('/cloud/devices/links', ''))) as { device_link_token: string }

      expect(second.device_link_token).not.toBe(first.device_link_token)
    })
  })

  describe('devices.links.complete', () => {
    const path = '/cloud/devices/links/complete'
    const body = { device_link_token: tokens.pending, game_id: ids.tanks }

    it('completes a pending link, once', async ({ mock }) => {
      expect(ok(await mock.send(post(path, body, tokens.cloud)))).toEqual({})
      expect(failure(await mock.send(post(path, body, tokens.cloud)))).toBe('400 CLOUD_DEVICE_LINK_ALREADY_COMPLETE')
    })

    it.for([
      ['no token', body, undefined, '401 API_UNAUTHORIZED'],
      ['a public token', body, tokens.public, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ["another game's cloud token", body, tokens.cloudBoats, '403 API_FORBIDDEN'],
      ['a game that nobody knows', { ...body, game_id: 'nobody' }, tokens.cloud, '403 API_FORBIDDEN'],
      ['an unknown link', { ...body, device_link_token: 'nobody' }, tokens.cloud, '400 TOKEN_INVALID'],
      ['an expired link', { ...body, device_link_token: tokens.expired }, tokens.cloud, '400 TOKEN_EXPIRED'],
      [
        'a token of another kind',
        { ...body, device_link_token: tokens.public },
        tokens.cloud,
        '401 CLAIMS_MISSING_ENTITLEMENT',
      ],
      [
        'a complete link',
        { ...body, device_link_token: tokens.complete },
        tokens.cloud,
        '400 CLOUD_DEVICE_LINK_ALREADY_COMPLETE',
      ],
      ['no body', '', tokens.cloud, '400 API_BAD_BODY'],
    ] as const)('refuses %s', async ([, body, token, expected], { mock }) => {
      expect(failure(await mock.send(post(path, body, token)))).toBe(expected)
    })
  })

  specifyMatchmaker({ describe, it })

  describe('every answer', () => {
    it.for([
      ['of success', list()],
      ['of failure', list(bearer('x'))],
      [
        'with an empty body',
        post(
          `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/mm-config`,
          { lobby_count_max: 1, max_players: 1 },
          tokens.public,
        ),
      ],
    ] as const)('%s has a ray id, is not to be stored, and varies by Origin', async ([, sent], { mock }) => {
      const { headers } = await mock.send(sent)

      expect(headers['rvt-ray-id']).toMatch(uuid)
      expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Origin' })
    })

    it('has another ray id', async ({ mock }) => {
      const [first, second] = [await mock.send(list()), await mock.send(list())]

      expect(first.headers['rvt-ray-id']).not.toBe(second.headers['rvt-ray-id'])
    })

    it.for([
      'http://localhost:3000',
      'https://game.localhost',
      'http://127.9.9.9',
      'http://[::1]:1',
      'capacitor://localhost',
      'https://tanks.example',
      'https://boats.mock.localhost',
    ])('may be read by pages of %s', async (origin, { mock }) => {
      const { headers } = await mock.send(list({ origin }))

      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'rvt-ray-id',
      })
    })

    it.for(['null', 'https://evil.example', 'https://localhost.evil.example', 'https://nobody.mock.example'])(
      'may not be read by pages of %s',
      async (origin, { mock }) => {
        const { status, headers } = await mock.send(list({ origin }))

        expect(status).toBe(200)
        expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
      },
    )

    it.for([
      ['POST', '/matchmaker/lobbies/find', '{"game_modes": ["duel"]}'],
      ['POST', '/matchmaker/lobbies/create', '{"game_mode": "duel"}'],
      ['POST', '/cloud/devices/links', ''],
      ['PUT', '/matchmaker/lobbies/state', '{}'],
      ['DELETE', `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/domains/tanks.example`, undefined],
    ] as const)('refuses %s %s from a page of another site', async ([method, path, body], { mock }) => {
      const headers = { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' }
      const sent = { method, path, ...(body === undefined ? {} : { body }) }

      const got = [
        await mock.send({ ...sent, headers: { ...headers, origin: 'https://evil.example' } }),
        await mock.send({ ...sent, headers: { ...headers, origin: 'null' } }),
        await mock.send({ ...sent, headers }),
      ]

      expect(got.map(failure)).toEqual(['403 API_FORBIDDEN', '403 API_FORBIDDEN', '403 API_FORBIDDEN'])
      expect((json(got[0] as TestResponse) as { message: string }).message).toContain(
        '--cors-origin https://evil.example',
      )
    })

    it.for([
      ['an allowed origin', { 'sec-fetch-site': 'cross-site', origin: 'https://tanks.example' }],
      ['a WebView on this machine', { 'sec-fetch-site': 'cross-site', origin: 'capacitor://localhost' }],
      ['the same site', { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' }],
      ['a native client, which says no site', { origin: 'https://evil.example' }],
    ] as const)('takes POST from %s', async ([, headers], { mock }) => {
      const got = await mock.send({ method: 'POST', path: '/cloud/devices/links', headers: { ...headers } })

      expect(got.status).toBe(200)
    })

    it('answers GET from a page of another site', async ({ mock }) => {
      const got = await mock.send(list({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }))

      expect(got.status).toBe(200)
    })

    it('may be read where it is an error, too', async ({ mock }) => {
      const { headers } = await mock.send(list({ origin: 'http://localhost:3000', ...bearer('x') }))

      expect(headers['access-control-allow-origin']).toBe('http://localhost:3000')
    })
  })
}
