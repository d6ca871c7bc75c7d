import { describe, expect, it } from 'vitest'
import type { World } from '../../../src/core/store/world.js'
import { brokenConnection, link, list, mockWithFaults, prepare, validate } from '../../support/faults.js'
import { ask, failure, json } from '../../support/http.js'
import { bearer, completion, ids } from '../../support/tanks.js'
import { flushPromises, isBusy, stateOf } from '../../support/worlds.js'

/** Returns the state of a world without its revision, which rises with the counters of faults. */
const dump = (world: World) => ({ ...JSON.parse(stateOf(world)), revision: 'any' })

const busyCode = { error: { code: 'API_RATE_LIMIT' } } as const

describe('a fault with an error', () => {
  it.each([
    [{ status: 503 }, '503 ERROR'],
    [{ code: 'API_RATE_LIMIT' }, '429 API_RATE_LIMIT'],
    [{ code: 'CAPTCHA_CAPTCHA_REQUIRED', status: 403 }, '403 CAPTCHA_CAPTCHA_REQUIRED'],
    [{ code: 'TEAPOT_2', status: 418 }, '418 TEAPOT_2'],
    [{ code: 'API_RATE_LIMIT', status: 400 }, '400 API_RATE_LIMIT'],
  ])('of %j answers %s', async (error, expected) => {
    const { mock } = mockWithFaults([{ effect: { error } }])

    expect(failure(await ask(mock, list))).toBe(expected)
  })

  it('has a message that names the fault, unless it gives its own', async () => {
    const { mock } = mockWithFaults([
      { operation: 'lobbies.list', effect: { error: { status: 500, message: 'mine' } } },
    ])
    mock.faults.add({ effect: { error: { status: 500 } } })

    const messages = [json(await ask(mock, list)), json(await ask(mock, link))]

    expect(messages).toEqual([
      { code: 'ERROR', message: 'mine' },
      { code: 'ERROR', message: 'fault 2 of this mock injected this error' },
    ])
  })

  it.for([
    ['an object', { hcaptcha: { site_id: 'site', site_key: 'key' } }],
    ['null', null],
    ['a list', [1, 'two', false]],
    ['keys of Object.prototype', JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
  ] as const)('sends its metadata to the client: %s', async ([, metadata]) => {
    const { mock } = mockWithFaults([
      { effect: { error: { code: 'CAPTCHA_CAPTCHA_REQUIRED', status: 403, metadata } } },
    ])

    const { body } = await ask(mock, list)

    expect(body).toContain(`"metadata":${JSON.stringify(metadata)}`)
  })

  it('has metadata that later changes do not affect', async () => {
    const metadata = { site: { key: 'before' } }
    const { mock } = mockWithFaults([{ effect: { error: { status: 403, metadata } } }])
    metadata.site.key = 'after'

    expect(json(await ask(mock, list))).toMatchObject({ metadata: { site: { key: 'before' } } })
  })

  it('has no metadata if the fault gives none', async () => {
    const { mock } = mockWithFaults([{ effect: { error: { status: 403 } } }])

    expect(json(await ask(mock, list))).not.toHaveProperty('metadata')
  })

  it('has the headers of every answer, CORS included', async () => {
    const { mock } = mockWithFaults([{ effect: busyCode }])

    const { headers } = await ask(mock, { ...list, headers: { origin: 'http://localhost:3000' } })

    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'access-control-allow-origin': 'http://localhost:3000',
      vary: 'Origin',
      'rvt-ray-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it.for([
    [{ code: 'API_RATE_LIMIT' }, '1'],
    [{ code: 'API_RATE_LIMIT', retry_after: 30 }, '30'],
    [{ status: 503, retry_after: 0 }, '0'],
    [{ status: 429 }, undefined],
  ] as const)('of %j says after how many seconds to try again: %s', async ([error, expected]) => {
    const { mock } = mockWithFaults([{ effect: { error } }])

    const { headers } = await ask(mock, list)

    expect(headers['retry-after']).toBe(expected)
  })

  it('answers HEAD without a body', async () => {
    const { mock } = mockWithFaults([{ operation: 'lobbies.list', effect: busyCode }])

    const got = await ask(mock, { ...list, method: 'HEAD' })

    expect([got.status, got.body]).toEqual([429, ''])
  })

  it('does not carry out a write', async () => {
    const { mock, world } = mockWithFaults([{ effect: busyCode }])
    const before = dump(world)

    await ask(mock, completion)
    await ask(mock, prepare)

    expect(dump(world)).toEqual(before)
  })

  it('answers before token, query and body are checked', async () => {
    const { mock } = mockWithFaults([{ effect: busyCode }])
    const wrong = [
      { ...list, headers: bearer('nobody') },
      { ...list, query: 'include_state=x' },
      { ...validate, body: '{' },
    ]

    const got = await Promise.all(wrong.map(sent => ask(mock, sent)))

    expect(got.map(failure)).toEqual(Array(3).fill('429 API_RATE_LIMIT'))
  })
})

describe('a truncated answer', () => {
  it('is none if the client has disconnected', async () => {
    const { mock, index } = mockWithFaults([{ operation: 'devices.links.get', effect: { truncate: true } }])
    const query = `${link.query}&watch_index=${index}`

    const got = await mock.answer({ ...link, query, headers: {}, signal: () => AbortSignal.abort() })

    expect([got.status, got.body.length, got.disconnect]).toEqual([499, 0, undefined])
  })
})

describe('the header date', () => {
  it('follows the clock of the world', async () => {
    const { mock, world } = mockWithFaults([])

    await world.clock.advance('1h1s')

    expect((await ask(mock, list)).headers.date).toBe('Fri, 20 Nov 2026 21:00:01 GMT')
  })

  it('is left to the transport if the request reaches no world', async () => {
    const { mock } = mockWithFaults([])

    const { status, headers } = await ask(mock, { ...list, path: `/w/nobody${list.path}` })

    expect([status, headers.date]).toEqual([404, undefined])
  })

  it.for([
    ['+90s', 'Fri, 20 Nov 2026 20:01:30 GMT'],
    [120_000, 'Fri, 20 Nov 2026 20:02:00 GMT'],
    ['-1h', 'Fri, 20 Nov 2026 19:00:00 GMT'],
    [-90_000, 'Fri, 20 Nov 2026 19:58:30 GMT'],
  ] as const)('is shifted by a fault of %j, and the answer stays', async ([date, shown]) => {
    const { mock } = mockWithFaults([])
    const before = await ask(mock, list)
    mock.faults.add({ operation: 'lobbies.list', effect: { date }, times: 1 })

    const [during, after] = [await ask(mock, list), await ask(mock, list)]

    expect(during.headers.date).toBe(shown)
    expect([during.body, after.body]).toEqual([before.body, before.body])
    expect(after.headers.date).toBe(before.headers.date)
  })
})

describe('a fault that breaks the connection', () => {
  it.each(['reset', 'empty'] as const)('with %s gives no answer, and does not carry out the write', async how => {
    const { mock, world } = mockWithFaults([{ effect: how === 'reset' ? { reset: true } : { empty: true } }])
    const before = dump(world)

    const got = [await ask(mock, list), await ask(mock, completion)]

    expect([got, dump(world)]).toEqual([[brokenConnection(how), brokenConnection(how)], before])
  })
})

describe('a fault with a delay', () => {
  it('answers normally when the delay is over, and not before', async () => {
    const { mock, world } = mockWithFaults([{ effect: { delay: '300ms' } }])
    const before = (await ask(mockWithFaults([]).mock, list)).body
    let answered = false
    const answer = ask(mock, list).finally(() => {
      answered = true
    })

    await world.clock.advance(299)
    await flushPromises()
    const early = answered
    await world.clock.advance(1)

    expect([early, (await answer).body, world.clock.pending]).toEqual([false, before, 0])
  })

  it('answers with the state of the world after the delay', async () => {
    const { mock, world } = mockWithFaults([{ operation: 'lobbies.list', effect: { delay: '300ms' } }])
    const answer = ask(mock, list)

    await mock.world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
    await world.clock.advance(300)

    expect((await answer).body).not.toContain(ids.lobby)
  })

  it('carries out a write after the delay, even if the clock is advanced further', async () => {
    const { mock, world } = mockWithFaults([{ effect: { delay: '300ms' } }])
    const began = world.clock.now()
    const times: number[] = []
    world.subscribe(({ at }) => void times.push(at - began))

    const answer = ask(mock, completion)
    await world.clock.advance(10_000)

    expect([times, (await answer).status]).toEqual([[300], 200])
  })

  it('of 0 ms answers at once', async () => {
    const { mock, world } = mockWithFaults([{ effect: { delay: { min: '0ms', max: '0ms' } } }])

    expect([(await ask(mock, list)).status, world.clock.pending]).toEqual([200, 0])
  })

  it('lets a watch block after the delay', async () => {
    const { mock, world, index } = mockWithFaults([{ operation: 'devices.links.get', effect: { delay: '300ms' } }])
    const answer = ask(mock, { ...link, query: `${link.query}&watch_index=${index}` })

    const before = world.waiters
    await world.clock.advance(300)
    const blocked = world.waiters
    await ask(mock, completion)

    expect([before, blocked, (await answer).body]).toEqual([0, 1, expect.stringContaining('cloud_token')])
  })

  it('keeps the mock busy, without a waiter', async () => {
    const { mock, world } = mockWithFaults([{ effect: { delay: '300ms' } }])
    const answer = ask(mock, list)

    const during = [isBusy(mock), world.waiters]
    await world.clock.advance(300)
    await answer

    expect([during, isBusy(mock)]).toEqual([[true, 0], false])
  })
})
