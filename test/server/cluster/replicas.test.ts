import { describe, expect, it, vi } from 'vitest'
import { mockOf } from '../../../src/core/mock/facade.js'
import { realEnvironment } from '../../../src/core/storage/environment.js'
import type { SharedStorage } from '../../../src/core/storage/shared-storage.js'
import { type KeptWorld, StorageError } from '../../../src/core/storage/storage.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { createMockmaker } from '../../../src/index.js'
import { RedisError, type ScriptCommand } from '../../../src/server/cluster/redis-client.js'
import { joinReplicas } from '../../../src/server/cluster/replica-storage.js'
import { appendAll, line, newWorld, originText, putOrigin, revisionsOf } from '../../support/kept-worlds.js'
import { newAddress } from '../../support/replicas.js'
import { ModelRedis, ScriptModel } from '../../support/script-model.js'
import { SimulatedTime } from '../../support/simulated-time.js'

const hour = 3_600_000
const any = { create: true } as const

/** Replicas, a model of Redis and its network, in a time that the test moves. */
class Cluster {
  readonly time = new SimulatedTime()
  readonly #serverClock = this.time.environment()
  readonly model = new ScriptModel(() => this.#serverClock.now())

  async join({ skewMs = 0, address = newAddress() } = {}) {
    const environment = this.time.environment(skewMs)
    const network = { delayMs: 1 }
    const redis = new ModelRedis(this.model, environment, { delayMs: () => network.delayMs })
    const reports: string[] = []
    const lost: { id: string; because: string }[] = []
    const report = (text: string) => void reports.push(text)
    const storage = await this.wait(joinReplicas(redis, { address, environment, report }))
    storage.onLost(one => lost.push(one))
    return { storage, redis, environment, network, reports, lost }
  }

  /** Lets time pass until a promise settles. */
  async wait<Value>(promise: Promise<Value>, ms = 60_000): Promise<Value> {
    let isSettled = false
    const done = promise.finally(() => {
      isSettled = true
    })
    done.catch(() => {})
    for (let passed = 0; passed < ms && !isSettled; passed += 5) await this.time.advance(5)
    if (!isSettled) throw new Error(`nothing happened for ${ms} ms`)
    return done
  }

  async create(storage: SharedStorage, id = 'x'): Promise<KeptWorld> {
    await this.wait(storage.claim(id, any))
    const world = storage.create(id, newWorld)
    await this.wait(Promise.resolve(world.settled()))
    return world
  }

  /** Creates a world. Then the server goes back to its state before. */
  async createAndLose(storage: SharedStorage, redis: ModelRedis): Promise<KeptWorld> {
    const older = this.model.copy()
    const world = await this.create(storage)
    redis.break()
    this.model.take(older)
    redis.connect()
    return world
  }

  async open(storage: SharedStorage, id = 'x'): Promise<KeptWorld> {
    const claim = await this.wait(storage.claim(id, { create: false }))
    const world = storage.open(id)
    if (!world) throw new Error(`the claim is ${JSON.stringify(claim)}`)
    return world
  }

  /** The revisions of the lines that the model has. */
  stored(id = 'x'): number[] {
    return [...(this.model.worlds.get(id)?.lines.keys() ?? [])].map(Number)
  }
}

/** Refuses some commands, as a full server does. */
function refusing(refused: ScriptCommand): ModelRedis['refusal'] {
  return command => (command === refused ? new RedisError('refused', 'it is full') : undefined)
}

/** The newest revision that may be kept, as the error of a promise says. */
async function keptUpTo(promise: Promise<unknown> | undefined): Promise<number | undefined> {
  try {
    await promise
    return undefined
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return error.keptUpTo
  }
}

/** The end of a promise: its error, or nothing. */
async function errorOf(promise: Promise<unknown> | undefined): Promise<string | undefined> {
  try {
    await promise
    return undefined
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return error.message
  }
}

describe('a lease', () => {
  it('holds again soon after the process was stopped, when another replica has its worlds', async () => {
    const cluster = new Cluster()
    const [first, second] = [await cluster.join(), await cluster.join()]
    await cluster.create(first.storage)
    const before = first.storage.leaseSoon()

    first.environment.isStopped = true
    await cluster.time.advance(10_000)
    await cluster.open(second.storage)
    first.environment.isStopped = false
    const soon = first.storage.leaseSoon()
    await cluster.wait(Promise.resolve(soon), 100)

    expect([before, soon]).toEqual([undefined, expect.any(Promise)])
    expect(() => first.storage.checkLease()).not.toThrow()
    expect(first.lost.map(({ id }) => id)).toEqual(['x'])
  })

  it('is waited for during 2 s after its end', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    redis.break()
    await cluster.time.advance(2_600)

    const soon = storage.leaseSoon()
    await cluster.wait(Promise.resolve(soon), 2_000)

    expect(soon).toBeDefined()
    expect(storage.leaseSoon()).toBeUndefined()
    expect(() => storage.checkLease()).toThrow(StorageError)
  })

  it('ends 2.5 s after its last acknowledged renewal was sent', async () => {
    const cluster = new Cluster()
    const { storage, redis, reports } = await cluster.join()
    const world = await cluster.create(storage)
    await cluster.time.advance(1_000)
    redis.break()

    await cluster.time.advance(1_400)
    storage.checkLease()
    await cluster.time.advance(1_200)

    expect(() => storage.checkLease()).toThrow(StorageError)
    expect(() => world.append(line(11))).toThrow(StorageError)
    expect(await errorOf(world.settled())).toBe(
      'redis://model does not answer (the connection broke). Start it again: the mock keeps trying',
    )
    expect(reports).toHaveLength(1)
  })

  it.each([
    ['the system clock', 'skewMs'],
    ['the machine, which stops the other clock,', 'sleptMs'],
  ] as const)('ends when %s has jumped', async (_, what) => {
    const cluster = new Cluster()
    const { storage, redis, environment } = await cluster.join()
    redis.break()
    environment[what] += what === 'skewMs' ? hour : 10_000
    if (what === 'sleptMs') environment.skewMs += 10_000

    expect(() => storage.checkLease()).toThrow(StorageError)
  })

  it('ends though the system clock goes back', async () => {
    const cluster = new Cluster()
    const { storage, redis, environment } = await cluster.join()
    redis.break()
    environment.skewMs -= hour
    await cluster.time.advance(2_600)

    expect(() => storage.checkLease()).toThrow(StorageError)
  })

  it('begins again when the server answers, and the worlds go on', async () => {
    const cluster = new Cluster()
    const { storage, redis, reports, lost } = await cluster.join()
    const world = await cluster.create(storage)
    const told: (string | undefined)[] = []
    world.watch(error => told.push(error?.message))
    redis.break()
    await cluster.time.advance(10_000)
    redis.connect()
    await cluster.time.advance(1_500)
    appendAll(world, 11)
    await cluster.wait(Promise.resolve(world.settled()))

    expect(told).toEqual([expect.stringContaining('does not answer'), undefined])
    expect(reports).toEqual([expect.stringContaining('does not answer'), 'redis://model answers again'])
    expect([cluster.stored(), lost]).toEqual([[11], []])
  })

  it('tells requests why it has not begun again, not why it ended', async () => {
    const cluster = new Cluster()
    const { storage, redis, reports } = await cluster.join()
    await cluster.wait(storage.claim('default', any))
    const mock = createMockmaker({ scenario: { now: '2026-11-20T20:00:00Z', clock: 'frozen', game_modes: ['duel'] } })
    mockOf(mock, 'test').keepIn({ storage: new WorldStorage(storage), dataTtlMs: hour })
    await cluster.wait(storage.flush('default'))
    const refusal = async () => [await errorOf(mock.lobby({})), await errorOf(storage.claim('y', any))]
    const away = 'redis://model does not answer (the connection broke). Start it again: the mock keeps trying'
    const full = 'redis://model refuses commands, because it is full. The mock keeps trying'

    redis.break()
    await cluster.time.advance(5_000)
    const whileAway = await refusal()
    redis.refusal = refusing('enter')
    redis.connect()
    await cluster.time.advance(1_500)
    const whileFull = await refusal()

    expect(whileAway).toEqual([away, away])
    expect(whileFull).toEqual([full, full])
    expect(reports).toEqual([away])
    await mock.close()
  })

  it('tells that another replica has taken its address meanwhile', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join({ address: 'http://10.0.0.5:4100' })
    redis.break()
    await cluster.time.advance(10_000)
    await cluster.join({ address: 'http://10.0.0.5:4100' })
    redis.connect()
    await cluster.time.advance(1_500)

    expect(await errorOf(storage.claim('y', any))).toBe(
      'another replica with the address http://10.0.0.5:4100 is running: give each replica its own address with --advertise. If that replica was killed a moment ago, start again in 3 s',
    )
  })

