import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { matchesGlob } from '../../../src/core/lib/messages.js'
import { durationMs } from '../../../src/core/lib/time.js'
import { Random } from '../../../src/core/store/random.js'
import type { Fault } from '../../../src/index.js'
import { link, list, mockWithFaults, nowhere, prepare } from '../../support/faults.js'
import { ask, type TestResponse } from '../../support/http.js'
import { flushPromises, isBusy } from '../../support/worlds.js'

const kinds = {
  'lobbies.list': list,
  'devices.links.get': link,
  'devices.links.prepare': prepare,
  nowhere,
} as const
type Kind = keyof typeof kinds

const operation = fc.constantFrom('lobbies.list', 'devices.*', '*', 'devices.links.get')
const duration = fc.constantFrom('1s', '3s', '5s')
const timing = {
  operation,
  times: fc.integer({ min: 1, max: 4 }),
  after: fc.oneof(fc.nat(4), duration),
  for: duration,
  chance: fc.constantFrom(0, 0.3, 0.7, 1),
}
const timed = fc.record(timing, { requiredKeys: [] })
const kind = fc.constantFrom(...(Object.keys(kinds) as Kind[]))
const steps = fc.array(fc.record({ kind, ms: fc.constantFrom(0, 0, 500, 1_000, 2_500) }), { maxLength: 25 })

/** A simple model of a fault. It keeps the history of the requests since the fault was added. */
class Model {
  readonly chance = new Random(7, 'faults')
  readonly matched: number[][]
  readonly struck: number[]

  constructor(readonly faults: readonly Omit<Fault, 'effect'>[]) {
    this.matched = faults.map(() => [])
    this.struck = faults.map(() => 0)
  }

  /** Returns the fault that applies to a request at a time. */
  strike(kind: Kind, now: number): number {
    return this.faults.findIndex((fault, i) => {
      const { operation, times = 1_000, after = 0, for: length = '1000h', chance } = fault
      if (operation !== undefined && (kind === 'nowhere' || !matchesGlob(kind, operation))) return false
      const before = [...(this.matched[i] ?? [])]
      this.matched[i]?.push(now)
      const began = typeof after === 'string' ? durationMs(after) : after === 0 ? 0 : before[after - 1]
      if (began === undefined || now < began || now >= began + durationMs(length)) return false
      if ((this.struck[i] ?? 0) >= times || (chance !== undefined && this.chance.float() >= chance)) return false
      this.struck[i] = (this.struck[i] ?? 0) + 1
      return true
    })
  }
}

describe('for any faults and any requests', () => {
  it.prop([fc.array(timed, { maxLength: 5 }), steps], { numRuns: Math.min(300, inject('runs')) })(
    'the mock applies the faults that a simple model predicts',
    async (timings, steps) => {
      // The status identifies the fault.
      const { mock, world } = mockWithFaults(
        timings.map((fault, i) => ({ ...fault, effect: { error: { status: 500 + i } } })),
      )
      const model = new Model(timings)
      const [struck, expected]: [number[], number[]] = [[], []]

      let now = 0
      for (const { kind, ms } of steps) {
        expected.push(model.strike(kind, now))
        const { status } = await ask(mock, kinds[kind])
        struck.push(status >= 500 ? status - 500 : -1)
        await world.clock.advance(ms)
        now += ms
      }

      expect(struck).toEqual(expected)
      expect(mock.faults.list().map(one => [one.matched, one.struck])).toEqual(
        model.matched.map((matched, i) => [matched.length, model.struck[i]]),
      )
    },
  )
})

const effect = fc.constantFrom<Fault['effect'][]>(
  { hold: true },
  { delay: '700ms' },
  { delay: { min: '0ms', max: '2s' } },
  { delay: { median: '300ms', p95: '1s' } },
  { spurious: '400ms' },
  { error: { status: 500 } },
  { reset: true },
)
const fault = fc.record({ effect, ...timing }, { requiredKeys: ['effect'] }).filter(isFault)
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('ask' as const), kind }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('advance' as const), ms: fc.nat(1_500) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('add' as const), fault }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom('release', 'remove', 'abort'), nth: fc.nat(4) } as const),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('clear', 'reset', 'reset but faults') } as const) },
)
type Action = typeof action extends fc.Arbitrary<infer One> ? One : never

function isFault({ operation, effect }: Fault): boolean {
  return effect.spurious === undefined || operation !== 'lobbies.list'
}

interface Asked {
  readonly client: AbortController
  readonly got: TestResponse[]
}

/** A mock under random commands. */
class Run {
  readonly faulty = mockWithFaults([], { watchTimeoutMs: 1_000 })
  readonly asked: Asked[] = []

  get waiting(): Asked[] {
    return this.asked.filter(({ got }) => got.length === 0)
  }

  do(action: Action): Promise<unknown> | undefined {
    const { mock, world } = this.faulty
    const { faults } = mock
    switch (action.does) {
      case 'ask':
        return void this.ask(action.kind)
      case 'advance':
        return world.clock.advance(action.ms)
      case 'add':
        return void faults.add(action.fault)
      case 'abort':
        return void this.waiting[action.nth]?.client.abort()
      case 'clear':
        return void faults.clear()
      case 'reset':
        return mock.reset()
      case 'reset but faults':
        return mock.reset({ keep: ['faults'] })
      default:
        return void faults[action.does](faults.list()[action.nth]?.id ?? '0')
    }
  }

  ask(kind: Kind): void {
    const { mock, world } = this.faulty
    const asked: Asked = { client: new AbortController(), got: [] }
    this.asked.push(asked)
    const sent = kind === 'devices.links.get' ? { ...link, query: `${link.query}&watch_index=${world.revision}` } : {}
    void ask(mock, { ...kinds[kind], ...sent }, asked.client.signal).then(got => asked.got.push(got))
  }

  /** Checks the state when nothing is pending. */
  quiet(): void {
    const { mock, world } = this.faulty
    const faults = mock.faults.list()
    const held = faults.reduce((sum, { holding }) => sum + holding, 0)
    const delayed = faults.reduce((sum, { holding, effect }) => sum + (effect.delay ? holding : 0), 0)
    expect(this.waiting, 'waiting requests').toHaveLength(held + world.waiters)
    expect(world.clock.pending, 'deadlines').toBe(delayed + world.waiters)
    expect(isBusy(mock)).toBe(this.waiting.length > 0)
  }
}

describe('while faults are added, released, removed, cleared or reset, and requests are aborted', () => {
  it.prop([fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { maxLength: 15 })], {
    numRuns: Math.min(300, inject('runs')),
  })('each request is answered once, and nothing is left over', async batches => {
    const run = new Run()
    const { mock, world, records } = run.faulty

    for (const batch of batches) {
      await Promise.all(batch.map(action => run.do(action)))
      await flushPromises()
      run.quiet()
    }
    await mock.close()
    await flushPromises()

    expect(run.asked.map(({ got }) => got.length)).toEqual(run.asked.map(() => 1))
    expect(records).toHaveLength(run.asked.length)
    expect([isBusy(mock), world.waiters, world.clock.pending]).toEqual([false, 0, 0])
  })
})
