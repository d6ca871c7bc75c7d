import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { createMockmaker, type Mockmaker, type MockmakerOptions } from '../../../src/index.js'
import { setupMockmaker } from '../../../src/msw/node.js'
import { ask, json, type TestResponse } from '../../support/http.js'
import { closedAfterTest, flushPromises } from '../../support/worlds.js'

/** Creates a mock that runs on fake time, and closes it after the test. */
function created(options: MockmakerOptions) {
  const mock = closedAfterTest(createMockmaker(options))
  return mock
}

/** Reads the real time in ms, even if timers are fake. */
const realNow = performance.now.bind(performance)

const token = 'device.mock.sofa'
const completing: ScenarioInput = { game_modes: ['duel'], device_links: [{ token, completes_after: '5s' }] }
const link = { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${token}` } as const
const isComplete = (answer: unknown) => typeof (answer as { cloud_token?: string }).cloud_token === 'string'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'performance'] }))

describe('after a synchronous advance of timers, a request', () => {
  it.each(Array.from({ length: 10 }, (_, i) => i * 1_000))(
    'sees the jobs that were due, and no later ones: %i ms',
    async ms => {
      const mock = created({ scenario: completing })

      vi.advanceTimersByTime(ms)

      expect(isComplete(json(await ask(mock, link)))).toBe(ms >= 5_000)
    },
  )

  it.each(Array.from({ length: 12 }, (_, i) => i))(
    'sees the jobs that were due, even while its body arrives: after %i microtasks',
    async microtasks => {
      const mock = created({ scenario: completing })
      vi.advanceTimersByTime(5_000)

      for (let i = 0; i < microtasks; i += 1) await undefined

      expect(isComplete(json(await ask(mock, link)))).toBe(true)
    },
  )

  it('of fetch sees the jobs that were due', async () => {
    const mock = closedAfterTest(setupMockmaker({ scenario: completing }))
    mock.listen({ onUnhandledRequest: 'error' })

    vi.advanceTimersByTime(5_000)

    const answer = await fetch(`http://mock.test${link.path}?${link.query}`)
    expect(isComplete(await answer.json())).toBe(true)
  })

  it('that writes writes after the jobs that were due', async () => {
    const mock = created({ scenario: { game_modes: ['duel'] } })
    const find = { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["duel"]}' } as const
    await ask(mock, find)

    // The player has connected and disconnected.
    vi.advanceTimersByTime(40 * 60_000)
    await ask(mock, find)

    expect(mock.world.players.all().map(({ status }) => status)).toEqual(['removed', 'reserved'])
  })

  it('is answered inside a transaction too', async () => {
    const mock = created({ scenario: completing })
    vi.advanceTimersByTime(5_000)
    const answers: Promise<TestResponse>[] = []

    mock.world.transaction(() => void answers.push(ask(mock, link)))

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200])
  })
})

describe('after a synchronous advance of timers, a synchronous read', () => {
  /** Ways to read the state of the link from a world. */
  const views = {
    get: ({ world }) => world.deviceLinks.get(token)?.status,
    all: ({ world }) => world.deviceLinks.all()[0]?.status,
    findFirst: ({ world }) => world.deviceLinks.findFirst(q => q.where({ device_link_token: token }))?.status,
    findMany: ({ world }) => world.deviceLinks.findMany()[0]?.status,
    count: ({ world }) =>
      world.deviceLinks.count(q => q.where({ status: 'complete' })) === 1 ? 'complete' : 'pending',
    transaction: ({ world }) => world.transaction(tx => tx.deviceLinks.get(token)?.status),
    snapshot: mock => mock.snapshot().device_links?.[0]?.status ?? 'pending',
  } satisfies Record<string, (mock: Mockmaker) => string | undefined>

  it.each(Object.keys(views) as (keyof typeof views)[])(
    'by %s sees the jobs that were due, and no later ones',
    view => {
      const mock = created({ scenario: completing })

      vi.advanceTimersByTime(4_999)
      const before = views[view](mock)
      vi.advanceTimersByTime(1)

      expect([before, views[view](mock)]).toEqual(['pending', 'complete'])
    },
  )

  it('sees the jobs that were due if no timer ran, as after a jump of the system clock', () => {
    const mock = created({ scenario: completing })

    vi.setSystemTime(Date.now() + 5_000)

    expect(mock.world.deviceLinks.get(token)?.status).toBe('complete')
  })

  it('of the clock sees the whole time if no timer ran', () => {
    const mock = created({ scenario: completing })
    const began = mock.clock.now()

    vi.setSystemTime(Date.now() + 60_000)

    expect(mock.clock.now()).toBe(began + 60_000)
  })

  it('of the clock answers a watch that waits for a job', async () => {
    const mock = created({ scenario: completing })
    const { watch } = json(await ask(mock, link)) as { watch: { index: string } }
    const answer = ask(mock, { ...link, query: `${link.query}&watch_index=${watch.index}` })
    await mock.blocked()

    vi.setSystemTime(Date.now() + 60_000)
    mock.clock.now()

    expect(isComplete(json(await answer))).toBe(true)
  })

  it('sees each job at its own time', () => {
    const mock = created({ scenario: { game_modes: ['duel'], players: { concurrent: 5, session: '1m' } } })
    const began = mock.world.clock.now()
    const times: number[] = []
    mock.world.subscribe(({ at }) => void times.push(at - began))

    vi.setSystemTime(Date.now() + 20_000)
    mock.world.players.all()

    expect([...new Set(times)]).toEqual([5_000, 10_000, 15_000, 20_000])
  })

  it('sees a few jobs that were due, however long they take', () => {
    const tokens = ['device.mock.a', 'device.mock.b', 'device.mock.c']
    const mock = created({
      scenario: { game_modes: ['duel'], device_links: tokens.map(token => ({ token, completes_after: '5s' })) },
    })
    // Longer than jobs may block the event loop.
    mock.world.subscribe(() => {
      for (const since = realNow(); realNow() - since < 25; );
    })

    vi.setSystemTime(Date.now() + 5_000)

    expect(mock.world.deviceLinks.all().map(({ status }) => status)).toEqual(tokens.map(() => 'complete'))
  })
})

