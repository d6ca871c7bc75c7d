import { expect } from 'vitest'
import { failure, json, ok, post, request, uuid } from '../support/http.js'
import { bearer, ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

const link = (query: string, headers: Record<string, string> = {}) =>
  ({ method: 'GET', path: '/cloud/devices/links', query, headers }) as const

export function specifyDeviceLinks({ describe, it }: Frame): void {
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
      ['device_link_token=lobby.mock.nobody', '400 TOKEN_INVALID'],
      [`device_link_token=${tokens.expired}`, '400 TOKEN_EXPIRED'],
      [`device_link_token=${tokens.public}`, '401 CLAIMS_MISSING_ENTITLEMENT'],
    ] as const)('refuses the query "%s"', async ([query, expected], { mock }) => {
      expect(failure(await mock.send(link(query)))).toBe(expected)
    })

    it.for([
      [tokens.public, 'public'],
      [tokens.arena, 'lobby'],
      [tokens.connected, 'player'],
    ] as const)('names the kind of the token %s', async ([token, kind], { mock }) => {
      const got = json(await mock.send(link(`device_link_token=${token}`)))

      expect(got).toMatchObject({
        message: `device_link_token is a ${kind} token: get a device token with POST /cloud/devices/links`,
      })
    })

    it('answers for a link that has just been prepared', async ({ mock }) => {
      const { device_link_token } = ok(await mock.send({ method: 'POST', path: '/cloud/devices/links' })) as {
        device_link_token: string
      }

      expect(ok(await mock.send(link(`device_link_token=${device_link_token}`)))).not.toHaveProperty('cloud_token')
    })

    it('refuses a bearer that is not valid, although it needs none', async ({ mock }) => {
      expect(failure(await mock.send(link(`device_link_token=${tokens.pending}`, bearer('x'))))).toBe(
        '400 TOKEN_INVALID',
      )
    })

    it('blocks on its own index until the link is completed', async ({ mock }) => {
      const first = ok(await mock.send(link(`device_link_token=${tokens.pending}`))) as { watch: { index: string } }
      const watching = mock.send(link(`device_link_token=${tokens.pending}&watch_index=${first.watch.index}`))

      // A second answer shows that the first request has been read, and blocks.
      await mock.send(request('GET', '/matchmaker/lobbies/list'))
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
      'creates a pending link, whatever the body: %j',
      async (body, { mock }) => {
        const got = await mock.send({ method: 'POST', path: '/cloud/devices/links', body })

        const prepared = ok(got) as Record<string, string>
        expect(Object.keys(prepared)).toEqual(['device_link_id', 'device_link_token', 'device_link_url'])
        expect(prepared.device_link_id).toMatch(uuid)
        expect(prepared.device_link_token).toMatch(/^device\.mock\.[0-9a-z]{24}$/)
        expect(prepared.device_link_url?.endsWith(`/devices/link/${prepared.device_link_token}`)).toBe(true)
      },
    )

    it('creates another link each time', async ({ mock }) => {
      const first = ok(await mock.send(post('/cloud/devices/links', ''))) as { device_link_token: string }
      const second = ok(await mock.send(post('/cloud/devices/links', ''))) as { device_link_token: string }

      expect(second.device_link_token).not.toBe(first.device_link_token)
    })
  })

  describe('devices.links.complete', () => {
    const path = '/cloud/devices/links/complete'
    const body = { device_link_token: tokens.pending, game_id: ids.tanks }

    it('completes a pending link once', async ({ mock }) => {
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
}
