import { describe, expect, vi } from 'vitest'
import { real } from '../../../src/core/lib/real-globals.js'
import { slowMs } from '../../../src/core/lib/slow-wait.js'
import { type Mockmaker, TimeoutError } from '../../../src/index.js'
import { type Control, controls, messageOf } from '../../support/controls.js'
import { ask, post } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { slowWaits } from '../../support/slow-waits.js'
import { bearer, startAt, tokens } from '../../support/tanks.js'
import { flushPromises, isBusy, watchIndexOf } from '../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) } as const
const regions = { ...list, path: '/matchmaker/regions' } as const
const find = (mode: string) => post('/matchmaker/lobbies/find', { game_modes: [mode] }, tokens.public)
const watch = ({ world }: Mockmaker) => ({
  method: 'GET',
  path: '/cloud/devices/links',
  query: `device_link_token=${tokens.pending}&watch_index=${watchIndexOf(world, tokens.pending)}`,
})

/** Waits until the calls of a control have reached the mock: a client sends them in order. */
const sent = (control: Control) => control.journal.dropped()

describe.each(controls)('next, $where', ({ of }) => {
  it('resolves with the next request of the operation', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    await ask(mock, list)

    const next = control.next('lobbies.list')
    await sent(control)
    await ask(mock, regions)
    await ask(mock, { ...list, query: 'include_state=true' })

    expect(await next).toMatchObject({ operation: 'lobbies.list', query: { include_state: 'true' }, status: 200 })
    expect(isBusy(mock)).toBe(false)
  })

  it('takes a pattern, and conditions on the request and its answer', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)

    const next = control.next('lobbies.*', { body: { game_modes: ['ffa'] }, status: 200 })
    const refused = control.next('*', { status: 400 })
    await sent(control)
    await ask(mock, find('duel'))
    await ask(mock, find('none'))
    await ask(mock, find('ffa'))

    expect((await next).body).toEqual({ game_modes: ['ffa'] })
    expect((await refused).body).toEqual({ game_modes: ['none'] })
  })

  it('resolves when a blocked request is answered, not when it comes', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    const answer = ask(mock, watch(mock))

    const next = control.next('devices.links.get')
    await control.completeDeviceLink(tokens.pending, { game: 'tanks' })

    expect((await next).answer).toMatchObject({ cloud_token: expect.any(String) })
    await answer
  })

  it('finds a token that the journal cuts', async ({ serve }) => {
    const served = await serve()
    const control = of(served)

    const next = control.next('lobbies.list', { headers: { authorization: `Bearer ${tokens.public}` } })
    await sent(control)
    await ask(served.mock, list)

    expect((await next).headers).toMatchObject({ authorization: 'Bearer pub_prod.…' })
  })

  it('works without a journal', async ({ serve }) => {
    const served = await serve({ journalSize: 0 })
    const control = of(served)

    const next = control.next('lobbies.list')
    await sent(control)
    await ask(served.mock, list)

    expect((await next).status).toBe(200)
  })

  it.for([
    ['reset', (mock: Mockmaker) => mock.reset({ keep: ['journal'] })],
    ['replaced', (mock: Mockmaker) => mock.load('own')],
    ['restored', (mock: Mockmaker) => mock.restore(mock.snapshot())],
  ] as const)('rejects if the world is %s first', async ([how, end], { serve }) => {
    const served = await serve()
    const control = of(served)

    const next = control.next('lobbies.*', { status: 200 })
    await sent(control)
    await end(served.mock)

    await expect(next).rejects.toThrow(
      `the world was ${how} before a request for lobbies.* that matches {"status":200} came`,
    )
    expect(isBusy(served.mock)).toBe(false)
  })

  it('rejects if the world is deleted or the mock is closed', async ({ serve }) => {
    const served = await serve()
    const other = of({
      ...served,
      mock: (await served.mock.worlds.put('w1')) as Mockmaker,
      client: await served.client.worlds.put('w1'),
    })
    const control = of(served)

    const ends = [other.next('lobbies.list'), other.blocked(2), control.next('*'), control.blocked(1, 'lobbies.*')]
    await sent(other)
    await sent(control)
    await served.mock.worlds.delete('w1')
    await served.mock.close()

    const results = await Promise.allSettled(ends)
    expect(results.map(one => one.status === 'rejected' && one.reason.message)).toEqual([
      'the world "w1" was deleted, or left this process, before a request for lobbies.list came',
      'the world "w1" was deleted, or left this process, before 2 blocked requests came',
      'the mock was closed before a request came',
      'the mock was closed before a blocked request for lobbies.* came',
    ])
  })

  it('ends with its signal', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const controller = new AbortController()

    const waits = [
      control.next('lobbies.list', {}, { signal: controller.signal }),
      control.blocked(1, 'lobbies.list', { signal: controller.signal }),
      control.next('lobbies.list', {}, { signal: AbortSignal.abort(new Error('enough')) }),
    ]
    await sent(control)
    controller.abort(new Error('enough'))

    const results = await Promise.allSettled(waits)
    expect(results.map(one => one.status === 'rejected' && one.reason.message)).toEqual(['enough', 'enough', 'enough'])
    await expect.poll(() => isBusy(served.mock)).toBe(false)
  })

  it('refuses an operation that does not exist, and an unknown condition', async ({ serve }) => {
    const control = of(await serve())

    await expect(control.next('lobies.list' as never)).rejects.toThrow('Did you mean lobbies.list?')
    await expect(control.next('lobbies.list', { boddy: {} } as never)).rejects.toThrow('Did you mean body?')
    await expect(control.next(undefined as never)).rejects.toThrow('operation')
    await expect(control.next('lobbies.list', null as never)).rejects.toThrow('match is null')
    await expect(control.blocked(0)).rejects.toThrow('count is 0: expected at least 1')
    await expect(control.blocked(1, 'lobies.list' as never)).rejects.toThrow('Did you mean lobbies.list?')
    // A refused call does not stop the later ones.
    expect(await control.journal.dropped()).toBe(0)
  })
})

