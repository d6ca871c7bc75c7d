import { describe, expect } from 'vitest'
import { failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { bearer, ids, tokens } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

const ofEmpty = { token: 'lobby.mock.empty', kind: 'lobby', lobby_id: 'empty', namespace: 'tanks/prod' }

describe('the tokens of lobbies', () => {
  it.for(['kind=lobby&lobby_id=empty', 'lobby_id=empty', 'token=lobby.mock.empty'])(
    'are listed among the tokens: %s',
    async (query, { serve }) => {
      const { steer } = await serve()

      expect(json(await steer('GET', `/__mock/tokens?${query}`))).toEqual({ tokens: [ofEmpty] })
    },
  )

  it('are not listed once the lobby has stopped', async ({ serve }) => {
    const { steer, client } = await serve()

    const got = await client.tokens()

    expect(got.flatMap(token => (token.kind === 'lobby' ? token.lobby_id : []))).toEqual([
      ids.lobby,
      'closed',
      'private',
      'unlisted',
      'empty',
      'arena',
      'walled',
    ])
    expect(failure(await steer('GET', '/__mock/tokens/lobby.mock.stopped'))).toBe('404 API_NOT_FOUND')
  })

  it('are shown one by one', async ({ serve }) => {
    const { steer } = await serve()

    expect(json(await steer('GET', '/__mock/tokens/lobby.mock.empty'))).toEqual(ofEmpty)
  })

  it('authenticate the servers of the lobbies', async ({ serve }) => {
    const { mock, client, send } = await serve()
    const [shown] = (await client.tokens()).filter(token => token.kind === 'lobby' && token.lobby_id === 'empty')

    const got = await send({
      method: 'PUT',
      path: '/matchmaker/lobbies/closed',
      headers: bearer(shown?.token ?? ''),
      body: '{"is_closed": true}',
    })

    expect([got.status, mock.world.lobbies.get('empty')?.is_closed]).toEqual([200, true])
  })

  it.for([
    [{}, '401 API_UNAUTHORIZED'],
    [bearer(tokens.public), '401 CLAIMS_MISSING_ENTITLEMENT'],
  ] as const)('are mentioned by a refused call: %j', async ([headers, refusal], { serve }) => {
    const { send } = await serve()

    const got = await send({ method: 'POST', path: '/matchmaker/lobbies/ready', headers })

    expect(failure(got)).toBe(refusal)
    expect(got.body).toContain('GET /__mock/tokens?kind=lobby')
  })

  it.for([
    ['PATCH', '/__mock/tokens/lobby.mock.empty', { token: 'other' }, 'PATCH /__mock/lobbies/empty'],
    ['DELETE', '/__mock/tokens/lobby.mock.empty', undefined, 'DELETE /__mock/lobbies/empty'],
    ['POST', '/__mock/tokens', { kind: 'lobby' }, 'Create a lobby with POST /__mock/lobbies'],
  ] as const)('cannot be written: %s %s is refused with advice', async ([method, path, body, hint], { serve }) => {
    const { mock, steer } = await serve()
    const before = stateOf(mock.world)

    const got = await steer(method, path, body)

    expect(failure(got)).toBe('400 API_BAD_BODY')
    expect(got.body).toContain(hint)
    expect(stateOf(mock.world)).toBe(before)
  })

  it.for([
    [`kind=public&namespace=tanks/prod`, [tokens.public]],
    ['kind=cloud&game=boats', [tokens.cloudBoats]],
    [`namespace_id=${ids.closed}&kind=public`, [tokens.publicClosed]],
  ] as const)('do not match other filters: %s', async ([query, expected], { serve }) => {
    const { steer } = await serve()

    const { tokens: found } = json(await steer('GET', `/__mock/tokens?${query}`)) as { tokens: { token: string }[] }

    expect(found.map(({ token }) => token)).toEqual(expected)
  })

  it('are neither tokens of the scenario nor records', async ({ serve }) => {
    const { mock, client } = await serve()
    const { tokens: table } = client.world

    expect(mock.tokens.map(({ kind }) => String(kind))).not.toContain('lobby')
    expect(await table.all()).toEqual(expect.arrayContaining([expect.objectContaining({ token: tokens.public })]))
    expect([await table.count(), await table.get('lobby.mock.empty')]).toEqual([mock.world.tokens.count(), undefined])
  })
})
