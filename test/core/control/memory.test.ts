import { fc, it as property } from '@fast-check/vitest'
import { http } from 'msw'
import { describe, expect } from 'vitest'
import { createMock, type EntryParts } from '../../../src/core/mock/mock.js'
import { History, HistoryBudget } from '../../../src/core/pipeline/history.js'
import { restoreExchange } from '../../../src/core/pipeline/journal.js'
import type { Mockmaker, MockmakerOptions } from '../../../src/index.js'
import { toMockmaker } from '../../../src/msw/mockmaker.js'
import { listen } from '../../../src/server/http/index.js'
import { ask, json, openSocket } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { bearer, tanks, tokens } from '../../support/tanks.js'

const lost = { method: 'POST', path: '/nowhere' } as const

/** Requests that each take slightly more than 10,000 bytes, by the place of these bytes. */
const heavy = {
  path: { ...lost, path: `/${'x'.repeat(10_000)}` },
  query: { ...lost, query: 'x'.repeat(10_000) },
  header: { ...lost, headers: { 'x-much': 'x'.repeat(10_000) } },
  'header of several values': { ...lost, headers: { 'x-much': ['x'.repeat(5_000), 'x'.repeat(5_000)] } },
  'many headers': { ...lost, headers: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, ''])) },
  body: { ...lost, body: Buffer.from('x'.repeat(10_000)) },
} as const

/** Sends requests to one world of a mock. */
const worldOf = (mock: Mockmaker, id: string): Pick<Mockmaker, 'answer'> => ({
  answer: request => mock.answer({ ...request, path: `/w/${id}${request.path}` }),
})

async function askOften(
  mock: Pick<Mockmaker, 'answer'>,
  { times, way = 'body' }: { times: number; way?: keyof typeof heavy },
) {
  for (let i = 0; i < times; i += 1) await mock.answer({ headers: {}, ...heavy[way] })
}

/** Creates a mock of tanks with limits of memory. */
function mockOf(memory: EntryParts['memory'], options: MockmakerOptions = {}): Mockmaker {
  return toMockmaker(createMock({ scenario: tanks, ...options }, { memory }), {}, { http, more: () => ({}) })
}

describe('the journal', () => {
  it.for(Object.keys(heavy) as (keyof typeof heavy)[])(
    'keeps no more bytes than it may, each %s counted',
    async way => {
      const mock = mockOf({ journal: 100_000 })

      await askOften(mock, { times: 50, way })

      const kept = mock.journal.find().map(({ id }) => id)
      expect(kept.length).toBeGreaterThanOrEqual(7)
      expect(kept.length).toBeLessThanOrEqual(10)
      // The newest one.
      expect(kept).toEqual(Array.from(kept, (_, i) => 51 - kept.length + i))
      expect(mock.journal.dropped()).toBe(50 - kept.length)
    },
  )

  it('keeps at least one exchange, however long', async () => {
    const mock = mockOf({ journal: 100, journals: 100 })

    await askOften(mock, { times: 2 })

    expect(mock.journal.find()).toMatchObject([{ id: 2 }])
  })

  it('drops the oldest exchanges of all worlds above the byte limit', async () => {
    const mock = mockOf({ journals: 100_000 })
    const worlds = await Promise.all(['one', 'other', 'third'].map(id => mock.worlds.put(id)))

    for (const world of worlds) await askOften(worldOf(mock, world.id), { times: 8 })

    const kept = worlds.map(({ journal }) => journal.find().length)
    expect(kept[0]).toBe(0)
    expect(kept[2]).toBe(8)
    expect((kept[1] ?? 0) + 8).toBeLessThanOrEqual(10)
    expect(worlds.map(({ journal }, i) => journal.dropped() + (kept[i] ?? 0))).toEqual([8, 8, 8])
  })

  it('frees its bytes when its world is deleted', async () => {
    const mock = mockOf({ journals: 100_000 })
    await askOften(mock, { times: 5 })
    await mock.worlds.put('other')
    await askOften(worldOf(mock, 'other'), { times: 4 })

    await mock.worlds.delete('other')
    await askOften(mock, { times: 4 })

    expect(mock.journal.find()).toHaveLength(9)
  })

  it('counts the exchanges of a snapshot', async () => {
    const [mock, other] = [mockOf({}), mockOf({ journal: 100_000 })]
    await askOften(mock, { times: 50 })

    await other.restore(mock.snapshot({ with: ['journal'] }))

    expect(other.journal.find().length).toBeLessThanOrEqual(10)
    expect(other.journal.dropped()).toBeGreaterThanOrEqual(40)
  })

  it('counts dropped exchanges until it is cleared', async ({ serve }) => {
    const { mock, client, steer } = await serve({ journalSize: 2 })
    await askOften(mock, { times: 5 })

    const answer = json(await steer('GET', '/__mock/journal')) as { exchanges: unknown[]; dropped: number }
    const dropped = await client.journal.dropped()
    await client.journal.clear()

    expect([answer.exchanges.length, answer.dropped, dropped]).toEqual([2, 3, 3])
    expect([mock.journal.dropped(), await client.journal.dropped()]).toEqual([0, 0])
  })

  it('counts no dropped exchanges if its size is 0', async () => {
    const mock = mockOf({}, { journalSize: 0 })
    await askOften(mock, { times: 5 })

    expect([mock.journal.find(), mock.journal.dropped()]).toEqual([[], 0])
  })

  it('mentions dropped exchanges if an expectation fails', async () => {
    const mock = mockOf({}, { journalSize: 2 })
    await askOften(mock, { times: 3 })

    const one = mock.journal.verify({ operation: 'lobbies.find' })
    await askOften(mock, { times: 1 })
    const more = mock.journal.verify({ order: [{ operation: 'lobbies.find' }] })
    const found = mock.journal.verify({ match: { path: '/nowhere' } })

    expect(one.reason).toMatch(/; 1 older request is no longer kept$/)
    expect(more.reason).toMatch(/; 2 older requests are no longer kept$/)
    expect(found).toMatchObject({ ok: true, matched: 2, nearest: [] })
    expect(found).not.toHaveProperty('reason')
  })
})

