import { describe, expect, it } from 'vitest'
import type { SharedStorage } from '../../../src/core/storage/shared-storage.js'
import { type KeptWorld, StorageError } from '../../../src/core/storage/storage.js'
import { RedisError, type ScriptCommand } from '../../../src/server/cluster/redis-client.js'
import { joinReplicas } from '../../../src/server/cluster/replica-storage.js'
import { appendAll, line, newWorld, revisionsOf } from '../../support/kept-worlds.js'
import { newAddress } from '../../support/replicas.js'
import { ModelRedis, ScriptModel } from '../../support/script-model.js'
import { SimulatedTime } from './simulated-time.js'

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
})

describe('a replica that the server does not hear', () => {
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
})

describe('a server that comes back with an older state', () => {
  /** Two replicas. The first one runs `x`, which the server then loses with both leases. */
  async function loseAll() {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    const older = cluster.model.copy()
    const world = await cluster.create(a.storage)
    appendAll(world, 11)
    await cluster.wait(Promise.resolve(world.settled()))
    for (const { redis } of [a, b]) redis.break()
    await cluster.time.advance(5_000)
    cluster.model.take(older)
    return { cluster, a, b, world }
  }

  it('gives no world away, before the owner had the time of a lease to come back', async () => {
    const { cluster, a, b, world } = await loseAll()
    b.redis.connect()
    await cluster.time.advance(1_500)
    const claim = b.storage.claim('x', any)
    await cluster.time.advance(1_000)
    a.redis.connect()

    expect(await cluster.wait(claim, 2_000)).toMatchObject({ kind: 'other', owner: a.storage.self })
    world.replaceBase({ parts: ['"state 11"'], revision: 11, originHash: world.originHash })
    await cluster.time.advance(100)
    expect(cluster.model.worlds.get('x')).toMatchObject({ base: '"state 11"', revision: '11', born: world.born })
    expect([a.lost, a.storage.owns('x')]).toEqual([[], true])
  })

  it('gives a world away after the time of a lease', async () => {
    const { cluster, b } = await loseAll()
    b.redis.connect()
    await cluster.time.advance(1_000)

    expect(await cluster.wait(b.storage.claim('x', any), 3_000)).toMatchObject({ kind: 'new' })
  })

  it('gives each world back to the replica that had it last, and deletes again what was deleted', async () => {
    const cluster = new Cluster()
    const [a, b] = [await cluster.join(), await cluster.join()]
    const ids = ['x', 'y', 'z']
    for (const id of ids) await cluster.create(a.storage, id)
    const older = cluster.model.copy()
    await cluster.wait(a.storage.release('x'))
    await cluster.open(b.storage, 'x')
    for (const id of ['v', 'w']) await cluster.create(a.storage, id)
    a.storage.delete('z')
    await cluster.wait(a.storage.flush('z'))
    for (const { redis } of [a, b]) redis.break()
    cluster.model.take(older)
    for (const { redis } of [a, b]) redis.connect()
    await cluster.time.advance(4_000)

    expect([a.lost, b.lost]).toEqual([[], []])
    expect([...cluster.model.worlds].map(([id, { owner }]) => [id, owner === a.storage.self.id]).sort()).toEqual([
      ...[
        ['v', true],
        ['w', true],
      ],
      ...[
        ['x', false],
        ['y', true],
      ],
    ])
  })

  it('is never ahead of the world, so that no change waits for ever', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    appendAll(await cluster.create(storage), 11, 12, 13, 14, 15)
    await cluster.time.advance(100)
    const older = cluster.model.copy()
    storage.delete('x')
    const world = storage.create('x', newWorld)
    await cluster.wait(Promise.resolve(world.settled()))
    redis.break()
    cluster.model.take(older)
    redis.connect()
    // Two connections ask, one after the other.
    await cluster.time.advance(3)
    redis.break()
    redis.connect()
    await cluster.time.advance(500)
    world.append(line(11))
    world.replaceBase({ parts: ['"state 11"'], revision: 11, originHash: world.originHash })

    expect(await cluster.wait(errorOf(world.settled()), 1_000)).toBeUndefined()
    expect(world.needsBase).toBe(false)
    expect(cluster.model.worlds.get('x')).toMatchObject({ born: world.born, revision: '11' })
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
    expect(storage.trouble).toBe('the storage refuses commands, because it is full')
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

  it('says so before anybody asks for a change', async () => {
    const cluster = new Cluster()
    const { storage, redis, reports } = await cluster.join()
    redis.refusal = command => (command === 'probe' ? new RedisError('refused', 'it is full') : undefined)
    await cluster.time.advance(1_100)

    expect([storage.trouble, reports]).toEqual(['the storage refuses commands, because it is full', [full]])
  })
})

describe('a request that waits for the storage', () => {
  const late = 'redis://model has not answered for 4s. The mock keeps trying'

  it('is refused after 4 s, and the mock is not ready until the change is kept', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    const world = await cluster.create(storage)
    // Its reply is lost, while renewals of the lease are not.
    redis.isDeaf = command => command === 'append'
    world.append(line(11))
    const first = errorOf(world.settled())
    await cluster.time.advance(2_000)
    world.append(line(12))
    const second = errorOf(world.settled())
    await cluster.time.advance(2_000)
    const refused = await cluster.wait(first, 10)
    const { trouble } = storage
    await cluster.time.advance(1_980)

    expect([refused, await cluster.wait(second, 20)]).toEqual([late, late])
    expect(trouble).toBe('the storage has not confirmed a change for 4s')
    redis.isDeaf = () => false
    redis.break()
    redis.connect()
    await cluster.time.advance(100)
    expect([storage.trouble, cluster.stored()]).toEqual([undefined, [11, 12]])
  })

  it('is refused after 4 s, if it waits for a claim', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    redis.isDeaf = command => command === 'claim'
    const refused = errorOf(storage.claim('x', any))

    expect(await cluster.wait(refused, 4_100)).toBe(late)
  })
})

