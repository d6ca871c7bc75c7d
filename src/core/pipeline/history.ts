import type { AnswerReasons, JournalEntry, ShortenedEntry } from '../contract/journal.js'
import { firstIndex } from '../lib/binary-search.js'
import { Emitter } from '../lib/emitter.js'
import { UsageError } from '../lib/messages.js'
import { real } from '../lib/real-globals.js'
import type { Caller } from '../operations/resolver.js'
import { type ChangeSet, memoryOf } from '../store/change-set.js'
import { realTime } from '../store/real-time.js'

/** A request and its response. */
export interface StoredExchange {
  /** Set by the history. For an exchange of a snapshot it is first the id that it has there. */
  id: number
  readonly operation: string | undefined
  readonly status: number
  /** The estimated memory of its bodies, path, query and headers. */
  readonly bytes: number
  /** The time of the answer, in ms of the world's clock. */
  readonly at: number
  /** The revision of the world that the answer is about. Absent for an exchange of a snapshot. */
  readonly revision?: number
  /** It only read, and succeeded. */
  readonly isPlainRead: boolean
  /** The revisions of the change sets that the request caused. Absent if it changed nothing. */
  readonly revisions?: readonly number[] | undefined
  /** Why the request got its answer. Absent while the history has the world of its `revision`. */
  reasons?: AnswerReasons | undefined
  /** Returns the entry for the journal. Default: with its whole answer. */
  entry(answers?: 'short'): ShortenedEntry
  /** Returns the entry without the body of the response, which may be long. */
  entryWithoutAnswer(): JournalEntry
  /** Returns the request as it was sent, with whole tokens. Absent for the exchanges of a snapshot. */
  sentRequest?(): SentRequest
  /** Absent if nobody knows. */
  readonly caller?: Caller | undefined
}

/** A request as it was sent, with whole tokens. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  /** Without `?`. Empty if there was none. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Absent if there was none, or if it was too long to keep. */
  readonly body?: string
  /** Takes the place of `body` if that is not UTF-8, or has a zero. */
  readonly body_base64?: string
}

/** An exchange or a change set of a world. */
export type HistoryEntry = ExchangeEntry | ChangeEntry

interface ExchangeEntry extends BudgetEntry {
  readonly kind: 'exchange'
  readonly exchange: StoredExchange
}

interface ChangeEntry extends BudgetEntry {
  readonly kind: 'change'
  readonly changeSet: ChangeSet
  /** The time that had passed in the world, in ms. Unlike its clock, it never goes back. */
  readonly passedMs: number
}

interface BudgetEntry {
  /** Exchanges and change sets of a world are numbered together, from 1. */
  readonly id: number
  /** The estimated memory, in bytes. */
  bytes: number
  older: BudgetEntry | undefined
  newer: BudgetEntry | undefined
  /** Drops the entry from its history, where it is the oldest of its kind. The history then removes it from the budget. */
  drop(): void
}

/** Limits the memory of the histories of all worlds together. Beyond the limit, the oldest entry of all worlds is dropped. */
export class HistoryBudget {
  // A list, because an entry may go from its middle.
  #oldest: BudgetEntry | undefined
  #newest: BudgetEntry | undefined
  bytes = 0

  /** `limit` in bytes. */
  constructor(readonly limit: number) {}