describe('the history of change sets', () => {
  const change = (mock: Mockmaker, size: number) =>
    mock.world.lobbies.update(q => q.where({ lobby_id: 'closed' }), {
      data: lobby => void Object.assign(lobby, { state: { text: 'x'.repeat(size), at: Math.random() } }),
    })

  it('stays below its byte limit', async () => {
    const mock = mockOf({ journal: 100_000 })
    await change(mock, 10)
    const since = mock.world.revision
    for (let i = 0; i < 20; i += 1) await change(mock, 10_000)
    const later = mock.world.revision
    for (let i = 0; i < 5; i += 1) await change(mock, 10_000)

    const first = async (from: number) => (await mock.changes({ since: from }).next()).value?.type

    expect([await first(since), await first(later)]).toEqual(['gone', 'change'])
  })

  it('counts an unchanged state once', async () => {
    const mock = mockOf({ journal: 100_000 })
    const put = { method: 'PUT', headers: bearer(tokens.arena) }
    await ask(mock, { ...put, path: '/matchmaker/lobbies/state', body: JSON.stringify(['x'.repeat(60_000)]) })
    const since = mock.world.revision
    for (let i = 0; i < 20; i += 1)
      await ask(mock, { ...put, path: '/matchmaker/lobbies/closed', body: `{"is_closed":${i % 2 === 0}}` })

    expect((await mock.changes({ since }).next()).value?.type).not.toBe('gone')
  })
})

