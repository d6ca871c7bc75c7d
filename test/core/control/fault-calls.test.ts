import { describe, expect } from 'vitest'
import { controls, messageOf } from '../../support/controls.js'
import { ask, failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { bearer, tokens } from '../../support/tanks.js'
import { flushPromises, stateOf } from '../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) } as const
const regions = { ...list, path: '/matchmaker/regions' } as const

describe.each(controls)('mock.fail, $where', ({ of }) => {
  it('fails an operation with a status, a code, or both', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    const own = { status: 418, code: 'TEAPOT', message: 'short and stout', metadata: { spout: 1 } }

    const got: string[] = []
    for (const what of [503, 'API_RATE_LIMIT', own] as const) {
      const fault = await control.fail('lobbies.list', what)
      got.push(failure(await ask(mock, list)))
      if (what === own)
        expect(json(await ask(mock, list))).toEqual({
          code: 'TEAPOT',
          message: 'short and stout',
          metadata: { spout: 1 },
        })
      expect([await fault.remove(), await fault.remove()]).toEqual([true, false])
    }

    expect(got).toEqual(['503 ERROR', '429 API_RATE_LIMIT', '418 TEAPOT'])
    expect((await ask(mock, list)).status).toBe(200)
  })

  it('takes a pattern, and the other keys of a fault', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    await of(served).fail('lobbies.*', 503, { times: 1, match: { query: { include_state: 'true' } } })

    const sent = [list, regions, { ...list, query: 'include_state=true' }, { ...list, query: 'include_state=true' }]
    const got: number[] = []
    for (const one of sent) got.push((await ask(mock, one)).status)

    expect(got).toEqual([200, 200, 503, 200])
  })

  it('returns the fault as it was added', async ({ serve }) => {
    const served = await serve()

    const fault = await of(served).fail('lobbies.list', 503, { times: 2 })

    expect(fault).toMatchObject({
      id: '1',
      operation: 'lobbies.list',
      effect: { error: { status: 503 } },
      times: 2,
      struck: 0,
    })
    expect(served.mock.faults.list()).toEqual([JSON.parse(JSON.stringify(fault))])
  })

  it('refuses an unknown code, operation or key, and changes nothing', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const before = stateOf(served.mock.world)

    const messages = await Promise.all([
      messageOf(() => control.fail('lobbies.list', 'API_RATELIMIT' as never)),
      messageOf(() => control.fail('lobbies.list', 'LOBBY_FULL' as never)),
      messageOf(() => control.fail('lobies.list' as never, 503)),
      messageOf(() => control.fail('lobbies.list', 200)),
      messageOf(() => control.fail('lobbies.list', { status: 700 })),
      messageOf(() => control.fail('lobbies.list', 503, { time: 1 } as never)),
      messageOf(() => control.fail('lobbies.list', 503, { times: 0, chance: 2 })),
      messageOf(() => control.fail(undefined as never, 503)),
      messageOf(() => control.fail('lobbies.list', undefined as never)),
      messageOf(() => control.delay('lobbies.list', undefined as never)),
      messageOf(() => control.delay('lobbies.list', 'soon')),
      messageOf(() => control.delay('lobbies.list', { min: '2s', max: '1s' })),
      messageOf(() => control.hold('lobbies.list', 2 as never)),
    ])

    expect(messages.map(message => message.split('Known')[0]?.trim())).toEqual([
      expect.stringMatching(/^fail: failure is "API_RATELIMIT": expected an error code/),
      expect.stringMatching(/^fail: failure is "LOBBY_FULL": expected an error code/),
      expect.stringMatching(/^fail: operation is "lobies.list": expected the id of an operation/),
      'fail: failure is 200: expected at least 400',
      'fail: failure.status is 700: expected at most 599',
      'fail: options.time is an unknown key.',
      'fail: options.times is 0: expected at least 1\nfail: options.chance is 2: expected at most 1',
      'fail: the operation is missing. For the requests of all operations, pass "*"',
      'fail: the failure is missing: expected a status such as 503, or a code such as API_RATE_LIMIT',
      'delay: the delay is missing: expected a number of ms from 0, or a text with ms, s, m, h or d, as in 250ms, 40s, 1h30m',
      expect.stringMatching(/^delay: delay is "soon": expected a number with ms/),
      'delay: delay.max is "1s": expected no less than min',
      'hold: the options are 2: expected an object such as { times }',
    ])
    expect(messages.slice(0, 2).map(message => message.split('Did you mean ')[1])).toEqual([
      'API_RATE_LIMIT?',
      'MATCHMAKER_LOBBY_FULL?',
    ])
    expect(stateOf(served.mock.world)).toBe(before)
  })
})