describe.each(controls)('a wait with a wrong signal, $where', ({ of }) => {
  it.for([
    [{ signal: 5 }, 'the signal is 5: expected an AbortSignal'],
    [{ signal: {} }, 'the signal is {}: expected an AbortSignal'],
    [{ signal: null }, 'the signal is null: expected an AbortSignal'],
    [null, 'the options are null: expected an object such as { signal }'],
  ] as const)('is refused, and leaves nothing behind: %j', async ([options, message], { serve }) => {
    const served = await serve()
    const control = of(served)

    await expect(control.next('lobbies.list', {}, options as never)).rejects.toThrow(`next: ${message}`)
    await expect(control.blocked(1, '*', options as never)).rejects.toThrow(`blocked: ${message}`)
    await expect((async () => control.changes(options as never))()).rejects.toThrow(`changes: ${message}`)

    expect(isBusy(served.mock)).toBe(false)
    await served.mock.reset()
  })
})

describe.each(controls)('a wait with wrong options, $where', ({ of }) => {
  const expected =
    'expected a number of ms from 0, or a text with ms, s, m, h or d, as in 250ms, 40s, 1h30m, from 1ms to 24d'

  it.for([
    [{ timeot: 500 }, 'options.timeot is an unknown key. Known: signal, timeout. Did you mean timeout?'],
    [{ timeout: 0 }, `options.timeout is 0: ${expected}`],
    [{ timeout: -1 }, `options.timeout is -1: ${expected}`],
    [{ timeout: Number.NaN }, `options.timeout is NaN: ${expected}`],
    [{ timeout: '5 seconds' }, `options.timeout is "5 seconds": ${expected}`],
    [{ timeout: '25d' }, `options.timeout is "25d": ${expected}`],
    [{ timeout: null }, `options.timeout is null: ${expected}`],
  ] as const)('is refused, and leaves nothing behind: %j', async ([options, message], { serve }) => {
    const served = await serve()
    const control = of(served)

    expect(await messageOf(() => control.next('lobbies.list', {}, options as never))).toBe(`next: ${message}`)
    expect(await messageOf(() => control.blocked(1, '*', options as never))).toBe(`blocked: ${message}`)

    expect(isBusy(served.mock)).toBe(false)
  })

  it.for(['timeout', 'signal'])('says where they belong: %s', async (option, { serve }) => {
    const control = of(await serve())

    expect(await messageOf(() => control.next('lobbies.list', { [option]: 500 } as never))).toBe(
      `next: match.${option} is an option, and no condition on requests. Options come last: next(operation, {}, { ${option} })`,
    )
  })
})

/** Stops the timers of all waits. The returned function lets their time pass. */
function stopTimeouts(): () => void {
  const passed: (() => void)[] = []
  vi.spyOn(real, 'setTimeout').mockImplementation((run, ms, ...args) => {
    if (ms !== slowMs) passed.push(() => run(...args))
    return undefined as never // nobody uses it
  })
  return () => passed.splice(0).forEach(run => void run())
}

