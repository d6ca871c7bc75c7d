import { describe, expect, it as plain } from 'vitest'
import { mockOf } from '../../../src/core/mock/facade.js'
import { createMockmaker, type MockEvent } from '../../../src/index.js'
import { type Control, controls, messageOf } from '../../support/controls.js'
import { list } from '../../support/faults.js'
import { ask, failure } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { stateOf } from '../../support/worlds.js'

const busy = { operation: 'lobbies.list', effect: { error: { status: 503 } } } as const

/** Returns the only fault. */
async function only(control: Control) {
  const [fault] = await control.faults.list()
  return fault
}

describe.each(controls)('faults.replace, $where', ({ of }) => {
  it('moves a staged fault, whose id, place and counters stay', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    await control.faults.add({ ...busy, after: '10s', for: '5s' })
    await control.faults.add({ effect: { delay: '1ms' }, times: 1 })
    await ask(mock, { ...list, path: '/matchmaker/lobbies/list' }, AbortSignal.abort())
    const before = mock.faults.list()

    const moved = await control.faults.replace('1', { ...busy, after: '20s', for: 1_000 })

    expect(moved).toEqual({
      ...busy,
      after: '20s',
      for: '1s',
      id: '1',
      matched: 1,
      struck: 0,
      holding: 0,
      added_at: '2026-11-20T20:00:00.000Z',
      begins_at: '2026-11-20T20:00:20.000Z',
      ends_at: '2026-11-20T20:00:21.000Z',
    })
    expect(await control.faults.list()).toEqual([moved, before[1]])
    const statuses: number[] = []
    for (const by of ['12s', '8s', '1s']) {
      await mock.clock.advance(by)
      statuses.push((await ask(mock, list)).status)
    }
    expect(statuses).toEqual([200, 503, 200])
  })

  it('gives it another effect, and releases the requests that it holds', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    const { id } = await control.hold('lobbies.list')
    const held = ask(mock, list)
    await control.blocked(1)

    await control.faults.replace(id, { operation: 'lobbies.list', effect: { hold: true }, for: '1h' })
    const stillHeld = mock.faults.list()[0]?.holding
    await control.faults.replace(id, busy)

    expect([stillHeld, (await held).status, (await ask(mock, list)).status]).toEqual([1, 200, 503])
  })

  it('keeps the begin of a fault that is as late as before', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    await control.faults.add({ ...busy, after: 2, for: '10s' })
    for (let i = 0; i < 2; i += 1) await ask(mock, list)
    await mock.clock.advance('4s')

    const longer = await control.faults.replace('1', { ...busy, after: 2, for: '20s' })
    const earlier = await control.faults.replace('1', { ...busy, after: 1, for: '20s' })
    const later = await control.faults.replace('1', { ...busy, after: 3, for: '20s' })

    const at = (seconds: number) => new Date(Date.parse('2026-11-20T20:00:00Z') + seconds * 1_000).toISOString()
    expect(longer).toMatchObject({ began_at: at(0), begins_at: at(0), ends_at: at(20) })
    expect(earlier).toMatchObject({ began_at: at(4), begins_at: at(4), ends_at: at(24) })
    for (const name of ['began_at', 'begins_at', 'ends_at']) expect(later).not.toHaveProperty(name)
  })

  it('finds no fault of another id, and changes nothing by a wrong one', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    await control.faults.add(busy)
    const before = [stateOf(served.mock.world), await only(control)]

    const messages = [
      await messageOf(() => control.faults.replace('1', { ...busy, times: 0 })),
      await messageOf(() => control.faults.replace('1', { ...busy, operation: 'lobies.list' } as never)),
      await messageOf(() => control.faults.replace('1', { effect: {} })),
    ]

    expect(await control.faults.replace('2', busy)).toBeUndefined()
    expect([stateOf(served.mock.world), await only(control)]).toEqual(before)
    expect(messages).toEqual([
      expect.stringContaining('times is 0: expected at least 1'),
      expect.stringContaining('Did you mean lobbies.list?'),
      expect.stringContaining('expected exactly one of'),
    ])
    expect(failure(await served.steer('PUT', '/__mock/faults/2', busy))).toBe('404 API_NOT_FOUND')
  })
})

