import { describe, expect } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import { ids, tanks } from '../tanks.js'
import { it, lobbiesAt } from './setup.js'

describe('the base URL', () => {
  it.for(['http://mock.test', 'http://mock.test/', 'http://mock.test/v1', 'http://mock.test/v1/'])(
    'may be %s',
    async (baseUrl, { setup }) => {
      setup({ baseUrl })
      const prefix = baseUrl.replace(/\/$/, '')

      expect(await lobbiesAt(`${prefix}/matchmaker/lobbies/list`)).toHaveLength(2)
      expect(await (await fetch(`${prefix}/lobbies/list`)).json()).toMatchObject({
        message: 'nothing is at /lobbies/list: did you mean GET /matchmaker/lobbies/list?',
      })
    },
  )

  it('keeps two mocks apart, on one server: MSW lets only the one that listens last answer', async ({ setup }) => {
    const first = setup({ baseUrl: 'http://one.test' })
    const second = createMockmaker({ scenario: tanks, baseUrl: 'http://two.test' })
    first.use(...second.handlers)
    await second.world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
    const counts = async () => [
      (await lobbiesAt('http://one.test/matchmaker/lobbies/list')).length,
      (await lobbiesAt('http://two.test/matchmaker/lobbies/list')).length,
    ]
    const before = await counts()

    await first.world.lobbies.create({})

    expect([before, await counts()]).toEqual([
      [2, 1],
      [3, 1],
    ])
  })
})
