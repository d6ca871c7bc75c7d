import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import type { RequestHandler } from '../../../src/core/pipeline/message.js'
import { createMockmaker } from '../../../src/index.js'
import { ask, comparable, type TestRequest, type TestResponse } from '../../support/http.js'
import { randomRead, randomWriteCall } from '../../support/random-request.js'
import { play, type RandomWrite, randomWrite } from '../../support/random-write.js'
import { tanks } from '../../support/tanks.js'
import { live } from '../../support/worlds.js'
import { uncachedRequestHandler } from './uncached-reads.js'

type Step =
  | { readonly kind: 'read'; readonly sent: TestRequest }
  | { readonly kind: 'call'; readonly sent: TestRequest; readonly then: 'wait' | 'go on' }
  | { readonly kind: 'write'; readonly write: RandomWrite; readonly then: 'wait' | 'go on' }

const then = fc.constantFrom('wait' as const, 'wait' as const, 'go on' as const)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('read' as const), sent: randomRead }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), write: randomWrite, then }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('call' as const), sent: randomWriteCall, then }) },
)
// A wrong cached answer shows only when it is read again. So each is read again after each change, and at the end.
const steps = fc.array(step, { maxLength: 40, size: 'max' })

const scenario = {
  ...tanks,
  device_links: [...(tanks.device_links ?? []), { token: 'device.made', completes_after: '1s', game: 'tanks' }],
}

/** Sends a request that is answered at once, and does not write. */
function answerNow(answer: RequestHandler, { headers = {}, body, ...sent }: TestRequest): TestResponse {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const got = answer({ ...sent, headers, body: bytes })
  if (got instanceof Promise) throw new Error('a read has to wait')
  return comparable({ ...got, body: new TextDecoder().decode(got.body) })
}

/** Plays the steps. After each change, it compares all earlier reads with the answers of the oracle. */
async function compareAll(steps: readonly Step[]): Promise<void> {
  const mock = createMockmaker({ scenario, watchTimeoutMs: 0 })
  const fresh = uncachedRequestHandler(live(mock.world))
  const asked: TestRequest[] = []
  const stale: unknown[] = []
  const compare = (sent: TestRequest) => {
    const [cached, now] = [answerNow(mock.answer, sent), answerNow(fresh, sent)]
    if (JSON.stringify(cached) !== JSON.stringify(now)) stale.push({ sent, cached, now })
  }
  mock.world.subscribe(() => asked.forEach(compare))
  const begun: Promise<unknown>[] = []
  for (const step of steps) {
    if (step.kind === 'read') {
      compare(step.sent)
      asked.push(step.sent)
    } else {
      begun.push(step.kind === 'call' ? ask(mock, step.sent) : play(step.write, live(mock.world)))
      if (step.then === 'wait') await Promise.all(begun)
    }
  }
  await Promise.all(begun)
  asked.forEach(compare)
  expect(stale).toEqual([])
}

describe('a cached answer', () => {
  it('equals the answer of a mock without a cache, after any reads and writes', async () => {
    await fc.assert(fc.asyncProperty(steps, compareAll), { numRuns: inject('runs') })
  })
})
