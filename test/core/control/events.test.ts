import { type AddressInfo, connect, createServer } from 'node:net'
import { fc } from '@fast-check/vitest'
import { describe, expect, inject, vi } from 'vitest'
import { createClient, type MockEvent } from '../../../src/client/index.js'
import { eventStream, type MockEvents } from '../../../src/core/control/events.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import { createMockmaker } from '../../../src/index.js'
import { ask } from '../../support/http.js'
import { it, type ServedMock } from '../../support/served-mock.js'
import { flushPromises, isBusy } from '../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const

/** Reads that many events, and then disconnects. */
async function take(
  events: AsyncIterable<MockEvent> | Promise<AsyncIterable<MockEvent>>,
  count: number,
): Promise<MockEvent[]> {
  const taken: MockEvent[] = []
  if (count === 0) return taken
  for await (const event of await events) {
    taken.push(event)
    if (taken.length === count) break
  }
  return taken
}

const makeLobby = ({ mock }: ServedMock, lobby_id: string) => mock.world.lobbies.create({ lobby_id })
const shown = (event: MockEvent) => (event.type === 'change' ? event.data.puts.map(({ id }) => id).join() : event.type)

describe('GET /__mock/changes', () => {
  it('sends its headers at once', async ({ serve }) => {
    const { url, close } = await serve()

    const response = await fetch(`${url}/__mock/changes`)

    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    await close()
    expect(await response.text()).toMatch(/^event: begin\nid: \w+-0-\d+\ndata: {}\n\nevent: end\ndata: {}\n\n$/)
  })

  it('sends change sets and exchanges as they happen, each with an id', async ({ serve }) => {
    const steered = await serve()
    const first = take(await steered.client.changes(), 2)

    await makeLobby(steered, 'new')
    await steered.send(list)

    const [change, exchange] = await first
    expect(change).toEqual({
      type: 'change',
      id: expect.stringMatching(/-1-\d+$/),
      data: {
        revision: steered.mock.world.revision,
        at: '2026-11-20T20:00:00.000Z',
        cause: { kind: 'code' },
        puts: [{ table: 'lobbies', id: 'new', row: steered.mock.world.lobbies.get('new') }],
        deletes: [],
      },
    })
    expect(exchange).toMatchObject({ type: 'exchange', data: { id: 2, operation: 'lobbies.list', status: 200 } })
  })

  it('begins after a given revision', async ({ serve }) => {
    const steered = await serve()
    await makeLobby(steered, 'before')
    const since = steered.mock.world.revision
    await steered.send(list)
    await makeLobby(steered, 'after')

    const events = await take(steered.client.changes({ since }), 2)

    expect(events.map(shown)).toEqual(['exchange', 'after'])
  })

  it('reports that past events are no longer kept, and continues with new ones', async ({ serve }) => {
    const steered = await serve({ journalSize: 1 })
    const since = steered.mock.world.revision
    await steered.send(list)
    await steered.send(list)
    const events = take(await steered.client.changes({ since }), 2)

    await makeLobby(steered, 'new')

    const [gone, change] = await events
    expect(gone).toEqual({
      type: 'gone',
      id: expect.stringMatching(/-2-\d+$/),
      data: { message: expect.stringContaining('no longer kept'), revision: since },
    })
    expect(change && shown(change)).toBe('new')
  })

  it.for([['x-1'], ['1'], ['-'], [''], ['%run-99'], ['%run-1'], ['%run-1-1'], ['%run--1'], ['x.%run-1-1']] as const)(
    'treats %j as an id of another run',
    async ([lastEventId], { serve }) => {
      const steered = await serve()
      await makeLobby(steered, 'new')
      const [event] = await take(steered.client.changes({ since: 0 }), 1)
      const run = event && 'id' in event ? event.id.split('-')[0] : ''

      const [told] = await take(steered.client.changes({ lastEventId: lastEventId.replace('%run', String(run)) }), 1)

      expect(told?.type).toBe('gone')
    },
  )

  it('treats a future revision like one of another run', async ({ serve }) => {
    const steered = await serve()

    const [told] = await take(steered.client.changes({ since: steered.mock.world.revision + 1 }), 1)

    expect(told?.type).toBe('gone')
  })

  it('neither loses nor repeats an event, wherever it is cut and resumed', async ({ serve }) => {
    const steered = await serve()
    const step = fc.oneof({ weight: 3, arbitrary: fc.constant('happens' as const) }, fc.constant('is cut' as const))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async steps => {
        const { id: world } = await steered.mock.worlds.put(`w${Math.random().toString(36).slice(2)}`)
        const mock = steered.mock.worlds.get(world)
        const seen: MockEvent[] = []
        let stream = mock?.changes()
        let made = 0
        for (const step of steps) {
          if (step === 'happens') {
            await mock?.world.lobbies.create({ lobby_id: `${made++}` })
            continue
          }
          if (stream) seen.push(...(await take(stream, Math.min(1, made - seen.length))))
          await stream?.return?.()
          const last = seen.at(-1)
          stream = mock?.changes(last && 'id' in last ? { lastEventId: last.id } : { since: 0 })
        }
        if (stream) seen.push(...(await take(stream, made - seen.length)))

        expect(seen.map(shown)).toEqual(Array.from({ length: made }, (_, i) => `${i}`))
        await steered.mock.worlds.delete(world)
      }),
      { numRuns: inject('runs') },
    )
  })

  it('frees a client that disconnects, and ends the others when the server closes', async ({ serve }) => {
    const steered = await serve()
    const controller = new AbortController()
    const aborted = await steered.client.changes({ since: 0, signal: controller.signal })
    const left = await steered.client.changes({ since: 0 })
    await makeLobby(steered, 'new')
    await Promise.all([aborted.next(), left.next()])

    controller.abort()
    const rest = await take(aborted, 1)
    await steered.close()

    expect([rest, await take(left, 1)]).toEqual([[], []])
    expect(isBusy(steered.mock)).toBe(false)
  })

  it('reconnects after a cut, even before the first event, and loses nothing', async ({ serve }) => {
    const steered = await serve()
    const { port } = new URL(steered.url)
    const cutters: (() => void)[] = []
    // A proxy that can cut the connections.
    const between = createServer(near => {
      const far = connect(Number(port), '127.0.0.1')
      near.pipe(far).pipe(near)
      near.on('error', () => {})
      far.on('error', () => {})
      cutters.push(() => near.resetAndDestroy())
    })
    await new Promise<void>(resolve => between.listen(0, '127.0.0.1', resolve))
    const { port: there } = between.address() as AddressInfo
    const events = await createClient(`http://127.0.0.1:${there}`).changes()
    const cut = () => {
      for (const one of cutters.splice(0)) one()
    }
    const first = events.next()

    cut()
    await makeLobby(steered, 'one')
    const seen = [await first]
    cut()
    await makeLobby(steered, 'two')
    await makeLobby(steered, 'three')
    seen.push(await events.next(), await events.next())
    await events.return(undefined)
    await new Promise(resolve => between.close(resolve))

    expect(seen.map(({ value }) => value && shown(value))).toEqual(['one', 'two', 'three'])
  })

  it('ends when its world is deleted, and does not recreate it', async ({ serve }) => {
    const steered = await serve()
    const other = await steered.client.worlds.put('other')
    const events = take(await other.changes(), 1)

    await steered.client.worlds.delete('other')

    expect([await events, steered.mock.worlds.list().map(({ id }) => id)]).toEqual([[], ['default']])
  })

  it('has the events of one world only', async ({ serve }) => {
    const steered = await serve()
    const other = await steered.client.worlds.put('other')
    const events = take(await other.changes(), 1)

    await makeLobby(steered, 'there')
    await other.world.lobbies.create({ lobby_id: 'here' })

    expect((await events).map(shown)).toEqual(['here'])
  })
})