describe.each(controls)('a fault in the list, $where', ({ of }) => {
  it('says when it last applied, and when it has ended', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    await control.faults.add({ ...busy, times: 2, for: '1h' })
    const first = await only(control)
    await mock.clock.advance('5s')
    await ask(mock, list)
    const second = await only(control)
    await mock.clock.advance('5s')
    await ask(mock, list)
    await mock.clock.advance('5s')

    expect(first).not.toHaveProperty('last_at')
    expect(first).toMatchObject({ ends_at: '2026-11-20T21:00:00.000Z' })
    expect(second).toMatchObject({
      struck: 1,
      last_at: '2026-11-20T20:00:05.000Z',
      ends_at: '2026-11-20T21:00:00.000Z',
    })
    expect(await only(control)).toMatchObject({
      struck: 2,
      last_at: '2026-11-20T20:00:10.000Z',
      ends_at: '2026-11-20T20:00:10.000Z',
    })
  })

  it('keeps its times in a snapshot, and moves with a clock that is reset', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    await control.faults.add({ ...busy, for: '1h' })
    await ask(mock, list)
    const before = await only(control)
    const snapshot = await control.snapshot({ with: ['faults'] })
    await control.faults.clear()
    await control.restore(snapshot)
    const restored = await only(control)
    await mock.clock.advance('30m')
    await control.reset({ keep: ['faults'] })

    expect(restored).toEqual(before)
    expect(Object.keys(snapshot.faults?.[0] ?? {})).not.toContain('ends_at')
    expect(await only(control)).toMatchObject({
      begins_at: '2026-11-20T19:30:00.000Z',
      last_at: '2026-11-20T19:30:00.000Z',
      ends_at: '2026-11-20T20:30:00.000Z',
    })
  })
})

describe('the events of faults', () => {
  plain('tell at once that one is added, replaced or removed, begins or ends', async () => {
    const mock = createMockmaker({ scenario: { clock: 'frozen', now: '2026-11-20T20:00:00Z', game_modes: ['duel'] } })
    const told: (MockEvent & { type: 'faults' })['data']['faults'][] = []
    const events = mock.changes({ with: ['faults'] })
    const read = async () => {
      for await (const event of events) if (event.type === 'faults') told.push(event.data.faults)
    }
    void read()
    const next = async (count: number) => {
      await expect.poll(() => told.length).toBe(count)
      return told.at(-1)
    }

    expect(await next(1)).toEqual([])
    mock.faults.add({ ...busy, after: '10s', for: '5s' })
    expect(await next(2)).toMatchObject([{ begins_at: '2026-11-20T20:00:10.000Z' }])
    mock.faults.replace('1', { ...busy, after: '20s', for: '5s' })
    expect(await next(3)).toMatchObject([{ begins_at: '2026-11-20T20:00:20.000Z' }])
    expect(told.at(-1)?.[0]).not.toHaveProperty('began_at')
    await mock.clock.advance('20s')
    expect(await next(4)).toMatchObject([{ began_at: '2026-11-20T20:00:20.000Z' }])
    mock.faults.clear()
    expect(await next(5)).toEqual([])
    await events.return?.()
  })

  plain('come at once for new settings, later for counters, and leave no timer behind', async () => {
    const mock = createMockmaker({ scenario: { clock: 'frozen', game_modes: ['duel'] } })
    const { states, world } = mockOf(mock, 'test').default
    const marks: string[] = []
    const end = states.subscribe(
      (name, when) => {
        if (name === 'faults') marks.push(when)
      },
      () => {},
    )

    mock.faults.add({ ...busy, for: '1h' })
    mock.faults.replace('1', { ...busy, for: '2h' })
    await ask(mock, list)

    expect([marks, world.clock.pending]).toEqual([['now', 'now', 'soon'], 1])
    end()
    expect(world.clock.pending).toBe(0)
  })
})
