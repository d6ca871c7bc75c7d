import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import { createKept } from '../../src/server/kept.js'
import type { RequestHandler } from '../../src/server/message.js'
import { ask, comparable, type TestRequest, type TestResponse } from '../support/http.js'
import { randomRead, randomWriteCall } from '../support/random-request.js'
import { play, type RandomWrite, randomWrite } from '../support/random-write.js'
import { bearer, tanks } from '../support/tanks.js'
import { live } from '../support/worlds.js'
import { freshRequestHandler } from './fresh.js'

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
// What is never read again is never stale: all is read again at the end, and after each change.
const steps = fc.array(step, { maxLength: 40, size: 'max' })

const scenario = {
  ...tanks,
  device_links: [...(tanks.device_links ?? []), { token: 'device.made', completes_after: '1s', game: 'tanks' }],
}

/** What is answered at once: all but a write. */
function answerNow(answer: RequestHandler, { headers = {}, body, ...sent }: TestRequest): TestResponse {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const got = answer({ ...sent, headers, body: bytes })
  if (got instanceof Promise) throw new Error('a read has to wait')
  return comparable({ ...got, body: new TextDecoder().decode(got.body) })
}

/** Plays the steps, and compares each read, and all so far after each change, with what a mock answers that keeps nothing. */
async function compareAll(steps: readonly Step[]): Promise<void> {
  const mock = createMockmaker({ scenario, watchTimeoutMs: 0 })
  const fresh = freshRequestHandler(live(mock.world))
  const asked: TestRequest[] = []
  const stale: unknown[] = []
  const compare = (sent: TestRequest) => {
    const [kept, now] = [answerNow(mock.answer, sent), answerNow(fresh, sent)]
    if (JSON.stringify(kept) !== JSON.stringify(now)) stale.push({ sent, kept, now })
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

describe('a kept answer', () => {
  it('is the answer of a mock that keeps nothing, whatever was asked and written before', {
    tags: ['slow'],
  }, async () => {
    await fc.assert(fc.asyncProperty(steps, compareAll), { numRuns: 300 })
  })

  it('is none that the clock alone may change', async () => {
    const { world } = createMockmaker({ scenario: tanks })
    const kept = createKept(live(world))
    const at = world.clock.now() + 1_000
    const ask = () => kept.output('key', () => live(world).read(({ hasPassed }) => ({ passed: hasPassed(at) })))
    const before = ask()

    await world.clock.advance(1_000)

    expect([before, ask()]).toEqual([{ passed: false }, { passed: true }])
  })

  it('is dropped when the clock that has changed it is reset', async () => {
    const { world, reset } = createMockmaker({ scenario: tanks })
    const kept = createKept(live(world))
    const at = world.clock.now() + 1_000
    const ask = () => kept.output('key', () => live(world).read(({ hasPassed }) => ({ passed: hasPassed(at) })))
    await world.clock.advance(1_000)
    const before = ask()

    await reset()

    expect([before, ask()]).toEqual([{ passed: true }, { passed: false }])
  })

  it('is the very bytes of the one before, where nothing has changed', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const list = () => mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })

    expect((await list()).body).toBe((await list()).body)
  })

  it('is not kept for a place of its own, of which there are endlessly many', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const list = () => mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: { 'x-coords': '1,2' } })

    expect((await list()).body).not.toBe((await list()).body)
  })

  it('is one of at most 500, however many namespaces are asked for', async () => {
    const namespaces = Array.from({ length: 501 }, (_, i) => ({ name_id: `n${i}`, tokens: { public: `pub.${i}` } }))
    const mock = createMockmaker({ scenario: { games: [{ name_id: 'tanks', namespaces }] } })
    const list = (i: number) =>
      mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(`pub.${i}`) })
    const first = await list(0)

    for (let i = 1; i <= 500; i++) await list(i)

    expect((await list(500)).body).toBe((await list(500)).body)
    expect((await list(0)).body).not.toBe(first.body)
  })
})