  it('tells no reason of an earlier time', async () => {
    const cluster = new Cluster()
    const { storage, redis, environment } = await cluster.join()
    redis.break()
    await cluster.time.advance(5_000)
    redis.connect()
    await cluster.time.advance(1_500)
    storage.checkLease()
    environment.skewMs += hour

    expect(await errorOf(storage.claim('y', any))).toBe(
      'redis://model does not answer. Start it again: the mock keeps trying',
    )
  })

  it('keeps worlds apart whose replicas have clocks an hour apart', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join({ skewMs: hour }), await cluster.join({ skewMs: -hour })]
    await cluster.create(a.storage)
    await cluster.time.advance(30_000)

    expect(await cluster.wait(b.storage.claim('x', any))).toMatchObject({ kind: 'other' })
    expect([a.storage.clockOffsetMs, b.storage.clockOffsetMs]).toEqual([-hour, hour])
  })
})

describe('a replica that the server does not hear', () => {
  it('refuses those who claim a world that it deletes, and those who wait for a creation', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    await cluster.create(storage)
    await cluster.wait(storage.claim('y', any))
    redis.break()
    storage.delete('x')
    const waiting = [storage.claim('x', any), storage.create('y', newWorld).settled()].map(errorOf)

    expect(await cluster.wait(Promise.all(waiting), 5_000)).toEqual([
      expect.stringMatching(/ does not answer/),
      expect.stringMatching(/ does not answer/),
    ])
  })

  it('refuses those who wait for a line, and keeps the line', async () => {
    const cluster = new Cluster()
    const { storage, redis, lost } = await cluster.join()
    const world = await cluster.create(storage)
    redis.break()
    world.append(line(11))
    const waiting = errorOf(world.settled())

    expect(await cluster.wait(waiting)).toMatch(/ does not answer /)
    redis.connect()
    await cluster.time.advance(1_500)
    world.append(line(12))
    await cluster.wait(Promise.resolve(world.settled()))

    expect([cluster.stored(), lost]).toEqual([[11, 12], []])
  })

  it('tells that a clock has to wait, while many lines have no reply', async () => {
    const cluster = new Cluster()
    const { storage } = await cluster.join()
    const world = await cluster.create(storage)
    const revisions = Array.from({ length: 256 }, (_, i) => 11 + i)
    appendAll(world, ...revisions)
    const few = world.drained?.()
    world.append(line(267))
    const many = world.drained?.()
    await cluster.wait(Promise.resolve(many), 10)

    expect([few, many]).toEqual([undefined, expect.any(Promise)])
    expect(world.drained?.()).toBeUndefined()
    expect(cluster.stored()).toEqual([...revisions, 267])
  })

  it('sends open lines again after a short break, and nobody is refused', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    const world = await cluster.create(storage)
    world.append(line(11))
    await cluster.time.advance(1)
    // The line has arrived, and its reply has not.
    redis.break()
    world.append(line(12))
    const waiting = errorOf(world.settled())
    await cluster.time.advance(500)
    redis.connect()

    expect(await cluster.wait(waiting)).toBeUndefined()
    expect(cluster.stored()).toEqual([11, 12])
  })

  it('sends lines again in their order, if the server ran only the later one', async () => {
    const cluster = new Cluster()
    const { storage, redis, lost } = await cluster.join()
    const world = await cluster.create(storage)
    let isBusy = true
    redis.refusal = (command, args) => {
      if (!isBusy || command !== 'append' || args[5] !== '11') return undefined
      isBusy = false
      return new RedisError('away', 'it is busy with a script')
    }
    appendAll(world, 11, 12)

    expect(await cluster.wait(errorOf(world.settled()))).toBeUndefined()
    expect([cluster.stored(), lost, isBusy]).toEqual([[11, 12], [], false])
  })

  it('loses its worlds to another, and says who has them', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    const world = await cluster.create(a.storage)
    world.append(line(11))
    await cluster.time.advance(1)
    a.redis.break()
    world.append(line(12))
    const waiting = errorOf(world.settled())
    await cluster.time.advance(3_500)
    const taken = await cluster.open(b.storage)
    appendAll(taken, 12)
    await cluster.wait(Promise.resolve(taken.settled()))
    a.redis.connect()
    await cluster.time.advance(2_000)

    expect(await waiting).toMatch(/ does not answer /)
    expect(a.lost).toEqual([{ id: 'x', because: `the replica ${b.storage.self.address} runs the world "x" now` }])
    expect(a.storage.owns('x')).toBe(false)
    expect(() => world.append(line(13))).toThrow('runs the world "x" now')
    expect([revisionsOf(taken), cluster.stored()]).toEqual([[11], [11, 12]])
    // Clients of the former owner may have seen its clock until its lease ended.
    expect(taken.lagMs).toBe(4_500)
    expect((await cluster.wait(b.storage.refresh()))[0]).toMatchObject({ takenFrom: a.storage.self.id })
    expect(await cluster.wait(a.storage.claim('x', any))).toMatchObject({ kind: 'other', owner: b.storage.self })
  })

  it('stores nothing in a world of another by a line that comes late', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    const world = await cluster.create(a.storage)
    a.network.delayMs = 10_000
    world.append(line(11))
    await cluster.time.advance(4_000)
    const taken = await cluster.open(b.storage)
    await cluster.time.advance(30_000)

    expect(cluster.stored()).toEqual([])
    a.network.delayMs = 1
    await cluster.time.advance(30_000)
    expect(a.lost).toHaveLength(1)
    expect(taken.settled()).toBeUndefined()
  })

  it('answers slowly if the server is slow', async () => {
    const cluster = new Cluster()
    const { storage, network, reports } = await cluster.join()
    const world = await cluster.create(storage)
    network.delayMs = 500
    for (const revision of [11, 12, 13]) {
      world.append(line(revision))
      await cluster.time.advance(3_000)
      expect(world.settled()).toBeUndefined()
    }

    expect([cluster.stored(), reports]).toEqual([[11, 12, 13], []])
  })
})

