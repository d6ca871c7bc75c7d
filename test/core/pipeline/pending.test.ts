import { describe, expect, it, vi } from 'vitest'
import { real } from '../../../src/core/lib/real-globals.js'
import type { RequestFacts } from '../../../src/core/pipeline/message.js'
import { PendingRequests } from '../../../src/core/pipeline/pending.js'

/** Creates a list for a clock with this mode and number of timers. Its redactor changes no path. */
function pendingRequests({ mode = 'flowing', pending = 0 } = {}) {
  const redactor = { text: (text: string) => text, query: () => ({}), body: () => ({}) }
  return new PendingRequests({ mode, pending } as never, redactor as never)
}

const waiting = (waitsFor: RequestFacts['waitsFor'], path = '/'): RequestFacts => ({
  request: { method: 'GET', path, headers: {} },
  startedAt: 0,
  rayId: path,
  waitsFor,
  fault: waitsFor === 'fault' ? { id: '1', effect: 'held' } : undefined,
})

/** Counts the timers that hold the process. The other function lets their time pass. */
function holds() {
  const timers = new Map<unknown, () => void>()
  vi.spyOn(real, 'setTimeout').mockImplementation(run => {
    const timer = {}
    timers.set(timer, run as () => void)
    return timer as never // only `clearTimeout` uses it
  })
  vi.spyOn(real, 'clearTimeout').mockImplementation(timer => void timers.delete(timer))
  const pass = () => {
    for (const [timer, run] of [...timers]) {
      timers.delete(timer)
      run()
    }
  }
  return { count: () => timers.size, pass }
}

describe('a request that waits', () => {
  it.for([
    ['for code only', {}, 'fault', [1, 0]],
    ['for a timer', { pending: 1 }, 'fault', [1, 1]],
    ['for a timer of a frozen clock', { mode: 'frozen', pending: 1 }, 'fault', [1, 0]],
    ['for a lobby', {}, 'lobby', [1, 1]],
    ['for a lobby, and the clock is frozen', { mode: 'frozen' }, 'lobby', [1, 0]],
    ['for a resolver', { pending: 1 }, 'resolver', [0, 0]],
  ] as const)('holds the process at first, and longer if time ends the wait: %s', ([, clock, waitsFor, expected]) => {
    const { count, pass } = holds()
    const pending = pendingRequests(clock)

    pending.add(waiting(waitsFor))
    const first = count()
    pass()

    expect([first, count()]).toEqual(expected)
  })

  it('holds the process for its own time if another one began before it', () => {
    const { count, pass } = holds()
    const pending = pendingRequests()
    for (const path of ['/one', '/other']) pending.add(waiting('fault', path))

    const counts = [count()]
    for (let i = 0; i < 2; i += 1) {
      pass()
      counts.push(count())
    }

    expect(counts).toEqual([1, 1, 0])
  })

  it('frees the process at its end, if it is the last one', () => {
    const { count } = holds()
    const pending = pendingRequests()
    const [one, other] = [waiting('fault'), waiting('watch')]
    for (const request of [one, other]) pending.add(request)

    const counts = [one, other].map(request => {
      pending.remove(request)
      return count()
    })

    expect(counts).toEqual([1, 0])
  })

  it('has no operation or fault if it has none', () => {
    holds()
    const pending = pendingRequests()
    pending.add(waiting('watch', '/lost'))

    expect(pending.list()).toStrictEqual([
      { method: 'GET', path: '/lost', query: {}, since: '1970-01-01T00:00:00.000Z', waits_for: 'watch' },
    ])
  })
})

describe('the first requests that wait', () => {
  it.for([
    [1, ['/3']],
    [3, ['/3', '/4', '/1']],
    [9, ['/3', '/4', '/1', '/2']],
  ] as const)('are those of faults, and then the others: %i', ([limit, paths]) => {
    holds()
    const pending = pendingRequests()
    for (const [i, waitsFor] of (['watch', 'lobby', 'fault', 'fault'] as const).entries())
      pending.add(waiting(waitsFor, `/${i + 1}`))

    expect(pending.listFirst(limit).map(({ path }) => path)).toEqual(paths)
  })
})