describe('a world whose scenario names no time', () => {
  const scenario: ScenarioInput = { device_links: [{ token, expires_after: '1h' }] }
  const hourMs = 3_600_000

  it.each(['running', 'frozen'] as const)(
    'starts at the time of Date, and starts there again after a reset: %s',
    async clock => {
      vi.setSystemTime('2030-01-01T00:00:00.123Z')
      const mock = created({ scenario: { ...scenario, clock } })
      const began = mock.world.clock.now()

      vi.setSystemTime('2031-06-01T12:00:00.456Z')
      await mock.reset()

      const now = Date.parse('2031-06-01T12:00:00.456Z')
      expect([began, mock.world.clock.now()]).toEqual([Date.parse('2030-01-01T00:00:00.123Z'), now])
      expect(mock.world.deviceLinks.get(token)).toMatchObject({ expires_at: now + hourMs })
    },
  )

  it('has the same ids and tokens after that reset', async () => {
    const mock = created({ scenario: { ...completing, lobbies: [{ players: [{}] }] } })
    const ids = () => [mock.tokens.map(one => one.token), mock.world.lobbies.all(), mock.world.players.all().length]
    const before = ids()

    vi.setSystemTime(Date.now() + hourMs)
    await mock.reset()

    expect(ids()).toEqual(before)
  })

  it('keeps its time if a reset keeps the clock', async () => {
    const mock = created({ scenario })
    const began = mock.world.clock.now()
    await mock.world.clock.advance('30m')

    await mock.reset({ keep: ['clock'] })

    expect(mock.world.clock.now()).toBe(began + hourMs / 2)
  })

  it('reads Date once if it is frozen', () => {
    let now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now++)

    const { world } = created({ scenario: { ...scenario, clock: 'frozen' } })

    expect(world.deviceLinks.get(token)?.expires_at).toBe(world.clock.now() + hourMs)
  })
})

describe('a system clock that is set back', () => {
  it('does not set a world back', () => {
    const { world } = created({ scenario: {} })
    vi.advanceTimersByTime(10_000)
    const now = world.clock.now()

    vi.setSystemTime(Date.now() - 3_600_000)
    const after = world.clock.now()
    vi.advanceTimersByTime(1_000)

    expect([after, world.clock.now()]).toEqual([now, now + 1_000])
  })

  it.each(['read', 'not read'])('does not delay a blocked request, with a clock that has been %s', async how => {
    const mock = created({ scenario: { device_links: [{ token }] }, watchTimeoutMs: 40_000 })
    const { watch } = json(await ask(mock, link)) as { watch: { index: string } }
    const answer = ask(mock, { ...link, query: `${link.query}&watch_index=${watch.index}` })
    vi.advanceTimersByTime(10_000)

    vi.setSystemTime(Date.now() - 3_600_000)
    if (how === 'read') mock.world.clock.now()
    vi.advanceTimersByTime(30_000)
    await flushPromises()

    expect(mock.world.waiters).toBe(0)
    expect((await answer).status).toBe(200)
  })
})

describe('a long advance', () => {
  it('yields to other work, even if performance.now does not move', async () => {
    const players = { concurrent: 200, session: '5m' } as const
    const mock = created({ scenario: { clock: 'frozen', game_modes: ['duel'], players } })
    let isDone = false
    let turns = 0
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }

    setImmediate(count)
    await mock.world.clock.advance('1h')
    isDone = true

    expect(turns).toBeGreaterThan(1)
    expect(mock.world.players.count()).toBeGreaterThan(0)
  })
})