describe('a base that was sent before a break, and comes late', () => {
  it('is not mixed with the next one', async () => {
    const cluster = new Cluster()
    const { storage, redis, network } = await cluster.join()
    const world = await cluster.create(storage)
    const { originHash } = world
    appendAll(world, 11, 12)
    await cluster.wait(Promise.resolve(world.settled()))
    network.delayMs = 100
    world.replaceBase({ parts: ['"state 11"'], revision: 11, originHash })
    redis.break()
    network.delayMs = 15
    redis.connect()
    await cluster.time.advance(80)
    // Its part arrives before the late one, and its end after it.
    world.replaceBase({ parts: ['"state 12"'], revision: 12, originHash })
    await cluster.time.advance(200)

    expect(cluster.model.worlds.get('x')).toMatchObject({ base: '', baseRevision: '10' })
    expect(cluster.stored()).toEqual([11, 12])

    world.replaceBase({ parts: ['"state 12"'], revision: 12, originHash })
    await cluster.time.advance(200)

    expect(cluster.model.worlds.get('x')).toMatchObject({ base: '"state 12"', baseRevision: '12' })
    expect(cluster.stored()).toEqual([])
  })

  it('deletes no origin that a line has named meanwhile', async () => {
    const cluster = new Cluster()
    const { storage, redis, network } = await cluster.join()
    const world = await cluster.create(storage)
    const append = (revision: number, origin: string) => world.append({ revision, text: putOrigin(world, origin) })
    append(11, '"other"')
    appendAll(world, 12)
    await cluster.wait(Promise.resolve(world.settled()))
    network.delayMs = 100
    world.replaceBase({ parts: ['"state 12"'], revision: 12, originHash: world.originHash })
    // Its part has arrived, and its end is on its way.
    await cluster.time.advance(250)
    redis.break()
    network.delayMs = 1
    redis.connect()
    append(13, '"other"')
    await cluster.time.advance(200)

    expect(cluster.stored()).toEqual([11, 12, 13])
    expect([...(cluster.model.worlds.get('x')?.origins.values() ?? [])]).toContain('"other"')
  })
})

