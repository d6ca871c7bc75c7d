import { createMock, type Mock } from '../../../src/core/mock/mock.js'
import type { AbortSignalLike, MockRequest, MockResponse } from '../../../src/core/pipeline/message.js'
import type { ProcessTime } from '../../../src/core/storage/process-time.js'
import type { ReplicaInfo, SharedStorage } from '../../../src/core/storage/shared-storage.js'
import type { KeptWorld, NewKeptWorld } from '../../../src/core/storage/storage.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import {
  type RedisClient,
  RedisError,
  type Renewal,
  type Reply,
  type ScriptCommand,
} from '../../../src/server/cluster/redis-client.js'
import { Replica, type RequestToRoute } from '../../../src/server/cluster/replica.js'
import { joinReplicas } from '../../../src/server/cluster/replica-storage.js'
import { agreeOnSettings } from '../../../src/server/cluster/shared-settings.js'
import { Service } from '../../../src/server/http/service.js'
import { ScriptModel } from '../../support/script-model.js'
import { type ClientCall, contradictions } from './client-history.js'
import { SimulatedTime } from './simulated-time.js'
import { type ClientPlace, type ClientRequest, finish, WorldClient } from './world-client.js'

/** Something that goes wrong. `replica` picks one. */
export interface Trouble {
  /**
   * `cut`: the connection to the server breaks, and cannot be made again for a while. `hang`: it is silent for a while. `older`:
   * it is away for a while, and comes back without what it has acknowledged in `lostMs` before that.
   */
  readonly kind: 'cut' | 'hang' | 'pause' | 'kill' | 'leave' | 'clock' | 'apart' | 'restart' | 'full' | 'older'
  /** When it begins, and how long it takes, in ms. */
  readonly at: number
  readonly ms: number
  readonly replica: number
  /** In ms. Default: 0. */
  readonly lostMs?: number
}

interface SimulationOptions {
  readonly seed: number
  readonly troubles: readonly Trouble[]
  /** A bug that the simulation must find. Default: none. */
  readonly bug?: PlantedBug | undefined
}

/**
 * `fence`: the server takes changes of a replica that is no longer the owner. `lease`: a replica never notices that its lease has
 * ended. `answer`: answers do not wait for their changes.
 */
export type PlantedBug = 'fence' | 'lease' | 'answer'

/** What a simulation found: what the clients saw, and what is wrong with that. */
interface SimulationResult {
  readonly calls: readonly ClientCall[]
  readonly problems: readonly string[]
}

const worldIds = ['default', 'a', 'b'] as const
const links = ['device.mock.sofa', 'device.mock.desk'] as const
const seatsPerLobby = 2
/** Troubles begin and end in this time, in ms. */
export const troubledMs = 12_000
/** The time after it in which everything must work again, in ms. */
const calmMs = 60_000

const scenario = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  game_modes: [{ game_mode_id: 'duel', max_players: seatsPerLobby }],
  device_links: links.map(token => ({ token })),
} as const

/** A small generator of random numbers, so that a seed makes the same simulation again. */
class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)] as Item // the list is not empty
  }

  /** The time of a message on its way, in ms. Some take long. */
  latency(): number {
    return this.next() < 0.3 ? this.next() * 300 : this.next() * 4
  }
}

/** The server that the replicas share. */
class SimulatedServer {
  readonly model: ScriptModel
  isFull = false
  isSilent = false
  /** The number of troubles that keep it away. */
  away = 0
  /** Replies that wait for the end of a silence. */
  #held: (() => void)[] = []

  constructor(time: SimulatedTime) {
    this.model = new ScriptModel(() => 1_800_000_000_000 + time.now)
  }

  /** Runs a command when the server is not silent. */
  whenAwake(run: () => void): void {
    if (this.isSilent) this.#held.push(run)
    else run()
  }

