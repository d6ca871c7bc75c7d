import { fc } from '@fast-check/vitest'
import { describe, expect, inject, vi } from 'vitest'
import { createClient, type MockEvent } from '../../../src/client/index.js'
import { stateNames } from '../../../src/core/control/states.js'
import { real } from '../../../src/core/lib/real-globals.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import { createMockmaker } from '../../../src/index.js'
import { failure, json } from '../../support/http.js'
import { it, type ServedMock } from '../../support/served-mock.js'
import { showServers } from '../../support/shown-servers.js'
import { tokens } from '../../support/tanks.js'
import { closedAfterTest, watchIndexOf } from '../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const

/** Follows the states of a world. The newest of each is in `now`. */
async function follow(
  { client }: Pick<ServedMock, 'client'>,
  names: readonly (typeof stateNames)[number][] = stateNames,
): Promise<{ readonly now: Record<string, unknown>; readonly events: MockEvent[]; stop(): void }> {
  const controller = new AbortController()
  const now: Record<string, unknown> = {}
  const events: MockEvent[] = []
  const stream = await client.changes({ with: names, signal: controller.signal })
  const read = async () => {
    for await (const event of stream) {
      events.push(event)
      now[event.type] = event.data
    }
  }
  void read().catch(() => {})
  return { now, events, stop: () => controller.abort() }
}

/** What the control calls say. */
async function asked({ client, steer }: ServedMock): Promise<Record<string, unknown>> {
  const json = async (path: string) => JSON.parse((await steer('GET', path)).body)
  const [{ id, title, description, seed }, journal, { change_sets: _, ...history }] = await Promise.all([
    json('/__mock/world'),
    json('/__mock/journal'),
    json('/__mock/history'),
  ])
  const { region_id } = await client.explain({ find: 'duel' })
  return {
    clock: await client.clock.get(),
    faults: await json('/__mock/faults'),
    finds: { finds: expect.arrayContaining([expect.objectContaining({ game_mode_id: 'duel', region_id })]) },
    history,
    journal: expect.objectContaining({
      ...(journal.oldest === undefined ? {} : { oldest: journal.oldest }),
      dropped: journal.dropped,
      waiting: journal.pending.length,
      pending: expect.arrayContaining(journal.pending),
    }),
    schedule: await json('/__mock/schedule?limit=50'),
    servers: await json('/__mock/servers'),
    stories: expect.objectContaining({ counts: (await client.stories.list()).counts }),
    warnings: await json('/__mock/warnings'),
    world: { id, title, ...(description === undefined ? {} : { description }), seed },
  }
}

/** Sends a request that waits for a change of a device link. */
function watch({ mock, send }: ServedMock): void {
  const query = `device_link_token=${tokens.pending}&watch_index=${watchIndexOf(mock.world, tokens.pending)}`
  void send({ method: 'GET', path: '/cloud/devices/links', query })
}

const actions: { readonly [name: string]: (served: ServedMock) => unknown } = {
  lobby: ({ mock }) => mock.lobby({ game_mode_id: 'duel', players: 1 }),
  request: ({ send }) => send({ method: 'GET', path: '/matchmaker/regions' }),
  hold: ({ mock }) => mock.hold('lobbies.list'),
  fail: ({ mock }) => mock.fail('lobbies.list', 503),
  // A fault may hold or fail it.
  list: ({ send }) => void send(list),
  watch: served => watch(served),
  clear: ({ mock }) => mock.faults.clear(),
  forget: ({ mock }) => mock.journal.clear(),
  advance: ({ mock }) => mock.clock.advance('20m'),
  reset: ({ mock }) => mock.reset(),
  load: ({ mock }) => mock.load({ title: 'Other', clock: 'frozen', game_modes: ['duel'] }),
  restore: ({ mock }) => mock.restore(mock.snapshot({ with: ['journal', 'faults'] })),
  servers({ mock }) {
    showServers(mock, [{ lobby_id: 'l', pid: 77 }])
  },
}