describe('a world that is deleted', () => {
  it.for([
    ['', false],
    [', and is claimed again', true],
  ] as const)('is deleted on the server too, if it was just lost because the server was full%s', async ([, claims]) => {
    const cluster = new Cluster()
    const { storage, redis, lost } = await cluster.join()
    const world = await cluster.create(storage)
    redis.refusal = command => (command === 'append' ? new RedisError('refused', 'it is full') : undefined)
    world.append(line(11))
    await cluster.time.advance(100)
    // The claim has to wait.
    cluster.model.restart()
    const claim = claims ? storage.claim('x', { create: false }) : undefined
    await cluster.time.advance(100)
    storage.delete('x')
    await cluster.wait(storage.flush('x'))
    await cluster.wait(Promise.resolve(claim))

    expect([lost.length, cluster.model.worlds.has('x')]).toEqual([1, false])
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

describe('a world that is deleted, on a server that comes back with an older state', () => {
  /** Joins, and creates `x`. `goBack` brings the server back to that moment. `claimAnew` deletes `x`, and claims its id. */
  async function createOnce() {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    const world = await cluster.create(storage)
    const older = cluster.model.copy()
    const goBack = async () => {
      redis.break()
      cluster.model.take(older)
      redis.connect()
      await cluster.time.advance(500)
    }
    const claimAnew = async () => {
      storage.delete('x')
      await cluster.wait(storage.flush('x'))
      await cluster.wait(storage.claim('x', any))
    }
    return { cluster, storage, redis, world, goBack, claimAnew }
  }

  it('is deleted there too, if the server lacks its changes', async () => {
    const { cluster, storage, world, goBack } = await createOnce()
    appendAll(world, 11)
    await cluster.wait(Promise.resolve(world.settled()))
    await goBack()

    expect(world.needsBase).toBe(true)
    world.close()
    storage.delete('x')
    await cluster.wait(storage.flush('x'))
    expect(cluster.model.worlds.has('x')).toBe(false)
  })

  it('is deleted again, if this replica has claimed its id meanwhile', async () => {
    const { cluster, redis, goBack, claimAnew } = await createOnce()
    await claimAnew()
    redis.break()
    redis.connect()
    await cluster.time.advance(500)
    await goBack()

    expect(cluster.model.worlds.has('x')).toBe(false)
  })

  it('is deleted again, if a new one of its id is not created yet', async () => {
    const { cluster, storage, redis, goBack, claimAnew } = await createOnce()
    await claimAnew()
    redis.break()
    const created = errorOf(storage.create('x', newWorld).settled())
    await goBack()

    expect(await created).toContain('send the request again')
    expect(cluster.model.worlds.has('x')).toBe(false)
  })

  it('costs one command', async () => {
    const { cluster, storage, redis, world } = await createOnce()
    world.summarize({ ...newWorld.summary, players: 7 })
    const commands: ScriptCommand[] = []
    redis.refusal = command => void commands.push(command)
    world.close()
    storage.delete('x')
    await cluster.time.advance(100)

    expect(commands).toEqual(['delete'])
  })
})

describe('a replica that leaves', () => {
  it('does not wait for ever for a server that is away', async () => {
    const cluster = new Cluster()
    const { storage, redis } = await cluster.join()
    const world = await cluster.create(storage)
    redis.break()
    world.append(line(11))

    await cluster.wait(storage.leave(), 3_000)
    expect(() => storage.checkLease()).toThrow('is closing')
  })
})
