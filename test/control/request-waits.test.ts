import { describe, expect } from 'vitest'
import type { Mockmaker } from '../../src/index.js'
import { type Control, controls } from '../support/controls.js'
import { ask, post } from '../support/http.js'
import { it } from '../support/served-mock.js'
import { bearer, startAt, tokens } from '../support/tanks.js'
import { flushPromises, isBusy, watchIndexOf } from '../support/worlds.js'

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
      'the world "w1" was deleted before a request for lobbies.list came',
      'the world "w1" was deleted before 2 requests were blocked',
      'the mock was closed before a request for * came',
      'the mock was closed before a request for lobbies.* was blocked',
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

describe.each(controls)('a wait with an unknown option, $where', ({ of }) => {
  it('is refused, and leaves nothing behind', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const unknown = { timeout: 500 } as never

    await expect(control.next('lobbies.list', {}, unknown)).rejects.toThrow(
      'next: options.timeout is an unknown key. Known: signal.',
    )
    await expect(control.blocked(1, '*', unknown)).rejects.toThrow(
      'blocked: options.timeout is an unknown key. Known: signal.',
    )

    expect(isBusy(served.mock)).toBe(false)
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
    answers.push(ask(mock, find('duel')))

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
