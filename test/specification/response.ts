import { expect } from 'vitest'
import { failure, json, post, type TestResponse, uuid } from '../support/http.js'
import { bearer, ids, startAt, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

const list = (headers: Record<string, string> = {}, query = '') =>
  ({ method: 'GET', path: '/matchmaker/lobbies/list', query, headers }) as const

export function specifyResponses({ describe, it }: Frame): void {
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
    ] as const)(
      '%s has a ray id and the time of the world, forbids caching, and varies by Origin',
      async ([, sent], { mock }) => {
        const { headers } = await mock.send(sent)

        expect(headers['rvt-ray-id']).toMatch(uuid)
        expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Origin' })
        expect(headers.date).toBe(new Date(startAt).toUTCString())
      },
    )

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
    ])('can be read by pages of %s', async (origin, { mock }) => {
      const { headers } = await mock.send(list({ origin }))

      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'rvt-ray-id, date',
      })
    })

    it.for(['null', 'https://evil.example', 'https://localhost.evil.example', 'https://nobody.mock.example'])(
      'cannot be read by pages of %s',
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
    ] as const)('accepts POST from %s', async ([, headers], { mock }) => {
      const got = await mock.send({ method: 'POST', path: '/cloud/devices/links', headers: { ...headers } })

      expect(got.status).toBe(200)
    })

    it('accepts GET from a page of another site', async ({ mock }) => {
      const got = await mock.send(list({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }))

      expect(got.status).toBe(200)
    })

    it('can be read if it is an error', async ({ mock }) => {
      const { headers } = await mock.send(list({ origin: 'http://localhost:3000', ...bearer('x') }))

      expect(headers['access-control-allow-origin']).toBe('http://localhost:3000')
    })
  })
}
