import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Fault, UsageError } from '../../src/index.js'
import { failure, json } from '../doors.js'
import { bearer, completion, ids, tanks, tokens } from '../tanks.js'
import { ask, settled, stateOf } from './ask.js'
import { brokenOff, faulty, link, list, nowhere, prepare, validate } from './faulty.js'

const busyCode = { error: { code: 'API_RATE_LIMIT' } } as const

describe('a fault that answers an error', () => {
  it.each([
    [{ status: 503 }, '503 ERROR'],
    [{ code: 'API_RATE_LIMIT' }, '429 API_RATE_LIMIT'],
    [{ code: 'MATCHMAKER_BROKEN' }, '500 MATCHMAKER_BROKEN'],
    [{ code: 'TEAPOT_2', status: 418 }, '418 TEAPOT_2'],
    [{ code: 'API_RATE_LIMIT', status: 400 }, '400 API_RATE_LIMIT'],
  ])('of %j answers %s', async (error, expected) => {
    const { mock } = faulty([{ effect: { error } }])

    expect(failure(await ask(mock, list))).toBe(expected)
  })

  it('says of itself that it made it up, unless it has a message of its own', async () => {
    const { mock } = faulty([{ operation: 'lobbies.list', effect: { error: { status: 500, message: 'mine' } } }])
    mock.faults.add({ effect: { error: { status: 500 } } })

    const messages = [json(await ask(mock, list)), json(await ask(mock, link))]

    expect(messages).toEqual([
      { code: 'ERROR', message: 'mine' },
      { code: 'ERROR', message: 'fault 2 of this mock made this failure up' },
    ])
  })

  it('answers with the headers of every answer, CORS too', async () => {
    const { mock } = faulty([{ effect: busyCode }])

    const { headers } = await ask(mock, { ...list, headers: { origin: 'http://localhost:3000' } })

    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'access-control-allow-origin': 'http://localhost:3000',
      vary: 'Origin',
      'rvt-ray-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('answers HEAD without a body', async () => {
    const { mock } = faulty([{ operation: 'lobbies.list', effect: busyCode }])

    const got = await ask(mock, { ...list, method: 'HEAD' })

    expect([got.status, got.body]).toEqual([429, ''])
  })

  it('on a write leaves the world as it was', async () => {
    const { mock, world } = faulty([{ effect: busyCode }])
    const before = stateOf(world)

    await ask(mock, completion)
    await ask(mock, prepare)

    expect(stateOf(world)).toBe(before)
  })

  it('answers before token, query and body are looked at', async () => {
    const { mock } = faulty([{ effect: busyCode }])
    const wrong = [
      { ...list, headers: bearer('nobody') },
      { ...list, query: 'include_state=x' },
      { ...validate, body: '{' },
    ]

    const got = await Promise.all(wrong.map(sent => ask(mock, sent)))

    expect(got.map(failure)).toEqual(Array(3).fill('429 API_RATE_LIMIT'))
  })
})

describe('a fault that breaks the connection off', () => {
  it.each(['reset', 'empty'] as const)('by %s gives no answer, and nothing has happened', async how => {
    const { mock, world } = faulty([{ effect: how === 'reset' ? { reset: true } : { empty: true } }])
    const before = stateOf(world)

    const got = [await ask(mock, list), await ask(mock, completion)]

    expect([got, stateOf(world)]).toEqual([[brokenOff(how), brokenOff(how)], before])
  })
})

