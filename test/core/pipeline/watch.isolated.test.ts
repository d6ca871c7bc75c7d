import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { Executor } from '../../../src/core/pipeline/execute.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import type { RowQuery } from '../../../src/core/store/query.js'
import type { DeviceLinkRow } from '../../../src/core/store/rows.js'
import { createMockmaker, type Mockmaker, type MockmakerOptions } from '../../../src/index.js'
import { ask, json, type TestResponse } from '../../support/http.js'
import { bearer, completion, ids, startAt, tanks, tokens } from '../../support/tanks.js'
import { flushPromises, live, watchIndexOf } from '../../support/worlds.js'
import { executeCall } from './executed-calls.js'

interface Watched {
  readonly cloud_token?: string
  readonly watch: { readonly index: string }
}

const get = (query: string) => ({ method: 'GET', path: '/cloud/devices/links', query }) as const
const now = (mock: Mockmaker, token: string = tokens.pending) => ask(mock, get(`device_link_token=${token}`))
const indexOf = (got: TestResponse) => (json(got) as Watched).watch.index

/** A mock of tanks, with a blocked watch of its pending link. */
async function blocked(options: MockmakerOptions = {}, token: string = tokens.pending) {
  const mock = createMockmaker({ scenario: tanks, watchTimeoutMs: 1_000, ...options })
  const first = await now(mock, token)
  const client = new AbortController()
  const answer = ask(mock, get(`device_link_token=${token}&watch_index=${indexOf(first)}`), client.signal)
  return { mock, world: live(mock.world), first, client, answer }
}

/** Ways to replace or close a world. */
const replacements = (mock: Mockmaker) => ({
  reset: () => mock.reset(),
  load: () => mock.load(tanks),
  restore: () => mock.restore(mock.snapshot({ with: ['journal'] })),
  put: () => mock.worlds.put('default', { scenario: tanks }),
  close: () => mock.close(),
})

const complete = (mock: Mockmaker) => ask(mock, completion)

const pendingLink = (q: RowQuery<DeviceLinkRow>) => q.where({ device_link_token: tokens.pending })
const expires_at = startAt + 3_600_000
/** Changes the link without effect on its answers. */
const setExpiry = (mock: Mockmaker, expires_at: number) =>
  mock.world.deviceLinks.update(pendingLink, { data: link => void Object.assign(link, { expires_at }) })

const withLink = (link: object): ScenarioInput => ({ ...tanks, device_links: [{ token: tokens.pending, ...link }] })