describe.each(controls)('the timeout of a wait, $where', ({ where, of }) => {
  it.for([
    ['next', (control: Control) => control.next('lobbies.list', {}, { timeout: 1 }), 'a request for lobbies.list'],
    ['blocked', (control: Control) => control.blocked(2, '*', { timeout: '1ms' }), '2 blocked requests'],
  ] as const)(
    'ends it in real time, though the time of the world stands still: %s',
    async ([, wait, wanted], { serve }) => {
      const served = await serve({ scenario: { clock: 'frozen' } })
      vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })

      const message = await messageOf(() => wait(of(served)))

      expect(message).toBe(`1ms passed before ${wanted} came\n\nNo request was answered meanwhile.`)
      expect(isBusy(served.mock)).toBe(false)
    },
  )

  it('does not pass with fake timers, or with the clock of the world', async ({ serve }) => {
    const served = await serve({ scenario: { clock: 'frozen' } })
    const control = of(served)
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })

    const next = control.next('lobbies.list', {}, { timeout: '1h' })
    await sent(control)
    vi.advanceTimersByTime(7_200_000)
    await served.mock.clock.advance('2h')
    await ask(served.mock, { ...list, headers: {} })

    expect((await next).status).toBe(200)
  })

  it.for([{}, { timeout: '24d' }])('is no reason to say nothing: %j', async (options, { serve }) => {
    const served = await serve()
    const control = of(served)
    const passTime = slowWaits()

    const next = control.next('lobbies.list', {}, options)
    await sent(control)

    const said = 'timeout' in options ? [] : [expect.stringContaining('a request for lobbies.list')]
    expect(passTime()).toEqual(said)
    await ask(served.mock, list)
    expect(await next).toMatchObject({ status: 200 })
  })

  it('leaves no timer behind if the request comes', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const set = vi.spyOn(real, 'setTimeout')
    const cleared = vi.spyOn(real, 'clearTimeout')

    const next = control.next('lobbies.list', {}, { timeout: '1h' })
    await sent(control)
    await ask(served.mock, list)
    await next

    const timers = set.mock.results.map(({ value }) => value)
    expect(cleared.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(timers))
    expect(set.mock.calls.filter(([, ms]) => ms !== slowMs)).toHaveLength(1)
  })

  it('has an error of its own', async ({ serve }) => {
    const control = of(await serve())

    const error = await control.next('lobbies.list', {}, { timeout: 1 }).catch((reason: unknown) => reason)

    if (where === 'in-process') expect(error).toBeInstanceOf(TimeoutError)
    else expect(error).toMatchObject({ name: 'ClientError', status: 0, code: 'TIMED_OUT' })
  })

  it('shows the nearest requests that were answered meanwhile, the nearest first', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const pass = stopTimeouts()

    const message = messageOf(() =>
      control.next('lobbies.find', { body: { game_modes: ['ffa'] }, status: 400 }, { timeout: '2s' }),
    )
    await sent(control)
    await ask(served.mock, find('none'))
    for (let i = 0; i < 3; i++) await ask(served.mock, list)
    pass()

    expect((await message).split('\n')).toEqual([
      '2s passed before a request for lobbies.find that matches {"body":{"game_modes":["ffa"]},"status":400} came',
      '',
      'The nearest requests that were answered meanwhile:',
      '  POST /matchmaker/lobbies/find → 400',
      '     body.game_modes.0: expected "ffa", and it is "none"',
      ...Array.from({ length: 2 }, () => [
        '  GET /matchmaker/lobbies/list → 200',
        '     operation: expected "lobbies.find", and it is "lobbies.list"',
        '     status: expected 400, and it is 200',
        '     body.game_modes: expected ["ffa"], and it is missing',
      ]).flat(),
    ])
  })

  it('shows requests that a journal of no length forgets', async ({ serve }) => {
    const served = await serve({ journalSize: 0 })
    const control = of(served)
    const pass = stopTimeouts()

    const message = messageOf(() => control.next('lobbies.find', {}, { timeout: '2s' }))
    await sent(control)
    await ask(served.mock, list)
    pass()

    expect(await message).toContain('GET /matchmaker/lobbies/list → 200')
  })

  it('says that the request was answered before the call', async ({ serve }) => {
    const served = await serve()
    await ask(served.mock, find('none'))
    await ask(served.mock, find('duel'))
    await ask(served.mock, find('none'))

    const message = await messageOf(() => of(served).next('lobbies.*', { status: 200 }, { timeout: 1 }))

    expect(message.split('\n').slice(2)).toEqual([
      'No request was answered meanwhile.',
      'POST /matchmaker/lobbies/find → 200 was answered before the wait: call next before the action that causes the request.',
    ])
  })

  it('lists requests that still wait for their answers', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    mock.hold('lobbies.*')
    const answers = Array.from({ length: 7 }, () => ask(mock, list))
    answers.unshift(ask(mock, watch(mock)))

    const message = await messageOf(() => of(served).next('lobbies.list', {}, { timeout: 1 }))
    await mock.reset()
    await Promise.all(answers)

    expect(message.split('\n').slice(3)).toEqual([
      '',
      'These requests still wait for their answers:',
      ...Array.from({ length: 5 }, () => '  GET /matchmaker/lobbies/list waits for fault 1'),
      '  … and 3 more',
    ])
  })

  it('does not name a fault that has released a request without an answer', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const held = mock.hold('lobbies.list')
    const answer = ask(mock, list)
    held.release({ never: true })

    const message = await messageOf(() => of(served).next('lobbies.list', {}, { timeout: 1 }))
    await mock.reset()
    await answer

    expect(message.split('\n').at(-1)).toBe('  GET /matchmaker/lobbies/list was released without an answer')
  })
})

