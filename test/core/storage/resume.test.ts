import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { createClient, type MockEvent } from '../../../src/client/index.js'
import type { MockEvents } from '../../../src/core/control/events.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import type { Storage } from '../../../src/core/storage/storage.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { fetchInProcess, origin } from '../../support/fetch-in-process.js'
import { memoryStorage } from './memory-storage.js'

const scenario = { now: '2026-11-20T20:00:00Z', clock: 'frozen', game_modes: ['duel'] } as const

/** Starts a mock. Without a storage its worlds are only in memory. */
function start(storage?: Storage, { reset = false } = {}): Mockmaker {
  const mock = createMockmaker({ scenario, history: 100 })
  if (storage) {
    const worlds = new WorldStorage(storage, { leastLogBytes: 0 })
    mockOf(mock, 'test').keepIn({ storage: worlds, dataTtlMs: Number.POSITIVE_INFINITY }, { reset })
  }
  return mock
}

const makeLobby = (mock: Mockmaker, id: number) =>
  mock.world.lobbies.create({ lobby_id: String(id), game_mode_id: 'duel' })

/** The next events, and the ids of the lobbies that they brought. */
async function read(events: MockEvents | AsyncGenerator<MockEvent, undefined>, count: number) {
  const all: MockEvent[] = []
  while (all.length < count) all.push((await events.next()).value as MockEvent)
  const lobbies = all.flatMap(event => (event.type === 'change' ? event.data.puts.map(({ id }) => Number(id)) : []))
  return { all, lobbies, last: all.at(-1)?.id }
}

describe('a reader that resumes', () => {
  const step = fc.constantFrom('lobby', 'request', 'cut', 'restart')

  it.prop([fc.array(step, { maxLength: 30 })], { numRuns: 3 * inject('runs') })(
    'misses and repeats no change, over any restarts of a kept world',
    async steps => {
      const storage = memoryStorage()
      let mock = start(storage)
      const begun = mock.changes()
      const seen: number[] = []
      let [made, waiting, position] = [0, 0, begun.after]
      const cut = async () => {
        const { all, lobbies, last } = await read(mock.changes({ lastEventId: position }), waiting)
        expect(all.map(({ type }) => type)).not.toContain('gone')
        seen.push(...lobbies)
        position = last ?? position
        waiting = 0
      }
      for (const step of steps) {
        if (step === 'lobby') await makeLobby(mock, made++)
        if (step === 'request') await mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
        if (step === 'lobby' || step === 'request') waiting += 1
        if (step === 'cut') await cut()
        if (step !== 'restart') continue
        await mock.close()
        mock = start(storage)
        // The journal begins anew.
        waiting = made - seen.length
      }
      await cut()

      expect(seen).toEqual(Array.from({ length: made }, (_, i) => i))
      await mock.close()
    },
  )

  it('is told of a gap if the world is another one, even with the same revisions', async () => {
    const storage = memoryStorage()
    const others: readonly (readonly [first: () => Mockmaker, second: () => Mockmaker])[] = [
      [() => start(), () => start()],
      [() => start(storage), () => start(storage, { reset: true })],
      [() => start(storage), () => start(memoryStorage())],
    ]
    for (const [first, second] of others) {
      const before = first()
      await makeLobby(before, 1)
      const { last } = await read(before.changes({ since: 0 }), 1)
      await before.close()
      const mock = second()
      await makeLobby(mock, 2)

      const { all } = await read(mock.changes({ lastEventId: last }), 1)

      expect(all[0]?.type).toBe('gone')
      await mock.close()
    }
  })

  it('is told of a gap if its last change was lost with the power', async () => {
    const storage = memoryStorage()
    const before = start(storage)
    await makeLobby(before, 1)
    await makeLobby(before, 2)
    const { last } = await read(before.changes({ since: 0 }), 2)
    await before.close()
    storage.worlds.get('default')?.lines.pop()

    const mock = start(storage)

    expect((await read(mock.changes({ lastEventId: last }), 1)).all[0]?.type).toBe('gone')
    await mock.close()
  })
})

describe('a client', () => {
  it('goes on with the change sets of a kept world after a restart', async () => {
    const storage = memoryStorage()
    let mock = start(storage)
    let served = fetchInProcess(mock)
    const client = createClient(origin, { fetch: (input, init) => served.fetch(input, init) })
    const events = await client.changes()
    await makeLobby(mock, 1)
    const first = await read(events, 1)

    await makeLobby(mock, 2)
    served.drop()
    await mock.close()
    mock = start(storage)
    await makeLobby(mock, 3)
    served = fetchInProcess(mock)

    const { lobbies } = await read(events, 2)
    expect([...first.lobbies, ...lobbies]).toEqual([1, 2, 3])
    await events.return(undefined)
    await mock.close()
  })
})
