import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import { createMock, type Mock } from '../../../src/core/mock/mock.js'
import type { MockRequest } from '../../../src/core/pipeline/message.js'
import { capsuleHtml } from '../../../src/server/files/capsule-html.js'
import { Service } from '../../../src/server/http/service.js'
import { ask } from '../../support/http.js'
import { play, randomWrite } from '../../support/random-write.js'
import { ids, startAt, tanks } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'

/** Each time that the mock reads is 1 ms later. So a slice of 20 ms has at most 20 steps, or fewer. */
function steppedClock(): () => number {
  let ms = 0
  return () => {
    ms += 1
    return ms
  }
}

/** Runs at each turn of the event loop until a promise settles. Returns its value, and the number of turns. */
async function eachTurn<Value>(settles: Promise<Value> | Value, run: () => unknown = () => {}) {
  let turns = 0
  let isDone = false
  const done = Promise.resolve(settles).finally(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve))
    turns += 1
    if (!isDone) await run()
  }
  return { value: await done, turns }
}

/** Creates a mock with many lobbies and players, some requests, and some change sets. */
async function crowdedMock(): Promise<Mock> {
  const mock = closedAfterTest(createMock({ scenario: tanks }))
  const { world } = mock.default
  for (let i = 0; i < 10; i += 1)
    world.transaction(tx => {
      for (let j = 0; j < 10; j += 1)
        tx.lobbies.create({ namespace_id: ids.prod, game_mode_id: 'ffa', players: [{ status: 'connected' }, {}] })
    })
  for (let i = 0; i < 50; i += 1) {
    const find = { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["ffa"]}' } as const
    await ask({ answer: request => mock.answer(request) }, find)
  }
  return mock
}

function request(target: string): MockRequest {
  const [path = '', query] = `/__mock${target}`.split('?')
  return { method: 'GET', path, query, headers: { accept: target.includes('yaml') ? 'application/yaml' : '*/*' } }
}

async function call(service: Service, target: string, given: Partial<MockRequest> = {}) {
  const asked = request(target.replace('#yaml', ''))
  const headers = target.endsWith('#yaml') ? { accept: 'application/yaml' } : {}
  const { status, body } = await service.serve({ ...asked, headers, ...given }, () => '').answer()
  return { status, text: new TextDecoder().decode(body) }
}

/** The signal of a client that has disconnected. */
const gone = () => ({ aborted: true, addEventListener: () => {}, removeEventListener: () => {} })

/** The calls that read a whole world. */
const calls = [
  '/snapshot',
  '/snapshot#yaml',
  '/snapshot?with=faults,journal',
  '/snapshot?before=20',
  '/rows',
  `/rows?revision=${startAt}`,
]

describe('a call that reads a whole world', () => {
  it.each(calls)('lets other work run between its steps: %s', async target => {
    const mock = await crowdedMock()
    const { value, turns } = await eachTurn(call(new Service(mock, { now: steppedClock() }), target))

    expect(value.status).toBe(200)
    expect(turns).toBeGreaterThan(2)
  })

  it('stops when its client disconnects', async () => {
    const mock = await crowdedMock()
    const service = new Service(mock, { now: steppedClock() })

    const { value, turns } = await eachTurn(call(service, '/snapshot', { signal: gone }))

    expect([value.status, turns < 3]).toEqual([499, true])
  })

  property.prop([fc.array(randomWrite, { minLength: 10, maxLength: 30 }), fc.subarray(calls, { minLength: 4 })], {
    numRuns: 2,
  })('answers with the world as it was, whatever writes come between', async (writes, targets) => {
    const mock = await crowdedMock()
    const { world } = mock.default
    let played = 0
    for (const target of targets) {
      const expected = await call(new Service(mock, { now: () => 0 }), target)

      const { value } = await eachTurn(call(new Service(mock, { now: steppedClock() }), target), async () => {
        const write = writes[played++ % writes.length]
        if (write) await play(write, world)
        world.transaction(tx => void tx.lobbies.create({ namespace_id: ids.prod, game_mode_id: 'duel' }))
      })

      expect(value, target).toEqual(expected)
    }
    expect(played).toBeGreaterThan(3)
  })
})

describe('a call that loads a capsule', () => {
  it.each([
    ['a file', '/scenario', async (json: string) => ({ text: await capsuleHtml(json) })],
    ['JSON', '/scenario', (json: string) => ({ scenario: JSON.parse(json) })],
    ['a world', '/worlds/default', (json: string) => ({ scenario: JSON.parse(json) })],
    ['a new world', '/worlds/other', (json: string) => ({ scenario: JSON.parse(json) })],
  ])('lets other work run, and changes its world at the end or never: %s', async (_, target, inputOf) => {
    const json = runAtOnce((await crowdedMock()).default.capsule())
    const mock = await crowdedMock()
    const service = new Service(mock, { now: steppedClock() })
    const body = new TextEncoder().encode(JSON.stringify(await inputOf(json)))
    const put = { method: 'PUT', headers: { 'content-type': 'application/json' }, body } as const
    const seen = () => JSON.stringify(mock.worlds.list().map(({ id, revision, players }) => [id, revision, players]))
    const before = seen()
    const meanwhile = new Set<string>()

    const refused = await call(service, target, { ...put, signal: gone })
    const afterRefusal = seen()
    const { value, turns } = await eachTurn(call(service, target, put), () => void meanwhile.add(seen()))

    expect([refused.status, value.status]).toEqual([499, 200])
    expect([afterRefusal, ...meanwhile]).toEqual([before, before])
    expect(turns).toBeGreaterThan(3)
    expect(mock.worlds.get(target.slice('/worlds/'.length))?.past.oldestRevision ?? startAt).toBe(startAt)
  })
})