describe.each(controls)('mock.hold, $where', ({ of }) => {
  it('holds requests until it is released, and then no more', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    const hold = await control.hold('lobbies.list')
    const answers = [ask(mock, list), ask(mock, list)]
    await control.blocked(2, 'lobbies.list')

    const released = await hold.release()

    expect([released, (await Promise.all(answers)).map(({ status }) => status)]).toEqual([2, [200, 200]])
    expect([(await ask(mock, list)).status, mock.faults.list(), await hold.release()]).toEqual([200, [], 0])
  })
})

describe.each(controls)('mock.delay, $where', ({ of }) => {
  it('delays requests by the clock of the world', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    await of(served).delay('lobbies.list', '2s')
    let status: number | undefined
    const answer = ask(mock, list).then(got => {
      status = got.status
    })

    await mock.clock.advance(1_999)
    await flushPromises()
    const before = status
    await mock.clock.advance(1)
    await answer

    expect([before, status]).toEqual([undefined, 200])
  })

  it('takes a number of ms, as the clock does', async ({ serve }) => {
    const control = of(await serve())

    const fault = await control.delay('*', 300, { for: 90_000 })

    expect([fault.effect, fault.for]).toEqual([{ delay: '300ms' }, '90s'])
    const range = await control.faults.add({ effect: { delay: { min: 0, max: 0.6 } } })
    expect(range.effect).toEqual({ delay: { min: '0ms', max: '1ms' } })
    expect((await control.faults.add({ effect: { spurious: 2000 } })).effect).toEqual({ spurious: '2s' })
    expect((await control.faults.add({ effect: { date: 0 } })).effect).toEqual({ date: '+0ms' })
    expect((await control.delay('*', '1000ms')).effect).toEqual({ delay: '1000ms' })
    expect(await messageOf(() => control.delay('*', -1))).toContain('delay: delay is -1: expected a duration')
    expect(await messageOf(() => control.delay('*', 1e15))).toContain('delay: delay is 1000000000000000: expected')
    expect((await control.world.deviceLinks.create({ expires_after: 60_000 })).expires_at).toBeDefined()
    expect(await control.simulate({ session: 90_000 })).toMatchObject({ session: '90s' })
  })

  it('takes a range', async ({ serve }) => {
    const served = await serve()

    const fault = await of(served).delay('*', { min: '1s', max: '2s' })

    expect(fault.effect).toEqual({ delay: { min: '1s', max: '2s' } })
  })
})

describe.each(controls)('faults.list({ unused: true }), $where', ({ of }) => {
  it('lists the faults of code that never applied', async ({ serve }) => {
    const served = await serve({
      scenario: { game_modes: ['duel'], faults: [{ operation: 'regions.list', effect: { reset: true } }] },
    })
    const control = of(served)
    const used = await control.fail('lobbies.list', 503)
    const unused = await control.fail('players.*', 503, { chance: 0 })

    await ask(served.mock, { ...list, headers: {} })

    expect((await control.faults.list({ unused: true })).map(({ id }) => id)).toEqual([unused.id])
    expect(used.id).not.toBe(unused.id)
  })
})