  wake(): void {
    this.isSilent = false
    for (const run of this.#held.splice(0)) run()
  }
}

/** Commands that a full server runs. */
const needNoMemory: readonly ScriptCommand[] = [
  ...(['enter', 'leave', 'replica', 'replicas', 'list', 'claim', 'resume', 'lines', 'read'] as const),
  ...(['abandon', 'note', 'release', 'delete'] as const),
]

/** The time without a reply after which a connection counts as broken, in ms. */
const silenceMs = 2_500

/** The surroundings of all replicas. */
interface Surroundings {
  readonly time: SimulatedTime
  readonly chance: Chance
  readonly server: SimulatedServer
  readonly bug: PlantedBug | undefined
}

/** The connections of a replica to the server. */
class SimulatedRedis implements RedisClient {
  readonly place = 'redis://model'
  readonly #time: SimulatedTime
  readonly #chance: Chance
  readonly #server: SimulatedServer
  readonly #bug: PlantedBug | undefined
  /** Runs something in the process of the replica, unless that is paused or dead. */
  readonly #inProcess: (run: () => void) => void
  readonly #listeners = new Set<() => void>()
  readonly #open = new Set<(error: RedisError) => void>()
  #isCut = false
  #generation = 0
  /** Messages of one connection arrive in order. */
  #lastArrival = 0
  #lastReply = 0

  constructor({ time, chance, server, bug }: Surroundings, inProcess: (run: () => void) => void) {
    this.#time = time
    this.#chance = chance
    this.#server = server
    this.#bug = bug
    this.#inProcess = inProcess
  }

  run(command: ScriptCommand, args: readonly string[]): Promise<Reply> {
    return this.#send(() => {
      if (this.#server.isFull && !needNoMemory.includes(command)) throw new RedisError('refused', 'it is full')
      return this.#server.model.run(command, this.#bug === 'fence' ? this.#unfenced(command, args) : args)
    })
  }

  renew(replicaId: string, leaseMs: number): Promise<Renewal> {
    return this.#send(() => this.#server.model.renew(replicaId, leaseMs))
  }

  onConnect(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  close(): void {
    this.cut()
  }

  /** Breaks the connections. Commands on their way may still arrive. */
  cut(): void {
    this.#isCut = true
    this.#generation += 1
    for (const reject of [...this.#open]) reject(new RedisError('away', 'the connection broke'))
  }

  mend(): void {
    if (!this.#isCut || this.#server.away > 0) return
    this.#isCut = false
    this.#inProcess(() => {
      for (const listener of [...this.#listeners]) listener()
    })
  }

  /** Sends an append in the name of the owner. */
  #unfenced(command: ScriptCommand, [log = '', self = '', id = '', epoch = '', ...args]: readonly string[]) {
    const world = command === 'append' ? this.#server.model.worlds.get(id) : undefined
    return [log, world?.owner ?? self, id, world?.epoch ?? epoch, ...args]
  }

  #send<Result>(execute: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isCut || this.#server.away > 0) return reject(new RedisError('away', 'nothing listens there'))
      const generation = this.#generation
      const isLost = this.#chance.next() < 0.2
      const fail = (error: RedisError) => {
        this.#open.delete(fail)
        this.#inProcess(() => reject(error))
      }
      this.#open.add(fail)
      const reply = (settle: () => void) => {
        this.#lastReply = Math.max(this.#lastReply, this.#time.now + this.#chance.latency())
        this.#time.after(this.#lastReply - this.#time.now, () => {
          if (generation === this.#generation) this.#inProcess(() => void (this.#open.delete(fail) && settle()))
        })
      }
      this.#lastArrival = Math.max(this.#lastArrival, this.#time.now + this.#chance.latency())
      const arrive = () => {
        try {
          const result = execute()
          reply(() => resolve(result))
        } catch (error) {
          if (!(error instanceof RedisError)) throw error
          reply(() => reject(error))
        }
      }
      this.#time.after(this.#lastArrival - this.#time.now, () =>
        this.#server.whenAwake(() => {
          if (generation === this.#generation) arrive()
          // What was sent on a broken connection arrives late, often when another replica has just taken over, or not at all.
          else if (!isLost)
            this.#time.after(this.#chance.next() < 0.3 ? 100 : 2_000 + this.#chance.next() * 2_000, arrive)
        }),
      )
      this.#time.after(silenceMs, () => {
        if (!this.#open.has(fail) || generation !== this.#generation) return
        this.cut()
        this.#time.after(100, () => this.mend())
      })
    })
  }
}

