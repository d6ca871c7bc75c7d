import { describe, expect, vi } from 'vitest'
import { operationOf } from '../../../src/core/mock/handler-operation.js'
import { setupMockmaker } from '../../../src/msw/node.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { ask, failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { tanks } from '../../support/tanks.js'
import { closedAfterTest, stateOf } from '../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
const fails = { operation: 'lobbies.list', effect: { error: { status: 503 } } } as const

describe('reset, load and restore', () => {
  it('replace the faults at once: no request meets none', async ({ serve }) => {
    const { mock } = await serve({ scenario: { ...tanks, faults: [fails] } })
    const statuses: Promise<number>[] = []
    // Each change set of the load and of the reset is sent when it is made.
    mock.world.subscribe(() => void statuses.push(ask(mock, list).then(({ status }) => status)))

    await mock.load({ game_modes: ['duel'], faults: [fails] })
    await mock.world.lobbies.create({})
    await mock.reset()

    expect(await Promise.all(statuses)).toEqual([503, 503, 503])
  })

  it('take over rows that stand in another order', async ({ serve }) => {
    const lobbies = ['a', 'b', 'c', 'd'].map(lobby_id => ({ lobby_id }))
    const { mock } = await serve({ scenario: { game_modes: ['duel'], lobbies } })
    const ids = () => mock.world.lobbies.all().map(({ lobby_id }) => lobby_id)

    await mock.load({ game_modes: ['duel'], lobbies: lobbies.toReversed() })
    const loaded = ids()
    mock.world.lobbies.delete(q => q.where({ lobby_id: 'd' }))
    await mock.world.lobbies.create({ lobby_id: 'd' })
    await mock.reset()

    expect([loaded, ids()]).toEqual(Array(2).fill(['d', 'c', 'b', 'a']))
  })

  it('clear the journal, except restore', async ({ serve }) => {
    const { mock, client } = await serve()
    const entries = async (begin: () => Promise<unknown>) => {
      await ask(mock, list)
      await begin()
      return mock.journal.find().length
    }
    const snapshot = mock.snapshot()

    expect([
      await entries(() => mock.load('default')),
      await entries(() => client.worlds.put('default')),
      await entries(() => mock.restore(snapshot)),
      await entries(() => mock.reset()),
    ]).toEqual([0, 0, 1, 0])
  })

  it('refuse a scenario with two faults of one id, and change nothing', async ({ serve }) => {
    const { mock, steer } = await serve()
    const before = stateOf(mock.world)
    const fault = { id: '7', effect: { reset: true } }

    const got = await steer('PUT', '/__mock/scenario', { scenario: { faults: [fault, fault] } })

    expect(failure(got)).toBe('400 API_BAD_BODY')
    expect((json(got) as { message: string }).message).toContain('faults[1].id is "7"')
    expect([stateOf(mock.world), mock.world.title]).toEqual([before, 'Tanks'])
  })

  it('keep the faults if the snapshot has none, even if it goes back in time', async ({ serve }) => {
    const { mock } = await serve()
    const snapshot = mock.snapshot()
    await mock.world.clock.advance('40s')
    mock.faults.add({ ...fails, for: '30s' })
    mock.faults.add({ operation: 'devices.*', effect: { hold: true } })
    const held = ask(mock, { method: 'GET', path: '/cloud/devices/links', query: 'device_link_token=x' })

    await mock.restore(snapshot)

    expect([(await ask(mock, list)).status, mock.faults.list()[1]?.holding]).toEqual([503, 0])
    await held
    await mock.world.clock.advance('30s')
    expect((await ask(mock, list)).status).toBe(200)
  })

  it('remove faults that were not in the scenario', async ({ serve }) => {
    const { mock } = await serve()
    mock.faults.add(fails)
    await mock.restore(mock.snapshot())

    await mock.reset()

    expect(mock.faults.list()).toEqual([])
  })

  it('release held requests first, so that they belong to the old world', async ({ serve }) => {
    const { mock } = await serve()
    mock.faults.add({ operation: 'devices.links.prepare', effect: { hold: true } })
    const held = ask(mock, { method: 'POST', path: '/cloud/devices/links' })

    await mock.reset()

    expect([(await held).status, mock.world.deviceLinks.count()]).toEqual([200, 3])
  })
})