// test/core/pipeline/watch.model.test.ts holds, for any order of events, which change wakes a watch, when, and with which index.
describe('a watch', () => {
  it('is answered 400 TOKEN_EXPIRED if its link expires at its deadline', async () => {
    const { world, answer } = await blocked({ scenario: withLink({ expires_after: '1s' }) })

    await world.clock.advance(1_000)

    expect((await answer).status).toBe(400)
  })

  it('is answered 400 TOKEN_EXPIRED as soon as its link expires', async () => {
    const { world, answer } = await blocked({ scenario: withLink({ expires_after: '500ms' }) })

    await world.clock.advance(499)
    const before = world.waiters
    await world.clock.advance(1)

    const got = await answer
    expect([before, got.status, json(got)]).toMatchObject([1, 400, { code: 'TOKEN_EXPIRED' }])
    expect([world.waiters, world.clock.pending]).toEqual([0, 0])
  })

  it('is answered 400 TOKEN_INVALID as soon as its link is deleted', async () => {
    const { mock, answer } = await blocked()

    await mock.world.deviceLinks.delete(pendingLink)

    expect(json(await answer)).toMatchObject({ code: 'TOKEN_INVALID' })
  })

  it('wakes once for two changes in one transaction, with the index of both', async () => {
    const { mock, world, answer } = await blocked()
    mock.world.transaction(({ deviceLinks }) => {
      for (const columns of [{ status: 'complete', game_id: ids.tanks, cloud_token: tokens.cloud }, { expires_at }])
        deviceLinks.update(pendingLink, { data: link => void Object.assign(link, columns) })
    })
    const index = indexOf(await answer)

    const again = ask(mock, get(`device_link_token=${tokens.pending}&watch_index=${index}`))

    expect([index, world.waiters]).toEqual([String(world.revision), 1])
    await mock.close()
    expect(indexOf(await again)).toBe(index)
  })

  it('has a newer index after a reset of a world without now, which makes the link with new times', async () => {
    vi.useFakeTimers({ now: startAt })
    const { now: _, ...scenario } = withLink({ expires_after: '1h' })
    const { mock, first, answer } = await blocked({ scenario })
    vi.setSystemTime(startAt + 5_000)

    await mock.reset()

    const indexes = [indexOf(first), indexOf(await answer), indexOf(await now(mock))]
    expect(indexes).toEqual([String(startAt), String(startAt + 5_000), String(startAt + 5_000)])
    await mock.close()
  })

  it('has the same index after a reset of a world with now, which finds the link as it was', async () => {
    const { mock, first, answer } = await blocked({ scenario: withLink({ expires_after: '1h' }) })

    await mock.reset()

    expect([indexOf(await answer), indexOf(await now(mock))]).toEqual([indexOf(first), indexOf(first)])
    await mock.close()
  })

  it('does not wake if a transaction on its link throws', async () => {
    const { mock, world } = await blocked()
    const write = () =>
      mock.world.transaction(tables => {
        tables.deviceLinks.delete(pendingLink)
        throw new Error('changed my mind')
      })

    expect(write).toThrow('changed my mind')
    await flushPromises()

    expect(world.waiters).toBe(1)
  })

  it.for(['reset', 'load', 'restore', 'put', 'close'] as const)(
    'is answered by %s, which does not change its link, and leaves nothing behind',
    async how => {
      const { mock, world, first, answer } = await blocked()

      await replacements(mock)[how]()

      expect([world.waiters, world.clock.pending]).toEqual([0, 0])
      expect((await answer).body).toBe(first.body)
    },
  )

  it.for([
    ['reset', 0],
    ['load', 0],
    ['put', 0],
    // The read that precedes the watch.
    ['restore', 1],
  ] as const)('is not in the journal after %s', async ([how, kept]) => {
    const { mock, answer } = await blocked()

    await replacements(mock)[how]()
    await answer

    expect(mock.journal.find()).toHaveLength(kept)
  })

  it('is in the journal if a reset keeps it', async () => {
    const { mock, answer } = await blocked()

    await mock.reset({ keep: ['journal'] })
    await answer

    expect(mock.journal.find()).toHaveLength(2)
  })

  it('does not start if its client has already disconnected', async () => {
    const { mock, world } = await blocked()
    const index = indexOf(await now(mock))

    await ask(mock, get(`device_link_token=${tokens.pending}&watch_index=${index}`), AbortSignal.abort())

    expect([world.waiters, world.clock.pending]).toEqual([1, 1])
  })

  it.each(['a change', 'its deadline', 'the end of the mock', 'an expired link'])(
    'leaves no listener on the signal after %s',
    async end => {
      const expires = end === 'an expired link'
      const { mock, world, client, answer } = await blocked(
        expires ? { scenario: withLink({ expires_after: '500ms' }) } : {},
      )

      if (end === 'a change') await complete(mock)
      else if (end === 'the end of the mock') await mock.close()
      else await world.clock.advance(1_000)
      await answer

      expect(getEventListeners(client.signal, 'abort')).toEqual([])
    },
  )

  it.each(['frozen', 'running'] as const)('does not block after close, on a %s clock', async clock => {
    const { mock, first } = await blocked({ scenario: { ...tanks, clock } })
    await mock.close()

    const got = await ask(mock, get(`device_link_token=${tokens.pending}&watch_index=${indexOf(first)}`))

    expect([got.body, mock.world.waiters]).toEqual([first.body, 0])
  })

  it('does not block if the timeout is 0', async () => {
    const { first, answer, world } = await blocked({ watchTimeoutMs: 0 })

    expect([(await answer).body, world.waiters]).toEqual([first.body, 0])
  })

  it('with HEAD blocks as with GET', async () => {
    const { mock, first } = await blocked()
    const head = ask(mock, {
      ...get(`device_link_token=${tokens.pending}&watch_index=${indexOf(first)}`),
      method: 'HEAD',
    })
    const waiting = mock.world.waiters

    await complete(mock)

    expect([waiting, (await head).status, (await head).body]).toEqual([2, 200, ''])
  })

  it('checks the token before it blocks', async () => {
    const { mock, first } = await blocked()
    const query = `device_link_token=${tokens.pending}&watch_index=${indexOf(first)}`

    const got = await ask(mock, { ...get(query), headers: bearer('unknown') })

    expect([json(got), mock.world.waiters]).toMatchObject([{ code: 'TOKEN_INVALID' }, 1])
  })

  it('that was refused at the limit of waiting requests can be repeated, and compares with the answer of its next try', async () => {
    const mock = createMockmaker({
      scenario: { ...tanks, device_links: [{ token: tokens.pending }, { token: 'device.mock.other' }] },
    })
    const world = live(mock.world)
    const options = { world, watchTimeoutMs: 1_000, maxWaiters: 1, isClosed: () => false }
    const { execute } = new Executor(options)
    const watch = (device_link_token: string) =>
      executeCall(execute, {
        id: 'devices.links.get',
        caller: { kind: 'anonymous' },
        input: { device_link_token, watch_index: BigInt(world.revision) },
      })
    const first = watch('device.mock.other')
    expect(() => watch(tokens.pending)).toThrow(expect.objectContaining({ code: 'API_RATE_LIMIT' }))
    world.endWaiters()
    await first
    await complete(mock)

    void watch(tokens.pending)
    await setExpiry(mock, expires_at)

    expect(world.waiters).toBe(1)
  })

  it('is refused with 429 and retry-after while 50,000 are blocked, until a client disconnects', {
    tags: ['slow', 'matrix'],
  }, async () => {
    const { mock, world, first, client } = await blocked()
    const query = `device_link_token=${tokens.pending}&watch_index=${indexOf(first)}`
    for (let i = 1; i < 50_000; i++) void ask(mock, get(query))

    const refused = await ask(mock, get(query))
    const unwatched = await now(mock)
    client.abort()
    void ask(mock, get(query))

    expect([refused.status, refused.headers['retry-after'], json(refused)]).toMatchObject([
      429,
      '1',
      { code: 'API_RATE_LIMIT' },
    ])
    expect([unwatched.status, world.waiters]).toEqual([200, 50_000])
    await mock.close()
    expect([world.waiters, world.clock.pending]).toEqual([0, 0])
  })
})