describe('a fault that delays', () => {
  it('answers as ever when the time of the world has come, and not before', async () => {
    const { mock, world } = faulty([{ effect: { delay: '300ms' } }])
    const before = (await ask(faulty([]).mock, list)).body
    let answered = false
    const answer = ask(mock, list).finally(() => {
      answered = true
    })

    await world.clock.advance(299)
    await settled()
    const early = answered
    await world.clock.advance(1)

    expect([early, (await answer).body, world.clock.pending]).toEqual([false, before, 0])
  })

  it('answers from the world as it is then', async () => {
    const { mock, world } = faulty([{ operation: 'lobbies.list', effect: { delay: '300ms' } }])
    const answer = ask(mock, list)

    await mock.world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
    await world.clock.advance(300)

    expect((await answer).body).not.toContain(ids.lobby)
  })

  it('has a write happen at its time, also where the clock is advanced beyond it', async () => {
    const { mock, world } = faulty([{ effect: { delay: '300ms' } }])
    const began = world.clock.now()
    const times: number[] = []
    world.subscribe(({ at }) => void times.push(at - began))

    const answer = ask(mock, completion)
    await world.clock.advance(10_000)

    expect([times, (await answer).status]).toEqual([[300], 200])
  })

  it('of no time answers at once', async () => {
    const { mock, world } = faulty([{ effect: { delay: { min: '0ms', max: '0ms' } } }])

    expect([(await ask(mock, list)).status, world.clock.pending]).toEqual([200, 0])
  })

  it('has a watch block after it, as ever', async () => {
    const { mock, world } = faulty([{ operation: 'devices.links.get', effect: { delay: '300ms' } }])
    const answer = ask(mock, { ...link, query: `${link.query}&watch_index=${world.revision}` })

    const before = world.waiters
    await world.clock.advance(300)
    const blocked = world.waiters
    await ask(mock, completion)

    expect([before, blocked, (await answer).body]).toEqual([0, 1, expect.stringContaining('cloud_token')])
  })

  it('keeps the mock busy, and is no waiter', async () => {
    const { mock, world } = faulty([{ effect: { delay: '300ms' } }])
    const answer = ask(mock, list)

    const during = [mock.busy, world.waiters]
    await world.clock.advance(300)
    await answer

    expect([during, mock.busy]).toEqual([[true, 0], false])
  })
})

describe('a fault that delays on a running clock', () => {
  afterEach(() => void vi.useRealTimers())

  const running = { scenario: { ...tanks, clock: 'running' } } as const

  it('follows fake timers, and leaves none', async () => {
    vi.useFakeTimers()
    const { mock, world } = faulty([{ effect: { delay: '300ms' } }], running)
    const answer = ask(mock, list)

    await vi.advanceTimersByTimeAsync(299)
    const before = mock.busy
    await vi.advanceTimersByTimeAsync(1)

    expect([before, (await answer).status, mock.busy, world.clock.pending]).toEqual([true, 200, false, 0])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells its own length where a timer of the platform is late', async () => {
    vi.useFakeTimers()
    const { mock, records } = faulty([{ effect: { delay: '300ms' } }], running)
    const answer = ask(mock, list)

    vi.setSystemTime(Date.now() + 5_000)
    await vi.advanceTimersByTimeAsync(300)
    await answer

    expect(records).toMatchObject([{ faultEffect: 'delayed 300 ms' }])
  })
})

describe('a fault that holds', () => {
  it('lets go what it holds when it is told, says how many, and holds on', async () => {
    const { mock, world } = faulty([{ effect: { hold: true } }])
    const answers = [ask(mock, list), ask(mock, nowhere)]
    await world.clock.advance('100d')

    const held = mock.faults.list()[0]?.holding
    const released = mock.faults.release('1')
    const again = ask(mock, list)

    expect([held, released, (await Promise.all(answers)).map(({ status }) => status)]).toEqual([2, 2, [200, 404]])
    expect(mock.faults.list()).toMatchObject([{ matched: 3, struck: 3, holding: 1 }])
    await mock.close()
    expect((await again).status).toBe(200)
  })

  it('lets go nothing where it holds nothing, and says where there is no such fault', () => {
    const { mock } = faulty([{ effect: { hold: true } }])

    expect([mock.faults.release('1'), mock.faults.release('2')]).toEqual([0, undefined])
  })
})