describe('an append that is refused', () => {
  it('refuses those after it too, and the world is read again', async () => {
    const cluster = new Cluster()
    const { storage, redis, lost } = await cluster.join()
    const world = await cluster.create(storage)
    appendAll(world, 11)
    await cluster.wait(Promise.resolve(world.settled()))
    redis.refusal = (command, args) =>
      command === 'append' && args.includes('12') && !args.includes('13')
        ? new RedisError('refused', 'it is full')
        : undefined
    world.append(line(12))
    const first = errorOf(world.settled())
    world.append(line(13))
    const second = errorOf(world.settled())

    expect(await cluster.wait(first)).toBe('redis://model did not take a change of the world "x": it is full')
    expect(await second).toBe(await first)
    expect(lost).toEqual([{ id: 'x', because: await first }])
    redis.refusal = () => undefined
    const again = await cluster.open(storage)
    expect(revisionsOf(again)).toEqual([11])
    appendAll(again, 12)
    await cluster.wait(Promise.resolve(again.settled()))
    expect(cluster.stored()).toEqual([11, 12])
  })

  it('is certainly not kept, and none after it', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    const world = await cluster.create(storage)
    appendAll(world, 11)
    await cluster.wait(Promise.resolve(world.settled()))
    redis.refusal = refusing('append')
    appendAll(world, 12, 13)

    expect(await cluster.wait(keptUpTo(world.settled()))).toBe(11)
  })

  it('may be kept if it was sent before, and nobody knows what became of that', async () => {
    const cluster = new Cluster()
    const { storage, redis, network } = await cluster.join()
    const world = await cluster.create(storage)
    network.delayMs = 20
    appendAll(world, 11)
    const settled = keptUpTo(world.settled())
    await cluster.time.advance(30)
    redis.break()
    redis.refusal = refusing('append')
    redis.connect()
    appendAll(world, 12)

    expect(await cluster.wait(settled)).toBe(11)
    expect(cluster.stored()).toEqual([11])
  })

  it('may be kept if a base with it is on its way', async () => {
    const cluster = new Cluster()
    const { storage, redis, network } = await cluster.join()
    const world = await cluster.create(storage)
    const older = cluster.model.copy()
    appendAll(world, 11)
    await cluster.wait(Promise.resolve(world.settled()))
    redis.break()
    cluster.model.take(older)
    redis.connect()
    appendAll(world, 12)
    await cluster.time.advance(500)
    network.delayMs = 20
    world.replaceBase({ parts: ['"state 12"'], revision: 12, originHash: world.originHash })
    const settled = keptUpTo(world.settled())
    await cluster.time.advance(50)
    storage.delete('x')

    expect(await settled).toBe(12)
  })

  it('is not kept by a base that has it either', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    const world = await cluster.create(storage)
    redis.refusal = refusing('append')
    appendAll(world, 11)
    world.replaceBase({ parts: ['[11]'], revision: 11, originHash: world.originHash })
    const settled = keptUpTo(world.settled())

    expect(await cluster.wait(settled)).toBe(10)
    await cluster.time.advance(100)
    expect(cluster.model.worlds.get('x')?.base).toBe('')
  })

  it('is certainly not kept if another replica has the world', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    const world = await cluster.create(a.storage)
    cluster.model.endLease(a.storage.self.id)
    await cluster.open(b.storage)
    appendAll(world, 11)

    expect(await cluster.wait(keptUpTo(world.settled()))).toBe(10)
  })

  it('costs no other world anything', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    const [x, y] = [await cluster.create(storage, 'x'), await cluster.create(storage, 'y')]
    redis.refusal = (_, args) => (args.includes('x') ? new RedisError('refused', 'it is full') : undefined)
    appendAll(x, 11)
    appendAll(y, 11)
    await cluster.time.advance(10_000)

    expect(y.settled()).toBeUndefined()
    expect(cluster.stored('y')).toEqual([11])
    expect(storage.owns('x')).toBe(false)
  })
})

