import { describe, expect } from 'vitest'
import type { MockEvent } from '../../../../src/client/index.js'
import { createMockmaker } from '../../../../src/index.js'
import { ask } from '../../../support/http.js'
import { it } from '../../../support/served-mock.js'
import { tanks } from '../../../support/tanks.js'
import { closedAfterTest } from '../../../support/worlds.js'
import { realClock } from './real-clock.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const

describe('warnings', () => {
  it('are the same in-process, over HTTP, in an event and for the terminal', async ({ serve }) => {
    const { mock, client } = await serve({ scenario: tanks })
    const clock = realClock()
    const stream = await client.changes({ with: ['warnings'] })
    const next = async () => ((await stream.next()).value as MockEvent & { type: 'warnings' }).data
    expect(await next()).toEqual({ warnings: [], dropped: 0 })

    await clock.every(40, 101, () => ask(mock, list))

    const [warning] = mock.warnings.list()
    expect(warning).toMatchObject({
      id: 1,
      rule: 'hot loop',
      sentence: 'One client called lobbies.list 25 times a second, and nothing had changed.',
      count: expect.any(Number),
      address: '127.0.0.1',
      operation: 'lobbies.list',
      revision: mock.world.revision,
    })
    expect(mock.warnings.dropped()).toBe(0)
    expect(await client.warnings.list()).toEqual([warning])
    await stream.return(undefined)
  })

  it('can be turned off in the scenario, and an unknown rule says which one is near', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: { ...tanks, warnings: { 'hot loop': 'off' } } }))
    const clock = realClock()
    await clock.every(40, 101, () => ask(mock, list))
    expect(mock.warnings.list()).toEqual([])
    const wrong = { ...tanks, warnings: { 'hot lop': 'off' } }
    expect(() => createMockmaker({ scenario: wrong as never })).toThrow(
      /warnings\["hot lop"\] is an unknown key.*Did you mean hot loop\?/,
    )
  })
})
