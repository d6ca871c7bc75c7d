import { expect } from 'vitest'
import { failure, ok, request } from '../support/http.js'
import { ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

/** Specifies the calls that describe the service, and a token. */
export function specifyAuth({ describe, it }: Frame): void {
  describe('cloud.bootstrap', () => {
    const path = '/cloud/bootstrap'

    it.for([undefined, tokens.cloud, tokens.public, tokens.pending])(
      'answers the token %s with the settings for its first call',
      async (token, { mock }) => {
        const link = ok(await mock.send(request('POST', '/cloud/devices/links'))) as { device_link_url: string }

        expect(ok(await mock.send(request('GET', path, token)))).toEqual({
          access: 'private',
          captcha: {},
          cluster: 'oss',
          domains: { cdn: 'mock.localhost', job: 'mock.localhost', main: 'mock.localhost' },
          login_methods: { access_token: true, email: false },
          origins: { hub: link.device_link_url.slice(0, link.device_link_url.indexOf('/devices/link/')) },
        })
      },
    )

    it('refuses an unknown token', async ({ mock }) => {
      expect(failure(await mock.send(request('GET', path, 'nobody')))).toBe('400 TOKEN_INVALID')
    })
  })

  describe('auth.inspect', () => {
    const path = '/cloud/auth/inspect'

    it.for([
      [tokens.cloud, ids.tanks],
      [tokens.cloudBoats, ids.boats],
    ] as const)('names for %s the game %s, and no signed-in user', async ([token, game_id], { mock }) => {
      expect(ok(await mock.send(request('GET', path, token)))).toEqual({ agent: { game_cloud: { game_id } } })
    })

    it.for([
      [undefined, '401 API_UNAUTHORIZED'],
      [tokens.public, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['nobody', '400 TOKEN_INVALID'],
    ] as const)('refuses the token %s', async ([token, expected], { mock }) => {
      expect(failure(await mock.send(request('GET', path, token)))).toBe(expected)
    })
  })
}