/** One of the replicas, with the process that it runs in. */
class SimulatedReplica {
  readonly address: string
  readonly redis: SimulatedRedis
  /** Set when it has joined. */
  parts: { readonly mock: Mock; readonly service: Service; readonly replica: Replica } | undefined
  isDead = false
  /** The number of ms that its clock is ahead. */
  skewMs = 0
  readonly environment: ProcessTime
  /** Called when the process ends. */
  readonly onDeath = new Set<() => void>()
  #isPaused = false
  #held: (() => void)[] = []

  constructor(address: string, surroundings: Surroundings) {
    const { time, bug } = surroundings
    const now = () => (bug === 'lease' ? 0 : time.now)
    this.address = address
    this.redis = new SimulatedRedis(surroundings, run => this.run(run))
    this.environment = {
      now: () => 1_800_000_000_000 + now() + this.skewMs,
      monotonic: now,
      setTimer: (run, ms) => time.after(ms, () => this.run(run)),
    }
  }

  run(run: () => void): void {
    if (this.isDead) return
    if (this.#isPaused) this.#held.push(run)
    else run()
  }

  pause(): void {
    this.#isPaused = true
  }

  goOn(): void {
    this.#isPaused = false
    for (const run of this.#held.splice(0)) this.run(run)
  }

  kill(): void {
    this.isDead = true
    for (const tell of [...this.onDeath]) tell()
    this.redis.cut()
  }
}

/** The network between clients and replicas, and the life of the replicas. */
class Simulation implements ClientPlace {
  readonly worlds = worldIds
  readonly links = links
  readonly resetWorld = 'r'
  readonly time = new SimulatedTime()
  readonly problems: string[] = []
  readonly calls: ClientCall[] = []
  readonly chance: Chance
  readonly #server = new SimulatedServer(this.time)
  readonly #options: SimulationOptions
  readonly #places: SimulatedReplica[] = []
  readonly #mocks: Mock[] = []
  #apartUntil = 0
  #order = 0
  #starts = 0

  constructor(options: SimulationOptions) {
    this.chance = new Chance(options.seed)
    this.#options = options
  }

  /** Numbers the beginnings and ends of calls. */
  nextOrder(): number {
    return ++this.#order
  }

  get living(): readonly SimulatedReplica[] {
    return this.#places.filter(({ isDead, parts }) => !isDead && parts)
  }

  start(place: number): void {
    const { time, chance } = this
    const surroundings = { time, chance, server: this.#server, bug: this.#options.bug }
    const replica = new SimulatedReplica(`http://replica-${place}-${this.#starts++}`, surroundings)
    this.#places[place] = replica
    void this.#join(replica).catch(() => {
      // Without the server there is no start. Somebody starts it again.
      replica.isDead = true
      time.after(500, () => this.start(place))
    })
  }

  async #join(replica: SimulatedReplica): Promise<void> {
    const { environment, redis, address } = replica
    const shared = await joinReplicas(redis, {
      ...{ address, environment },
      newId: () => `id-${Math.floor(this.chance.next() * 2 ** 48).toString(36)}`,
    })
    // A short history, and a short log before it: bases are replaced too.
    const mock = createMock({ scenario, history: 3 })
    const own = this.#options.bug === 'answer' ? withoutWaiting(shared) : shared
    const storage = new WorldStorage(own, { environment, leastLogBytes: 0 })
    await agreeOnSettings(storage, shared, { ...JSON.parse(mock.settingsText()), flags: {} }) // an object
    mock.worlds.keepIn({ storage, shared, dataTtlMs: Number.POSITIVE_INFINITY, replicas: async () => [] })
    this.#mocks.push(mock)
    const { worlds } = mock
    replica.parts = { mock, service: new Service(mock), replica: new Replica({ storage: shared, worlds, environment }) }
  }

