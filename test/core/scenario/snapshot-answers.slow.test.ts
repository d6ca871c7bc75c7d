import { fc, it } from '@fast-check/vitest'
import { beforeEach, describe, expect, inject, vi } from 'vitest'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { callsTo } from '../../support/example-calls.js'
import { ask, comparable, type TestRequest, type TestResponse } from '../../support/http.js'
import { randomRead, randomWriteCall } from '../../support/random-request.js'
import { play as playWrite, randomWrite } from '../../support/random-write.js'
import { tanks } from '../../support/tanks.js'
import { live, snapshotOf } from '../../support/worlds.js'
import { play, randomWorld } from './random-world.js'

const publicUrl = 'http://links.test'

// A running clock follows these, so it does not move.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))

interface Answered {
  readonly got: TestResponse
  /** The watch index, if the answer has one. */
  readonly index: bigint | undefined
}

/** Sends a request, and separates the watch index from the answer. */
async function answered(mock: Mockmaker, sent: TestRequest): Promise<Answered> {
  const got = comparable(await ask(mock, sent))
  const [, index] = /"watch":\{"index":"(\d+)"\}/.exec(got.body) ?? []
  return {
    got: { ...got, body: got.body.replace(/("watch":\{"index":)"\d+"/, '$1""') },
    index: index === undefined ? undefined : BigInt(index),
  }
}

async function expectEqualAnswers([one, other]: readonly [Mockmaker, Mockmaker], calls: readonly TestRequest[]) {
  for (const sent of calls) {
    const [before, after] = [await answered(one, sent), await answered(other, sent)]
    expect(after.got).toEqual(before.got)
    if (before.index !== undefined) expect(after.index).toBeGreaterThan(before.index)
  }
}

describe('a mock that starts from a snapshot', () => {
  it.prop([randomWorld], { numRuns: Math.min(20, Math.ceil(inject('runs') / 2)) })(
    'answers every call like the original, except for a higher watch index',
    async ({ scenario, steps }) => {
      const mock = createMockmaker({ scenario, publicUrl })
      for (const step of steps) await play(step, live(mock.world))
      const other = createMockmaker({ scenario: snapshotOf(live(mock.world).state), publicUrl })

      const calls = callsTo(live(mock.world))

      await expectEqualAnswers([mock, other], [...calls, ...callsTo(live(mock.world))])
      await Promise.all([mock.close(), other.close()])
    },
  )

  it.prop(
    [
      fc.array(fc.oneof(randomWrite, randomWriteCall), { maxLength: 20, size: 'max' }),
      fc.array(fc.oneof({ weight: 4, arbitrary: randomRead }, { weight: 1, arbitrary: randomWriteCall })),
    ],
    { numRuns: Math.min(100, 2 * inject('runs')) },
  )('answers after calls and writes like the original', async (writes, calls) => {
    const mock = createMockmaker({ scenario: tanks, publicUrl })
    for (const write of writes) await ('does' in write ? playWrite(write, live(mock.world)) : ask(mock, write))
    const other = createMockmaker({ scenario: snapshotOf(live(mock.world).state), publicUrl })

    await expectEqualAnswers([mock, other], calls)
    await Promise.all([mock.close(), other.close()])
  })

  it('completes a link at the same time as the original', async () => {
    const mock = createMockmaker({ scenario: { ...tanks, device_links: [{ game: 'tanks', completes_after: '5s' }] } })
    await mock.world.clock.advance('2s')
    const other = createMockmaker({ scenario: snapshotOf(live(mock.world).state) })
    const statuses = () => [mock, other].map(({ world }) => world.deviceLinks.all()[0]?.status)

    await Promise.all([mock, other].map(({ world }) => world.clock.advance(2_999)))
    const before = statuses()
    await Promise.all([mock, other].map(({ world }) => world.clock.advance(1)))

    expect([before, statuses()]).toEqual([
      ['pending', 'pending'],
      ['complete', 'complete'],
    ])
    expect(other.world.deviceLinks.all()).toEqual(mock.world.deviceLinks.all())
    await Promise.all([mock.close(), other.close()])
  })
})