  /** Adds an entry. `shrink` follows. */
  add(entry: BudgetEntry): void {
    entry.older = this.#newest
    if (this.#newest) this.#newest.newer = entry
    else this.#oldest = entry
    this.#newest = entry
    this.bytes += entry.bytes
  }

  /** Drops the oldest entries beyond the limit. A single entry stays, however large it is. */
  shrink(): void {
    while (this.bytes > this.limit && this.#oldest !== this.#newest) this.#oldest?.drop()
  }

  /** Counts more bytes for an entry. The next entry drops the oldest ones beyond the limit. */
  grow(entry: BudgetEntry, bytes: number): void {
    entry.bytes += bytes
    this.bytes += bytes
  }

  remove(entry: BudgetEntry): void {
    const { older, newer } = entry
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#newest = older
    entry.older = undefined
    entry.newer = undefined
    this.bytes -= entry.bytes
  }
}

class Queue<Item extends BudgetEntry> {
  #items: (Item | undefined)[] = []
  #start = 0
  bytes = 0

  get size(): number {
    return this.#items.length - this.#start
  }

  get oldest(): Item | undefined {
    return this.#items[this.#start]
  }

  get newest(): Item | undefined {
    return this.#items.at(-1)
  }

  push(item: Item): void {
    this.#items.push(item)
    this.bytes += item.bytes
  }

  /** Removes the oldest item. There must be one. */
  shift(): Item {
    const item = this.#items[this.#start] as Item // it is filled
    this.#items[this.#start] = undefined
    this.#start += 1
    this.bytes -= item.bytes
    // Compacts only after as many removals as there are items left.
    if (this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start)
      this.#start = 0
    }
    return item
  }

  /** Lists the items from a position on, the oldest first. Position 0 is the oldest item. Default: all. */
  from(position = 0): Item[] {
    return this.#items.slice(this.#start + position) as Item[] // the places after the start are filled
  }

  /** Returns the item at a position. `undefined` at -1 and after the newest item. */
  at(position: number): Item | undefined {
    return this.#items[this.#start + position]
  }

  /** Finds the position of the first item that is later. All items after it must be later, too. */
  positionAfter(isLater: (item: Item) => boolean): number {
    return firstIndex(this.size, position => isLater(this.#items[this.#start + position] as Item)) // all are filled
  }
}

interface Revision {
  readonly revision: number
  readonly at: number
}

/** The entries of a history, the oldest first, for another one. */
export interface HistoryPast extends Readonly<Pick<History, 'beginsAt' | 'dropped'>> {
  /** The revision before the oldest change set. */
  readonly start: Revision
  readonly changeSets: readonly ChangeSet[]
  readonly changeIds: readonly number[]
  readonly exchanges: readonly StoredExchange[]
}

/** The limits of a history. */
export interface HistoryLimits {
  readonly exchanges: number
  /** The length of the history: ms of the world's clock, or a number of change sets. */
  readonly changes: { readonly ms: number } | { readonly count: number }
  /** The most memory for exchanges, and also for change sets, in bytes. */
  readonly bytes: number
  /** The budget that it shares with the histories of other worlds. */
  readonly budget: HistoryBudget
}

/** Exchanges of an earlier run keep ids below this limit. Much larger numbers are not exact. */
const keptIdLimit = 2 ** 52

/** The history explains this many answers at once: each time it has to undo change sets. */
const batchSize = 16

/** Tells apart histories that this process creates in the same millisecond. */
let createdHistories = 0

/** The newest exchanges and change sets of a world. It publishes each new one. */
export class History {
  /** Tells this history from those of other worlds and of other processes. Has no `-`, which follows it in ids of events. */
  readonly run = `${real.date().toString(36)}_${(++createdHistories).toString(36)}`
  /** The random text of a kept world. It stays over restarts. `undefined`: the world is only in memory. */
  keptAs: string | undefined
  /** Successful reads, which clients repeat. */
  readonly #reads = new Queue<ExchangeEntry>()
  /** All other requests. They stay longer. */
  readonly #others = new Queue<ExchangeEntry>()
  readonly #changes = new Queue<ChangeEntry>()
  /** Since when the history has all exchanges but the dropped ones: its start or the last clearing, in ms of real time. */
  beginsAt = realTime()
  /** The number of exchanges that the limits have dropped since the last clearing. */
  dropped = 0
  /** The id of the newest entry. 0 if there was none. */
  lastId = 0
  /** Rises each time the exchanges are replaced. A request of an earlier generation must not be added. */
  generation = 0
  /** The id of the newest exchange of an earlier run. 0 if there is none. The history has no change sets of that run. */
  lastLoaded = 0
  #lastDropped = 0
  #lastDroppedChange = 0
  readonly #emitter = new Emitter<HistoryEntry | undefined>()
  /** Emits after the exchanges were cleared, or replaced by those of a snapshot. */
  readonly replaced = new Emitter<void>()
  /** Emits after the history has got the past of a capsule. */
  readonly restarted = new Emitter<void>()
  #hasEnded = false
  #oldest: Revision
  #passedMs = 0
  /** No exchange without reasons needs an earlier revision. */
  #neededRevision = Number.POSITIVE_INFINITY
  /** The newest revision that an exchange is about. */
  #answeredRevision = 0
  /** False after an exchange was about an earlier revision than the one before it: it was held. */
  #areInOrder = true

  /** `start`: the first revision of the world. `explain` returns the reasons of answers, before their revisions are dropped. */
  constructor(
    private readonly limits: HistoryLimits,
    start: Revision,
    private readonly explain: (exchanges: readonly StoredExchange[]) => (AnswerReasons | undefined)[],
  ) {
    this.#oldest = start
  }

  get listenerCount(): number {
    return this.#emitter.size
  }

  /** False if an exchange would neither be stored nor published. */
  get shouldRecordExchanges(): boolean {
    return this.limits.exchanges > 0 || this.listenerCount > 0
  }

  /** The oldest first. */
  get exchanges(): StoredExchange[] {
    return this.#exchanges().map(({ exchange }) => exchange)
  }

  exchange(id: number): StoredExchange | undefined {
    const at = (queue: Queue<ExchangeEntry>) => queue.at(queue.positionAfter(entry => entry.id >= id))
    return [at(this.#reads), at(this.#others)].find(found => found?.id === id)?.exchange
  }

  addExchange(exchange: StoredExchange): void {
    const entry = this.#store(exchange)
    this.#limitExchanges()
    this.#emitter.emit(entry)
  }

  /**
   * Replaces the exchanges with those of an earlier run, in a new generation. They keep their ids if these rise, and this run
   * has not used them. Does not publish them.
   */
  loadExchanges(exchanges: readonly StoredExchange[]): void {
    this.generation += 1
    this.#removeExchanges()
    const ids = [this.lastId, ...exchanges.map(({ id }) => id), keptIdLimit]
    const keepsIds = ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? 0))
    for (const exchange of exchanges) this.#store(exchange, keepsIds ? exchange.id : undefined)
    this.#limitExchanges()
    if (exchanges.length > 0) this.lastLoaded = this.lastId
    this.replaced.emit()
  }

  get oldestExchange(): number | undefined {
    return this.#oldestQueue().oldest?.id
  }

  get oldestRead(): number | undefined {
    return this.#reads.oldest?.id
  }

  addChange(changeSet: ChangeSet): void {
    const entry = this.#storeChange(changeSet)
    this.#limitChanges()
    this.#emitter.emit(entry)
  }

  #storeChange(changeSet: ChangeSet, id = this.lastId + 1): ChangeEntry {
    const { cause, at } = changeSet
    this.lastId = id
    const before = this.#changes.newest?.changeSet ?? this.#oldest
    // A reset or a load sets the clock, but no time passes.
    if (cause.kind !== 'reset' && cause.kind !== 'load') this.#passedMs += Math.max(0, at - before.at)
    const entry: ChangeEntry = {
      id,
      kind: 'change',
      changeSet,
      passedMs: this.#passedMs,
      bytes: memoryOf(changeSet),
      older: undefined,
      newer: undefined,
      drop: this.#dropChangeAndAnswers,
    }
    this.#add(entry, this.#changes)
    return entry
  }

  #limitChanges(): void {
    this.limits.budget.shrink()
    // A single change set stays, however large it is.
    while (this.#changes.size > 1 && this.#exceedsChangeLimits()) this.#dropChange()
  }

  clearExchanges(): void {
    this.#removeExchanges()
    this.replaced.emit()
  }

  #removeExchanges(): void {
    for (const queue of [this.#reads, this.#others]) while (queue.size > 0) this.#removeOldest(queue)
    this.dropped = 0
    this.beginsAt = realTime()
  }

  restart(start: Revision): void {
    while (this.#changes.size > 0) this.#removeOldest(this.#changes)
    this.#lastDroppedChange = this.lastId
    this.#oldest = start
    this.#neededRevision = Number.POSITIVE_INFINITY
  }

  /**
   * Replaces all entries by those of a past. The world has the state after them. Publishes nothing: `restarted` follows. Returns the
   * number by which all ids rise, because this history has used earlier ones.
   */
  loadPast({ start, changeSets, changeIds, exchanges, beginsAt, dropped }: HistoryPast): number {
    this.restart(start)
    this.generation += 1
    this.#removeExchanges()
    const shift = Math.max(0, this.lastId - Math.min(changeIds[0] ?? 1, exchanges[0]?.id ?? 1) + 1)
    let stored = 0
    const storeBefore = (id: number) => {
      for (let next = exchanges[stored]; next && next.id < id; next = exchanges[stored]) {
        stored += 1
        this.#store(next, next.id + shift)
      }
    }
    for (const [i, changeSet] of changeSets.entries()) {
      const id = changeIds[i] ?? 0
      storeBefore(id)
      this.#storeChange(changeSet, id + shift)
    }
    storeBefore(Number.POSITIVE_INFINITY)
    // The reasons of the answers before a dropped change set need all later ones.
    this.#limitExchanges()
    this.#limitChanges()
    this.beginsAt = beginsAt
    this.dropped += dropped
    return shift
  }

  /** Lists the entries after an id. Returns `undefined` if one of them was dropped, or if the id does not exist yet. */
  entriesAfter(id: number): HistoryEntry[] | undefined {
    return id < this.#lastDropped || id > this.lastId ? undefined : this.#entriesAfter(id)
  }

  /** All entries, the oldest first. */
  get entries(): HistoryEntry[] {
    return this.#entriesAfter(0)
  }

  #entriesAfter(id: number): HistoryEntry[] {
    const isLater = (entry: HistoryEntry) => entry.id > id
    const queues: readonly Queue<HistoryEntry>[] = [this.#reads, this.#others, this.#changes]
    return queues.flatMap(queue => queue.from(queue.positionAfter(isLater))).sort((a, b) => a.id - b.id)
  }

  /** The oldest revision that can be restored: the one before the oldest change set. */
  get oldest(): Revision {
    return this.#oldest
  }

  get newestRevision(): number {
    return this.#changes.newest?.changeSet.revision ?? this.#oldest.revision
  }

  /**
   * Finds the newest change set up to a revision, and all change sets after it, the oldest first. Throws `UsageError` for a
   * revision that does not exist yet, or is no longer stored.
   */
  changesSince(revision: number): Revision & { readonly later: readonly ChangeSet[] } {
    const { newestRevision: newest } = this
    const oldest = this.#oldest.revision
    if (revision < oldest)
      throw new UsageError(`revision ${revision} is no longer kept: the oldest one is ${oldest} (GET /__mock/history)`)
    if (revision > newest) throw new UsageError(`there is no revision ${revision} yet: the newest one is ${newest}`)
    const next = this.#positionAfter(revision)
    const own = this.#changes.at(next - 1)?.changeSet ?? this.#oldest
    const later = this.#changes.from(next).map(({ changeSet }) => changeSet)
    return { revision: own.revision, at: own.at, later }
  }

  /** Finds the change set of a revision. `undefined` if it was dropped. */
  changeSet(revision: number): ChangeSet | undefined {
    const found = this.#changes.at(this.#positionAfter(revision) - 1)?.changeSet
    return found?.revision === revision ? found : undefined
  }

  /** Returns the id of an event. A client can resume from it, for a kept world also after a restart. `position` is that of an entry. */
  eventId(position: number): string {
    const before =
      this.#changes.at(this.#changes.positionAfter(({ id }) => id > position) - 1)?.changeSet ?? this.#oldest
    const run = this.keptAs === undefined ? this.run : `${this.keptAs}.${this.run}`
    return `${run}-${position}-${before.revision}`
  }

  /** Finds the position of an event by its id. Returns `undefined` for an event of another world, or one that was lost. */
  positionOf(eventId: string): number | undefined {
    const [, world, run, position, revision] = /^(?:(\w+)\.)?(\w+)-(\d+)-(\d+)$/.exec(eventId) ?? []
    if (run === this.run) return this.eventId(Number(position)) === eventId ? Number(position) : undefined
    if (world === undefined || world !== this.keptAs) return undefined
    const last = this.#positionAfter(Number(revision)) - 1
    const change = this.#changes.at(last)
    if (change) return change.changeSet.revision === Number(revision) ? change.id : undefined
    return this.#oldest.revision === Number(revision) ? this.#lastDroppedChange : undefined
  }

  /** The id of the first change set after a revision. `undefined` if there is none. */
  nextChangeAfter(revision: number): number | undefined {
    return this.#changes.at(this.#positionAfter(revision))?.id
  }

  /** The id of the newest change set up to a revision. 0 if there was none, `undefined` if it was dropped. */
  lastChangeUpTo(revision: number): number | undefined {
    return this.#changes.at(this.#positionAfter(revision) - 1)?.id ?? (this.#lastDroppedChange === 0 ? 0 : undefined)
  }

  /** Calls the listener with each new entry, and with `undefined` at the end. Returns a function that unsubscribes. */
  subscribe(listener: (entry: HistoryEntry | undefined) => void): () => void {
    if (this.#hasEnded) {
      listener(undefined)
      return () => {}
    }
    return this.#emitter.subscribe(listener)
  }

  /** Ends the subscriptions, and frees its share of the budget. */
  end(): void {
    if (!this.#hasEnded)
      for (const entry of [...this.#exchanges(), ...this.#changes.from()]) this.limits.budget.remove(entry)
    this.#hasEnded = true
    this.#emitter.emit(undefined)
    this.#emitter.clear()
  }

  #positionAfter(revision: number): number {
    return this.#changes.positionAfter(({ changeSet }) => changeSet.revision > revision)
  }

  #store(exchange: StoredExchange, id = this.lastId + 1): ExchangeEntry {
    exchange.id = id
    this.lastId = id
    const { revision = this.#answeredRevision } = exchange
    this.#areInOrder &&= revision >= this.#answeredRevision
    this.#answeredRevision = Math.max(this.#answeredRevision, revision)
    this.#neededRevision = Math.min(this.#neededRevision, exchange.revision ?? Number.POSITIVE_INFINITY)
    const entry: ExchangeEntry = {
      id,
      kind: 'exchange',
      exchange,
      bytes: exchange.bytes,
      older: undefined,
      newer: undefined,
      drop: exchange.isPlainRead ? this.#dropRead : this.#dropOther,
    }
    this.#add(entry, exchange.isPlainRead ? this.#reads : this.#others)
    return entry
  }

  #limitExchanges(): void {
    const { limits } = this
    limits.budget.shrink()
    const size = () => this.#reads.size + this.#others.size
    while (size() > limits.exchanges) this.#dropExchange()
    // A single exchange stays, however long it is.
    while (this.#reads.bytes + this.#others.bytes > limits.bytes && size() > 1) this.#dropExchange()
    // Nothing is lost if the journal is off.
    if (limits.exchanges === 0) this.dropped = 0
  }

  #exchanges(): ExchangeEntry[] {
    return [...this.#reads.from(), ...this.#others.from()].sort((a, b) => a.id - b.id)
  }

  #oldestQueue(): Queue<ExchangeEntry> {
    const idOf = (queue: Queue<ExchangeEntry>) => queue.oldest?.id ?? Number.POSITIVE_INFINITY
    return idOf(this.#reads) < idOf(this.#others) ? this.#reads : this.#others
  }

  /** Drops the oldest read if more than a quarter of the exchanges are reads, else the oldest exchange. */
  #dropExchange(): void {
    const hasManyReads = this.#reads.size * 3 > this.#others.size
    if (hasManyReads || this.#oldestQueue() === this.#reads) this.#dropRead()
    else this.#dropOther()
  }

  #add<Entry extends HistoryEntry>(entry: Entry, queue: Queue<Entry>): void {
    queue.push(entry)
    if (!this.#hasEnded) this.limits.budget.add(entry)
  }

  #removeOldest<Entry extends HistoryEntry>(queue: Queue<Entry>): void {
    const entry = queue.shift()
    if (!this.#hasEnded) this.limits.budget.remove(entry)
    this.#lastDropped = Math.max(this.#lastDropped, entry.id)
  }

  #exceedsChangeLimits(): boolean {
    const { changes, bytes } = this.limits
    if (this.#changes.bytes > bytes) return true
    if ('count' in changes) return this.#changes.size > changes.count
    return this.#passedMs - (this.#changes.oldest?.passedMs ?? 0) > changes.ms
  }

  // Arrow functions, because they are also the `drop` of the entries.
  #dropRead = (): void => {
    this.dropped += 1
    this.#removeOldest(this.#reads)
  }

  #dropOther = (): void => {
    this.dropped += 1
    this.#removeOldest(this.#others)
  }

  #dropChange = (): void => {
    const { oldest } = this.#changes
    if (!oldest) return
    if (this.#neededRevision < oldest.changeSet.revision) this.#keepReasons(oldest.changeSet.revision)
    this.#removeOldest(this.#changes)
    this.#lastDroppedChange = oldest.id
    this.#oldest = oldest.changeSet
  }

  /** Drops the oldest change set for the budget, and the answers before it: their reasons would cost more than the requests. */
  #dropChangeAndAnswers = (): void => {
    const { oldest } = this.#changes
    if (!oldest) return
    const { revision } = oldest.changeSet
    const needs = ({ oldest: entry }: Queue<ExchangeEntry>) =>
      entry ? (entry.exchange.revision ?? 0) : Number.POSITIVE_INFINITY
    const isBefore = (queue: Queue<ExchangeEntry>) => needs(queue) < revision && queue.oldest?.id !== this.lastId
    while (isBefore(this.#reads)) this.#dropRead()
    while (isBefore(this.#others)) this.#dropOther()
    if (this.#areInOrder) this.#neededRevision = Math.min(needs(this.#reads), needs(this.#others))
    this.#dropChange()
  }

  /** Writes the reasons of the answers that are about earlier revisions to their exchanges, and those of some later ones. */
  #keepReasons(revision: number): void {
    const revisionOf = ({ exchange }: ExchangeEntry) => exchange.revision ?? Number.POSITIVE_INFINITY
    const waiting = this.#exchanges()
      .filter(({ exchange }) => !exchange.reasons)
      .sort((one, other) => revisionOf(one) - revisionOf(other))
    const soon = this.#changes.at(this.#changes.size >> 2)?.changeSet.revision ?? revision
    const { length } = waiting.filter((entry, i) => revisionOf(entry) < (i < batchSize ? soon : revision))
    const batch = waiting.slice(0, length)
    const reasons = this.explain(batch.map(({ exchange }) => exchange))
    for (const [i, entry] of batch.entries()) this.#setReasons(entry, reasons[i])
    const [next] = waiting.slice(length)
    this.#neededRevision = next ? revisionOf(next) : Number.POSITIVE_INFINITY
  }

  #setReasons(entry: ExchangeEntry, reasons: AnswerReasons | undefined): void {
    if (!reasons) return
    const { length } = JSON.stringify(reasons)
    entry.exchange.reasons = reasons
    const queue = entry.exchange.isPlainRead ? this.#reads : this.#others
    queue.bytes += length
    if (!this.#hasEnded) this.limits.budget.grow(entry, length)
  }
}