  begin({ kind, ms, replica: place, lostMs = 0 }: Trouble): void {
    const replica = this.#places[place]
    const later = (run: () => void) => void this.time.after(Math.min(ms, troubledMs - this.time.now), run)
    if (kind === 'full' || kind === 'hang') {
      const server = this.#server
      if (kind === 'full') server.isFull = true
      else server.isSilent = true
      later(() => {
        if (kind === 'full') server.isFull = false
        else server.wake()
      })
    } else if (kind === 'older' || kind === 'restart') {
      const server = this.#server
      const { model } = server
      const older = kind === 'older' ? model.copy() : undefined
      this.time.after(lostMs, () => {
        // Replicas that start meanwhile do not reach it either.
        server.away += 1
        for (const { redis } of this.#places) redis.cut()
        later(() => {
          server.away -= 1
          if (older) model.take(older)
          else model.restart()
          for (const { redis, isDead } of this.#places) if (!isDead) redis.mend()
        })
      })
    } else if (kind === 'apart') {
      this.#apartUntil = Math.max(this.#apartUntil, Math.min(this.time.now + ms, troubledMs))
    } else if (!replica?.parts || replica.isDead) {
      return
    } else if (kind === 'cut') {
      replica.redis.cut()
      later(() => void (replica.isDead || replica.redis.mend()))
    } else if (kind === 'pause') {
      replica.pause()
      later(() => replica.goOn())
    } else if (kind === 'clock') {
      replica.skewMs += (this.chance.next() < 0.5 ? 1 : -1) * 3_600_000
    } else if (kind === 'kill') {
      replica.kill()
      later(() => this.start(place))
    } else {
      void this.#leave(replica.parts).then(() => {
        // Another trouble may have ended it meanwhile. Each end has one start.
        if (replica.isDead) return
        replica.kill()
        later(() => this.start(place))
      })
    }
  }

  async #leave({ mock, replica }: NonNullable<SimulatedReplica['parts']>): Promise<void> {
    mock.announceClose()
    replica.announceClose()
    await mock.close()
    replica.close()
  }

  /** Ends all replicas, and starts one that has only what the server kept. */
  async restart(): Promise<void> {
    await Promise.all(this.living.map(({ parts }) => parts && this.#leave(parts)))
    for (const replica of this.living) replica.kill()
    this.start(0)
    while (this.living.length === 0) await this.pause(50)
  }

  /** Ends the timers that take no simulated time, also those of killed replicas. They would keep everything in memory. */
  close(): void {
    for (const mock of this.#mocks) void mock.close()
  }

  random(): number {
    return this.chance.next()
  }

  pause(ms: number): Promise<void> {
    return new Promise(resolve => this.time.after(ms, resolve))
  }

  async send({ body, ...sent }: ClientRequest, process?: number): ReturnType<ClientPlace['send']> {
    const { living } = this
    const replica = process === undefined && living.length > 0 ? this.chance.pick(living) : this.#places[process ?? 0]
    if (!replica?.parts || replica.isDead) return { wasSent: false }
    const request: MockRequest = {
      ...sent,
      headers: { host: '127.0.0.1', 'content-type': 'application/json' },
      publicUrl: undefined,
      body: body === undefined ? undefined : new TextEncoder().encode(body),
    }
    const response = await this.#answer(request, replica)
    return response
      ? { wasSent: true, status: response.status, text: Buffer.from(response.body).toString() }
      : { wasSent: true }
  }

  /** Resolves with `undefined` if the connection breaks. */
  #answer(request: MockRequest, replica: SimulatedReplica): Promise<MockResponse | undefined> {
    return new Promise(resolve => {
      const lose = () => {
        replica.onDeath.delete(lose)
        resolve(undefined)
      }
      replica.onDeath.add(lose)
      const respond = (response: MockResponse) => {
        this.time.after(this.chance.latency(), () => {
          if (replica.onDeath.delete(lose)) resolve(response)
        })
      }
      this.time.after(this.chance.latency(), () =>
        replica.run(() => {
          const refuseAsNotOwner = () => this.problems.push('a client was turned away')
          this.#route(replica, request, { isForwarded: false, waitedMs: 0, respond, refuseAsNotOwner })
        }),
      )
    })
  }

  #route(
    replica: SimulatedReplica,
    request: MockRequest,
    options: Pick<RequestToRoute, 'isForwarded' | 'waitedMs' | 'respond' | 'refuseAsNotOwner'>,
  ): void {
    const { parts } = replica
    // It has not joined yet, and nothing listens.
    if (!parts) return
    const { world } = parts.service.serve(request, () => replica.address)
    parts.replica.route({
      ...options,
      worldId: world?.id ?? '',
      mayCreate: request.method !== 'DELETE',
      needsContent: world?.needsContent === true,
      isRepeatable: request.method === 'GET',
      gone: {
        get aborted() {
          return replica.isDead
        },
        addEventListener() {},
        removeEventListener() {},
      },
      answer: waitedMs => parts.service.serve({ ...request, waitedMs }, () => replica.address).answer(),
      forward: (owner, { waitedMs, signal }) =>
        this.#forward(replica, owner, { request, waitedMs, signal, respond: options.respond }),
      responseTo: error => parts.mock.router.outside.refuse(request, error),
    })
  }

  #forward(
    from: SimulatedReplica,
    owner: ReplicaInfo,
    {
      request,
      waitedMs,
      signal,
      respond,
    }: { readonly request: MockRequest; readonly signal: AbortSignalLike } & Pick<
      RequestToRoute,
      'waitedMs' | 'respond'
    >,
  ): ReturnType<RequestToRoute['forward']> {
    return new Promise(resolve => {
      let mayRun = false
      let hasEnded = false
      const target = this.#places.find(({ address }) => address === owner.address)
      const end = (outcome: Awaited<ReturnType<RequestToRoute['forward']>>) => {
        if (hasEnded) return
        hasEnded = true
        target?.onDeath.delete(lose)
        from.run(() => resolve(outcome))
      }
      const lose = () => end(mayRun ? 'broken' : 'unreachable')
      signal.addEventListener('abort', lose)
      target?.onDeath.add(lose)
      this.time.after(this.chance.latency(), () => {
        if (hasEnded) return
        if (!target || target.isDead || this.time.now < this.#apartUntil) return lose()
        target.run(() => {
          if (hasEnded) return
          mayRun = true
          this.#route(target, request, {
            isForwarded: true,
            waitedMs,
            refuseAsNotOwner: () => void this.time.after(this.chance.latency(), () => end('unread')),
            respond: response =>
              void this.time.after(this.chance.latency(), () => {
                if (this.time.now < this.#apartUntil) return lose()
                from.run(() => {
                  if (hasEnded) return
                  respond(response)
                  end('done')
                })
              }),
          })
        })
      })
    })
  }
}

