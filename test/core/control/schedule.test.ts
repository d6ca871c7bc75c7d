import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { scenarios } from '../../../src/core/scenario/index.js'
import { createMockmaker, UsageError } from '../../../src/index.js'
import { it } from '../../support/served-mock.js'
import { closedAfterTest } from '../../support/worlds.js'

const at = (time: string) => `2026-11-20T${time}.000Z`

/** Two lobbies, and a row for each kind of job. */
const scenario = {
  now: at('20:00:00'),
  clock: 'frozen',
  games: [
    {
      name_id: 'tanks',
      namespaces: [
        {
          name_id: 'prod',
          game_modes: ['duel'],
          lobbies: [
            {
              lobby_id: 'arena',
              game_mode_id: 'duel',
              stops_at: at('20:09:00'),
              players: [
                { token: 'player.one', leaves_at: at('20:01:00') },
                { token: 'player.two', status: 'reserved', expires_at: at('20:02:00') },
                { token: 'player.three', status: 'reserved', connects_at: at('20:03:00') },
              ],
            },
            { lobby_id: 'late', game_mode_id: 'duel', status: 'starting', ready_by: at('20:04:00') },
          ],
        },
      ],
    },
  ],
  device_links: [{ token: 'device.sofa', completes_after: '5m', game: 'tanks' }],
} as const

const expected = [
  { at: at('20:01:00'), table: 'players', id: 'player.one', what: 'a player leaves' },
  { at: at('20:02:00'), table: 'players', id: 'player.two', what: 'a reserved seat expires' },
  { at: at('20:03:00'), table: 'players', id: 'player.three', what: 'a player connects' },
  { at: at('20:04:00'), table: 'lobbies', id: 'late', what: 'a lobby stops, because its game server is not ready' },
  { at: at('20:05:00'), table: 'deviceLinks', id: 'device.sofa', what: 'a device link completes' },
  { at: at('20:09:00'), table: 'lobbies', id: 'arena', what: 'a lobby stops' },
]

describe('the schedule', () => {
  it('lists the next jobs in words, in the order in which they run', async ({ serve }) => {
    const { mock, client } = await serve({ scenario })

    expect(mock.schedule()).toEqual(expected)
    expect(await client.schedule()).toEqual(expected)
    expect(await client.schedule({ limit: 2 })).toEqual(expected.slice(0, 2))
  })

  it('lists what follows from the jobs that have run', async ({ serve }) => {
    const { mock } = await serve({ scenario })
    await mock.clock.advance('10m')
    const simulation = await mock.simulate({ concurrent: 10 })

    const what = mock.schedule({ limit: 1000 }).map(job => job.what)

    expect(simulation.concurrent).toBe(10)
    expect(new Set(what)).toEqual(
      new Set([
        'simulated players arrive',
        'the mock forgets a player without a seat',
        'the mock forgets a stopped lobby',
      ]),
    )
  })

  property.prop([fc.constantFrom('friday-night', 'default', 'nasty'), fc.integer({ min: 1, max: 30 })], {
    numRuns: Math.ceil(inject('runs') / 2),
  })('begins with the jobs that run next', async (name, count) => {
    const mock = closedAfterTest(createMockmaker({ scenario: { ...scenarios[name], clock: 'frozen' } }))
    await mock.simulate({ concurrent: 50 })
    const [first, ...others] = mock.schedule({ limit: count })
    const sameTime = others.filter(job => job.at === first?.at)
    const changed = new Set<string>()
    mock.world.subscribe(({ changes }) => {
      for (const { table, id } of changes) changed.add(`${table} ${id}`)
    })

    await mock.clock.set({ now: first?.at ?? '' })

    expect(first).toBeDefined()
    expect([...changed]).toEqual(expect.arrayContaining([first, ...sameTime].map(job => `${job?.table} ${job?.id}`)))
  })

  it.for([0, 1001, 1.5, '5', null])('refuses the limit %j', async (limit, { serve }) => {
    const { mock, client } = await serve()

    expect(() => mock.schedule({ limit: limit as never })).toThrow(UsageError)
    if (limit !== null && limit !== '5')
      await expect(client.schedule({ limit: limit as never })).rejects.toThrow('limit')
  })
})
