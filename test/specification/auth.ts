import { expect } from 'vitest'
import { failure } from '../doors.js'
import { ids, tokens } from '../tanks.js'
import { type Frame, ok, request } from './frame.js'

/** What `auth.inspect` promises. */
export function specifyAuth({ describe, it }: Frame): void {
  describe('auth.inspect', () => {
    const path = '/cloud/auth/inspect'

    it.for([
      [tokens.cloud, ids.tanks],
      [tokens.cloudBoats, ids.boats],
    ] as const)(
      'tells of %s that it is of game %s, and that nobody has signed in',
      async ([token, game_id], { mock }) => {
        expect(ok(await mock.send(request('GET', path, token)))).toEqual({ agent: { game_cloud: { game_id } } })
      },
    )

    it.for([
      [undefined, '401 API_UNAUTHORIZED'],
      [tokens.public, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['nobody', '400 TOKEN_INVALID'],
    ] as const)('refuses the token %s', async ([token, expected], { mock }) => {
      expect(failure(await mock.send(request('GET', path, token)))).toBe(expected)
    })
  })
}
