import { Emitter } from '../../core/lib/emitter.js'
import { quoted } from '../../core/lib/messages.js'
import { LogLines } from '../../core/storage/log-lines.js'
import { joined, type Origin, Origins } from '../../core/storage/origins.js'
import type { ProcessTime } from '../../core/storage/process-time.js'
import {
  type KeptLine,
  type KeptSummary,
  type KeptWorld,
  type NewKeptWorld,
  StorageError,
} from '../../core/storage/storage.js'
import { RedisError, type Reply, type ScriptCommand } from './redis-client.js'
import type { ReplicaContent } from './replica-content.js'

/** The largest line or origin, in UTF-16 units. Redis takes texts of 512 MB. */
const longestText = 128 * 1024 ** 2
const partSize = 1024 ** 2
/** The most lines without a reply before a clock has to wait. */
const mostOpenLines = 256

/** The parts of a storage that its worlds use. */
export interface ReplicaHost {
  readonly place: string
  /** The reason why nothing may leave this process. `undefined` if its lease holds. */
  readonly failure: StorageError | undefined
  /** The reason why the server takes no changes now, although it answers. `undefined` if it takes them. */
  readonly refusal: StorageError | undefined
  readonly environment: Pick<ProcessTime, 'monotonic' | 'setTimer'>
  /** The longest time for which a request waits for its changes, in ms. */
  readonly waitMs: number
  /** Returns the error of a request that has waited for so long. `keptUpTo`: see `StorageError`. */
  newOverdue(keptUpTo: number): StorageError
  /**
   * Runs a command of the script for a world. Rejects with `RedisError`. After an error, or if the world may be another replica's,
   * the host asks the server: `sendOpen`, `resume`, `regain` or `end` follows.
   */
  run(command: ScriptCommand, ...args: readonly string[]): Promise<Reply>
  report(text: string): void
  /** Ends a world that must leave memory. */
  lose(world: ReplicaWorld, because: string): void
  closeWorld(world: ReplicaWorld): void
}

interface OpenCommand {
  readonly name: 'create' | 'append'
  readonly args: readonly string[]
  /** The revisions before and after it. */
  readonly before: number
  readonly revision: number
  /** The origins that a line is the first to name: hashes and texts. */
  readonly origins: readonly string[]
  isSent: boolean
  /** The number of times that it was sent, and may have been carried out. */
  sends: number
  /** When it was added, by the monotonic clock. */
  readonly since: number
  outcome: Outcome | undefined
}

/** A promise that others wait for. */
export class Outcome<Value = void> {
  readonly promise: Promise<Value>
  resolve: (value: Value) => void = () => {}
  reject: (error: StorageError) => void = () => {}

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    // Nobody may be waiting.
    this.promise.catch(() => {})
  }
}

interface NewReplicaWorld {
  /** The epoch of the claim. Empty: the creation claims the world too. */
  readonly epoch: string
  /** A random id. With the same one the storage creates the world once. */
  readonly born: string
  /** Resolves when an earlier world of that id is deleted. */
  readonly after: Promise<void> | undefined
  readonly start: NewKeptWorld
}

/** A world that this replica owns. */
export class ReplicaWorld implements KeptWorld {
  readonly born: string
  readonly starts: number
  readonly time: string | undefined
  readonly lagMs: number
  readonly cutBytes = 0
  /** Empty while the creation of a world without a claim is open. */
  epoch: string
  #content: ReplicaContent | undefined
  originHash: string
  baseBytes: number
  /** The lines after the base. The storage has no offsets, so they count the bytes of all lines. */
  readonly #lines = new LogLines()
  /** The newest revision, and the newest one that the storage has acknowledged. */
  #revision: number
  acknowledged: number
  /** The oldest first. */
  #open: OpenCommand[] = []
  /** False until an earlier world of that id is deleted. */
  #isReady = true
  readonly #created = new Outcome()
  readonly #origins: Origins
  #summary: Omit<KeptSummary, 'id'>
  #writtenSummary: string
  /** Empty if it is written. */
  #nextTime = ''
  #isReplacing = false
  #bases = 0
  #needsBase = false
  /** Set while it looks for requests that wait for too long. */
  #cancelLook: (() => void) | undefined
  #isClosing = false
  #loss: StorageError | undefined
  readonly #failures = new Emitter<StorageError | undefined>()

