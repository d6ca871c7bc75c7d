import { createHash, randomBytes } from 'node:crypto'
import { Emitter } from '../../core/lib/emitter.js'
import { quoted, UsageError } from '../../core/lib/messages.js'
import { formatDuration } from '../../core/lib/time.js'
import type { Hash } from '../../core/storage/origins.js'
import { type ProcessTime, processTime } from '../../core/storage/process-time.js'
import type { Claim, ReplicaInfo, SharedStorage, SharedSummary } from '../../core/storage/shared-storage.js'
import { type KeptWorld, type NewKeptWorld, StorageError } from '../../core/storage/storage.js'
import { Lease, type LeaseHolder, type LeaseTimes } from './lease.js'
import { type RedisClient, RedisError, type Reply, type ScriptCommand } from './redis-client.js'
import { lossOf, parseInfo, readContent, type SentTexts, summaryOf } from './replica-content.js'
import { Outcome, type ReplicaHost, ReplicaWorld } from './replica-world.js'

/** The version of the keys and their content. */
const format = '1'

export interface ReplicaTimes extends LeaseTimes {
  /** The time after which commands are tried again. Default: 100 ms. */
  readonly retryMs: number
  /** The time between two looks at the list of all worlds. Default: 5 s. */
  readonly refreshMs: number
  /** The longest time for which a request waits for an answer of the server. Default: 4 s. */
  readonly waitMs: number
}

export interface ReplicaOptions {
  /** The URL by which other replicas reach this one. */
  readonly address: string
  /** Returns proofs of the secrets of this replica, which has that id. Default: there are no secrets. */
  readonly proofsOf?: ((id: string) => NonNullable<ReplicaInfo['proofs']>) | undefined
  /** Gets a sentence when the server is away, is back, or lost something. */
  readonly report?: (text: string) => void
  readonly environment?: ProcessTime
  readonly times?: Partial<ReplicaTimes>
  /** Returns a new random id. Default: 128 random bits. */
  readonly newId?: () => string
}

const defaultTimes: ReplicaTimes = {
  ...{ leaseMs: 3_000, countsMs: 2_500, renewMs: 1_000 },
  ...{ retryMs: 100, refreshMs: 5_000, waitMs: 4_000 },
}

/** The time for which a replica remembers what it has deleted, in ms. Redis with `everysec` may lose two seconds. */
const rememberMs = 10_000

/** More worlds would be more arguments than the script can take at once. */
const worldsAtOnce = 500

/** Joins the replicas that share a server. Throws `UsageError` if this one cannot. */
export async function joinReplicas(redis: RedisClient, options: ReplicaOptions): Promise<SharedStorage> {
  const storage = new ReplicaStorage(redis, options)
  try {
    await storage.begin()
  } catch (error) {
    storage.stop()
    if (error instanceof RedisError || error instanceof StorageError)
      throw new UsageError(`cannot use ${redis.place}: ${error.message}`)
    throw error
  }
  return storage
}

class ReplicaStorage implements SharedStorage, ReplicaHost, LeaseHolder {
  readonly self: ReplicaInfo
  readonly place: string
  secret = ''
  settings: string | undefined
  /** The number of saves of the settings whose outcome is open. */
  #saves = 0
  readonly #redis: RedisClient
  readonly environment: ProcessTime
  readonly #times: ReplicaTimes
  readonly #newId: () => string
  readonly report: (text: string) => void
  readonly #lease: Lease
  /** The id of the log. Empty until the lease begins. */
  #log = ''
  /** The final reason why nothing may leave this process. */
  #end: StorageError | undefined
  /** The failure that the worlds were last told: the final one, or that of the lease. */
  #toldFailure: StorageError | undefined
  /** Why the server takes no changes now, although it answers. */
  #refusedBy: RedisError | undefined
  refusal: StorageError | undefined
  #isProbing = false
  readonly #worlds = new Map<string, ReplicaWorld>()
  /** The epochs of the worlds that are claimed, and not yet created. */
  readonly #reserved = new Map<string, string>()
  readonly #claims = new Map<string, Promise<Claim>>()
  readonly #releases = new Map<string, Promise<void>>()
  readonly #deletions = new Map<string, Promise<void>>()
  /** The epochs of worlds that this replica has lost, until a claim is answered. A deletion that has begun before needs them. */
  readonly #lostEpochs = new Map<string, string>()
  /** The worlds that this replica has just deleted, with their epochs. A server with an older state has them again. */
  readonly #deleted = new Map<string, { readonly epoch: string; readonly at: number }>()
  /** Creations, deletions and settings whose outcome `flush` tells, by world. */
  readonly #changes = new Map<string | undefined, Promise<void>>()
  #index: ReadonlyMap<string, SharedSummary & { readonly bytes: number }> = new Map()
  #refreshedAt = Number.NEGATIVE_INFINITY
  readonly #lost = new Emitter<{ readonly id: string; readonly because: string }>()
  /** The ends of calls that wait for the server until the lease ends. */
  readonly #waiting = new Set<Outcome<never>>()
  #retries: (() => void)[] = []
  #isRecovering = false
  #mustRecover = false
  #cancelRecovery: (() => void) | undefined
  #leaving: Promise<void> | undefined

