import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import type { SharedStorage } from '../../../src/core/storage/shared-storage.js'
import { type KeptLine, type KeptWorld, StorageError } from '../../../src/core/storage/storage.js'
import { RedisError } from '../../../src/server/cluster/redis-client.js'
import { joinReplicas } from '../../../src/server/cluster/replica-storage.js'
import { newWorld } from '../../support/kept-worlds.js'
import { newAddress } from '../../support/replicas.js'
import { ModelRedis, ScriptModel } from '../../support/script-model.js'
import { type SimulatedEnvironment, SimulatedTime } from '../../support/simulated-time.js'

const hour = 3_600_000
const replica = fc.nat(2)
const world = fc.constantFrom('x', 'y')

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      replica,
      world,
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('read' as const), replica, world }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('base' as const), replica, world, share: fc.nat(10) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('release' as const, 'refuse' as const, 'put' as const),
      replica,
      world,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), replica, world, opens: fc.boolean() }) },
  // Its connection breaks, and comes back; its process is stopped, and goes on.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('break' as const, 'connect' as const, 'stop' as const, 'continue' as const),
      replica,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('slow' as const), replica, ms: fc.constantFrom(1, 300, 4_000, 4_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('jump' as const), replica, ms: fc.constantFrom(hour, -hour, 5_000) }),
  },
  // It ends without a word, or gives its worlds back, and another one comes.
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('kill' as const, 'leave' as const), replica }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 5, 100, 600, 600, 3_000) }),
  },
)

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** A world in the memory of a replica: its texts, by revision. */
interface OpenWorld {
  readonly kept: KeptWorld
  readonly texts: Map<number, string>
}

/** A deletion, and the texts of its world that were written before it began, and before its outcome was known. */
interface Deletion {
  readonly world: string
  readonly before: ReadonlySet<string>
  until?: ReadonlySet<string>
  outcome: 'unknown' | 'deleted' | 'refused'
}

interface Replica {
  readonly storage: SharedStorage
  readonly redis: ModelRedis
  readonly environment: SimulatedEnvironment
  readonly network: { delayMs: number }
  readonly open: Map<string, OpenWorld>
  readonly refused: Set<string>
}

/**
 * Replicas that write texts to worlds, and delete them. What was acknowledged must be in all that is read later, until somebody
 * deletes it. What was refused or is deleted must be in none.
 */