describe('mock.changes', () => {
  it('leaves out long answers if asked to, as the client does', async ({ serve }) => {
    const { mock, client, send } = await serve()
    await mock.lobbies(30)
    const options = { since: mock.world.revision, answers: 'short' } as const
    const { body } = await send(list)
    await send({ method: 'POST', path: '/nowhere' })
    const [long, kept] = mock.journal.find()

    const events = await take(mock.changes(options), 2)

    const { answer, ...head } = long ?? {}
    expect(answer).toEqual(JSON.parse(body))
    expect(events.map(({ data }) => data)).toEqual([{ ...head, answer_bytes: Buffer.byteLength(body) }, kept])
    expect(await take(client.changes(options), 2)).toEqual(events)
  })

  it('refuses other forms of answers', async ({ serve }) => {
    const { mock, client } = await serve()
    const answers = 'long' as never

    expect(() => mock.changes({ answers })).toThrow('changes: answers is "long": expected "short"')
    await expect(client.changes({ answers })).rejects.toThrow('answers is "long": expected "short"')
  })

  it('answers concurrent calls of next in order', async ({ serve }) => {
    const steered = await serve()
    const events = steered.mock.changes()
    const both = Promise.all([events.next(), events.next()])
    await makeLobby(steered, 'one')
    await makeLobby(steered, 'two')

    expect((await both).map(({ value }) => value && shown(value))).toEqual(['one', 'two'])
  })

  it('drops events above the limit, reports it, and continues', async ({ serve }) => {
    const { mock } = await serve({ journalSize: 0 })
    const events = mock.changes()
    for (let i = 0; i <= 10_000; i++) await ask(mock, list)
    await ask(mock, list)

    const [gone, next] = await take(events, 2)

    expect([gone?.type, next?.type]).toEqual(['gone', 'exchange'])
    expect([gone, next].map(event => Number(event?.id.split('-')[1]))).toEqual([10_001, 10_002])
  })

  it('leaves out the older requests that wait for a slow reader, and counts them', async ({ serve }) => {
    const steered = await serve()
    const events = steered.mock.changes({ newest: 2 })
    for (let i = 0; i < 3; i++) await steered.send(list)
    await makeLobby(steered, 'new')
    await steered.send(list)

    const taken = await take(events, 4)

    expect(() => steered.mock.changes({ newest: 0 })).toThrow('newest is 0: expected a whole number of 1 or more')
    expect(() => steered.mock.changes({ since: 'x' as never })).toThrow('since is "x": expected a revision')
    expect(taken.map(shown)).toEqual(['skipped', 'exchange', 'new', 'exchange'])
    expect(taken[0]).toEqual({ type: 'skipped', id: events.after, data: { exchanges: 2 } })
    expect(taken.map(({ id }) => Number(id.split('-')[1]))).toEqual([0, 3, 4, 5])
  })

  it('tells each change, and tells or counts each request, whenever they are read', async ({ serve }) => {
    const { mock } = await serve()
    const step = fc.constantFrom('request', 'change', 'read')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), async (steps, newest) => {
        const events = mock.changes({ newest })
        const [made, told] = [
          { requests: 0, changes: 0 },
          { requests: 0, changes: 0 },
        ]
        const ids: number[] = []
        const isWaiting = () => told.requests + told.changes < made.requests + made.changes
        const read = async () => {
          const [event] = await take({ [Symbol.asyncIterator]: () => ({ next: () => events.next() }) }, 1)
          if (event?.type === 'skipped') told.requests += event.data.exchanges
          else told[event?.type === 'change' ? 'changes' : 'requests'] += 1
          ids.push(Number(event?.id.split('-')[1]))
        }
        for (const one of steps) {
          if (one === 'request') await ask(mock, list).then(() => (made.requests += 1))
          else if (one === 'change') await mock.world.lobbies.create({}).then(() => (made.changes += 1))
          else if (isWaiting()) await read()
        }
        while (isWaiting()) await read()

        expect(told).toEqual(made)
        expect(ids).toEqual(ids.toSorted((a, b) => a - b))
        await events.return?.()
      }),
    )
  })

  it("treats the id of another or a deleted world's event as unknown", async ({ serve }) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { mock } = await serve()
    const ids: string[] = []
    for (const id of ['one', 'other', 'one']) {
      await mock.worlds.delete(id)
      const world = await mock.worlds.put(id)
      const events = world.changes()
      await world.world.lobbies.create({})
      ids.push((await events.next()).value?.id ?? '')
    }

    const [first] = ids
    const event = await mock.worlds.get('one')?.changes({ lastEventId: first }).next()
    vi.useRealTimers()

    expect(new Set(ids).size).toBe(3)
    expect(event?.value?.type).toBe('gone')
  })

  it('ends at once if the mock is closed', async ({ serve }) => {
    const { mock } = await serve()
    await mock.close()

    expect(await take(mock.changes(), 1)).toEqual([])
  })

  it('ends with its signal, and with the mock', async ({ serve }) => {
    const { mock } = await serve()
    const controller = new AbortController()
    const [aborted, closed] = [mock.changes({ signal: controller.signal }), mock.changes()]

    controller.abort()
    await mock.close()

    expect([await take(aborted, 1), await take(closed, 1)]).toEqual([[], []])
  })
})

