import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import type { RequestHandler } from '../../../src/core/pipeline/message.js'
import { ReadCache } from '../../../src/core/pipeline/reads.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { ask, comparable, type TestRequest, type TestResponse } from '../../support/http.js'
import { randomRead, randomWriteCall } from '../../support/random-request.js'
import { play, type RandomWrite, randomWrite } from '../../support/random-write.js'
import { bearer, tanks } from '../../support/tanks.js'
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

const list = (mock: Mockmaker, headers = {}) =>
  mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers })

describe('a cached answer', () => {
  it('equals the answer of a mock without a cache, after any reads and writes', async () => {
    await fc.assert(fc.asyncProperty(steps, compareAll), { numRuns: inject('runs') })
  })

  it('is not kept if the clock alone can change it', async () => {
    const { world } = createMockmaker({ scenario: tanks })
    const cache = new ReadCache(live(world))
    const at = world.clock.now() + 1_000
    const read = () => cache.output('key', () => live(world).read(({ hasPassed }) => ({ passed: hasPassed(at) })))
    const before = read()

    await world.clock.advance(1_000)

    expect([before, read()]).toEqual([{ passed: false }, { passed: true }])
  })

  it('is dropped when a reset puts back the clock that changed it', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { world } = mock
    const cache = new ReadCache(live(world))
    const at = world.clock.now() + 1_000
    const read = () => cache.output('key', () => live(world).read(({ hasPassed }) => ({ passed: hasPassed(at) })))
    await world.clock.advance(1_000)
    const before = read()

    await mock.reset()

    expect([before, read()]).toEqual([{ passed: true }, { passed: false }])
  })

  it('has the same bytes object as long as nothing changes', async () => {
    const mock = createMockmaker({ scenario: tanks })

    expect((await list(mock)).body).toBe((await list(mock)).body)
  })

  it('is not kept for a request with coordinates, which has endless variants', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const headers = { 'x-coords': '1,2' }

    expect((await list(mock, headers)).body).not.toBe((await list(mock, headers)).body)
  })

  it('is dropped when 500 newer answers are cached', async () => {
    const namespaces = Array.from({ length: 501 }, (_, i) => ({ name_id: `n${i}`, tokens: { public: `pub.${i}` } }))
    const mock = createMockmaker({ scenario: { games: [{ name_id: 'tanks', namespaces }] } })
    const listIn = (i: number) => list(mock, bearer(`pub.${i}`))
    const first = await listIn(0)

    for (let i = 1; i <= 500; i++) await listIn(i)

    expect((await listIn(500)).body).toBe((await listIn(500)).body)
    expect((await listIn(0)).body).not.toBe(first.body)
  })
})