describe.each([
  ['holds', { hold: true }],
  ['delays', { delay: '1h' }],
] as const)('a request that a fault %s', (_, effect) => {
  it.each(['reset', 'load', 'restore', 'put'] as const)('stays so where a %s is refused in a turn', async way => {
    const { mock, world } = faulty([{ effect }])
    const snapshot = mock.snapshot({ with: ['faults'] })
    const answer = ask(mock, list)
    const begin = {
      reset: () => mock.reset(),
      load: () => mock.load('default'),
      restore: () => mock.restore(snapshot),
      put: () => mock.worlds.put('default'),
    }

    let refused: Promise<unknown> | undefined
    await world.write(() => {
      refused = begin[way]().catch((error: unknown) => error)
    })

    expect(await refused).toBeInstanceOf(UsageError)
    expect(mock.faults.list()).toMatchObject([{ holding: 1 }])
    await mock.close()
    await answer
  })

  it.each(['remove', 'clear', 'release', 'reset', 'close', 'load'] as const)(
    'is answered at once on %s, and nothing is left',
    async way => {
      const { mock, world } = faulty([{ effect }])
      const client = new AbortController()
      const answer = ask(mock, list, client.signal)
      const end = {
        remove: () => mock.faults.remove('1'),
        clear: () => mock.faults.clear(),
        release: () => mock.faults.release('1'),
        reset: () => mock.reset(),
        close: () => mock.close(),
        load: () => mock.load('default'),
      }

      await end[way]()

      expect((await answer).status).toBe(200)
      expect([world.clock.pending, mock.busy, getEventListeners(client.signal, 'abort')]).toEqual([0, false, []])
    },
  )

  it('is freed at once when its client goes away', async () => {
    const { mock, world, records } = faulty([{ effect }])
    const client = new AbortController()
    const answer = ask(mock, list, client.signal)

    client.abort()

    expect([world.clock.pending, mock.busy, mock.faults.list()[0]?.holding]).toEqual([0, false, 0])
    expect([(await answer).status, records.map(({ status }) => status)]).toEqual([499, [499]])
    expect(getEventListeners(client.signal, 'abort')).toEqual([])
  })

  it('does not begin to wait where its client has gone already', async () => {
    const { mock, world } = faulty([{ effect }])

    const got = await ask(mock, list, AbortSignal.abort())

    expect([got.status, world.clock.pending, mock.busy]).toEqual([499, 0, false])
  })

  it('does not wait in a mock that is closed', async () => {
    const { mock, world } = faulty([{ effect }])
    await mock.close()

    expect([(await ask(mock, list)).status, world.clock.pending]).toEqual([200, 0])
  })

  it.each([
    ['reset', {}],
    ['load', tanks],
  ] as const)('is a write that happens before the %s that lets it go', async (way, argument: object) => {
    const { mock } = faulty([{ effect }])
    const answer = ask(mock, completion)

    await mock[way](argument)

    expect([(await answer).status, mock.world.deviceLinks.get(tokens.pending)?.status]).toEqual([200, 'pending'])
  })
})

describe('a fault that wakes a watch for nothing', () => {
  it('answers it after its time with the same data and the same index', async () => {
    const { mock, world, records } = faulty([{ effect: { spurious: '2s' } }])
    const first = await ask(mock, link)
    const answer = ask(mock, { ...link, query: `${link.query}&watch_index=${world.revision}` })

    await world.clock.advance(1_999)
    const before = world.waiters
    await world.clock.advance(1)

    expect([before, (await answer).body, world.clock.pending]).toEqual([1, first.body, 0])
    expect(records.map(({ fault, blocked }) => [fault, blocked])).toEqual([
      [undefined, false],
      ['1', true],
    ])
  })

  it('is not counted for what cannot block, which goes to the faults behind', async () => {
    const { mock } = faulty([{ effect: { spurious: '2s' } }, { effect: busyCode }])

    const got = [await ask(mock, link), await ask(mock, { ...list, query: 'watch_index=1' })]

    expect(got.map(({ status }) => status)).toEqual([429, 429])
    expect(mock.faults.list().map(({ matched }) => matched)).toEqual([0, 2])
  })

  it('never has it block for longer than usual', async () => {
    const { mock, world } = faulty([{ effect: { spurious: '1h' } }], { watchTimeoutMs: 1_000 })
    const answer = ask(mock, { ...link, query: `${link.query}&watch_index=${world.revision}` })

    await world.clock.advance(1_000)

    expect((await answer).status).toBe(200)
  })

  it('lets a change wake it as ever', async () => {
    const { mock, world } = faulty([{ effect: { spurious: '2s' } }])
    const answer = ask(mock, { ...link, query: `${link.query}&watch_index=${world.revision}` })

    await ask(mock, completion)

    expect([(await answer).body, world.clock.pending]).toEqual([expect.stringContaining('cloud_token'), 0])
  })
})