describe('the timeout of a wait, over plain HTTP', () => {
  it.for([
    ['/__mock/journal/next', { operation: 'lobbies.list', timeout: '1ms' }],
    ['/__mock/journal/blocked', { timeout: 1 }],
  ] as const)('ends the stream with a code: %s', async ([path, body], { serve }) => {
    const { steer } = await serve()

    const { body: text } = await steer('POST', path, body)

    expect(text).toMatch(
      /^event: begin\ndata: \{\}\n\nevent: failed\ndata: \{"code":"TIMED_OUT","message":"1ms passed before /,
    )
  })

  it('is refused if it is none', async ({ serve }) => {
    const { steer } = await serve()

    const { status, body } = await steer('POST', '/__mock/journal/next', { operation: '*', timeout: 'soon' })

    expect(status).toBe(400)
    expect(body).toContain('body.timeout is \\"soon\\": expected a number of ms')
  })
})

describe.each(controls)('journal.waits, $where', ({ of }) => {
  it('lists the calls that wait, with the nearest requests, and cuts tokens', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    const authorization = `Bearer ${tokens.public}`

    void control.next('lobbies.find', { headers: { authorization } })
    void control.blocked(2)
    await sent(control)
    await ask(mock, list)
    const waits = await control.journal.waits()
    await mock.reset()

    const exchange = expect.objectContaining({ operation: 'lobbies.list', status: 200 })
    expect(waits).toEqual([
      {
        call: 'next',
        operation: 'lobbies.find',
        match: { headers: { authorization: 'Bearer pub_prod.…' } },
        nearest: [{ exchange, differs: [{ field: 'operation', expected: 'lobbies.find', actual: 'lobbies.list' }] }],
      },
      {
        call: 'blocked',
        count: 2,
        nearest: [{ exchange, differs: [{ field: 'blocked', expected: true, actual: false }] }],
      },
    ])
    expect(await control.journal.waits()).toEqual([])
  })

  it('names a request that came before the call of next', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    await ask(served.mock, list)

    void control.next('lobbies.list')
    void control.blocked(1, 'lobbies.list')
    await sent(control)

    const missed = { missed: expect.objectContaining({ operation: 'lobbies.list' }) }
    expect(await control.journal.waits()).toEqual([
      { call: 'next', operation: 'lobbies.list', nearest: [], ...missed },
      { call: 'blocked', count: 1, operation: 'lobbies.list', nearest: [] },
    ])
  })
})

describe('next and blocked', () => {
  it('reject at once if the mock was closed before', async ({ serve }) => {
    const { mock } = await serve()
    await mock.close()

    const told: unknown[] = []
    for (const wait of [mock.next('*'), mock.blocked(2)])
      wait.catch((error: unknown) => told.push((error as Error).message))
    await flushPromises()

    expect(told).toEqual([
      'the mock was closed before a request came',
      'the mock was closed before 2 blocked requests came',
    ])
  })
})

describe('journal.waits', () => {
  it('names a request before the call of next among many others: before the call, and after it', async ({ serve }) => {
    const { mock } = await serve()
    const askOften = async (request: Parameters<typeof ask>[1]) => {
      for (let i = 0; i < 20; i++) await ask(mock, request)
    }
    await ask(mock, find('duel'))
    await askOften(list)

    void mock.next('lobbies.find', { status: 200 })
    await askOften(find('none'))

    expect(mock.journal.waits()).toMatchObject([{ missed: { operation: 'lobbies.find', status: 200 } }])
  })
})

