import { describe, expect, it } from 'vitest'
import { type Fault, UsageError } from '../../../src/index.js'
import { list, mockWithFaults, nowhere, prepare } from '../../support/faults.js'
import { ask } from '../../support/http.js'
import { tanks } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

const busyCode = { error: { code: 'API_RATE_LIMIT' } } as const

describe('a fault applies', () => {
  it('to all requests, even with unknown paths and wrong methods, but to no preflight', async () => {
    const { mock } = mockWithFaults([{ effect: busyCode }])
    const sent = [list, prepare, nowhere, { ...list, method: 'DELETE' }, { ...list, method: 'OPTIONS' }]

    const got = await Promise.all(sent.map(one => ask(mock, one)))

    expect(got.map(({ status }) => status)).toEqual([429, 429, 429, 429, 204])
    expect(mock.faults.list()).toMatchObject([{ matched: 4, struck: 4 }])
  })

  it('to an overridden operation too', async () => {
    const { mock } = mockWithFaults([{ effect: busyCode }])
    const handler = mock.override('lobbies.list', ({ original }) => original())

    const result = await handler.run({ request: new Request(`http://x${list.path}`), requestId: '1' })

    expect(result?.response?.status).toBe(429)
  })
})

// fault-model.slow.test.ts holds, for any faults and requests, when each applies.
describe('a fault with', () => {
  it('a chance applies to about that share, and repeats with the seed', async () => {
    const run = async (seed: number) => {
      const { mock } = mockWithFaults([{ effect: busyCode, chance: 0.3 }], { seed })
      const got = await Promise.all(Array.from({ length: 300 }, () => ask(mock, list)))
      return got.map(({ status }) => status)
    }

    const [one, same, other] = [await run(7), await run(7), await run(8)]

    expect(Math.abs(one.filter(status => status === 429).length - 90)).toBeLessThan(25)
    expect(same).toEqual(one)
    expect(other).not.toEqual(one)
  })

  it('a chance does not count the requests that it skips in `times`', async () => {
    const { mock } = mockWithFaults([{ effect: busyCode, chance: 0.3, times: 5 }])

    const got = await Promise.all(Array.from({ length: 1_000 }, () => ask(mock, list)))

    expect(got.filter(({ status }) => status === 429)).toHaveLength(5)
    expect(mock.faults.list()).toMatchObject([{ struck: 5, matched: 1_000 }])
  })

  it('a chance does not change the random state of the world', async () => {
    const [plain, chancy] = [
      mockWithFaults([]),
      mockWithFaults([{ effect: { spurious: '1s' } }, { effect: busyCode, chance: 0 }]),
    ]

    const ids = [await ask(plain.mock, prepare), await ask(chancy.mock, prepare)]

    expect(ids[1]?.body).toBe(ids[0]?.body)
  })
})

