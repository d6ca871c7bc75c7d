import { describe, expect, vi } from 'vitest'
import type { Verification } from '../../../src/client/index.js'
import { json } from '../../support/http.js'
import { it, type ServedMock } from '../../support/served-mock.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const

const start = '2031-06-01T12:00:00.000Z'
const later = '2031-06-01T12:00:05.000Z'

/** Serves a mock at a real time that stands still. The clock of its world shows another time. */
async function serveAt(time: string, serve: () => Promise<ServedMock>): Promise<ServedMock> {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) })
  return serve()
}

/** Returns the run, in which a client sees a restart. */
async function runOf({ client }: Pick<ServedMock, 'client'>): Promise<string> {
  return (await client.journal.verify({})).run
}

type Act = (served: ServedMock) => unknown

describe('the journal begins', () => {
  it('with its world, in real time: the same for all who ask', async ({ serve }) => {
    const { mock, client, steer } = await serveAt(start, serve)
    vi.setSystemTime(later)

    const listed = json(await steer('GET', '/__mock/journal'))
    const verified = json(await steer('POST', '/__mock/journal/verify', {})) as unknown as Verification
    const local = mock.journal.verify({})

    expect(listed).toMatchObject({ begins_at: start, run: local.run })
    expect(verified).toEqual(local)
    expect([local.begins_at, mock.journal.beginsAt(), await client.journal.beginsAt()]).toEqual([start, start, start])
    expect(mock.clock.now()).not.toBe(Date.parse(start))
  })

  it.for<[string, Act]>([
    ['clear', ({ mock }) => mock.journal.clear()],
    ['reset', ({ mock }) => mock.reset()],
    ['load', ({ mock }) => mock.load({ game_modes: ['duel'] })],
    ['restore of a snapshot with a journal', ({ mock }) => mock.restore(mock.snapshot({ with: ['journal'] }))],
  ])('again after %s, in the same run', async ([, act], { serve }) => {
    const served = await serveAt(start, serve)
    const run = await runOf(served)
    vi.setSystemTime(later)

    await act(served)

    expect(served.mock.journal.beginsAt()).toBe(later)
    expect(await runOf(served)).toBe(run)
  })

  it.for<[string, Act]>([
    ['a request', ({ send }) => send(list)],
    ['a reset that keeps it', ({ mock }) => mock.reset({ keep: ['journal'] })],
    ['restore of a snapshot without a journal', ({ mock }) => mock.restore(mock.snapshot())],
    ['a move of the clock', ({ mock }) => mock.clock.advance('1h')],
  ])('no later after %s', async ([, act], { serve }) => {
    const served = await serveAt(start, serve)
    vi.setSystemTime(later)

    await act(served)

    expect(served.mock.journal.beginsAt()).toBe(start)
  })

  it('in a new run if the world is deleted and created again, also in the same millisecond', async ({ serve }) => {
    const { mock, client, steer } = await serveAt(start, serve)
    const world = await client.worlds.put('w1')
    const before = await world.journal.verify({})
    await mock.worlds.put('w1')
    const replaced = await world.journal.verify({})

    await client.worlds.delete('w1')
    await steer('PUT', '/__mock/worlds/w1', {})

    const after = await world.journal.verify({})
    expect(replaced.run).toBe(before.run)
    expect(after.begins_at).toBe(before.begins_at)
    expect(after.run).not.toBe(before.run)
  })
})