describe('a creation that is refused', () => {
  it('is certainly not there, unless it was sent before', async () => {
    const cluster = new Cluster()
    const { storage, redis, network } = await cluster.join()
    redis.refusal = refusing('create')
    expect(await cluster.wait(keptUpTo(storage.create('x', newWorld).settled()))).toBe(Number.NEGATIVE_INFINITY)
    network.delayMs = 20
    redis.refusal = () => undefined
    const world = storage.create('y', newWorld)
    appendAll(world, 11)
    const settled = keptUpTo(world.settled())
    await cluster.time.advance(30)
    redis.break()
    redis.refusal = refusing('create')
    redis.connect()

    // The line was never sent.
    expect(await cluster.wait(settled)).toBe(10)
    expect(cluster.stored('y')).toEqual([])
  })

  it('is told by flush, and the world is not there', async () => {
    const cluster = new Cluster()
    const { storage, redis, lost } = await cluster.join()
    redis.refusal = command => (command === 'create' ? new RedisError('refused', 'it is full') : undefined)
    storage.create('x', newWorld)

    expect(await cluster.wait(errorOf(storage.flush('x')))).toBe('redis://model did not take the world "x": it is full')
    expect([storage.owns('x'), lost.length]).toEqual([false, 1])
  })
})

describe('a server that has lost something', () => {
  it('gets the present state again, if it has an older one', async () => {
    const cluster = new Cluster()
    const { storage, redis, reports } = await cluster.join()
    const world = await cluster.create(storage)
    appendAll(world, 11)
    await cluster.wait(Promise.resolve(world.settled()))
    const older = cluster.model.copy()
    appendAll(world, 12)
    await cluster.wait(Promise.resolve(world.settled()))
    redis.break()
    cluster.model.take(older)
    redis.connect()
    world.append(line(13))
    const waiting = errorOf(world.settled())
    await cluster.time.advance(500)

    expect(world.needsBase).toBe(true)
    world.replaceBase({ parts: ['"state 13"'], revision: 13, originHash: world.originHash })
    expect(await cluster.wait(waiting)).toBeUndefined()
    appendAll(world, 14)
    await cluster.wait(storage.release('x'))
    expect(reports).toEqual([
      'redis://model has lost changes of the world "x" that it had acknowledged: the world is written there again',
    ])
    const again = await cluster.open(storage)
    expect([again.base, revisionsOf(again)]).toEqual(['"state 13"', [14]])
  })

  it('gets a world again whose creation it has lost, with its origin', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    const older = cluster.model.copy()
    const world = await cluster.create(a.storage)
    appendAll(world, 11)
    await cluster.wait(Promise.resolve(world.settled()))
    a.redis.break()
    cluster.model.take(older)
    a.redis.connect()
    await cluster.time.advance(500)
    const originHash = putOrigin(world, originText)
    world.replaceBase({ parts: ['"state 11"'], revision: 11, originHash })
    appendAll(world, 12)
    await cluster.wait(a.storage.release('x'))
    const taken = await cluster.open(b.storage)

    expect([taken.base, revisionsOf(taken), taken.starts]).toEqual(['"state 11"', [12], 2])
    expect(taken.origin(taken.originHash)).toBe(originText)
    expect(b.storage.list()).toMatchObject([{ id: 'x', title: 'Tanks', revision: 12, epoch: 3 }])
  })

  it('leaves a world to the replica that claimed it meanwhile', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    const older = cluster.model.copy()
    await cluster.create(a.storage, 'y')
    await cluster.create(a.storage)
    a.redis.break()
    cluster.model.take(older)
    const world = await cluster.create(b.storage)
    a.redis.connect()
    await cluster.time.advance(2_000)
    appendAll(world, 11)
    await cluster.wait(Promise.resolve(world.settled()))

    expect(a.lost.map(({ id }) => id)).toContain('x')
    expect(b.lost).toEqual([])
  })

  it('does not mix what another replica wrote meanwhile with a world that it gets again', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    const older = cluster.model.copy()
    await cluster.create(a.storage, 'y')
    const world = await cluster.create(a.storage)
    appendAll(world, 11)
    await cluster.wait(Promise.resolve(world.settled()))
    a.redis.break()
    cluster.model.take(older)
    appendAll(await cluster.create(b.storage), 11, 12, 13)
    await cluster.wait(b.storage.release('x'))
    a.redis.connect()
    await cluster.time.advance(500)
    world.replaceBase({ parts: ['"state 11"'], revision: 11, originHash: putOrigin(world, originText) })
    appendAll(world, 12)
    await cluster.wait(Promise.resolve(world.settled()))
    await cluster.wait(a.storage.release('x'))
    const taken = await cluster.open(b.storage)

    expect([taken.base, revisionsOf(taken)]).toEqual(['"state 11"', [12]])
  })

  it('does not get a world again that another replica has deleted', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    await cluster.create(a.storage)
    a.redis.break()
    await cluster.time.advance(4_000)
    await cluster.open(b.storage)
    b.storage.delete('x')
    await cluster.wait(b.storage.flush('x'))
    a.redis.connect()
    await cluster.time.advance(2_000)

    expect(a.lost).toHaveLength(1)
    expect([...cluster.model.worlds]).toEqual([])
  })

  it('gets the worlds of a mock again', async () => {
    const model = new ScriptModel(() => Date.now())
    const redis = new ModelRedis(model, realEnvironment)
    const storage = await joinReplicas(redis, { address: newAddress() })
    await storage.claim('default', any)
    const scenario = { now: '2026-11-20T20:00:00Z', clock: 'frozen', game_modes: ['duel'] } as const
    const mock = createMockmaker({ scenario })
    const worlds = new WorldStorage(storage)
    mockOf(mock, 'test').keepIn({ storage: worlds, dataTtlMs: hour })
    await mock.reset({ seed: 5 })
    const older = model.copy()
    await mock.reset({ seed: 9 })
    await mock.lobby({ lobby_id: 'mine' })
    await storage.flush('default')
    const { revision } = mock.world
    redis.break()
    model.take(older)
    redis.connect()
    await vi.waitFor(async () => {
      await worlds.tick()
      expect(model.worlds.get('default')?.revision).toBe(String(revision))
    })
    const before = mock.snapshot()
    await mock.close()
    await storage.leave()

    const next = await joinReplicas(new ModelRedis(model, realEnvironment), { address: newAddress() })
    await next.claim('default', any)
    const again = createMockmaker({ scenario })
    mockOf(again, 'test').keepIn({ storage: new WorldStorage(next), dataTtlMs: hour })
    expect(again.snapshot()).toEqual(before)
    await again.close()
    await next.leave()
  })

  it('is refused for good if it is empty', async () => {
    const cluster = new Cluster()
    const { storage, redis, reports } = await cluster.join()
    const world = await cluster.create(storage)
    redis.break()
    cluster.model.forget()
    redis.connect()
    await cluster.time.advance(2_000)
    const other = await cluster.join()
    await cluster.time.advance(10_000)

    const sentence = expect.stringContaining('has lost all worlds, or it is another server')
    expect(reports).toEqual([sentence])
    expect(await errorOf(storage.claim('y', any))).toEqual(sentence)
    expect(await errorOf(world.settled())).toEqual(sentence)
    expect(await cluster.wait(other.storage.claim('x', any))).toMatchObject({ kind: 'new' })
  })
})