describe('the faults of a world', () => {
  it('are listed in their order, with their counters', async () => {
    const { mock, world } = mockWithFaults([{ effect: { reset: true }, times: 1 }])
    await world.clock.advance(1_500)
    const added = mock.faults.add({ operation: 'lobbies.*', effect: { hold: true }, after: '1s' })
    await ask(mock, list)

    expect([added, mock.faults.list()]).toEqual([
      {
        operation: 'lobbies.*',
        effect: { hold: true },
        after: '1s',
        id: '2',
        matched: 0,
        struck: 0,
        holding: 0,
        added_at: '2026-11-20T20:00:01.500Z',
        begins_at: '2026-11-20T20:00:02.500Z',
      },
      [
        {
          effect: { reset: true },
          times: 1,
          id: '1',
          matched: 1,
          struck: 1,
          holding: 0,
          added_at: '2026-11-20T20:00:00.000Z',
          began_at: '2026-11-20T20:00:00.000Z',
          begins_at: '2026-11-20T20:00:00.000Z',
          last_at: '2026-11-20T20:00:01.500Z',
          ends_at: '2026-11-20T20:00:01.500Z',
        },
        added,
      ],
    ])
  })

  it('are at most 1,000', () => {
    const { mock } = mockWithFaults([], {
      scenario: { ...tanks, faults: Array.from({ length: 999 }, () => ({ effect: busyCode })) },
    })
    mock.faults.add({ effect: busyCode })

    expect(() => mock.faults.add({ effect: busyCode })).toThrow('there are 1000 faults already: delete some')
    expect(mock.faults.list()).toHaveLength(1_000)
  })

  it('leave the world as it is if there are none to delete', () => {
    const { mock } = mockWithFaults([])
    const before = stateOf(mock.world)

    mock.faults.clear()

    expect(stateOf(mock.world)).toBe(before)
  })

  it.each<[what: string, fault: unknown, said: string]>([
    ['nothing', undefined, 'fault is missing: expected object'],
    ['no effect', { operation: 'lobbies.list' }, 'fault.effect is missing'],
    [
      'a region that does not exist',
      { region: 'mars', effect: { outage: true } },
      'fault.region is "mars", which no region has',
    ],
  ])('refuse %s', (_, fault, said) => {
    const { mock } = mockWithFaults([])

    expect(() => mock.faults.add(fault as Fault)).toThrow(said)
    expect(() => mock.faults.add(fault as Fault)).toThrow(UsageError)
  })

  it('are listed as copies, so that changing one has no effect', () => {
    const fault = { effect: { error: { status: 500 } }, match: { body: { a: [1] } } }
    const { mock } = mockWithFaults([fault])
    const before = JSON.stringify(mock.faults.list())

    fault.match.body.a.push(2)
    const change = () => Object.assign(mock.faults.list()[0]?.effect.error ?? {}, { status: 400 })

    expect(change).toThrow(TypeError)
    expect(JSON.stringify(mock.faults.list())).toBe(before)
  })

  it('are removed by a reset, unless keep names them', async () => {
    const [gone, kept] = [
      mockWithFaults([{ effect: busyCode }]).mock,
      mockWithFaults([{ effect: busyCode, times: 2 }]).mock,
    ]
    await ask(kept, list)

    await gone.reset()
    await kept.world.clock.advance(1_000)
    const now = kept.world.clock.now()
    await kept.reset({ keep: ['faults', 'clock'] })

    expect(kept.world.clock.now()).toBe(now)
    expect([gone.faults.list(), gone.faults.add({ effect: busyCode }).id]).toEqual([[], '1'])
    expect(kept.faults.list()).toMatchObject([{ id: '1', struck: 1, times: 2 }])
  })

  it('release their requests on a reset with keep, and keep their remaining `for`', async () => {
    const { mock, world } = mockWithFaults([
      { operation: 'devices.*', effect: busyCode, for: '10s' },
      { effect: { hold: true } },
    ])
    const answer = ask(mock, list)
    await world.clock.advance(9_000)

    await mock.reset({ keep: ['faults'] })
    const early = await ask(mock, prepare)
    await world.clock.advance(1_000)
    const late = ask(mock, prepare)

    expect([(await answer).status, early.status]).toEqual([200, 429])
    expect(mock.faults.list()).toMatchObject([{ added_at: '2026-11-20T19:59:51.000Z' }, { holding: 1 }])
    await mock.close()
    expect((await late).status).toBe(200)
  })
})

describe('the request log', () => {
  it('names the fault of a request, and its effect', async () => {
    const { mock, world, records } = mockWithFaults([
      { effect: { reset: true }, times: 1 },
      { effect: { empty: true }, times: 1 },
      { effect: busyCode, times: 1 },
      { effect: { delay: '300ms' }, times: 2 },
      { effect: { hold: true }, times: 1 },
    ])
    const sent = Array.from({ length: 7 }, () => ask(mock, list))
    await world.clock.advance(100)
    mock.faults.release('5')
    await world.clock.advance(200)
    await Promise.all(sent)
    mock.faults.clear()

    const logged = records.map(({ status, code, operation, fault, faultEffect }) => [
      status,
      code,
      operation,
      fault,
      faultEffect,
    ])
    expect(logged).toEqual([
      [0, undefined, 'lobbies.list', '1', 'reset'],
      [0, undefined, 'lobbies.list', '2', 'empty'],
      [429, 'API_RATE_LIMIT', 'lobbies.list', '3', 'error'],
      [200, undefined, 'lobbies.list', undefined, undefined],
      [200, undefined, 'lobbies.list', '5', 'held'],
      [200, undefined, 'lobbies.list', '4', 'delayed 300 ms'],
      [200, undefined, 'lobbies.list', '4', 'delayed 300 ms'],
    ])
  })

  it('says how the release of a held request ended it', async () => {
    const { mock, records } = mockWithFaults([{ effect: { hold: true } }])
    const client = new AbortController()
    const ways = [
      {},
      { answer: { status: 418 } },
      { error: { status: 503 } },
      { reset: true },
      { empty: true },
      { never: true },
    ] as const
    for (const how of ways) {
      const answer = ask(mock, list)
      mock.faults.release('1', how)
      if (how === ways[5]) await mock.reset({ keep: ['faults'] })
      await answer
    }
    const gone = ask(mock, list, client.signal)
    client.abort()
    await gone

    expect(records.map(({ status, faultEffect }) => [status, faultEffect])).toEqual([
      [200, 'held'],
      [418, 'held, answer edited'],
      [503, 'held, then failed'],
      [0, 'held, then failed'],
      [0, 'held, then failed'],
      [0, 'held, never answered'],
      [499, 'held'],
    ])
  })

  it('has the real length of a delay that was cut short', async () => {
    const { mock, world, records } = mockWithFaults([{ effect: { delay: '300ms' } }])
    const answer = ask(mock, list)
    await world.clock.advance(100)

    mock.faults.release('1')
    await answer

    expect(records).toMatchObject([{ faultEffect: 'delayed 100 ms' }])
  })
})