describe('a fault strikes', () => {
  it('all requests, those for paths that lead nowhere and those of wrong methods too, but no preflight', async () => {
    const { mock } = faulty([{ effect: busyCode }])
    const sent = [list, prepare, nowhere, { ...list, method: 'DELETE' }, { ...list, method: 'OPTIONS' }]

    const got = await Promise.all(sent.map(one => ask(mock, one)))

    expect(got.map(({ status }) => status)).toEqual([429, 429, 429, 429, 204])
    expect(mock.faults.list()).toMatchObject([{ matched: 4, struck: 4 }])
  })

  it.each([
    ['lobbies.list', [429, 200, 404]],
    ['devices.*', [200, 429, 404]],
    ['*', [429, 429, 404]],
  ])('of operation %s only that', async (operation, expected) => {
    const { mock } = faulty([{ operation, effect: busyCode }])

    const got = await Promise.all([list, link, nowhere].map(sent => ask(mock, sent)))

    expect(got.map(({ status }) => status)).toEqual(expected)
  })

  it('alone: the first that is due, in the order of their adding', async () => {
    const { mock } = faulty([
      { operation: 'devices.*', effect: { reset: true } },
      { effect: { error: { status: 501 } }, times: 1 },
      { effect: { error: { status: 502 } } },
    ])

    const got = [await ask(mock, list), await ask(mock, list), await ask(mock, link)]

    expect(got.map(({ status }) => status)).toEqual([501, 502, 0])
    expect(mock.faults.list().map(({ matched, struck }) => [matched, struck])).toEqual([
      [1, 1],
      [2, 1],
      [1, 1],
    ])
  })

  it('a request to an override, too', async () => {
    const { mock } = faulty([{ effect: busyCode }])
    const handler = mock.override('lobbies.list', ({ original }) => original())

    const result = await handler.run({ request: new Request(`http://x${list.path}`), requestId: '1' })

    expect(result?.response?.status).toBe(429)
  })
})

/** Which of six exchanges, a second apart, a fault strikes. */
async function struck(fault: Omit<Fault, 'effect'>) {
  const { mock, world } = faulty([{ ...fault, effect: busyCode }])
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) {
    statuses.push((await ask(mock, list)).status)
    await world.clock.advance(1_000)
  }
  return statuses.map(status => (status === 429 ? 'X' : '.')).join('')
}

describe('a fault with', () => {
  it.each([
    [{}, 'XXXXXX'],
    [{ times: 2 }, 'XX....'],
    [{ after: 0 }, 'XXXXXX'],
    [{ after: 2 }, '..XXXX'],
    [{ after: 2, times: 1 }, '..X...'],
    [{ after: '2s' }, '..XXXX'],
    [{ after: '2001ms' }, '...XXX'],
    [{ for: '2s' }, 'XX....'],
    [{ for: '2001ms' }, 'XXX...'],
    [{ after: '1s', for: '3s' }, '.XXX..'],
    [{ after: 2, for: '2s' }, '..X...'],
    [{ after: 2, for: '2001ms' }, '..XX..'],
    [{ chance: 1 }, 'XXXXXX'],
    [{ chance: 0 }, '......'],
  ])('%j strikes so, of six exchanges a second apart: %s', async (fault, expected) => {
    expect(await struck(fault)).toBe(expected)
  })

  it('a chance strikes about as many, the same of the same seed, and others of another', async () => {
    const run = async (seed: number) => {
      const { mock } = faulty([{ effect: busyCode, chance: 0.3 }], { seed })
      const got = await Promise.all(Array.from({ length: 1_000 }, () => ask(mock, list)))
      return got.map(({ status }) => status)
    }

    const [one, same, other] = [await run(7), await run(7), await run(8)]

    expect(Math.abs(one.filter(status => status === 429).length - 300)).toBeLessThan(50)
    expect(same).toEqual(one)
    expect(other).not.toEqual(one)
  })

  it('a chance does not count for times what it lets pass', async () => {
    const { mock } = faulty([{ effect: busyCode, chance: 0.3, times: 5 }])

    const got = await Promise.all(Array.from({ length: 1_000 }, () => ask(mock, list)))

    expect(got.filter(({ status }) => status === 429)).toHaveLength(5)
    expect(mock.faults.list()).toMatchObject([{ struck: 5, matched: 1_000 }])
  })

  it('a chance leaves the chance of the world alone', async () => {
    const [plain, chancy] = [faulty([]), faulty([{ effect: { spurious: '1s' } }, { effect: busyCode, chance: 0 }])]

    const ids = [await ask(plain.mock, prepare), await ask(chancy.mock, prepare)]

    expect(ids[1]?.body).toBe(ids[0]?.body)
  })
})

