import type { ProcessTime } from '../../src/core/storage/process-time.js'
import {
  type RedisClient,
  RedisError,
  type Renewal,
  type Reply,
  type ScriptCommand,
} from '../../src/server/cluster/redis-client.js'

/** A world as the script keeps it. Absent fields are undefined. */
interface ModelWorld {
  owner: string
  epoch: string
  claimedAt?: string
  takenFrom?: string
  born?: string
  starts: number
  revision?: string
  baseRevision?: string
  origin?: string
  time: string
  summary: string
  logBytes: number
  base: string
  newBase: { readonly attempt: string; readonly text: string } | undefined
  regained?: string | undefined
  lines: Map<string, string>
  origins: Map<string, string>
}

const bytesOf = (text: string) => Buffer.byteLength(text)

/** A model of Redis with the script `replicas.lua`: the same replies, the same content. */
export class ScriptModel {
  readonly #now: () => number
  readonly worlds = new Map<string, ModelWorld>()
  readonly #leases = new Map<string, { readonly info: string; readonly endsAt: number }>()
  readonly #replicas = new Set<string>()
  #meta:
    | {
        readonly format: string
        readonly log: string
        readonly secret: string
        settings: string
        run: { readonly id: number; readonly since: number; readonly epoch: number }
      }
    | undefined
  #lastEpoch = 0
  #runId = 1