describe('changes({ with })', () => {
  it('begins with the present state of each part, at the position of the beginning', async ({ serve }) => {
    const served = await serve()
    await served.send(list)
    const { now, events, stop } = await follow(served)

    await expect.poll(() => Object.keys(now).sort()).toEqual([...stateNames])
    stop()
    expect(now).toEqual(await asked(served))
    expect(events.map(({ id }) => id)).toEqual(events.map(() => expect.stringMatching(/-1-\d+$/)))
  })

  it('tells the newest state of each part, whatever changes', { tags: ['slow'] }, async ({ serve }) => {
    const served = await serve()
    const { now, stop } = await follow(served)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(actions)), { maxLength: 10 }), async names => {
        for (const name of names)
          await Promise.resolve()
            .then(() => actions[name]?.(served))
            .catch(() => {})
        await vi.waitFor(async () => expect(now).toMatchObject(await asked(served)), { timeout: 30_000 })
        served.mock.faults.clear()
      }),
      { numRuns: Math.min(Math.ceil(inject('runs') / 2), 15), endOnFailure: true },
    )
    stop()
  })

  it('tells nothing of a clock that only runs', async ({ serve }) => {
    const served = await serve({ scenario: { clock: 'running', game_modes: ['duel'] } })
    const { events, stop } = await follow(served, ['clock', 'world'])
    await expect.poll(() => events).toHaveLength(2)

    await served.mock.lobby()
    await served.send(list)
    await served.mock.clock.set({ rate: 60 })

    await expect.poll(() => events.filter(({ type }) => type === 'clock')).toHaveLength(2)
    stop()
    expect(events.findLast(({ type }) => type === 'clock')?.data).toMatchObject({ mode: 'running', rate: 60 })
  })

  it('tells of a held request at once, and of the number of others at most four times a second', async ({ serve }) => {
    const served = await serve()
    const { events, now, stop } = await follow(served, ['journal'])
    await expect.poll(() => events).toHaveLength(1)
    served.mock.hold('lobbies.list')

    const start = performance.now()
    for (let i = 0; i < 40; i += 1) {
      watch(served)
      await served.mock.blocked(i + 1)
    }
    await expect.poll(() => now.journal).toMatchObject({ waiting: 40 })
    const count = events.filter(({ type }) => type === 'journal').length
    const seconds = (performance.now() - start) / 1_000
    void served.send(list)
    await expect.poll(() => now.journal, { interval: 2 }).toHaveProperty('pending.0.operation', 'lobbies.list')
    const timers = vi.spyOn(real, 'setTimeout')
    void served.send(list)
    await expect.poll(() => now.journal, { interval: 2 }).toHaveProperty('pending.1.operation', 'lobbies.list')

    expect(count).toBeLessThanOrEqual(2 + 4 * seconds)
    expect(timers.mock.calls.filter(([, ms = 0]) => ms > 50 && ms <= 250)).toEqual([])
    stop()
  })

  it('goes on after a lost connection with the states and the events since', async ({ serve }) => {
    const { mock, client } = await serve()
    const first = await client.changes({ with: ['faults'] })
    const { value: before } = await first.next()
    await mock.lobby({ lobby_id: 'between' })
    await first.return(undefined)
    mock.fail('lobbies.list', 503)

    const second = await client.changes({ with: ['faults'], lastEventId: before?.id })
    const [state, change] = [await second.next(), await second.next()]
    await second.return(undefined)

    expect(state.value).toMatchObject({ type: 'faults', data: { faults: [{ operation: 'lobbies.list' }] } })
    expect(change.value).toMatchObject({ type: 'change', data: { puts: [{ id: 'between' }] } })
  })

  it('refuses a part that does not exist, in-process and over HTTP', async ({ serve }) => {
    const { mock, client, steer } = await serve()

    expect(() => mock.changes({ with: ['fault' as never] })).toThrow('Did you mean faults?')
    await expect(client.changes({ with: ['fault' as never] })).rejects.toThrow('with')
    const got = await steer('GET', '/__mock/changes?with=clock,fault')
    expect(failure(got)).toBe('400 API_BAD_QUERY')
    expect(json(got)).toMatchObject({ message: expect.stringContaining('query.with is "clock,fault": expected names') })
  })
})

describe('GET /__mock/worlds as a stream', () => {
  it('tells the worlds at once, and after each that comes or goes, until the mock is closed', async ({ serve }) => {
    const { mock, url, close } = await serve()
    const response = await fetch(`${url}/__mock/worlds`, { headers: { accept: 'text/event-stream' } })
    const text = response.text()

    await createClient(url).worlds.put('b')
    await mock.worlds.delete('b')
    await close()

    const events = (await text).trim().split('\n\n')
    const lists = events.slice(0, -1).map(event => JSON.parse(event.split('data: ')[1] ?? '').worlds)
    expect(lists[0]).toMatchObject([{ id: 'default' }])
    expect(events.at(-1)).toBe('event: end\ndata: {}')
  })

  it('tells nothing after the deletion of a world that does not exist', async () => {
    const { worlds } = mockOf(closedAfterTest(createMockmaker()), 'test')
    const told: boolean[] = []
    worlds.changes.subscribe(isOpen => void told.push(isOpen))
    await worlds.put('one')

    expect([await worlds.delete('none'), await worlds.delete('one'), await worlds.delete('one')]).toEqual([
      false,
      true,
      false,
    ])
    expect(told).toEqual([true, true])
  })

  it('tells of a world that another client makes', async ({ serve }) => {
    const { url, client } = await serve()
    const controller = new AbortController()
    const { body } = await fetch(`${url}/__mock/worlds`, {
      headers: { accept: 'text/event-stream' },
      signal: controller.signal,
    })
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    await reader?.read()

    await client.worlds.put('other')

    const { value } = (await reader?.read()) ?? {}
    controller.abort()
    expect(value).toContain('"id":"other"')
  })
})