describe('the faults of a world', () => {
  it('are listed in their order with what has become of them', async () => {
    const { mock, world } = faulty([{ effect: { reset: true }, times: 1 }])
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
        },
        added,
      ],
    ])
  })

  it('are copies, which nobody can change from outside', () => {
    const fault = { effect: { error: { status: 500 } }, match: { body: { a: [1] } } }
    const { mock } = faulty([fault])
    const before = JSON.stringify(mock.faults.list())

    fault.match.body.a.push(2)
    const change = () => Object.assign(mock.faults.list()[0]?.effect.error ?? {}, { status: 400 })

    expect(change).toThrow(TypeError)
    expect(JSON.stringify(mock.faults.list())).toBe(before)
  })

  it('are taken away one by one or all, and their ids are not given again', async () => {
    const { mock } = faulty([{ effect: busyCode }, { effect: busyCode }])

    const removed = [mock.faults.remove('1'), mock.faults.remove('1')]
    mock.faults.clear()
    const { id } = mock.faults.add({ effect: busyCode })
    mock.faults.clear()

    expect([removed, id, mock.faults.list(), (await ask(mock, list)).status]).toEqual([[true, false], '3', [], 200])
  })

  it('are not changed where what is added is no fault', () => {
    const { mock } = faulty([])
    // What somebody in JavaScript may add, TypeScript would not let through.
    const add = () => mock.faults.add({ effect: { explode: true } } as never)

    expect(add).toThrow(UsageError)
    expect([add, mock.faults.list()]).toEqual([add, []])
  })

  it('are of one world alone', async () => {
    const { mock } = faulty([{ effect: busyCode }])

    const got = await ask(mock, { ...list, path: `/w/other${list.path}` })

    expect([got.status, mock.worlds.get('other')?.faults.list()]).toEqual([200, []])
  })

  it('go on a reset, unless they are kept', async () => {
    const [gone, kept] = [faulty([{ effect: busyCode }]).mock, faulty([{ effect: busyCode, times: 2 }]).mock]
    await ask(kept, list)

    await gone.reset()
    await kept.world.clock.advance(1_000)
    const now = kept.world.clock.now()
    await kept.reset({ keep: ['faults', 'clock'] })

    expect(kept.world.clock.now()).toBe(now)
    expect([gone.faults.list(), gone.faults.add({ effect: busyCode }).id]).toEqual([[], '1'])
    expect(kept.faults.list()).toMatchObject([{ id: '1', struck: 1, times: 2 }])
  })

  it('that are kept on a reset hold what they hold, and keep the time that they have left', async () => {
    const { mock, world } = faulty([
      { operation: 'devices.*', effect: busyCode, for: '10s' },
      { effect: { hold: true } },
    ])
    const answer = ask(mock, list)
    await world.clock.advance(9_000)

    await mock.reset({ keep: ['faults'] })
    const early = await ask(mock, prepare)
    await world.clock.advance(1_000)
    const late = ask(mock, prepare)

    expect(early.status).toBe(429)
    expect(mock.faults.list()).toMatchObject([{ added_at: '2026-11-20T19:59:51.000Z' }, { holding: 2 }])
    await mock.close()
    expect([(await answer).status, (await late).status]).toEqual([200, 200])
  })

  it('are those of before no more where another scenario is loaded, and are where it is wrong', async () => {
    const { mock } = faulty([{ effect: busyCode }])

    await expect(mock.load('nothing')).rejects.toThrow(UsageError)
    const before = mock.faults.list().length
    await mock.load('default')

    expect([before, mock.faults.list(), mock.faults.add({ effect: busyCode }).id]).toEqual([1, [], '1'])
  })
})

describe('the log of exchanges', () => {
  it('tells which fault struck, and what it did', async () => {
    const { mock, world, records } = faulty([
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

    const told = records.map(({ status, code, operation, fault, faultEffect }) => [
      status,
      code,
      operation,
      fault,
      faultEffect,
    ])
    expect(told).toEqual([
      [0, undefined, 'lobbies.list', '1', 'reset'],
      [0, undefined, 'lobbies.list', '2', 'empty'],
      [429, 'API_RATE_LIMIT', 'lobbies.list', '3', 'error'],
      [200, undefined, 'lobbies.list', undefined, undefined],
      [200, undefined, 'lobbies.list', '5', 'held'],
      [200, undefined, 'lobbies.list', '4', 'delayed 300 ms'],
      [200, undefined, 'lobbies.list', '4', 'delayed 300 ms'],
    ])
  })

  it('tells of a delay that was cut short how long it was', async () => {
    const { mock, world, records } = faulty([{ effect: { delay: '300ms' } }])
    const answer = ask(mock, list)
    await world.clock.advance(100)

    mock.faults.release('1')
    await answer

    expect(records).toMatchObject([{ faultEffect: 'delayed 100 ms' }])
  })
})