  /** `now` is the clock of the server, in ms since the epoch. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Runs a command as a whole. `args`: the id of the log, the id of the replica, and those of the command. */
  run(command: ScriptCommand, [log = '', self = '', ...args]: readonly string[]): Reply {
    if (command === 'enter') return this.#enter(log, self, args)
    if (this.#meta?.log !== log) return ['log']
    return this.#commands[command](self, ...args)
  }

  renew(replicaId: string, leaseMs: number): Renewal {
    const info = this.#infoOf(replicaId)
    if (info !== undefined) this.#leases.set(replicaId, { info, endsAt: this.#now() + leaseMs })
    return { isHeld: info !== undefined, serverNow: this.#now() }
  }

  /** Ends a lease before its time. */
  endLease(replicaId: string): void {
    this.#leases.delete(replicaId)
  }

  /** Loses everything, as a server without a file does when it starts again. */
  forget(): void {
    this.worlds.clear()
    this.#leases.clear()
    this.#replicas.clear()
    this.#meta = undefined
    this.#lastEpoch = 0
  }

  /** Starts again, with all that it has. */
  restart(): void {
    this.#runId += 1
  }

  /** Loses a world and all epochs, as a server does that goes back to a state before them. */
  lose(id: string): void {
    this.worlds.delete(id)
    this.#lastEpoch = 0
  }

  /** Returns a copy that goes its own way: an older state of the server. */
  copy(): ScriptModel {
    const copy = new ScriptModel(this.#now)
    copy.take(this)
    return copy
  }

  /** Starts again with the state of another model, as a server does that fails over to a copy. */
  take(other: ScriptModel): void {
    this.restart()
    const { worlds, leases, replicas, meta, lastEpoch } = structuredClone(other.#state)
    this.forget()
    for (const [id, world] of worlds) this.worlds.set(id, world)
    for (const [id, lease] of leases) this.#leases.set(id, lease)
    for (const id of replicas) this.#replicas.add(id)
    this.#meta = meta
    this.#lastEpoch = lastEpoch
  }

  get #state() {
    return {
      worlds: this.worlds,
      leases: this.#leases,
      replicas: this.#replicas,
      meta: this.#meta,
      lastEpoch: this.#lastEpoch,
    }
  }

  #infoOf(replica: string): string | undefined {
    const lease = this.#leases.get(replica)
    return lease && lease.endsAt > this.#now() ? lease.info : undefined
  }

  #living(): string[] {
    return [...this.#replicas].flatMap(replica => this.#infoOf(replica) ?? [])
  }

  #enter(
    log: string,
    self: string,
    [info = '', leaseMs, format = '', newLog = '', secret = '']: readonly string[],
  ): Reply {
    if (log !== '' && this.#meta?.log !== log) return ['log']
    if (this.#meta && this.#meta.format !== format) return ['format', this.#meta.format]
    const { address } = JSON.parse(info)
    for (const replica of [...this.#replicas]) {
      const other = this.#infoOf(replica)
      if (other === undefined) this.#replicas.delete(replica)
      else if (replica !== self && JSON.parse(other).address === address) return ['address', other]
    }
    this.#meta ??= { format, log: newLog, secret, settings: '', run: { id: this.#runId, since: 0, epoch: 0 } }
    this.#runFor()
    this.#leases.set(self, { info, endsAt: this.#now() + Number(leaseMs) })
    this.#replicas.add(self)
    return ['ok', this.#meta.log, this.#meta.secret, this.#meta.settings]
  }

  #lost(self: string, owner: string): Reply {
    return ['lost', owner === self ? '' : (this.#infoOf(owner) ?? '')]
  }

  /** Returns the world, or a refusal unless the replica owns it by that epoch. */
  #fenced(self: string, id: string, epoch: string): ModelWorld | Reply {
    const world = this.worlds.get(id)
    return world && world.owner === self && world.epoch === epoch ? world : this.#lost(self, world?.owner ?? '')
  }

  #nextEpoch(): string {
    this.#runFor()
    this.#lastEpoch = Math.max(this.#lastEpoch + 1, Math.floor(this.#now() * 1_000))
    return String(this.#lastEpoch)
  }

  #runFor(): { readonly sinceMs: number; readonly restored: number } {
    const time = Math.floor(this.#now())
    const run = this.#meta?.run
    if (run?.id === this.#runId && run.since <= time) return { sinceMs: time - run.since, restored: run.epoch }
    if (this.#meta) this.#meta.run = { id: this.#runId, since: time, epoch: this.#lastEpoch }
    return { sinceMs: 0, restored: this.#lastEpoch }
  }

  readonly #commands: { readonly [Command in ScriptCommand]: (self: string, ...args: string[]) => Reply } = {
    enter: () => {
      throw new Error('unreachable')
    },
    leave: self => {
      this.#leases.delete(self)
      this.#replicas.delete(self)
      return ['ok']
    },
    replica: (_, id = '') => ['ok', this.#infoOf(id) ?? ''],
    replicas: () => ['ok', this.#living()],
    list: () => [
      'ok',
      this.#meta?.settings ?? '',
      [...this.worlds].flatMap(([id, world]): Reply[] =>
        world.born === undefined
          ? []
          : [
              [
                ...[id, this.#infoOf(world.owner) ?? '', world.epoch, world.claimedAt ?? '', world.takenFrom ?? ''],
                ...[world.revision ?? '', world.summary],
                String(world.logBytes + bytesOf(world.base) + originBytes(world)),
              ],
            ],
      ),
    ],
    settings: (_, before, after = '') => {
      const stored = this.#meta?.settings ?? ''
      if (stored === after) return ['ok']
      if (stored !== before) return ['changed', stored]
      if (this.#meta) this.#meta.settings = after
      return ['ok']
    },
    probe: () => ['ok'],
    claim: (self, id = '', create, leaseMs) => this.#claim(self, id, create === '1', Number(leaseMs)),
    resume: (self, leaseMs, ...list) => [
      'ok',
      pairs(list, 3).map(([id = '', epoch = '', born]) => this.#resumed(self, id, epoch, born, Number(leaseMs))),
    ],
    lines: (self, id = '', epoch = '', after, count) => {
      const world = epoch === '' ? this.worlds.get(id) : this.#fenced(self, id, epoch)
      if (isReply(world)) return world
      if (world?.born === undefined) return ['absent']
      const lines = [...world.lines].filter(([revision]) => Number(revision) > Number(after)).slice(0, Number(count))
      return ['ok', world.born, lines.flatMap(([revision, text]) => [`${revision}-0`, text])]
    },
    read: (self, id = '', epoch = '') => {
      const world = epoch === '' ? this.worlds.get(id) : this.#fenced(self, id, epoch)
      if (isReply(world)) return world
      if (world?.born === undefined) return ['absent']
      const {
        born,
        starts,
        revision = '',
        baseRevision = '',
        origin = '',
        time,
        summary,
        logBytes,
        origins,
        base,
      } = world
      return [
        ...['ok', born, String(starts), revision, baseRevision, origin, time, summary, String(logBytes)],
        ...[[...origins].flat(), base],
      ]
    },
    create: (self, id = '', ...args) => this.#create(self, id, args),
    append: (self, id = '', epoch = '', ...args) => {
      const world = this.#fenced(self, id, epoch)
      return isReply(world) ? world : append(world, args)
    },
    part: (self, id = '', epoch = '', attempt = '', isFirst, part = '') => {
      const world = this.#fenced(self, id, epoch)
      if (isReply(world)) return world
      const before = isFirst === '1' ? { attempt, text: '' } : world.newBase
      if (before?.attempt !== attempt) return ['absent']
      world.newBase = { attempt, text: before.text + part }
      return ['ok']
    },
    abandon: (self, id = '', epoch = '') => {
      const world = this.#fenced(self, id, epoch)
      if (isReply(world)) return world
      world.newBase = undefined
      return ['ok']
    },
    base: (self, id = '', epoch = '', ...args) => {
      const world = this.#fenced(self, id, epoch)
      return isReply(world) ? world : replaceBase(world, args)
    },
    note: (self, ...list) => [
      'ok',
      pairs(list, 4).map(([id = '', epoch = '', time = '', summary = '']) => {
        const world = this.#fenced(self, id, epoch)
        if (isReply(world)) return world
        if (time !== '') world.time = time
        if (summary !== '') world.summary = summary
        return ['ok']
      }),
    ],
    release: (self, id = '', epoch = '') => {
      const world = this.#fenced(self, id, epoch)
      if (isReply(world)) return world
      if (world.born === undefined) this.worlds.delete(id)
      else world.owner = ''
      return ['ok']
    },
    delete: (self, id = '', epoch = '') => {
      const world = this.worlds.get(id)
      if (!world) return ['ok']
      const isOther = world.owner !== self && (epoch === '' || this.#infoOf(world.owner) !== undefined)
      if (isOther || (epoch !== '' && world.epoch !== epoch)) return this.#lost(self, world.owner)
      this.worlds.delete(id)
      return ['ok']
    },
  }

  #resumed(self: string, id: string, epoch: string, born: string | undefined, leaseMs: number): Reply {
    const known = this.worlds.get(id)
    const isSelf = known?.owner === self
    const isOwn = isSelf && known.epoch === epoch
    if (isOwn && known.born === born && known.regained === undefined) return ['mine', known.revision ?? '']
    if (isSelf && known.regained !== undefined && (isOwn || known.regained === epoch)) return ['regained', known.epoch]
    const { sinceMs, restored } = this.#runFor()
    const isSettling = sinceMs < leaseMs
    const newest = known?.regained ?? known?.epoch ?? (isSettling ? restored : this.#lastEpoch)
    const isOther = !isSelf && !isSettling && this.#infoOf(known?.owner ?? '') !== undefined
    if (!isOwn && (isOther || Number(newest) >= Number(epoch))) return this.#lost(self, known?.owner ?? '')
    this.#lastEpoch = Math.max(this.#lastEpoch, Number(epoch))
    const world = known ?? emptyWorld()
    this.worlds.set(id, world)
    const claim = { owner: self, epoch: this.#nextEpoch(), claimedAt: this.#time, takenFrom: '' }
    Object.assign(world, claim, { newBase: undefined, regained: epoch })
    return ['regained', world.epoch]
  }

  #claim(self: string, id: string, create: boolean, leaseMs: number): Reply {
    if (this.#infoOf(self) === undefined) return ['lease']
    const known = this.worlds.get(id)
    const owner = known?.owner ?? ''
    const info = owner === self ? undefined : this.#infoOf(owner)
    if (known && info !== undefined) return ['other', info, known.epoch]
    const rest = leaseMs - this.#runFor().sinceMs
    if (rest > 0) return ['wait', String(rest)]
    if (known?.born === undefined && !create) {
      if (owner !== self) this.worlds.delete(id)
      return ['absent']
    }
    const world = known ?? emptyWorld()
    this.worlds.set(id, world)
    if (owner !== self) Object.assign(world, { claimedAt: this.#time, takenFrom: owner })
    Object.assign(world, { owner: self, epoch: this.#nextEpoch(), newBase: undefined, regained: undefined })
    if (world.born === undefined) return ['new', world.epoch]
    world.starts += 1
    return ['mine', world.epoch, owner === '' ? '0' : '1']
  }

  get #time(): string {
    return String(Math.floor(this.#now()))
  }

  #create(
    self: string,
    id: string,
    [epoch = '', born = '', revision = '', summary = '', hash = '', origin = '', base = '']: readonly string[],
  ): Reply {
    const known = this.worlds.get(id)
    const owner = known?.owner ?? ''
    if (known && owner === self && known.born === born) return ['ok', known.epoch]
    if (owner !== self && this.#infoOf(owner) !== undefined) return this.#lost(self, owner)
    if (known?.born !== undefined) return ['exists']
    if (epoch !== '' && (owner !== self || known?.epoch !== epoch)) return this.#lost(self, owner)
    const world = {
      ...emptyWorld(),
      ...{ owner: self, epoch: epoch === '' ? this.#nextEpoch() : epoch, claimedAt: this.#time, takenFrom: '' },
      ...{ born, starts: 1, revision, baseRevision: revision, origin: hash, summary, base },
      // A claim may have a time by a note.
      time: known?.time ?? '',
      origins: new Map([[hash, origin]]),
    }
    this.worlds.set(id, world)
    return ['ok', world.epoch]
  }
}

function emptyWorld(): ModelWorld {
  return {
    ...{ owner: '', epoch: '', starts: 0, time: '', summary: '', logBytes: 0, base: '', newBase: undefined },
    lines: new Map(),
    origins: new Map(),
  }
}

function originBytes({ origins }: ModelWorld): number {
  return [...origins.values()].reduce((sum, text) => sum + bytesOf(text), 0)
}

function append(world: ModelWorld, [before, revision = '', line = '', ...origins]: readonly string[]): Reply {
  if (world.revision === undefined) return ['lost', '']
  if (Number(revision) <= Number(world.revision)) return ['ok']
  if (world.revision !== before) return ['gap', world.revision]
  world.lines.set(revision, line)
  putOrigins(world, origins)
  world.revision = revision
  world.logBytes += bytesOf(line)
  return ['ok']
}

function putOrigins(world: ModelWorld, list: readonly string[]): void {
  for (const [hash = '', text = ''] of pairs(list, 2)) if (!world.origins.has(hash)) world.origins.set(hash, text)
}

function replaceBase(
  world: ModelWorld,
  [attempt, sent, revision = '', hash = '', logBytes, born, starts, summary, count, ...list]: readonly string[],
): Reply {
  if (world.newBase === undefined || world.newBase.attempt !== attempt) return ['absent']
  if (world.regained !== undefined) {
    Object.assign(world, { regained: undefined, revision: undefined })
    world.lines.clear()
  } else if (Number(revision) < Number(world.baseRevision ?? 0)) return ['old']
  else if (Number(world.revision ?? 0) > Number(sent)) return ['late']
  if (world.revision === undefined) Object.assign(world, { revision, born, starts: Number(starts), summary })
  const split = Number(count) * 2
  putOrigins(world, list.slice(0, split))
  const named = list.slice(split)
  for (const other of [...world.origins.keys()]) if (!named.includes(other)) world.origins.delete(other)
  for (const other of [...world.lines.keys()]) if (Number(other) <= Number(revision)) world.lines.delete(other)
  if (Number(revision) > Number(world.revision)) world.revision = revision
  Object.assign(world, { base: world.newBase.text, newBase: undefined, baseRevision: revision, origin: hash })
  world.logBytes = Number(logBytes)
  return ['ok']
}

function isReply(value: ModelWorld | Reply | undefined): value is Reply {
  return Array.isArray(value)
}

function pairs(list: readonly string[], size: number): readonly string[][] {
  return Array.from({ length: list.length / size }, (_, i) => list.slice(i * size, (i + 1) * size))
}

/** The connection of a replica to a model, through a network that takes time and breaks. */
export class ModelRedis implements RedisClient {
  readonly place = 'redis://model'
  readonly #model: ScriptModel
  readonly #environment: ProcessTime
  readonly #network: ProcessTime
  readonly #delayMs: () => number
  readonly #listeners = new Set<() => void>()
  /** Rejects the commands that wait. */
  readonly #waiting = new Set<(error: RedisError) => void>()
  #isConnected = true
  /** The times at which the last command arrives, and its reply: they keep their order. */
  #lastAt = Number.NEGATIVE_INFINITY
  #lastReplyAt = Number.NEGATIVE_INFINITY
  /** Refuses a command instead of running it. */
  refusal: (command: ScriptCommand, args: readonly string[]) => RedisError | undefined = () => undefined
  /** Gets no reply to a command. */
  isDeaf: (command: ScriptCommand) => boolean = () => false

  /** `delayMs`: the time of a way, in ms. `network`: its clock, which goes on while the process is stopped. */
  constructor(
    model: ScriptModel,
    environment: ProcessTime,
    { delayMs = () => 0, network = environment }: { delayMs?: () => number; network?: ProcessTime } = {},
  ) {
    this.#model = model
    this.#environment = environment
    this.#network = network
    this.#delayMs = delayMs
  }

  run(command: ScriptCommand, args: readonly string[]): Promise<Reply> {
    const now = this.#network.monotonic()
    this.#lastAt = Math.max(this.#lastAt, now + this.#delayMs())
    const replyDelay = () => {
      const ran = this.#network.monotonic()
      this.#lastReplyAt = Math.max(this.#lastReplyAt, ran + this.#delayMs())
      return this.#lastReplyAt - ran
    }
    if (this.isDeaf(command))
      return this.#send(
        this.#lastAt - now,
        () => this.#model.run(command, args),
        () => Infinity,
      )
    const runs = () => {
      const refusal = this.refusal(command, args)
      if (refusal) throw refusal
      return this.#model.run(command, args)
    }
    return this.#send(this.#lastAt - now, runs, replyDelay)
  }

  renew(replicaId: string, leaseMs: number): Promise<Renewal> {
    return this.#send(this.#delayMs(), () => this.#model.renew(replicaId, leaseMs), this.#delayMs)
  }

  onConnect(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Breaks the connection. Commands on their way may still arrive, and their replies do not. */
  break(): void {
    this.#isConnected = false
    for (const reject of [...this.#waiting]) reject(new RedisError('away', 'the connection broke'))
    this.#waiting.clear()
  }

  connect(): void {
    if (this.#isConnected) return
    this.#isConnected = true
    this.#lastAt = this.#lastReplyAt = Number.NEGATIVE_INFINITY
    for (const listener of [...this.#listeners]) listener()
  }

  close(): void {
    this.break()
    this.#listeners.clear()
  }

  #send<Value>(arrivesInMs: number, run: () => Value, replyDelayMs: () => number): Promise<Value> {
    if (!this.#isConnected) return Promise.reject(new RedisError('away', 'the connection broke'))
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject)
      const settle = (use: () => void) => {
        // Unless the connection broke meanwhile.
        if (this.#waiting.delete(reject)) use()
      }
      this.#network.setTimer(() => {
        try {
          const value = run()
          this.#environment.setTimer(() => settle(() => resolve(value)), replyDelayMs())
        } catch (error) {
          this.#environment.setTimer(() => settle(() => reject(error)), replyDelayMs())
        }
      }, arrivesInMs)
    })
  }
}