/** A storage whose worlds let answers leave before their changes are kept. */
function withoutWaiting(storage: SharedStorage): SharedStorage {
  const hasty = (world: KeptWorld) => overridden(world, { settled: () => undefined })
  return overridden(storage, {
    open: (id: string) => {
      const world = storage.open(id)
      return world && hasty(world)
    },
    create: (id: string, start: NewKeptWorld) => hasty(storage.create(id, start)),
  })
}

/** Returns an object with other methods in place of some. */
function overridden<Target extends object>(target: Target, methods: Partial<Target>): Target {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(name in methods ? methods : target, name, name in methods ? methods : target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/**
 * Runs three replicas, a model of their server, and clients in one process, with time of its own. The same options make the same
 * run.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const simulation = new Simulation(options)
  const { time, calls, problems } = simulation
  for (const place of [0, 1, 2]) simulation.start(place)
  for (const trouble of options.troubles) time.after(trouble.at, () => simulation.begin(trouble))
  await time.advance(100)

  const isOver = () => time.now > troubledMs
  const loads = Array.from({ length: 4 }, () => new WorldClient(simulation).run(isOver, 400))
  let watched = 0
  for (const world of worldIds)
    for (const link of links)
      void new WorldClient(simulation).watchOn(world, link).then(() => {
        watched += 1
      })
  let hasEnded = false
  const end = async () => {
    await Promise.all(loads)
    await simulation.pause(troubledMs + 5_000 - time.now)
    await finish(simulation, 3)
    // What the server has kept is all that a new replica knows.
    await simulation.restart()
    await finish(simulation, 1)
    hasEnded = true
  }
  void end()
  await time.advance(troubledMs + calmMs)
  simulation.close()
  if (!hasEnded) problems.push('some calls have no answer after the troubles')
  else if (watched < worldIds.length * links.length) problems.push('a watch has no answer after its link was completed')
  return { calls, problems: [...problems, ...contradictions(calls, seatsPerLobby)] }
}