describe('a full server', () => {
  const full = 'redis://model refuses commands, because it is full. The mock keeps trying'

  /** Joins with a world `x`, and fills the server. */
  async function fill() {
    const cluster = new Cluster()
    const joined = await cluster.join()
    const other = await cluster.create(joined.storage, 'y')
    const world = await cluster.create(joined.storage)
    const changes: readonly ScriptCommand[] = ['append', 'create', 'settings', 'probe']
    joined.redis.refusal = command => (changes.includes(command) ? new RedisError('refused', 'it is full') : undefined)
    world.append(line(11))
    await cluster.wait(errorOf(world.settled()))
    return { cluster, ...joined, other }
  }

  it('takes no changes of any world, which can be read meanwhile', async () => {
    const { cluster, storage, redis, reports, other } = await fill()
    const again = await cluster.open(storage)
    const told: (string | undefined)[] = []
    again.watch(error => told.push(error?.message))
    const refused = [other, again].map(world => () => world.append(line(12)))
    await cluster.time.advance(5_000)

    for (const append of refused) expect(append).toThrow(full)
    expect(() => storage.create('z', newWorld)).toThrow(full)
    expect(() => storage.saveSettings('{}')).toThrow(full)
    expect(() => storage.checkChanges()).toThrow(full)
    expect([again.settled(), other.settled()]).toEqual([undefined, undefined])
    storage.checkLease()
    redis.refusal = () => undefined
    await cluster.time.advance(1_100)
    again.append(line(12))
    await cluster.wait(Promise.resolve(again.settled()))
    expect(told).toEqual([full, undefined])
    expect(reports).toEqual([full, 'redis://model takes changes again'])
    expect(cluster.stored()).toEqual([12])
  })

  it('lets clocks go on although the lease ended and began again meanwhile', async () => {
    const { cluster, storage, redis, environment } = await fill()
    const world = await cluster.open(storage)
    const told: (string | undefined)[] = []
    world.watch(error => told.push(error?.message))
    redis.refusal = command => {
      // The lease ends by the system clock. No timer tells it before the next renewal.
      if (command === 'probe') environment.skewMs += hour
      return undefined
    }
    await cluster.time.advance(3_000)

    expect(told).toEqual([full, undefined])
  })

  it('refuses those who wait while a world needs a base', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    const world = await cluster.createAndLose(storage, redis)
    await cluster.time.advance(100)
    redis.refusal = command => (command === 'resume' ? undefined : new RedisError('refused', 'it is full'))
    world.append(line(11))
    const waiting = errorOf(world.settled())
    world.replaceBase({ parts: ['{}'], revision: 11, originHash: world.originHash })

    expect(await cluster.wait(waiting, 1_000)).toBe(full)
  })

  it('answers reads of a world whose clock has something to change', async () => {
    const cluster = new Cluster()
    const { storage, redis, lost } = await cluster.join()
    await cluster.wait(storage.claim('default', any))
    const scenario = {
      now: '2026-11-20T20:00:00Z',
      clock: { mode: 'running', rate: 1_000_000 },
      game_modes: ['duel'],
    } as const
    const mock = createMockmaker({ scenario })
    const { worlds } = mockOf(mock, 'test')
    mockOf(mock, 'test').keepIn({ storage: new WorldStorage(storage), dataTtlMs: hour })
    storage.onLost(({ id, because }) => worlds.drop(id, because))
    const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: {} }
    const read = async () => {
      await cluster.wait(storage.claim('default', any))
      return (await cluster.wait(Promise.resolve(worlds.known('default').handle(list)))).status
    }
    let isFull = false
    redis.refusal = (command, args) => {
      isFull ||= command === 'append' && args.some(text => text.includes('expired'))
      return isFull && (command === 'append' || command === 'probe')
        ? new RedisError('refused', 'it is full')
        : undefined
    }
    await cluster.wait(mock.player({ status: 'reserved', expires_at: mock.clock.now() + hour }))
    // The player expires, and the server does not take that.
    await expect.poll(() => cluster.time.advance(5).then(() => lost.length)).toBe(1)
    const first = await read()
    const { clock } = worlds.known('default').world
    const then = clock.now()

    expect([first, await read(), clock.now() - then]).toEqual([200, 200, 0])
    expect(lost).toHaveLength(1)
    redis.refusal = () => undefined
    await cluster.time.advance(1_100)
    await expect.poll(() => clock.now()).toBeGreaterThan(then)
    await cluster.wait(mock.close())
  })
})