/** Returns the event texts that a client gets until its stream ends. */
async function sent(events: () => AsyncGenerator<MockEvent, undefined>): Promise<string[]> {
  const texts: string[] = []
  const begin = () => Object.assign(events(), { after: 'run-0' }) as MockEvents // all of it that a stream uses
  const { world } = mockOf(createMockmaker(), 'test').worlds.default
  const { stream } = eventStream(begin, { world, toSent: event => event })
  await new Promise<void>(end => stream?.({ send: text => texts.push(text), end, drained: flushPromises }))
  return texts
}

describe('the event stream', () => {
  it('replaces an event that is too long by a gap, and goes on', async () => {
    const told = await sent(async function* () {
      // JSON.stringify throws, as for a change set beyond the maximum length of a string.
      yield { type: 'change', id: 'run-1', data: { revision: 1n } as never }
      yield {
        type: 'change',
        id: 'run-2',
        data: { revision: 2, at: '', cause: { kind: 'code' }, puts: [], deletes: [] },
      }
      return undefined
    })

    expect(told[1]).toMatch(/"revision":\d+/)
    expect(told.map(text => text.split('\n').slice(0, 2))).toEqual([
      ['event: begin', 'id: run-0'],
      ['event: gone', 'id: run-1'],
      ['event: change', 'id: run-2'],
      ['event: end', 'data: {}'],
    ])
  })

  it('ends if the events fail', async () => {
    const told = await sent(async function* () {
      yield {
        type: 'change',
        id: 'run-1',
        data: { revision: 1, at: '', cause: { kind: 'code' }, puts: [], deletes: [] },
      }
      throw new Error('unforeseen')
    })

    expect(told).toHaveLength(2)
  })
})
