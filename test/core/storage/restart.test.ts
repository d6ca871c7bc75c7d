import { fc, it } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, inject } from 'vitest'
import { mockOf } from '../../../src/core/mock/facade.js'
import type { SharedStorage } from '../../../src/core/storage/shared-storage.js'
import type { Storage } from '../../../src/core/storage/storage.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { createMockmaker, type Mockmaker, type MockmakerOptions } from '../../../src/index.js'
import { openRedis } from '../../../src/server/cluster/redis.js'
import { openFolder } from '../../../src/server/folder/folder.js'
import { scenario } from '../../../src/testing/arbitraries/scenario.js'
import { type Step, step } from '../../../src/testing/arbitraries/step.js'
import { dataPath, quickFs } from '../../support/kept-worlds.js'
import { RedisServer } from '../../support/redis-server.js'
import { newPrefix, patient } from '../../support/replicas.js'
import { addOutage, runInOutage } from './add-outage.js'
import { memoryStorage } from './memory-storage.js'

/** Starts a mock whose worlds a storage keeps. */
function start(options: MockmakerOptions, storage: Storage) {
  const mock = createMockmaker(options)
  const worlds = new WorldStorage(storage, { leastLogBytes: 0 })
  mockOf(mock, 'test').keepIn({ storage: worlds, dataTtlMs: Number.POSITIVE_INFINITY })
  return { mock, worlds }
}

/** Everything that a client can see of a world, without the ids of requests. */
function seen(mock: Mockmaker) {
  const hideRays = (_: string, value: unknown) => (isCause(value) ? { ...value, request: '' } : value)
  const everything = {
    snapshot: mock.snapshot({ with: ['faults'] }),
    now: mock.clock.now(),
    schedule: mock.schedule(),
    faults: mock.faults.list(),
    history: mock.history({ limit: 1_000 }),
  }
  return JSON.parse(JSON.stringify(everything, hideRays))
}

function isCause(value: unknown): value is { readonly request: string } {
  return typeof value === 'object' && value !== null && 'request' in value
}

/** Something that happens between two steps. */
type Event = 'nothing' | 'restart' | 'new base'

/** Plays steps, and an event before each. */
async function play(
  options: MockmakerOptions,
  {
    events,
    open,
    steps,
  }: { events: readonly Event[]; open: () => Storage | Promise<Storage>; steps: (mock: Mockmaker) => Step[] },
) {
  let { mock, worlds } = start(options, await open())
  for (const [i, event] of events.entries()) {
    if (event === 'new base') await worlds.tick()
    if (event === 'restart') {
      await mock.close()
      ;({ mock, worlds } = start(options, await open()))
    }
    await runInOutage(steps(mock)[i])
    if (i % 4 === 3) mock.delay('lobbies.*', 0)
    if (i % 3 === 1) addOutage(mock)
    if (i % 8 === 7) await mock.reset({ seed: i })
  }
  return mock
}

const event = fc.constantFrom<Event>('nothing', 'restart', 'new base')

async function compare(
  options: MockmakerOptions,
  { events, seed, open }: { events: readonly Event[]; seed: number; open: () => Storage | Promise<Storage> },
): Promise<void> {
  // The same seed gives the same steps for each mock.
  const steps = (mock: Mockmaker) => fc.sample(step(mock), { seed, numRuns: events.length })
  const restarted = await play(options, { events, open, steps })
  const alone = await play(options, { events: events.map(() => 'nothing'), open: memoryStorage, steps })
  const [there, here] = [seen(restarted), seen(alone)]
  await Promise.all([restarted.close(), alone.close()])

  expect(there).toEqual(here)
}

describe('a world that a storage keeps', () => {
  const numRuns = Math.min(inject('runs'), 60)

  it.prop([scenario(), fc.array(event, { maxLength: 10 }), fc.constantFrom('1h', 3), fc.nat()], { numRuns })(
    'is the same with and without restarts',
    async (input, events, history, seed) => {
      const storage = memoryStorage()
      await compare({ scenario: input, history }, { events, seed, open: () => storage })
    },
  )

  it.prop([scenario(), fc.array(event, { maxLength: 10 }), fc.nat()], { numRuns: 10 })(
    'is the same in a folder',
    async (input, events, seed) => {
      const path = dataPath()
      await compare({ scenario: input, history: 3 }, { events, seed, open: () => openFolder(path, { fs: quickFs }) })
    },
  )
})

describe('a world that Redis keeps', { tags: ['slow'] }, () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  it.prop([scenario(), fc.array(event, { maxLength: 10 }), fc.nat()], { numRuns: Math.ceil(inject('runs') / 5) })(
    'is the same in another replica that takes it over',
    async (input, events, seed) => {
      const prefix = newPrefix()
      let storage: SharedStorage | undefined
      const open = async () => {
        await storage?.leave()
        storage = await openRedis(server.url, { ...patient, prefix, address: 'http://127.0.0.1:4100' })
        await storage.claim('default', { create: true })
        return storage
      }
      await compare({ scenario: input, history: 3 }, { events, seed, open })
      await storage?.leave()
    },
  )
})