describe('settings', () => {
  it('are saved although those before them were refused', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    redis.refusal = (command, args) =>
      command === 'settings' && args.at(-1) === '{"a":1}' ? new RedisError('refused', 'it is full') : undefined
    storage.saveSettings('{"a":1}')
    const refused = errorOf(storage.flush())
    storage.saveSettings('{"a":2}')
    const saved = errorOf(storage.flush())
    const meanwhile = storage.settings

    expect(await cluster.wait(refused)).toContain('it is full')
    expect(await cluster.wait(saved)).toBeUndefined()
    await cluster.wait(storage.refresh())
    expect([meanwhile, storage.settings]).toEqual(['{"a":2}', '{"a":2}'])
  })

  it('are those of the server again after a refusal', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    redis.refusal = refusing('settings')
    storage.saveSettings('{"a":1}')
    await cluster.wait(errorOf(storage.flush()))

    expect(storage.settings).toBeUndefined()
  })
})

describe('a world that is deleted', () => {
  it('is not created if its creation waited for an earlier deletion', async () => {
    const cluster = new Cluster()
    const { storage } = await cluster.join()
    await cluster.create(storage)
    storage.delete('x')
    storage
      .create('x', newWorld)
      .settled()
      ?.catch(() => {})
    storage.delete('x')
    await cluster.wait(storage.flush('x'))
    await cluster.time.advance(100)

    expect(cluster.model.worlds.has('x')).toBe(false)
  })

  it('is not deleted again after its next creation, if the second of two deletions comes late', async () => {
    const cluster = new Cluster()
    const { storage, redis, network } = await cluster.join()
    await cluster.create(storage)
    storage.delete('x')
    storage
      .create('x', newWorld)
      .settled()
      ?.catch(() => {})
    network.delayMs = 100
    storage.delete('x')
    network.delayMs = 1
    await cluster.time.advance(10)
    redis.break()
    redis.connect()
    await cluster.wait(Promise.resolve(storage.create('x', newWorld).settled()))
    await cluster.time.advance(500)

    expect(cluster.model.worlds.has('x')).toBe(true)
  })
})