  /** A world that this replica has claimed and read. */
  constructor(
    private readonly host: ReplicaHost,
    readonly id: string,
    { epoch, lagMs, content }: { readonly epoch: string; readonly lagMs: number; readonly content: ReplicaContent },
  ) {
    this.lagMs = lagMs
    this.epoch = epoch
    this.#content = content
    this.born = content.born
    this.starts = content.starts
    this.time = content.time
    this.originHash = content.originHash
    this.baseBytes = content.baseBytes
    this.#summary = content.summary
    this.#writtenSummary = JSON.stringify(content.summary)
    this.#origins = new Origins(content.origins)
    for (const { revision, text } of content.lines) this.#addLine(revision, text)
    this.#revision = content.lines.at(-1)?.revision ?? content.baseRevision
    this.acknowledged = this.#revision
  }

  static create(host: ReplicaHost, id: string, { epoch, born, after, start }: NewReplicaWorld): ReplicaWorld {
    const { summary, origin, base } = start
    const { hash: originHash } = origin
    const text = origin.pieces.join('')
    const { revision } = summary
    const content = {
      ...{ born, starts: 1, originHash, base, lines: [], time: undefined, baseRevision: revision, summary },
      origins: new Map([[originHash, text]]),
      baseBytes: base === undefined ? 0 : Buffer.byteLength(base),
    }
    const world = new ReplicaWorld(host, id, { epoch, lagMs: 0, content })
    world.acknowledged = Number.NEGATIVE_INFINITY
    world.#isReady = after === undefined
    const args = [born, String(revision), JSON.stringify(summary), originHash, text, base ?? '']
    world.#add({ name: 'create', args, before: Number.NEGATIVE_INFINITY, revision, origins: [] })
    void after
      ?.catch(() => {})
      .finally(() => {
        world.#isReady = true
        world.sendOpen()
      })
    return world
  }

  /** True if the storage may have the world. */
  get isSent(): boolean {
    return this.isCreated || this.#open[0]?.sends !== 0
  }

  get isCreated(): boolean {
    return this.#open[0]?.name !== 'create'
  }

  /** Resolves when the storage has a new world. Rejects with `StorageError`. */
  get created(): Promise<void> {
    return this.#created.promise
  }

  get base(): string | undefined {
    return this.#content?.base
  }

  get lines(): readonly KeptLine[] {
    return this.#content?.lines ?? []
  }

  /** True if the storage lost what it had acknowledged. Nothing is kept until `replaceBase` gets the present state. */
  get needsBase(): boolean {
    return this.#needsBase && !this.#isReplacing
  }

  get summary(): KeptSummary {
    return { id: this.id, ...this.#summary, revision: Math.max(this.#summary.revision, this.#revision) }
  }

  release(): void {
    this.#content = undefined
  }

  origin(hash: string): string {
    const text = this.#content?.origins.get(hash)
    if (text !== undefined) return text
    throw new StorageError(
      `${this.host.place} has no origin ${hash} of the world ${quoted(this.id)}: somebody deleted it. Delete the world`,
    )
  }

  putOrigin(origin: Origin): void {
    this.#check(origin.pieces)
    // Together with the line that names it, so that the storage takes both or none.
    this.#origins.add(origin)
  }

  check(): void {
    const failure = this.#loss ?? this.host.failure ?? this.host.refusal
    if (failure) throw failure
  }

  append({ revision, text }: KeptLine): void {
    this.#check([text])
    const before = this.#revision
    if (revision <= before) throw new Error(`a line of revision ${revision} came after one of revision ${before}`)
    const origins = this.#addLine(revision, text)
    this.#revision = revision
    this.#add({ name: 'append', args: [String(before), String(revision), text], before, revision, origins })
  }

  settled(): Promise<void> | undefined {
    const failure = this.#loss ?? this.host.failure
    if (failure) return Promise.reject(failure)
    const last = this.#open.at(-1)
    if (!last) return undefined
    last.outcome ??= new Outcome()
    this.#lookIn(this.host.waitMs)
    return last.outcome.promise
  }

  /** True if the storage has not acknowledged a change for long. */
  get isOverdue(): boolean {
    const [oldest] = this.#open
    return oldest !== undefined && this.#restOf(oldest) <= 0
  }

  #restOf({ since }: OpenCommand): number {
    return since + this.host.waitMs - this.host.environment.monotonic()
  }