describe.each(controls)('blocked, $where', ({ of }) => {
  it('resolves when a request waits on a watch index', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)

    const blocked = control.blocked()
    await sent(control)
    await ask(mock, list)
    const answer = ask(mock, watch(mock))

    expect(await blocked).toEqual([
      {
        operation: 'devices.links.get',
        method: 'GET',
        path: '/cloud/devices/links',
        query: { device_link_token: 'device.…', watch_index: expect.any(String) },
        since: new Date(startAt).toISOString(),
        waits_for: 'watch',
      },
    ])
    await mock.reset()
    await answer
  })

  it('resolves at once if the requests wait already', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const answers = [ask(mock, watch(mock)), ask(mock, watch(mock))]

    expect(await of(served).blocked(2, 'devices.*')).toHaveLength(2)
    await mock.reset()
    await Promise.all(answers)
  })

  it('counts only the requests of its operation', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    mock.faults.add({ effect: { hold: true } })
    const answers = [ask(mock, list), ask(mock, regions)]

    const blocked = control.blocked(2, 'lobbies.*')
    await sent(control)
    answers.push(ask(mock, regions), ask(mock, find('duel')))

    expect((await blocked).map(({ operation }) => operation)).toEqual(['lobbies.list', 'lobbies.find'])
    mock.faults.clear()
    await Promise.all(answers)
  })
})

describe.each(controls)('journal.pending, $where', ({ of }) => {
  it('lists what each request waits for', async ({ serve }) => {
    const served = await serve({ scenario: { servers: 'manual', game_modes: ['duel'] } })
    const { mock } = served
    const control = of(served)
    let resolve = () => {}
    const isOpen = new Promise<void>(settle => {
      resolve = settle
    })
    mock.on('regions.list', async ({ original }) => isOpen.then(original))
    const fault = mock.faults.add({ operation: 'lobbies.list', effect: { hold: true } })
    const create = post('/matchmaker/lobbies/create', { game_mode: 'duel', publicity: 'public' })

    const answers = [ask(mock, { ...list, headers: {} }), ask(mock, { ...regions, headers: {} }), ask(mock, create)]
    await mock.blocked(3)

    expect(await control.journal.pending()).toMatchObject([
      { operation: 'lobbies.list', waits_for: 'fault', fault: fault.id },
      { operation: 'lobbies.create', waits_for: 'lobby', body: { game_mode: 'duel' } },
      { operation: 'regions.list', waits_for: 'resolver' },
    ])
    expect(await control.journal.pending('lobbies.*')).toHaveLength(2)
    await expect((async () => control.journal.pending('lobies.*'))()).rejects.toThrow('expected the id of an operation')
    mock.faults.clear()
    resolve()
    for (const { lobby_id } of mock.world.lobbies.all()) mock.world.lobbies.delete(lobby_id)
    await Promise.all(answers)
    expect(await control.journal.pending()).toEqual([])
  })

  it('has no request that is answered at once: no delay of nothing, and no quick resolver', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    mock.faults.add({ effect: { delay: '0ms' } })
    mock.on('regions.list', async ({ original }) => ({ ...(await original()) }))
    let isBlocked = false
    void mock.blocked().then(
      () => {
        isBlocked = true
      },
      () => {},
    )

    await ask(mock, list)
    mock.faults.clear()
    await ask(mock, list)
    await ask(mock, regions)
    await flushPromises()

    expect([isBlocked, await of(served).journal.pending()]).toEqual([false, []])
  })

  it('follows a request from a fault to the watch behind it', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    mock.faults.add({ effect: { delay: '2s' }, times: 1 })
    const answer = ask(mock, watch(mock))
    const before = mock.journal.pending()

    await mock.clock.advance('2s')
    await flushPromises()
    const after = await of(served).journal.pending()
    await mock.reset()
    await answer

    expect([before, after]).toMatchObject([[{ waits_for: 'fault' }], [{ waits_for: 'watch', since: before[0]?.since }]])
    expect(mock.journal.pending()).toEqual([])
  })

  it('follows a request from a resolver to the watch behind it', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    mock.on('devices.links.get', async ({ original }) => {
      await Promise.resolve()
      return original()
    })
    const answer = ask(mock, watch(mock))
    await mock.blocked(1)
    await flushPromises()

    expect(await of(served).journal.pending()).toMatchObject([{ waits_for: 'watch' }])
    await mock.reset()
    await answer
  })

  it('forgets a request whose client disconnects', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const controller = new AbortController()
    const answer = ask(mock, watch(mock), controller.signal)
    const before = await of(served).journal.pending()

    controller.abort()
    await answer

    expect([before.length, await of(served).journal.pending()]).toEqual([1, []])
  })
})