describe('a replica that leaves', () => {
  it('does not come back by a renewal that the server answers later', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    await cluster.time.advance(950)
    a.network.delayMs = 200
    await cluster.time.advance(100)
    a.network.delayMs = 1
    const left = a.storage.leave()
    await cluster.time.advance(0)
    a.network.delayMs = 500
    await cluster.time.advance(1)
    a.network.delayMs = 1
    await cluster.wait(left)

    expect(await cluster.wait(b.storage.replicas())).toEqual([b.storage.self])
  })

  it('gives its worlds back after their open lines', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    const world = await cluster.create(a.storage)
    world.append(line(11))
    world.writeTime('{"now":9}')
    await cluster.wait(a.storage.leave())

    const taken = await cluster.open(b.storage)
    expect(taken).toMatchObject({ lines: [line(11)], time: '{"now":9}', lagMs: 0 })
    expect(await cluster.wait(b.storage.replicas())).toEqual([b.storage.self])
  })

  it('does not wait for ever for a base that nobody writes', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    const world = await cluster.createAndLose(storage, redis)
    world.append(line(11))
    const waiting = errorOf(world.settled())
    await cluster.time.advance(500)

    await cluster.wait(storage.leave(), 1_000)
    expect(await waiting).toBe('redis://model has lost changes of the world "x"')
  })

  it.each(['a deletion', 'settings', 'a creation'])(
    'does not wait for ever for %s, after its lease has ended',
    async what => {
      const cluster = new Cluster()
      const { storage, redis } = await cluster.join()
      await cluster.create(storage)
      await cluster.wait(storage.claim('y', any))
      redis.break()
      if (what === 'a deletion') storage.delete('x')
      else if (what === 'settings') storage.saveSettings('{}')
      else storage.create('y', newWorld)
      await cluster.time.advance(10_000)

      await cluster.wait(storage.leave(), 1_000)
      expect(() => storage.checkLease()).toThrow('is closed')
    },
  )

  it('does not wait for ever for a server that is away', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    const world = await cluster.create(storage)
    redis.break()
    world.append(line(11))

    await cluster.wait(storage.leave(), 3_000)
    expect(() => storage.checkLease()).toThrow('is closed')
  })
})