  /** Refuses those who have waited for too long. One timer for all costs less than one for each. */
  #lookIn(ms: number): void {
    this.#cancelLook ??= this.host.environment.setTimer(() => {
      this.#cancelLook = undefined
      const overdue = this.#open.filter(line => this.#restOf(line) <= 0)
      this.#refuse(overdue, this.host.newOverdue(this.#newestPossible))
      const next = this.#open.find(({ outcome }) => outcome)
      if (next) this.#lookIn(this.#restOf(next))
    }, ms)
  }

  drained(): Promise<void> | undefined {
    return this.#open.length > mostOpenLines ? this.settled()?.catch(() => {}) : undefined
  }

  bytesUpTo(revision: number): number {
    return this.#isReplacing ? 0 : this.#lines.endOf(revision) - this.#lines.start
  }

  replaceBase({ parts, revision, originHash }: Parameters<KeptWorld['replaceBase']>[0]): void {
    this.check()
    if (this.#isReplacing || !this.isCreated) return
    this.#isReplacing = true
    void this.#sendBase([...joined(parts, partSize)], revision, originHash).finally(() => {
      this.#isReplacing = false
      if (this.#isClosing && this.#needsBase) this.#endGap()
    })
  }

  writeTime(time: string): void {
    this.#nextTime = time
  }

  summarize(summary: Omit<KeptSummary, 'id'>): void {
    this.#summary = summary
  }

  /** The time and the summary that are not yet written. Empty texts change nothing. */
  get note(): readonly [time: string, summary: string] | undefined {
    const summary = JSON.stringify(this.#summary)
    const note = [this.#nextTime, summary === this.#writtenSummary ? '' : summary] as const
    return this.isCreated && note.join('') !== '' ? note : undefined
  }

  onWritten([time, summary]: readonly [time: string, summary: string]): void {
    if (time === this.#nextTime) this.#nextTime = ''
    if (summary !== '') this.#writtenSummary = summary
  }

  watch(listener: (error: StorageError | undefined) => void): () => void {
    const { refusal } = this.host
    if (refusal) listener(refusal)
    return this.#failures.subscribe(listener)
  }

  close(): void {
    this.host.closeWorld(this)
  }

  /** Tells why the storage takes no changes, or that it takes them. */
  tell(error: StorageError | undefined): void {
    // A line that waits for a base has to wait until the server takes one.
    if (error && (this.host.failure || this.#needsBase)) this.#refuse(this.#open, error)
    this.#failures.emit(error)
  }

  #refuse(lines: readonly OpenCommand[], failure: StorageError): void {
    for (const line of lines) {
      line.outcome?.reject(failure)
      line.outcome = undefined
    }
  }

  /** Goes on after a break. `stored`: the newest revision of the storage. `acknowledged`: the newest before it was asked. */
  resume(stored: number, acknowledged: number): void {
    if (this.#loss) return
    if (stored < acknowledged) this.#beginGap()
    else this.#acknowledge(Math.min(stored, this.#revision))
    this.sendOpen()
  }

  /** Goes on with a new epoch: the server went back to a state from before the claim. */
  regain(epoch: string): void {
    if (this.#loss) return
    this.epoch = epoch
    this.#beginGap()
  }

  /** Resolves when the storage has all lines. Rejects with `StorageError`. No base is written from now on. */
  async beginRelease(): Promise<void> {
    this.#isClosing = true
    if (this.needsBase) this.#endGap()
    await this.settled()
  }

  /** Takes no more lines. Refuses those who wait for open ones. */
  end(because: string): void {
    if (this.#loss) return
    this.#cancelLook?.()
    this.#loss = new StorageError(because, { keptUpTo: this.#newestPossible })
    for (const line of this.#open) line.outcome?.reject(this.#loss)
    this.#open = []
    this.#created.reject(this.#loss)
  }

  /** The newest revision that the storage may have. Without the line before it, it takes none. */
  get #newestPossible(): number {
    const firstUnsent = this.#open.find(({ sends }) => sends === 0)
    return firstUnsent?.before ?? this.#revision
  }

  #check(parts: readonly string[]): void {
    this.check()
    if (parts.reduce((sum, { length }) => sum + length, 0) > longestText)
      throw new StorageError(`a change of the world ${quoted(this.id)} has more than 128 MB: make a smaller one`)
  }

  #addLine(revision: number, text: string): readonly string[] {
    this.#lines.add(revision, this.#lines.end + Buffer.byteLength(text))
    return this.#origins.addLine(revision, text)
  }

  #add(command: Omit<OpenCommand, 'isSent' | 'sends' | 'since' | 'outcome'>): void {
    const since = this.host.environment.monotonic()
    const open = { ...command, isSent: false, sends: 0, since, outcome: undefined }
    this.#open.push(open)
    this.#send(open)
  }

  /** Sends what is open, and not on its way. */
  sendOpen(): void {
    for (const open of this.#open) if (!open.isSent) this.#send(open)
  }

  #send(open: OpenCommand): void {
    const { name, args, origins } = open
    if (this.#needsBase || !this.#isReady || (name === 'append' && !this.isCreated)) return
    open.isSent = true
    open.sends += 1
    this.host.run(name, this.id, this.epoch, ...args, ...origins).then(
      reply => this.#onReply(open, reply),
      (error: unknown) => {
        if (!(error instanceof RedisError)) throw error
        open.isSent = false
        if (error.kind !== 'refused') return
        open.sends -= 1
        const what = `${name === 'create' ? '' : 'a change of '}the world ${quoted(this.id)}`
        this.host.lose(this, `${this.host.place} did not take ${what}: ${error.message}`)
      },
    )
  }

  #onReply(open: OpenCommand, [kind, stored]: Reply): void {
    if (kind !== 'ok') open.sends -= 1
    if (this.#loss || open.revision <= this.acknowledged) return
    if (kind === 'ok') {
      if (open.name === 'create') {
        this.epoch = String(stored)
        this.#created.resolve()
      }
      this.#acknowledge(open.revision)
    } else if (open.name === 'create')
      this.host.lose(
        this,
        `the world ${quoted(this.id)} was not created, because another replica may run it: send the request again`,
      )
    else if (kind === 'gap') this.#onGap(open, Number(stored))
    // Another replica has the world, or the server went back to a state in which this one did not.
    else open.isSent = false
  }

  #onGap(line: OpenCommand, stored: number): void {
    line.isSent = false
    // The line before it was sent again after this one.
    if (line !== this.#open[0]) return
    if (stored < this.acknowledged) this.#beginGap()
    else this.#send(line)
  }

  #acknowledge(revision: number): void {
    if (revision <= this.acknowledged) return
    this.acknowledged = revision
    const { failure } = this.host
    // The oldest is the first. Each line gets a reply, so this must not look at all of them.
    const firstOpen = this.#open.findIndex(line => line.revision > revision)
    for (const { outcome } of this.#open.splice(0, firstOpen === -1 ? this.#open.length : firstOpen)) {
      if (failure) outcome?.reject(failure)
      else outcome?.resolve()
    }
    if (this.#open[0]?.isSent === false) this.sendOpen()
  }

  /** Waits for a base: the storage lacks lines that it had acknowledged. */
  #beginGap(): void {
    if (this.#needsBase) return
    this.host.report(
      `${this.host.place} has lost changes of the world ${quoted(this.id)} that it had acknowledged: the world is written there again`,
    )
    this.#needsBase = true
    if (this.#isClosing && !this.#isReplacing) this.#endGap()
    for (const line of this.#open) line.isSent = false
    // It may lack these too.
    this.#origins.clear()
  }

  /** Gives the world up, because the storage has lost changes. */
  #endGap(): void {
    this.host.lose(this, `${this.host.place} has lost changes of the world ${quoted(this.id)}`)
  }

  async #sendBase(parts: readonly string[], revision: number, originHash: string): Promise<void> {
    const { id } = this
    this.#bases += 1
    const attempt = String(this.#bases)
    try {
      for (const [i, part] of parts.entries()) {
        const [kind] = await this.host.run('part', id, this.epoch, attempt, i === 0 ? '1' : '', part)
        // Those who wait were told that their changes are not kept.
        if (kind !== 'ok' || this.#loss) return
      }
      // Those that are not sent yet add theirs when they are.
      const unsent = this.#open.find(line => !line.isSent)
      const sent = unsent?.before ?? this.#revision
      const end = this.#lines.endOf(sent)
      const lineBytes = Math.max(0, end - this.#lines.endOf(revision))
      // Lines that came meanwhile may name others. What is not named is put again, if a later line names it.
      const namedOrigins = this.#origins.keepNamed(originHash, revision)
      // The base has their changes.
      for (const line of this.#open) if (line.revision <= revision) line.sends += 1
      const origins = [...this.#open.flatMap(line => line.origins), ...this.#origins.added]
      const [kind] = await this.host.run(
        ...(['base', id, this.epoch, attempt, String(Math.max(sent, revision))] as const),
        ...[String(revision), originHash, String(lineBytes)],
        ...[this.born, String(this.starts), JSON.stringify(this.#summary)],
        ...[String(origins.length / 2), ...origins, ...namedOrigins],
      )
      if (kind !== 'ok' || this.#loss) return
    } catch (error) {
      // The old base and its log are as good. The next look tries again.
      if (!(error instanceof RedisError)) throw error
      if (error.kind === 'refused') this.host.run('abandon', id, this.epoch).catch(() => {})
      return
    }
    this.originHash = originHash
    this.baseBytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
    this.#lines.dropUpTo(revision)
    if (revision >= this.acknowledged) this.#needsBase = false
    this.#acknowledge(revision)
    this.sendOpen()
  }
}
