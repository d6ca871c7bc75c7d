import { expect } from 'vitest'
import { failure, json, ok, post, request } from '../support/http.js'
import { ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

const namespace = `/cloud/games/${ids.tanks}/namespaces`
const lobby_ports = [
  { label: 'default', target_port: 7777, proxy_protocol: 'http' },
  { label: 'voice', port_range: { min: 8000, max: 8009 }, proxy_protocol: 'udp' },
]

const refusals = [
  ['no token', ids.prod, undefined, '401 API_UNAUTHORIZED'],
  ['a public token', ids.prod, tokens.public, '401 CLAIMS_MISSING_ENTITLEMENT'],
  ["another game's cloud token", ids.prod, tokens.cloudBoats, '403 API_FORBIDDEN'],
  ['an unknown namespace', 'nobody', tokens.cloud, '404 NAMESPACE_NOT_FOUND'],
  ['a namespace of another game', ids.boatsProd, tokens.cloud, '404 NAMESPACE_NOT_FOUND'],
] as const

/** Specifies the calls that create the tokens of a namespace. */
export function specifyNamespaceTokens({ describe, it }: Frame): void {
  describe('games.namespaces.createGameNamespaceTokenDevelopment', () => {
    const path = `${namespace}/${ids.closed}/tokens/development`

    it.for([
      { hostname: 'dev.example', lobby_ports },
      { hostname: 'dev.example', lobby_ports, ports: null },
      {
        hostname: 'dev.example',
        ports: {
          default: { port: 7777, protocol: 'http' },
          voice: { port_range: { min: 8000, max: 8009 }, protocol: 'udp' },
        },
      },
      { hostname: '', lobby_ports: [] },
      { hostname: '', ports: {} },
    ])('creates a development token of the namespace from %j', async (body, { mock }) => {
      const { token } = ok(await mock.send(post(path, body, tokens.cloud))) as { token: string }

      expect(token).toMatch(/^dev_closed\.mock\.[0-9a-z]{24}$/)
      expect(ok(await mock.send(request('GET', '/matchmaker/lobbies/list', token)))).toMatchObject({
        game_modes: [{ game_mode_id: 'solo' }, { game_mode_id: 'walled' }],
        lobbies: [{ region_id: 'dev-lcl' }, { region_id: 'dev-lcl' }],
      })
    })

    it('creates a token with which find returns the given ports', async ({ mock }) => {
      const ports = {
        default: { port: 7777, protocol: 'http' },
        voice: { port_range: { min: 1, max: 2 }, protocol: 'udp' },
      }
      const { token } = ok(await mock.send(post(path, { hostname: 'dev.example', ports }, tokens.cloud))) as {
        token: string
      }

      const found = ok(await mock.send(post('/matchmaker/lobbies/find', { game_modes: ['solo'] }, token)))

      expect(found).toMatchObject({
        ports: {
          default: { hostname: 'dev.example', host: 'dev.example:7777', port: 7777, is_tls: false },
          voice: { hostname: 'dev.example', port_range: { min: 1, max: 2 }, is_tls: false },
        },
      })
    })

    it('creates another token each time', async ({ mock }) => {
      const first = json(await mock.send(post(path, { hostname: 'h', lobby_ports }, tokens.cloud)))

      expect(json(await mock.send(post(path, { hostname: 'h', lobby_ports }, tokens.cloud)))).not.toEqual(first)
    })

    it('refuses wrong ports with the same errors as the validation', async ({ mock }) => {
      const wrong = [
        { label: 'a', proxy_protocol: 'http' },
        { label: 'a', port_range: { min: 2, max: 1 }, proxy_protocol: 'udp' },
      ]

      const got = await mock.send(post(path, { hostname: 'h', lobby_ports: wrong }, tokens.cloud))

      const errors = [
        ['ports', '0', 'missing-port-and-port-range'],
        ['ports', '1', 'label-not-unique'],
        ['ports', '1', 'range-min-gt-max'],
      ].map(path => ({ path }))
      expect(failure(got)).toBe('400 VALIDATION_ERROR')
      expect(json(got)).toMatchObject({
        message: expect.stringContaining('ports 0 missing-port-and-port-range'),
        metadata: { errors },
      })
      expect(
        ok(await mock.send(post(`${path}/validate`, { hostname: 'h', lobby_ports: wrong }, tokens.cloud))),
      ).toEqual({
        errors,
      })
    })

    it('numbers the errors of labelled ports in order', async ({ mock }) => {
      const ports = { fine: { port: 1, protocol: 'udp' }, 'not fine': { port: 1, protocol: 'udp' } }

      const got = await mock.send(post(path, { hostname: 'h', ports }, tokens.cloud))

      expect(json(got)).toMatchObject({
        metadata: {
          errors: [{ path: ['ports', '1', 'label-invalid'] }, { path: ['ports', '1', 'port-protocol-not-unique'] }],
        },
      })
    })

    it('checks a port whose label is an Object prototype property', async ({ mock }) => {
      const ports = JSON.parse('{"__proto__":{"port":1,"protocol":"udp"}}') as object

      const got = await mock.send(post(path, { hostname: 'h', ports }, tokens.cloud))

      expect(json(got)).toMatchObject({ metadata: { errors: [{ path: ['ports', '0', 'label-invalid'] }] } })
    })

    it.for([
      [16, ' and 22 more', 32],
      [5, '', 10],
    ] as const)(
      'lists ten errors of %d ports in its message, and all in its metadata',
      async ([length, more, all], { mock }) => {
        const ports = Array.from({ length }, () => ({ label: '', proxy_protocol: 'udp' }))

        const got = json(await mock.send(post(path, { hostname: 'h', lobby_ports: ports }, tokens.cloud))) as {
          message: string
          metadata: { errors: unknown[] }
        }

        const end = `ports 4 missing-port-and-port-range${more}. metadata.errors lists all problems`
        expect(got.message.endsWith(end)).toBe(true)
        expect(got.metadata.errors).toHaveLength(all)
      },
    )

    it.for([{ hostname: 'h' }, { hostname: 'h', ports: {}, lobby_ports: [] }, { hostname: 'h', ports: null }])(
      'expects ports in one form, and refuses %j',
      async (body, { mock }) => {
        const got = await mock.send(post(path, body, tokens.cloud))

        expect(failure(got)).toBe('400 API_BAD_BODY')
        expect(got.body).toContain('expected ports or lobby_ports, not both')
      },
    )

    it.for([
      {},
      { lobby_ports },
      { hostname: 1, lobby_ports },
      { hostname: 'h', lobby_ports: {} },
      { hostname: 'h', ports: [] },
      { hostname: 'h', ports: { a: { port: 1 } } },
      { hostname: 'h', ports: { a: { port: 1.5, protocol: 'udp' } } },
      { hostname: 'h', ports: { a: { port: 1, protocol: 'gopher' } } },
    ])('refuses the body %j', async (body, { mock }) => {
      expect(failure(await mock.send(post(path, body, tokens.cloud)))).toBe('400 API_BAD_BODY')
    })

    it.for(refusals)('refuses %s', async ([, id, token, expected], { mock }) => {
      const got = await mock.send(post(`${namespace}/${id}/tokens/development`, { hostname: 'h', ports: {} }, token))

      expect(failure(got)).toBe(expected)
    })
  })

  describe('games.namespaces.createGameNamespaceTokenPublic', () => {
    it.for(['', '{}', 'not json'])(
      'creates a public token of the namespace, whatever the body: %j',
      async (body, { mock }) => {
        const got = await mock.send(post(`${namespace}/${ids.closed}/tokens/public`, body, tokens.cloud))

        const { token } = ok(got) as { token: string }
        expect(token).toMatch(/^pub_closed\.mock\.[0-9a-z]{24}$/)
        expect(ok(await mock.send(request('GET', '/matchmaker/lobbies/list', token)))).toMatchObject({
          game_modes: [{ game_mode_id: 'solo' }, { game_mode_id: 'walled' }],
          lobbies: [{ lobby_id: 'arena' }, { lobby_id: 'walled' }],
        })
      },
    )

    it.for(refusals)('refuses %s', async ([, id, token, expected], { mock }) => {
      expect(failure(await mock.send(request('POST', `${namespace}/${id}/tokens/public`, token)))).toBe(expected)
    })
  })
}