describe('events that wait for a reader', () => {
  it('are dropped above the byte limit, and the reader gets a gap', async () => {
    const mock = mockOf({ events: 100_000 })
    const events = mock.changes()
    await askOften(mock, { times: 50 })
    await mock.world.lobbies.create({ lobby_id: 'last' })

    const types: unknown[] = []
    for await (const event of events) {
      types.push(event.type)
      if (event.type === 'change') break
    }

    expect(types[0]).toBe('gone')
    expect(types.length).toBeLessThanOrEqual(12)
  })

  it('can be read again from the revision in the gap', async () => {
    const mock = mockOf({ events: 100_000 })
    const events = mock.changes()
    await mock.world.lobbies.create({ lobby_id: 'first' })
    await askOften(mock, { times: 12 })
    const { value: gone } = await events.next()
    await mock.world.lobbies.create({ lobby_id: 'last' })

    const since = gone?.type === 'gone' ? gone.data.revision : 0
    const resumed = mock.changes({ since })
    const types = [await resumed.next(), await resumed.next()].map(({ value }) => value?.type)

    expect(gone?.type).toBe('gone')
    expect(types).not.toContain('gone')
  })

  it('are kept if there is only one, however large', async () => {
    const mock = mockOf({ events: 10 })
    const events = mock.changes()

    await askOften(mock, { times: 1 })

    expect((await events.next()).value?.type).toBe('exchange')
  })

  it('are dropped for the slowest reader only, above the total limit', async () => {
    const mock = mockOf({ allEvents: 100_000 })
    const [idle, ready] = [mock.changes(), mock.changes()]
    const read: unknown[] = []

    for (let i = 0; i < 30; i += 1) {
      await askOften(mock, { times: 1 })
      read.push((await ready.next()).value?.type)
    }

    expect(new Set(read)).toEqual(new Set(['exchange']))
    expect((await idle.next()).value?.type).toBe('gone')
  })

  it('free their bytes when the reader leaves', async () => {
    const mock = mockOf({ allEvents: 100_000 })
    const gone = mock.changes()
    await askOften(mock, { times: 4 })
    await gone.return?.()

    const events = mock.changes()
    await askOften(mock, { times: 7 })

    expect((await events.next()).value?.type).toBe('exchange')
  })

  it('are dropped if a client does not read its socket', async () => {
    const mock = mockOf({ events: 1_000_000 })
    const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
    const socket = await openSocket(url)
    let text = ''
    socket.setEncoding('latin1').on('data', data => {
      text += data
    })
    socket.write('GET /__mock/changes HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await expect.poll(() => text).toContain('event: begin')

    socket.pause()
    // More than the system buffers for a client that reads nothing.
    const body = 'x'.repeat(200_000)
    for (let i = 0; i < 80; i += 1) await ask(mock, { ...lost, body })
    socket.resume()

    await expect.poll(() => text).toContain('event: gone')
    socket.destroy()
    await close()
  })
})

describe('the histories of several worlds', () => {
  const step = fc.oneof(
    fc.record({ world: fc.nat(3), length: fc.nat(3_000) }),
    fc.record({ world: fc.nat(3), clear: fc.constant(true) }),
    fc.record({ world: fc.nat(3), end: fc.constant(true) }),
  )

  property.prop([
    fc.array(step, { maxLength: 60 }),
    fc.integer({ min: 1, max: 10 }),
    fc.integer({ min: 0, max: 9_000 }),
  ])('keep the newest that fit, and know how much that is', (steps, exchanges, most) => {
    const budget = new HistoryBudget(most)
    const histories = Array.from(
      { length: 4 },
      () => new History({ exchanges, changes: { count: 1 }, bytes: 6_000, budget }, { revision: 1, at: 0 }, () => []),
    )
    const ended = new Set<number>()

    for (const { world, ...what } of steps) {
      const history = histories[world]
      if ('length' in what) history?.addExchange(restoreExchange({ ...entry, path: 'x'.repeat(what.length) }))
      if ('clear' in what) history?.clearExchanges()
      if ('end' in what) ended.add(world) && history?.end()
      const kept = histories.filter((_, i) => !ended.has(i)).flatMap(one => one.exchanges)
      const bytes = kept.reduce((sum, exchange) => sum + exchange.bytes, 0)

      expect(budget.bytes).toBe(bytes)
      expect(bytes <= most || kept.length === 1).toBe(true)
    }
  })
})

describe('a history that gives memory to other worlds', () => {
  /** Lets two worlds write in turn, in little memory. Returns the requests whose reasons the first one asked for. */
  function explained({ held }: { held?: boolean } = {}) {
    const limits = { exchanges: 1_000, changes: { count: 1_000 }, bytes: 1e6, budget: new HistoryBudget(20_000) }
    const asked: (number | undefined)[] = []
    const explain: ConstructorParameters<typeof History>[2] = exchanges => {
      asked.push(...exchanges.map(({ revision }) => revision))
      return exchanges.map(() => ({ verdict: 'it says so', because: [] }))
    }
    const [first, second] = [explain, () => []].map(each => new History(limits, { revision: 1, at: 0 }, each))
    const answerAbout = (revision: number) => ({ ...restoreExchange(entry), revision })
    for (let revision = 2; revision < 100; revision += 1) {
      for (const history of [first, second]) {
        history?.addChange({ revision, at: 0, cause: { kind: 'code' }, changes: [] })
        history?.addExchange(answerAbout(revision - 1))
      }
      // It was resolved long before its answer left.
      if (held && revision === 50) first?.addExchange(answerAbout(40))
    }
    return { asked, kept: first?.exchanges ?? [], oldest: first?.oldest.revision ?? 0 }
  }

  it('drops the answers before a change with it, and asks for no reasons', () => {
    const { asked, kept, oldest } = explained()

    expect(asked).toEqual([])
    expect(kept.length).toBeGreaterThan(5)
    expect(kept[0]?.revision).toBe(oldest)
    expect(kept.at(-1)?.revision).toBe(98)
  })

  it('asks for the reasons of an answer that was held, and stays longer', () => {
    expect(explained({ held: true }).asked).toContain(40)
  })
})

describe('a journal that is cleared or replaced', () => {
  it('is published once', () => {
    const limits = { exchanges: 5, changes: { count: 1 }, bytes: 1e6, budget: new HistoryBudget(1e6) }
    const history = new History(limits, { revision: 1, at: 0 }, () => [])
    const lengths: number[] = []
    history.replaced.subscribe(() => void lengths.push(history.exchanges.length))

    history.loadExchanges([restoreExchange(entry)])
    history.loadExchanges([restoreExchange(entry), restoreExchange(entry)])
    history.clearExchanges()

    expect(lengths).toEqual([1, 2, 0])
  })
})

describe('a journal that is full', () => {
  const status = fc.constantFrom(200, 200, 200, 404)
  const request = fc.record({ method: fc.constantFrom('GET', 'GET', 'GET', 'POST'), status })

  property.prop([fc.array(request, { maxLength: 100 }), fc.integer({ min: 1, max: 12 })])(
    'drops successful reads first, and of each kind the oldest',
    (requests, exchanges) => {
      const limits = { exchanges, changes: { count: 1 }, bytes: 1e6, budget: new HistoryBudget(1e6) }
      const history = new History(limits, { revision: 1, at: 0 }, () => [])
      const isRead = ({ method, status }: { method: string; status: number }) => method === 'GET' && status === 200

      for (const one of requests) history.addExchange(restoreExchange({ ...entry, ...one }))

      const kept = history.exchanges.map(exchange => exchange.entry())
      const ids = (isWanted: boolean) => requests.flatMap((one, i) => (isRead(one) === isWanted ? [i + 1] : []))
      const [reads, others] = [kept.filter(isRead), kept.filter(one => !isRead(one))]
      expect(kept.map(({ id }) => id)).toEqual(kept.map(({ id }) => id).toSorted((a, b) => a - b))
      expect(kept).toHaveLength(Math.min(requests.length, exchanges))
      expect(reads.map(({ id }) => id)).toEqual(reads.length === 0 ? [] : ids(true).slice(-reads.length))
      expect(others.map(({ id }) => id)).toEqual(others.length === 0 ? [] : ids(false).slice(-others.length))
      // Another request has gone only if reads are few, or if none is older.
      const hasLostOthers = others.length < ids(false).length
      if (hasLostOthers) expect(reads.length * 3).toBeLessThanOrEqual(others.length + 4)
      expect(history.dropped).toBe(requests.length - kept.length)
    },
  )

  it('keeps a find among thousands of lists', async ({ serve }) => {
    const { mock, client } = await serve({ journalSize: 20 })
    await ask(mock, { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["duel"]}' })
    for (let i = 0; i < 2_000; i++) await ask(mock, { method: 'GET', path: '/matchmaker/lobbies/list' })

    const entries = await client.journal.find()

    expect(entries.map(({ operation }) => operation)).toEqual(['lobbies.find', ...Array(19).fill('lobbies.list')])
  })
})

const entry = {
  id: 1,
  time: '2026-11-20T20:00:00.000Z',
  world: 'default',
  method: 'GET',
  path: '/',
  query: {},
  headers: {},
  status: 404,
  ms: 0,
  blocked_ms: 0,
}
