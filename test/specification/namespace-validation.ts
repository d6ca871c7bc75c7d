import { expect } from 'vitest'
import { failure, json, ok, post } from '../support/http.js'
import { bearer, ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

export function specifyNamespaceValidation({ describe, it }: Frame): void {
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
      ['Beta', 'x'.repeat(16), []],
      ['Beta', 'prod', [['name-id', 'not-unique']]],
      ['Beta', 'a--b', [['name-id', 'invalid']]],
    ] as const)('reports for %j and %j what is wrong', async ([display_name, name_id, paths], { mock }) => {
      const got = await mock.send(post(path, { display_name, name_id }, tokens.public))

      expect(ok(got)).toEqual({ errors: paths.map(path => ({ path })) })
    })

    it.for([
      'nobody',
      'a%20b',
      // Broken percent-encoding.
      '%',
      '%zz',
    ])('finds no collision in an unknown game: %j', async (game, { mock }) => {
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

    it('names the wrong field of the body, its value, and what was expected', async ({ mock }) => {
      const got = await mock.send(post(path, { display_name: 'A', name_id: 7 }, tokens.public))

      expect(json(got)).toEqual({ code: 'API_BAD_BODY', message: 'body: name_id is 7: expected string' })
    })

    it('accepts a body with any content-type', async ({ mock }) => {
      const sent = post(path, { display_name: 'A', name_id: 'a', more: 1 }, tokens.public)

      const got = await mock.send({ ...sent, headers: { ...sent.headers, 'content-type': 'text/plain' } })

      expect(ok(got)).toEqual({ errors: [] })
    })
  })

  describe('games.namespaces.validateGameNamespaceTokenDevelopment', () => {
    const path = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/tokens/development/validate`

    it('reports wrong ports', async ({ mock }) => {
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

    it.for([0, 4_294_967_295])('accepts %d, and answers with an empty body', async (most, { mock }) => {
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
}