class Simulation {
  readonly #time = new SimulatedTime()
  readonly #serverTime = this.#time.environment()
  readonly #model = new ScriptModel(() => this.#serverTime.now())
  readonly #replicas: Replica[] = []
  readonly #acknowledged = new Map<string, Set<string>>([
    ['x', new Set()],
    ['y', new Set()],
  ])
  /** The texts whose writers were told that they are not kept. */
  readonly #refused = new Set<string>()
  /** All texts, by world. */
  readonly #written = new Map<string, string[]>([
    ['x', []],
    ['y', []],
  ])
  readonly #deletions: Deletion[] = []
  readonly #errors: unknown[] = []
  #writes = 0

  async run(steps: readonly Step[]): Promise<void> {
    for (const i of [0, 1, 2]) this.#replicas[i] = await this.#join()
    for (const step of steps) {
      await this.#run(step)
      if (this.#errors.length > 0) throw this.#errors[0]
    }
    await this.#check()
  }

  async #run(step: Step): Promise<void> {
    if (step.kind === 'pass') return this.#time.advance(step.ms)
    const one = this.#replicas[step.replica]
    if (!one) return
    if (step.kind === 'connect') one.redis.connect()
    else if (step.kind === 'break') one.redis.break()
    else if (step.kind === 'stop' || step.kind === 'continue') one.environment.isStopped = step.kind === 'stop'
    else if (step.kind === 'slow') one.network.delayMs = step.ms
    else if (step.kind === 'jump') one.environment.skewMs += step.ms
    else if (step.kind === 'kill' || step.kind === 'leave') await this.#replace(step.replica, one, step.kind)
    // A stopped process does nothing.
    else if (one.environment.isStopped) return
    else if (step.kind === 'refuse') one.refused.add(step.world)
    else if (step.kind === 'release') this.#inBackground(this.#release(one, step.world))
    else if (step.kind === 'put') this.#inBackground(this.#put(one, step.world))
    else if (step.kind === 'delete') this.#inBackground(this.#delete(one, step.world, step.opens))
    else if (step.kind === 'write' || step.kind === 'read' || step.kind === 'base')
      this.#inBackground(this.#use(one, step))
  }

  async #join(): Promise<Replica> {
    const environment = this.#time.environment()
    const network = { delayMs: 1 }
    const redis = new ModelRedis(this.#model, environment, {
      delayMs: () => network.delayMs,
      network: this.#serverTime,
    })
    const refused = new Set<string>()
    redis.refusal = (command, [, , id = '']) =>
      command === 'append' && refused.delete(id) ? new RedisError('refused', 'it is full') : undefined
    const joined = joinReplicas(redis, { address: newAddress(), environment })
    await this.#time.advance(50)
    const storage = await joined
    const open = new Map<string, OpenWorld>()
    storage.onLost(({ id }) => void open.delete(id))
    return { storage, redis, environment, network, open, refused }
  }

  async #replace(index: number, one: Replica, how: 'kill' | 'leave'): Promise<void> {
    if (how === 'leave') void one.storage.leave()
    else {
      one.redis.break()
      one.environment.isStopped = true
    }
    this.#replicas[index] = await this.#join()
  }

  /** Runs what a client waits for. A refusal is no error. */
  #inBackground(work: Promise<void>): void {
    work.catch(error => {
      if (!(error instanceof StorageError)) this.#errors.push(error)
    })
  }

  async #release(one: Replica, id: string): Promise<void> {
    one.open.delete(id)
    await one.storage.release(id)
  }

  /** Creates a world that nobody has claimed. */
  async #put(one: Replica, id: string): Promise<void> {
    if (one.open.has(id)) return
    const kept = one.storage.create(id, newWorld)
    one.open.set(id, { kept, texts: new Map() })
    await kept.settled()
  }

  /** Deletes a world. `opens`: this replica runs it, or tries to. */
  async #delete(one: Replica, id: string, opens: boolean): Promise<void> {
    if (opens) await this.#open(one, id)
    else await one.storage.refresh()
    if (!one.storage.list().some(known => known.id === id)) return
    const deletion: Deletion = { world: id, before: new Set(this.#written.get(id)), outcome: 'unknown' }
    one.storage.delete(id)
    one.open.delete(id)
    this.#deletions.push(deletion)
    try {
      await one.storage.flush(id)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (error.keptUpTo === Number.NEGATIVE_INFINITY) deletion.outcome = 'refused'
      return
    }
    Object.assign(deletion, { outcome: 'deleted', until: new Set(this.#written.get(id)) })
  }

  /** Tells whether a text may be missing, because somebody has deleted its world, or tries to. */
  #mayMiss(id: string, text: string): boolean {
    return this.#deletions.some(
      ({ world, until, outcome }) => world === id && outcome !== 'refused' && (until?.has(text) ?? true),
    )
  }

  #deleted(): string[] {
    return this.#deletions.flatMap(({ before, outcome }) => (outcome === 'deleted' ? [...before] : []))
  }

  async #use(one: Replica, step: Extract<Step, { kind: 'write' | 'read' | 'base' }>): Promise<void> {
    const id = step.world
    // What this client may have learned before.
    const known = [...(this.#acknowledged.get(id) ?? [])]
    const deleted = this.#deleted()
    const world = await this.#open(one, id)
    if (!world) return
    one.storage.checkLease()
    if (step.kind === 'base') return this.#replaceBase(world, step.share)
    const own = step.kind === 'write' ? this.#write(id, world, step.count) : []
    const answer = [...world.texts.values()]
    try {
      await world.kept.settled()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      for (const { revision, text } of own) if (revision > error.keptUpTo) this.#refused.add(text)
      return
    }
    // Here the answer leaves.
    for (const { text } of own) this.#acknowledged.get(id)?.add(text)
    expect(answer).toEqual(expect.arrayContaining(known.filter(text => !this.#mayMiss(id, text))))
    expect(answer.filter(text => this.#refused.has(text) || deleted.includes(text))).toEqual([])
  }

  async #open(one: Replica, id: string): Promise<OpenWorld | undefined> {
    const known = one.storage.owns(id) ? one.open.get(id) : undefined
    if (known) return known
    const { kind } = await one.storage.claim(id, { create: true })
    if (kind === 'other' || kind === 'absent') return undefined
    // Another client of this process was quicker.
    const opened = one.open.get(id)
    if (opened) return opened
    const kept = kind === 'new' ? one.storage.create(id, newWorld) : one.storage.open(id)
    // Another client has deleted it meanwhile.
    if (!kept) return undefined
    const base = JSON.parse(kept.base ?? '[]') as [number, string][]
    const lines = [...kept.lines].map(({ revision, text }): [number, string] => [revision, text])
    const texts = new Map([...base, ...lines])
    const world = { kept, texts }
    one.open.set(id, world)
    return world
  }

  #write(id: string, { kept, texts }: OpenWorld, count: number): KeptLine[] {
    return Array.from({ length: count }, () => {
      this.#writes += 1
      const revision = Math.max(10, ...texts.keys()) + 1
      const text = `text ${this.#writes}`
      kept.append({ revision, text })
      texts.set(revision, text)
      this.#written.get(id)?.push(text)
      return { revision, text }
    })
  }

  #replaceBase({ kept, texts }: OpenWorld, share: number): void {
    const all = [...texts]
    const base = all.slice(0, Math.ceil((all.length * share) / 10))
    const revision = kept.needsBase ? all.at(-1)?.[0] : base.at(-1)?.[0]
    if (revision === undefined) return
    kept.replaceBase({ parts: [JSON.stringify(base)], revision, originHash: kept.originHash })
  }

  /** Lets a new replica read all worlds, when everybody else is gone. */
  async #check(): Promise<void> {
    for (const one of this.#replicas) one.environment.isStopped = true
    await this.#time.advance(20_000)
    const last = await this.#join()
    for (const id of ['x', 'y']) {
      const opening = this.#open(last, id)
      await this.#time.advance(100)
      const { texts } = (await opening) ?? { texts: new Map() }
      const acknowledged = [...(this.#acknowledged.get(id) ?? [])].filter(text => !this.#mayMiss(id, text))
      expect([...texts.values()]).toEqual(expect.arrayContaining(acknowledged))
      expect(new Set(texts.values()).size).toBe(texts.size)
      const deleted = this.#deleted()
      expect([...texts.values()].filter(text => this.#refused.has(text) || deleted.includes(text))).toEqual([])
    }
    if (this.#errors.length > 0) throw this.#errors[0]
    last.redis.close()
  }
}

describe('replicas that share worlds', () => {
  it.prop([fc.array(step, { minLength: 1, maxLength: 60, size: 'max' })], { numRuns: inject('runs') })(
    'show and keep all that was acknowledged, and nothing deleted, whatever happens',
    async steps => {
      await new Simulation().run(steps)
    },
  )
})