describe('a reload of the scenario file', () => {
  it('replaces faults by their ids, and keeps those that were added later', async ({ serve }) => {
    const { mock } = await serve()
    mock.faults.add({ operation: 'devices.*', effect: { empty: true } })
    const added_at = '2026-11-20T19:59:00.000Z'

    await mock.reload({ ...tanks, faults: [{ ...fails, id: '7', added_at, for: '2m' }] })

    expect(mock.faults.list()).toMatchObject([{ id: '1' }, { id: '7', added_at }])
    expect((await ask(mock, list)).status).toBe(503)
    await mock.reload(tanks)
    expect(mock.faults.list()).toMatchObject([{ id: '1' }])
    await mock.reset()
    expect(mock.faults.list()).toEqual([])
  })

  it('keeps the journal', async ({ serve }) => {
    const { mock } = await serve()
    await ask(mock, list)
    const { journal } = mock.snapshot({ with: ['journal'] })

    await mock.reload({ ...tanks, title: 'Saved', journal })
    await ask(mock, list)

    expect(mock.journal.find()).toHaveLength(2)
  })
})

describe('the journal in a scenario', () => {
  it('belongs to the world that begins with it, until a reset', async ({ serve }) => {
    const { mock: before } = await serve()
    await ask(before, list)
    const bug = before.snapshot({ with: ['journal'] })
    const { mock, send } = await serve({ scenario: bug })
    const named = await mock.worlds.put('named', { scenario: bug })
    const made = [await mock.worlds.put('made'), await mock.worlds.put('fork', { fork: 'default' })]
    await send({ ...list, path: `/w/asked${list.path}` })
    const journals = [mock, named, ...made, mock.worlds.get('asked')].map(world => world?.journal.find().length)

    await mock.reset()

    expect(journals).toEqual([1, 1, 0, 0, 1])
    expect(mock.worlds.get('asked')?.journal.find()).toMatchObject([{ world: 'asked' }])
    expect(mock.journal.find()).toEqual([])
  })
})

describe('a closed mock', () => {
  it('answers in new worlds, but keeps and blocks nothing', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    fakeRealTimers()
    const mock = setupMockmaker({ scenario: tanks })
    const served = operationOf(mock.handlers.at(-1) ?? {})
    if (!served) throw new Error('the handler has no operation')
    await mock.close()
    const path = '/w/late/cloud/devices/links'
    const query = 'device_link_token=device.mock.pending'
    const { watch } = json(await ask(served, { method: 'GET', path, query })) as { watch: { index: string } }

    const again = await ask(served, { method: 'GET', path, query: `${query}&watch_index=${watch.index}` })

    expect([again.status, mock.worlds.list().length, vi.getTimerCount()]).toEqual([200, 1, 0])
    vi.useRealTimers()
  })
})

describe('a fork', () => {
  it('keeps links that lead to another server', async ({ serve }) => {
    const { mock } = await serve()
    const other = await mock.worlds.put('a')
    await other.world.settings.update(q => q.where({ settings_id: 'settings' }), {
      data: settings => void Object.assign(settings, { public_url: 'http://hub.example' }),
    })

    const fork = await mock.worlds.put('b', { fork: 'a' })

    expect(fork.world.settings.all()[0]?.public_url).toBe('http://hub.example/w/b')
  })
})

describe('the clock', () => {
  it('takes two settings at once', async ({ serve }) => {
    const { mock } = await serve()

    await Promise.all([mock.world.clock.set({ rate: 10 }), mock.world.clock.set({ mode: 'running' })])

    expect([mock.world.clock.mode, mock.world.clock.rate]).toEqual(['running', 10])
  })
})

describe('a response that cannot be written', () => {
  it('is a failure in the journal and the log', async () => {
    const mock = closedAfterTest(setupMockmaker({ scenario: tanks }))
    mock.listen({ onUnhandledRequest: 'error' })
    const codes: (string | undefined)[] = []
    mock.log.subscribe(({ code }) => void codes.push(code))
    const consoleSpy = vi.spyOn(console, 'error').mockImplementation(() => {})
    mock.use(mock.override('lobbies.list', () => ({ lobbies: 1n }) as never))

    const { status } = await fetch(`https://any.test${list.path}`)

    expect([status, codes, mock.journal.find().map(entry => entry.status)]).toEqual([500, ['ERROR'], [500]])
    expect(consoleSpy).toHaveBeenCalledOnce()
    consoleSpy.mockRestore()
  })
})