  constructor(redis: RedisClient, { address, proofsOf, report, environment, times, newId }: ReplicaOptions) {
    this.#redis = redis
    this.place = redis.place
    this.environment = environment ?? processTime
    this.#times = { ...defaultTimes, ...times }
    this.#newId = newId ?? (() => randomBytes(16).toString('hex'))
    this.report = report ?? (() => {})
    const id = this.#newId()
    this.self = { id, address, startedAt: this.environment.now(), ...(proofsOf && { proofs: proofsOf(id) }) }
    this.#lease = new Lease(redis, this, { environment: this.environment, times: this.#times })
    redis.onConnect(() => this.#recoverSoon(0))
  }

  createHash(): Hash {
    return createHash('sha256')
  }

  get clockOffsetMs(): number {
    return this.#lease.serverOffsetMs
  }

  get bytes(): number {
    let bytes = 0
    for (const entry of this.#index.values()) bytes += entry.bytes
    return bytes
  }

  /** Begins the lease, and reads the index. Rejects with `UsageError`, `RedisError` or `StorageError`. */
  async begin(): Promise<void> {
    await this.#lease.begin()
    await this.refresh()
  }

  saveSettings(text: string | undefined): void {
    this.#checkChanges()
    const before = this.settings ?? ''
    const earlier = this.#changes.get(undefined)
    const save = async () => {
      await earlier?.catch(() => {})
      const [kind] = await this.run('settings', before, text ?? '')
      if (kind !== 'ok')
        throw new StorageError(`another replica has changed the settings in ${this.place}: start again`)
    }
    this.settings = text
    this.#saves += 1
    const end = () => {
      this.#saves -= 1
    }
    this.#track(undefined, this.#retry(save).finally(end))
  }

  get count(): number {
    return this.#ids.size
  }

  find(id: string): SharedSummary | undefined {
    const entry = this.#index.get(id)
    const world = this.#worlds.get(id)
    if (!world) return entry
    const claimed = { epoch: Number(world.epoch), claimedAt: entry?.claimedAt ?? this.environment.now() }
    return { ...entry, ...claimed, ...world.summary, owner: this.self }
  }

  list(): readonly SharedSummary[] {
    return [...this.#ids].sort().flatMap(id => this.find(id) ?? [])
  }

  get #ids(): ReadonlySet<string> {
    return new Set([...this.#index.keys(), ...this.#worlds.keys()])
  }

  async refresh(): Promise<readonly SharedSummary[]> {
    this.#refreshedAt = this.environment.monotonic()
    const before = this.settings
    const [, settings, rows] = await this.#ask('list')
    // A save may have begun or ended meanwhile.
    if (this.#saves === 0 && this.settings === before) this.settings = String(settings) || undefined
    this.#index = new Map((rows as readonly Reply[]).map(row => summaryOf(row as SentTexts)))
    return this.list()
  }

  claim(id: string, { create }: { readonly create: boolean }): Promise<Claim> {
    return this.#untilEnd(this.#claimOnce(id, create))
  }

  /** Claims a world, or waits for the claim that another call has begun. */
  async #claimOnce(id: string, create: boolean): Promise<Claim> {
    for (;;) {
      this.checkLease()
      const own = this.#ownClaim(id, create)
      if (own) return own
      const earlier = this.#releases.get(id) ?? this.#claims.get(id) ?? this.#deletions.get(id)
      if (!earlier) break
      await this.#untilEnd(Promise.allSettled([earlier]))
    }
    const claim = this.#claim(id, create)
    this.#claims.set(id, claim)
    try {
      return await claim
    } finally {
      this.#claims.delete(id)
    }
  }

  owns(id: string): boolean {
    return this.#worlds.has(id) && !this.#releases.has(id)
  }

  open(id: string): KeptWorld | undefined {
    this.checkLease()
    const world = this.#worlds.get(id)
    if (!world) {
      if (!this.#index.has(id)) return undefined
      throw new StorageError(
        `the world ${quoted(id)} is not claimed: another replica may run it. Send the request again`,
      )
    }
    return world
  }

  create(id: string, start: NewKeptWorld): KeptWorld {
    this.#checkChanges()
    if (this.#worlds.has(id)) throw new StorageError(`the world ${quoted(id)} exists already: send the request again`)
    const epoch = this.#reserved.get(id) ?? ''
    const after = this.#deletions.get(id)
    const world = ReplicaWorld.create(this, id, { epoch, born: this.#newId(), after, start })
    this.#reserved.delete(id)
    this.#worlds.set(id, world)
    this.#track(id, world.created)
    return world
  }

  delete(id: string): void {
    this.checkLease()
    const world = this.#worlds.get(id)
    const known = world?.epoch ?? this.#lostEpochs.get(id) ?? this.#index.get(id)?.epoch
    const isSent = world?.isSent
    if (world) this.#forget(world, `the world ${quoted(id)} was deleted`)
    if (known === undefined) return
    this.#lostEpochs.delete(id)
    this.#index = new Map([...this.#index].filter(([other]) => other !== id))
    const earlier = this.#deletions.get(id)
    // The creation waits for the earlier deletion, and is sent no more.
    if (earlier && !isSent) {
      this.#track(id, earlier)
      return
    }
    const deletion = this.#retry(async () => {
      const [kind, owner] = await this.run('delete', id, String(known))
      if (kind === 'ok') return void this.#deleted.set(id, { epoch: String(known), at: this.environment.monotonic() })
      throw new StorageError(`cannot delete the world ${quoted(id)}: ${lossOf(id, owner)}`)
    })
    this.#track(id, deletion)
    this.#deletions.set(id, deletion)
    void deletion.catch(() => {}).finally(() => this.#deletions.delete(id))
  }

  async read(id: string): Promise<KeptWorld | undefined> {
    this.checkLease()
    // The server answers after the lines that this replica has sent before.
    const content = await this.#untilEnd(readContent(this, id, ''))
    const world = content && new ReplicaWorld(this, id, { epoch: '', lagMs: 0, content })
    world?.end(`the world ${quoted(id)} in ${this.place} is open for reading only`)
    return world
  }

  release(id: string): Promise<void> {
    const earlier = this.#releases.get(id)
    if (earlier) return earlier
    const world = this.#worlds.get(id)
    const epoch = this.#reserved.get(id)
    if (!world && epoch === undefined) return Promise.resolve()
    const done = (world ? this.#releaseWorld(world) : this.#sendRelease(id, String(epoch))).catch(error => {
      // The lease will end, and others take the world over.
      if (!(error instanceof StorageError || error instanceof RedisError)) throw error
    })
    const release = done.finally(() => this.#releases.delete(id))
    this.#releases.set(id, release)
    return release
  }

  onLost(listener: (lost: { readonly id: string; readonly because: string }) => void): () => void {
    return this.#lost.subscribe(listener)
  }

  leaseSoon(): Promise<void> | undefined {
    return this.#end ? undefined : this.#lease.soon()
  }

  checkLease(): void {
    const { failure } = this
    if (failure) throw failure
  }

  get trouble(): string | undefined {
    if (this.#end) return 'the storage has lost the worlds, or the mock is leaving it'
    if (this.failure) return this.#lease.saidOf('the storage')
    if (this.#refusedBy) return this.#refusedBy.saidOf('the storage')
    const isStuck = [...this.#worlds.values()].some(({ isOverdue }) => isOverdue)
    return isStuck ? `the storage has not confirmed a change for ${formatDuration(this.#times.waitMs)}` : undefined
  }

  #checkChanges(): void {
    const failure = this.failure ?? this.refusal
    if (failure) throw failure
  }

  async isAlive(replicaId: string): Promise<boolean> {
    const [, info] = await this.#ask('replica', replicaId)
    return info !== ''
  }

  async replicas(): Promise<readonly ReplicaInfo[]> {
    const [, infos] = await this.#ask('replicas')
    return (infos as readonly string[]).map(parseInfo).sort((a, b) => a.startedAt - b.startedAt)
  }

  async flush(id?: string): Promise<void> {
    const ids = id === undefined ? [...this.#changes.keys()] : [id]
    const ends = ids.map(of => {
      const change = this.#changes.get(of)
      return change?.finally(() => {
        if (this.#changes.get(of) === change) this.#changes.delete(of)
      })
    })
    await this.#untilEnd(Promise.all(ends))
  }

  close(): void {
    void this.leave()
  }

  leave(): Promise<void> {
    this.#leaving ??= this.#leave()
    return this.#leaving
  }

  stop(): void {
    this.#end ??= new StorageError('this replica is closing')
    this.#lease.stop()
    this.#cancelRecovery?.()
    for (const world of [...this.#worlds.values()]) this.#forget(world, this.#end.message)
    for (const retry of this.#retries.splice(0)) retry()
    this.#setFailure(this.#end)
    this.#redis.close()
  }

  get failure(): StorageError | undefined {
    return this.#end ?? this.#lease.failure
  }

  async run(command: ScriptCommand, ...args: readonly string[]): Promise<Reply> {
    try {
      const reply = await this.#redis.run(command, [this.#log, this.self.id, ...args])
      if (reply[0] === 'lost') this.#recoverSoon(0)
      if (reply[0] !== 'log') return reply
      this.#endWith(
        `${this.place} has lost all worlds, or it is another server: its log has another id. Start mockmaker again to begin anew there`,
      )
      throw new RedisError('refused', 'its log has another id')
    } catch (error) {
      if (!(error instanceof RedisError)) throw error
      if (error.kind === 'refused') void this.#probe()
      else this.#recoverSoon(this.#times.retryMs)
      throw error
    }
  }

  lose(world: ReplicaWorld, because: string): void {
    if (this.#worlds.get(world.id) !== world) return
    this.#forget(world, because)
    if (world.epoch !== '') this.#lostEpochs.set(world.id, world.epoch)
    this.#lost.emit({ id: world.id, because })
  }

  closeWorld(world: ReplicaWorld): void {
    if (this.#worlds.get(world.id) === world) void this.release(world.id)
  }

  async enter(): Promise<void> {
    const { address } = this.self
    const ids = [this.#newId(), this.#newId()]
    const reply = await this.run('enter', JSON.stringify(this.self), String(this.#times.leaseMs), format, ...ids)
    const [kind, first, secret, settings] = reply as SentTexts
    if (kind === 'format')
      throw new UsageError(
        `${this.place} was written by another version of mockmaker (format ${first}): use that version, or another --data-prefix`,
      )
    if (kind === 'address')
      throw new UsageError(
        `another replica with the address ${address} is running: give each replica its own address with --advertise. If that replica was killed a moment ago, start again in 3 s`,
      )
    if (this.#log !== '') return
    this.#log = String(first)
    this.secret = String(secret)
    this.settings = settings || undefined
  }

  /** Does the work of each second. */
  onRenewal(): void {
    // A server that is full says so before a client asks for a change.
    void this.#probe()
    for (const [id, { at }] of this.#deleted)
      if (this.environment.monotonic() - at > rememberMs) this.#deleted.delete(id)
    void this.#writeNotes([...this.#worlds.values()]).catch(() => {})
    const sinceRefresh = this.environment.monotonic() - this.#refreshedAt
    if (sinceRefresh >= this.#times.refreshMs) void this.refresh().catch(() => {})
  }

  onChange(failure: StorageError | undefined): void {
    // The server may have refused changes for the same reason, and that is told.
    if (!failure || failure.message !== this.refusal?.message)
      this.report(failure?.message ?? `${this.place} answers again`)
    this.#setFailure(failure)
  }

  async #probe(): Promise<void> {
    if (this.#log === '' || this.#end || this.#isProbing) return
    this.#isProbing = true
    try {
      await this.run('probe')
      this.#setRefusal(undefined)
    } catch (error) {
      if (!(error instanceof RedisError)) throw error
      if (error.kind === 'refused') this.#setRefusal(error)
    } finally {
      this.#isProbing = false
    }
  }

  #setRefusal(error: RedisError | undefined): void {
    if (error?.message === this.#refusedBy?.message || this.#end) return
    this.#refusedBy = error
    this.refusal = error && new StorageError(`${error.saidOf(this.place)}. The mock keeps trying`)
    if (!this.refusal || this.refusal.message !== this.#toldFailure?.message)
      this.report(this.refusal?.message ?? `${this.place} takes changes again`)
    this.#tellWorlds()
  }

  #ask(command: ScriptCommand, ...args: readonly string[]): Promise<Reply> {
    return this.#untilEnd(this.run(command, ...args))
  }

  /** Waits until the lease ends at the latest, and not for too long. Rejects with `StorageError`. */
  async #untilEnd<Value>(answer: Promise<Value>): Promise<Value> {
    const end = new Outcome<never>()
    if (this.failure) end.reject(this.failure)
    this.#waiting.add(end)
    const cancel = this.environment.setTimer(() => end.reject(this.newOverdue()), this.#times.waitMs)
    try {
      const value = await Promise.race([answer, end.promise])
      this.checkLease()
      return value
    } catch (error) {
      throw error instanceof RedisError ? this.#asStorageError(error) : error
    } finally {
      cancel()
      this.#waiting.delete(end)
    }
  }

  get waitMs(): number {
    return this.#times.waitMs
  }

  newOverdue(keptUpTo = Number.POSITIVE_INFINITY): StorageError {
    const waited = formatDuration(this.#times.waitMs)
    return new StorageError(`${this.place} has not answered for ${waited}. The mock keeps trying`, { keptUpTo })
  }

  #asStorageError(error: RedisError): StorageError {
    return this.#end ?? new StorageError(error.saidOf(this.place))
  }

  #ownClaim(id: string, create: boolean): Claim | undefined {
    const world = this.#releases.has(id) ? undefined : this.#worlds.get(id)
    if (world) return { kind: 'mine', epoch: Number(world.epoch) }
    const epoch = this.#reserved.get(id)
    if (epoch === undefined || this.#releases.has(id)) return undefined
    return create ? { kind: 'new', epoch: Number(epoch) } : { kind: 'absent' }
  }

  async #claim(id: string, create: boolean): Promise<Claim> {
    for (;;) {
      const leases = this.#lease.count
      const leaseMs = String(this.#times.leaseMs)
      const [kind, first, second] = (await this.#ask('claim', id, create ? '1' : '0', leaseMs)) as SentTexts
      if (kind === 'wait') {
        // The owner may be back sooner.
        const ms = Math.min(Number(first), this.#times.retryMs)
        await new Promise<void>(resolve => this.environment.setTimer(resolve, ms))
        continue
      }
      if (kind === 'lease') throw this.#lease.newFailure()
      this.#lostEpochs.delete(id)
      if (kind === 'absent') return { kind }
      if (kind === 'other') return { kind, owner: parseInfo(String(first)), epoch: Number(second) }
      const epoch = String(first)
      if (kind === 'new') {
        this.#reserved.set(id, epoch)
        return { kind, epoch: Number(epoch) }
      }
      const content = await this.#untilEnd(readContent(this, id, epoch))
      // While it was read, the lease had ended, and another replica may have taken the world over.
      if (!content || leases !== this.#lease.count) continue
      // The last renewal may count although its time was not written. The time before it is up to a second old.
      const lagMs = second === '1' ? this.#times.countsMs + 2 * this.#times.renewMs : 0
      this.#worlds.set(id, new ReplicaWorld(this, id, { epoch, lagMs, content }))
      return { kind: 'mine', epoch: Number(epoch) }
    }
  }

  async #releaseWorld(world: ReplicaWorld): Promise<void> {
    try {
      await this.#untilEnd(world.beginRelease())
      // Meanwhile it was deleted, or lost.
      if (this.#worlds.get(world.id) !== world) return
      await this.#untilEnd(this.#writeNotes([world]))
      await this.#sendRelease(world.id, world.epoch)
    } finally {
      this.#forget(world, `this replica has given the world ${quoted(world.id)} back`)
    }
  }

  async #sendRelease(id: string, epoch: string): Promise<void> {
    this.#reserved.delete(id)
    await this.#ask('release', id, epoch)
  }

  #forget(world: ReplicaWorld, because: string): void {
    if (this.#worlds.get(world.id) === world) this.#worlds.delete(world.id)
    world.end(because)
  }

  #track(id: string | undefined, change: Promise<void>): void {
    this.#changes.set(id, change)
    // A failure stays until somebody asks.
    change.then(
      () => {
        if (this.#changes.get(id) === change) this.#changes.delete(id)
      },
      () => {},
    )
  }

  /** Sends a change until its outcome is known. Rejects with `StorageError`. */
  async #retry(send: () => Promise<void>): Promise<void> {
    let keptUpTo = Number.NEGATIVE_INFINITY
    for (;;) {
      try {
        return await send()
      } catch (error) {
        if (error instanceof StorageError) throw new StorageError(error.message, { keptUpTo })
        if (!(error instanceof RedisError)) throw error
        if (error.kind === 'refused' || this.#end)
          throw new StorageError(this.#asStorageError(error).message, { keptUpTo })
        keptUpTo = Number.POSITIVE_INFINITY
        await new Promise<void>(resolve => this.#retries.push(resolve))
      }
    }
  }

  #recoverSoon(ms: number): void {
    if (this.#log === '' || this.#end) return
    // A recovery that runs already may have asked the server before this failure. Then recover again.
    this.#mustRecover = true
    if (!this.#isRecovering) this.#cancelRecovery ??= this.environment.setTimer(() => void this.#recover(), ms)
  }

  async #recover(): Promise<void> {
    this.#cancelRecovery = undefined
    this.#isRecovering = true
    this.#mustRecover = false
    try {
      await this.verify()
      for (const retry of this.#retries.splice(0)) retry()
    } catch (error) {
      if (!(error instanceof RedisError)) throw error
      this.#mustRecover = true
    } finally {
      this.#isRecovering = false
    }
    if (this.#mustRecover) this.#recoverSoon(this.#times.retryMs)
  }

  /** Asks for each world whether it is still that of this replica, and sends what is open. Rejects with `RedisError`. */
  async verify(): Promise<void> {
    for (const [id, { epoch }] of [...this.#deleted]) {
      if (epoch === '' || this.#worlds.get(id)?.isCreated) continue
      const [kind, owner] = await this.run('delete', id, epoch)
      // Another replica runs a world of that id. Without an owner, this one has only claimed it.
      if (kind === 'lost' && owner !== '') this.#deleted.delete(id)
    }
    const all = [...this.#worlds.values()]
    for (const world of all) if (!world.isCreated) world.sendOpen()
    const created = all.filter(world => world.isCreated)
    for (let i = 0; i < created.length; i += worldsAtOnce) {
      const some = created.slice(i, i + worldsAtOnce).map(world => ({ world, acknowledged: world.acknowledged }))
      const facts = some.flatMap(({ world }) => [world.id, world.epoch, world.born])
      const [, replies] = await this.run('resume', String(this.#times.leaseMs), ...facts)
      for (const [j, { world, acknowledged }] of some.entries()) {
        const [kind, stored] = (replies as readonly SentTexts[])[j] ?? []
        if (kind === 'mine') world.resume(Number(stored), acknowledged)
        else if (kind === 'regained') world.regain(String(stored))
        else this.lose(world, lossOf(world.id, stored))
      }
    }
  }

  #endWith(message: string): void {
    if (this.#end) return
    this.#end = new StorageError(message)
    this.#lease.stop()
    this.report(message)
    this.#setFailure(this.#end)
  }

  #setFailure(failure: StorageError | undefined): void {
    this.#toldFailure = failure
    if (failure) for (const end of [...this.#waiting]) end.reject(failure)
    this.#tellWorlds()
  }

  #tellWorlds(): void {
    // The end of a lease is told by `onChange`, and only that tells when it begins again.
    for (const world of [...this.#worlds.values()]) world.tell(this.#toldFailure ?? this.refusal)
  }

  async #writeNotes(worlds: readonly ReplicaWorld[]): Promise<void> {
    const all = worlds.flatMap(world => {
      const { note } = world
      return note ? [{ world, note }] : []
    })
    for (let i = 0; i < all.length; i += worldsAtOnce) {
      const notes = all.slice(i, i + worldsAtOnce)
      await this.run('note', ...notes.flatMap(({ world, note }) => [world.id, world.epoch, ...note]))
      for (const { world, note } of notes) world.onWritten(note)
    }
  }

  async #leave(): Promise<void> {
    const ids = [...new Set([...this.#worlds.keys(), ...this.#reserved.keys()])]
    await Promise.all([...ids.map(id => this.release(id)), this.flush().catch(() => {})])
    // A renewal after it would begin the lease again.
    this.#lease.stopRenewing()
    if (!this.failure) await this.#ask('leave').catch(() => {})
    this.stop()
  }
}