describe('watches that wake together', () => {
  const other = 'device.mock.other'
  const twoLinks: ScenarioInput = { ...tanks, device_links: [{ token: tokens.pending }, { token: other }] }
  const watch = (mock: Mockmaker, token: string) =>
    mock.answer({
      ...get(`device_link_token=${token}&watch_index=${watchIndexOf(mock.world, token)}`),
      headers: {},
    })
  const completeAll = (mock: Mockmaker, cloud_token: string) =>
    mock.world.deviceLinks.updateMany(undefined, {
      data: link => void Object.assign(link, { status: 'complete', game_id: ids.tanks, cloud_token }),
    })

  const textOf = (body: Uint8Array) => new TextDecoder().decode(body)

  it('share one read, even of a change that wakes none of them', async () => {
    const mock = createMockmaker({ scenario: twoLinks })
    const asked = Array.from({ length: 100 }, () => watch(mock, tokens.pending))
    const read = vi.spyOn(live(mock.world), 'read')

    await setExpiry(mock, expires_at)
    const readInVain = read.mock.calls.length
    await completeAll(mock, tokens.cloud)

    const bodies = (await Promise.all(asked)).map(({ body }) => body)
    expect([readInVain, read.mock.calls.length, new Set(bodies).size]).toEqual([1, 2, 1])
  })

  it('do not share an answer if they ask for different links', async () => {
    const mock = createMockmaker({ scenario: twoLinks })
    const asked = [tokens.pending, other].map(token => watch(mock, token))

    await completeAll(mock, tokens.cloud)

    const [one, another] = await Promise.all(asked)
    expect(another?.body).toEqual(one?.body)
    expect(another?.body).not.toBe(one?.body)
  })

  it('get the newest answer each time', async () => {
    const mock = createMockmaker({ scenario: twoLinks })
    const before = watch(mock, tokens.pending)
    await completeAll(mock, tokens.cloud)
    const first = textOf((await before).body)
    const again = watch(mock, tokens.pending)

    await completeAll(mock, tokens.cloudBoats)

    const second = textOf((await again).body)
    expect([first.includes(tokens.cloud), second.includes(tokens.cloudBoats)]).toEqual([true, true])
  })

  it('get the newest answer, even if the deadline of another one came first', async () => {
    const mock = createMockmaker({ scenario: twoLinks, watchTimeoutMs: 1_000 })
    const { world } = mock
    void watch(mock, tokens.pending)
    await world.clock.advance(500)
    const later = watch(mock, tokens.pending)
    await world.clock.advance(500)

    const waiting = world.waiters
    await completeAll(mock, tokens.cloud)

    expect([waiting, textOf((await later).body).includes(tokens.cloud)]).toEqual([1, true])
  })
})

describe('a watch on a running clock', () => {
  const running: ScenarioInput = { ...tanks, clock: 'running' }

  it('follows fake timers', async () => {
    vi.useFakeTimers()
    const { world, first, answer } = await blocked({ scenario: running })

    await vi.advanceTimersByTimeAsync(999)
    const before = world.waiters
    await vi.advanceTimersByTimeAsync(1)

    expect([before, world.waiters, (await answer).body]).toEqual([1, 0, first.body])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a watch on a frozen clock', () => {
  it('reaches its deadline only with advance', async () => {
    vi.useFakeTimers()
    const { world, answer, first } = await blocked()

    await vi.advanceTimersByTimeAsync(100_000)
    const waiting = world.waiters
    await world.clock.advance(1_000)

    expect([waiting, (await answer).body]).toEqual([1, first.body])
  })
})
