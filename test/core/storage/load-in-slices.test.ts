import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { mockOf } from '../../../src/core/mock/facade.js'
import type { RunningWorlds } from '../../../src/core/mock/running-worlds.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { createMockmaker } from '../../../src/index.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { memoryStorage } from './memory-storage.js'

const start = Date.parse('2026-11-20T20:00:00Z')
const minute = 60_000
/** So many change sets take several slices. */
const changes = 2_000

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  fakeRealTimers()
  return () => vi.useRealTimers()
})

/** Starts a mock whose worlds are kept. */
function startIn(storage: ReturnType<typeof memoryStorage>) {
  const mock = createMockmaker({ scenario: { game_modes: ['duel'] } })
  const app = mockOf(mock, 'test')
  app.keepIn({ storage: new WorldStorage(storage), dataTtlMs: Number.POSITIVE_INFINITY })
  onTestFinished(() => mock.close())
  return app.worlds
}

/** Keeps a world `t1` with many change sets, and a player who expires in a minute. Returns its storage, and its newest revision. */
async function keepWorld() {
  const storage = memoryStorage()
  const worlds = startIn(storage)
  const player = { status: 'reserved', expires_at: new Date(start + minute).toISOString() } as const
  const lobbies = [{ lobby_id: 'mine', game_mode_id: 'duel', players: [player] }]
  const { world } = await worlds.put('t1', { scenario: { game_modes: ['duel'], lobbies } })
  for (let i = 0; i < changes; i++) world.transaction(tx => tx.lobbies.update('mine', { tags: { i: String(i) } }))
  const { revision } = world
  await worlds.close()
  return { storage, revision }
}

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

describe('a kept world that is loaded in slices', () => {
  it('is in memory once it has all changes. Other work runs before', async () => {
    const { storage, revision } = await keepWorld()
    const worlds = startIn(storage)
    const loaded = worlds.load('t1')
    await nextTurn()
    const meanwhile = worlds.inMemory('t1')
    await loaded

    expect(meanwhile).toBeUndefined()
    expect(worlds.inMemory('t1')?.world.revision).toBe(revision)
    expect(worlds.inMemory('t1')?.world.lobbies.get('mine')?.tags).toEqual({ i: String(changes - 1) })
  })

  it('has a clock that stands still meanwhile', async () => {
    const { storage, revision } = await keepWorld()
    const worlds = startIn(storage)
    const loaded = worlds.load('t1')
    for (await nextTurn(); !worlds.inMemory('t1'); await nextTurn()) vi.advanceTimersByTime(minute)
    await loaded
    const world = worlds.inMemory('t1')?.world
    const then = world?.revision
    const { status } = world?.players.all()[0] ?? {}

    // The clock goes on after it, and the storage has what that changes.
    expect([then, status]).toEqual([revision, 'expired'])
    expect(storage.worlds.get('t1')?.lines.at(-1)?.text).toContain('expired')
  })

  it('is loaded at once if somebody needs it now, and never twice', async () => {
    const { storage, revision } = await keepWorld()
    const worlds = startIn(storage)
    const loaded = [worlds.load('t1'), worlds.load('t1')]
    await nextTurn()
    const mock = worlds.get('t1')
    await Promise.all(loaded)

    expect(mock?.world.revision).toBe(revision)
    expect(worlds.inMemory('t1')).toBe(mock)
    expect(storage.worlds.get('t1')?.starts).toBe(2)
  })

  it.each([
    ['it is lost', (worlds: RunningWorlds) => worlds.drop('t1', 'another replica has it')],
    ['the mock is closed', (worlds: RunningWorlds) => void worlds.close()],
  ])('never comes into memory if %s meanwhile', async (_, end) => {
    const { storage } = await keepWorld()
    const worlds = startIn(storage)
    const loaded = worlds.load('t1')
    await nextTurn()
    end(worlds)
    await loaded

    expect(worlds.inMemory('t1')).toBeUndefined()
  })
})
