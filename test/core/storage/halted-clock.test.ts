import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { mockOf } from '../../../src/core/mock/facade.js'
import { StorageError } from '../../../src/core/storage/storage.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { givePorts } from '../../../src/server/processes/game-servers.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { memoryStorage } from './memory-storage.js'

const start = Date.parse('2026-11-20T20:00:00Z')
const second = 1_000

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  fakeRealTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** Starts a mock in a storage that refuses changes while `refusal.isOn`. */
function startIn(storage: ReturnType<typeof memoryStorage>, scenario: object = { game_modes: ['duel'] }) {
  const bugs = vi.spyOn(console, 'error').mockImplementation(() => {})
  const mock = createMockmaker({ scenario })
  mockOf(mock, 'test').keepIn({ storage: new WorldStorage(storage), dataTtlMs: Number.POSITIVE_INFINITY })
  onTestFinished(() => mock.close())
  return { mock, bugs }
}

function refusing() {
  const refusal = { isOn: false }
  const check = () => {
    if (refusal.isOn) throw new StorageError('the storage is away')
  }
  return { refusal, storage: memoryStorage({ check }) }
}

const statuses = (mock: Mockmaker) => mock.world.players.all().map(({ status }) => status)

describe('a reset that the storage refuses', () => {
  it('releases no request that a fault holds', async () => {
    const { refusal, storage } = refusing()
    const { mock } = startIn(storage)
    await mock.hold('lobbies.list')
    void mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
    refusal.isOn = true

    await expect(mock.reset()).rejects.toThrow('the storage is away')

    expect(mock.faults.list()).toMatchObject([{ holding: 1 }])
    refusal.isOn = false
  })
})

describe('a job whose change the storage refuses', () => {
  it('waits until the storage takes changes, and is no bug', async () => {
    const { refusal, storage } = refusing()
    const { mock, bugs } = startIn(storage)
    await mock.player({ status: 'reserved', expires_at: start + 2 * second })
    refusal.isOn = true

    await vi.advanceTimersByTimeAsync(10 * second)
    const [then, meanwhile] = [mock.clock.now(), statuses(mock)]
    refusal.isOn = false
    await vi.advanceTimersByTimeAsync(1.1 * second)

    expect([then, meanwhile]).toEqual([start + 2 * second, ['reserved']])
    expect(statuses(mock)).toEqual(['expired'])
    expect(mock.clock.now()).toBeGreaterThanOrEqual(start + 11 * second)
    expect(bugs).not.toHaveBeenCalled()
  })
})

describe('a world that is read while its storage takes no changes', () => {
  it('answers reads, and leaves the game servers of its former process when it can', async () => {
    const { refusal, storage } = refusing()
    const scenario = { game_modes: ['duel'], clock: 'running' } as const
    const former = startIn(storage, scenario).mock
    const ports = [{ label: 'default', target_port: 40_001, proxy_protocol: 'https' }] as const
    await former.world.lobbies.create({ lobby_id: 'mine', game_mode_id: 'duel', status: 'starting' })
    givePorts(mockOf(former, 'test').default.world, 'mine', ports)
    await former.close()
    refusal.isOn = true
    const { mock } = startIn(storage, scenario)
    const look = async () => {
      const { status } = await mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
      return [status, mock.world.lobbies.get('mine')?.run_by, mock.clock.now() - start]
    }
    await vi.advanceTimersByTimeAsync(5 * second)
    const before = await look()
    refusal.isOn = false
    await vi.advanceTimersByTimeAsync(1.1 * second)

    expect([before, await look()]).toEqual([
      [200, 'command', 0],
      [200, 'server', 6.1 * second],
    ])
  })
})

describe('a clock whose storage has many changes to keep', () => {
  /** Starts a mock with players who expire, one each second. `keep` keeps the changes until now. */
  async function startBusy() {
    const waiting: (() => void)[] = []
    const drained = () => new Promise<void>(resolve => waiting.push(resolve))
    const { mock } = startIn(memoryStorage({ drained }), { game_modes: ['duel'], clock: { rate: 100 } })
    const now = mock.clock.now()
    for (const seconds of [1, 2, 3]) await mock.player({ status: 'reserved', expires_at: now + seconds * second })
    const keep = async () => {
      for (const resolve of waiting.splice(0)) resolve()
      await nextTurns()
    }
    return { mock, keep, expired: () => statuses(mock).filter(status => status === 'expired').length }
  }
  const nextTurns = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))

  it('runs no jobs until it has kept them', async () => {
    const { mock, keep, expired } = await startBusy()
    vi.setSystemTime(start + 25)
    const answered = mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
    await nextTurns()
    const meanwhile = expired()
    await keep()

    expect([meanwhile, expired()]).toEqual([0, 2])
    expect((await answered).status).toBe(200)
  })
})

describe('the clock of a world that another process takes over', () => {
  it.for([
    ['after its newest change', 0],
    ['after the time that was written', 3],
  ] as const)('goes on %s, where the former one may have got', async ([, seconds]) => {
    const scenario = {
      now: '2026-11-20T20:00:00Z',
      clock: { mode: 'running', rate: 10 },
      game_modes: ['duel'],
    } as const
    const storage = memoryStorage({ lagMs: 4_500 })
    const former = startIn(storage, scenario).mock
    await former.player({ status: 'reserved' })
    await vi.advanceTimersByTimeAsync(seconds * second)
    // The former process goes on for a while.
    const content = [...storage.worlds].map(([id, world]) => ({ id, world: { ...world, lines: [...world.lines] } }))
    await vi.advanceTimersByTimeAsync(4_500)
    const then = former.clock.now()
    await former.close()
    storage.worlds.clear()
    for (const { id, world } of content) storage.worlds.set(id, world)

    const { mock } = startIn(storage, scenario)

    expect(mock.clock.now()).toBe(then)
  })

  it('stands still if it is frozen, and shows the real time if it did', () => {
    for (const scenario of [{ now: '2026-11-20T20:00:00Z', clock: 'frozen' }, {}]) {
      const storage = memoryStorage({ lagMs: 4_500 })
      const former = startIn(storage, scenario).mock
      void former.close()

      expect(startIn(storage, scenario).mock.clock.now()).toBe(start)
    }
  })
})
