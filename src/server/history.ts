import type { JournalEntry, ShortenedEntry } from '../contract/journal.js'
import { Emitter } from '../lib/emitter.js'
import { UsageError } from '../lib/usage-error.js'
import { type ChangeSet, memoryOf } from '../store/change-set.js'

/** A request and its response. */
export interface StoredExchange {
  /** Set by the history. For an exchange of a snapshot it is first the id that it has there. */
  id: number
  readonly operation: string | undefined
  readonly status: number
  /** The estimated memory of its bodies, path, query and headers. */
  readonly bytes: number
  /** Returns the entry for the journal. Default: with its whole answer. */
  entry(answers?: 'short'): ShortenedEntry
  /** Returns the entry without the body of the response, which may be long. */
  entryWithoutAnswer(): JournalEntry
  /** Returns the request as it was sent, with whole tokens. Absent for the exchanges of a snapshot. */
  sentRequest?(): SentRequest
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
}

/** An entry in the list of a budget, which sets its neighbours. */
interface BudgetEntry {
  /** Exchanges and change sets of a world are numbered together, from 1. */
  readonly id: number
  /** The estimated memory, in bytes. */
  readonly bytes: number
  older: BudgetEntry | undefined
  newer: BudgetEntry | undefined
  /** Drops the entry from its history, where it is the oldest of its kind. The history then removes it from the budget. */
  drop(): void
}

/** Limits the memory of the histories of all worlds together. Beyond the limit, the oldest entry of all worlds is dropped. */
export class HistoryBudget {
  #oldest: BudgetEntry | undefined
  #newest: BudgetEntry | undefined
  #bytes = 0

  /** `limit` in bytes. */
  constructor(readonly limit: number) {}

  /** The estimated memory of all entries. */
  get bytes(): number {
    return this.#bytes
  }

  add(entry: BudgetEntry): void {
    entry.older = this.#newest
    if (this.#newest) this.#newest.newer = entry
    else this.#oldest = entry
    this.#newest = entry
    this.#bytes += entry.bytes
    // A single entry stays, however large it is.
    while (this.#bytes > this.limit && this.#oldest && this.#oldest !== entry) this.#oldest.drop()
  }

  remove(entry: BudgetEntry): void {
    const { older, newer } = entry
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#newest = older
    entry.older = undefined
    entry.newer = undefined
    this.#bytes -= entry.bytes
  }
}

/** A first-in-first-out queue. Unlike `Array.shift`, its `shift` takes constant time. */
class Queue<Item extends BudgetEntry> implements Iterable<Item> {
  #items: (Item | undefined)[] = []
  /** The index of the oldest item. */
  #start = 0
  /** The bytes of all items. */
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

  /** Removes and returns the oldest item. */
  shift(): Item | undefined {
    const item = this.#items[this.#start]
    if (item === undefined) return undefined
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

  /** From the oldest to the newest. */
  *[Symbol.iterator](): Iterator<Item> {
    for (const item of this.#items.slice(this.#start)) if (item !== undefined) yield item
  }
}

/** A revision of a world, and the time of its change set, in ms since the epoch. */
interface Revision {
  readonly revision: number
  readonly at: number
}

/** The limits of a history. */
export interface HistoryLimits {
  /** The most exchanges. */
  readonly exchanges: number
  /** The most memory for exchanges, and also for change sets, in bytes. */
  readonly bytes: number
  /** The budget that it shares with the histories of other worlds. */
  readonly budget: HistoryBudget
}

/** Exchanges of an earlier run keep ids below this limit. Much larger numbers are not exact. */
const keptIdLimit = 2 ** 52

const mostChangeSets = 1_000

/** The most rows in all change sets together. */
const mostRows = 100_000

/** The newest exchanges and change sets of a world. It publishes each new one. */
export class History {
  readonly #limits: HistoryLimits
  readonly #exchanges = new Queue<ExchangeEntry>()
  readonly #changes = new Queue<ChangeEntry>()
  #rows = 0
  #dropped = 0
  #lastId = 0
  #generation = 0
  #lastLoaded = 0
  #lastDropped = 0
  #lastDroppedChange = 0
  readonly #emitter = new Emitter<HistoryEntry | undefined>()
  /** Emits after the exchanges were cleared, or replaced by those of a snapshot. */
  readonly replaced = new Emitter<void>()
  #hasEnded = false
  #oldest: Revision

  /** `start` is the first revision of the world. */
  constructor(limits: HistoryLimits, start: Revision) {
    this.#limits = limits
    this.#oldest = start
  }

  /** The id of the newest entry. 0 if there was none. */
  get lastId(): number {
    return this.#lastId
  }

  /** Rises each time the exchanges are replaced. A request of an earlier generation must not be added. */
  get generation(): number {
    return this.#generation
  }

  get listenerCount(): number {
    return this.#emitter.size
  }

  /** False if an exchange would neither be stored nor published. */
  get shouldRecordExchanges(): boolean {
    return this.#limits.exchanges > 0 || this.listenerCount > 0
  }

  /** The oldest first. */
  get exchanges(): StoredExchange[] {
    return [...this.#exchanges].map(({ exchange }) => exchange)
  }

  /** The number of exchanges that the limits have dropped since the last clearing. */
  get dropped(): number {
    return this.#dropped
  }

  addExchange(exchange: StoredExchange): void {
    this.#emitter.emit(this.#store(exchange))
  }

  /**
   * Replaces the exchanges with those of an earlier run, in a new generation. They keep their ids if these rise, and this run
   * has not used them. Does not publish them.
   */
  loadExchanges(exchanges: readonly StoredExchange[]): void {
    this.#generation += 1
    this.clearExchanges()
    const ids = [this.#lastId, ...exchanges.map(({ id }) => id), keptIdLimit]
    const keepsIds = ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? 0))
    for (const exchange of exchanges) this.#store(exchange, keepsIds ? exchange.id : undefined)
    if (exchanges.length > 0) this.#lastLoaded = this.#lastId
    this.replaced.emit()
  }

  /** The id of the oldest exchange. `undefined` if there is none. */
  get oldestExchange(): number | undefined {
    return this.#exchanges.oldest?.id
  }

  /** The id of the newest exchange of an earlier run. 0 if there is none. The history has no change sets of that run. */
  get lastLoaded(): number {
    return this.#lastLoaded
  }

  addChange(changeSet: ChangeSet): void {
    const entry: ChangeEntry = {
      id: ++this.#lastId,
      kind: 'change',
      changeSet,
      bytes: memoryOf(changeSet),
      older: undefined,
      newer: undefined,
      drop: this.#dropChange,
    }
    this.#rows += changeSet.changes.length
    this.#add(entry, this.#changes)
    // A single change set stays, however large it is.
    while (this.#changes.size > 1 && this.#exceedsChangeLimits()) this.#dropChange()
    this.#emitter.emit(entry)
  }

  clearExchanges(): void {
    while (this.#exchanges.size > 0) this.#removeOldest(this.#exchanges)
    this.#dropped = 0
    this.replaced.emit()
  }

  /** Lists the entries after an id. Returns `undefined` if one of them was dropped, or if the id does not exist yet. */
  entriesAfter(id: number): HistoryEntry[] | undefined {
    if (id < this.#lastDropped || id > this.#lastId) return undefined
    return [...this.#exchanges, ...this.#changes].filter(entry => entry.id > id).sort((a, b) => a.id - b.id)
  }

  /** The oldest revision that can be restored: the one before the oldest change set. */
  get oldestRevision(): number {
    return this.#oldest.revision
  }

  get newestRevision(): number {
    return this.#changes.newest?.changeSet.revision ?? this.oldestRevision
  }

  /**
   * Finds the newest change set up to a revision, and all change sets after it, the oldest first. Throws `UsageError` for a
   * revision that does not exist yet, or is no longer stored.
   */
  changesSince(revision: number): Revision & { readonly later: readonly ChangeSet[] } {
    const { oldestRevision: oldest, newestRevision: newest } = this
    if (revision < oldest)
      throw new UsageError(`revision ${revision} is no longer kept: the oldest one is ${oldest} (GET /__mock/history)`)
    if (revision > newest) throw new UsageError(`there is no revision ${revision} yet: the newest one is ${newest}`)
    const changeSets = [...this.#changes].map(({ changeSet }) => changeSet)
    const later = changeSets.filter(changeSet => changeSet.revision > revision)
    const own = changeSets.at(-1 - later.length) ?? this.#oldest
    return { revision: own.revision, at: own.at, later }
  }

  /** The id of the first change set after a revision. `undefined` if there is none. */
  nextChangeAfter(revision: number): number | undefined {
    return [...this.#changes].find(({ changeSet }) => changeSet.revision > revision)?.id
  }

  /** The revision of the newest change set before an entry. Throws `UsageError` if a later one was dropped. */
  revisionBefore(id: number): number {
    if (this.#lastDroppedChange > id)
      throw new UsageError(`the state before entry ${id} is no longer kept: the history has dropped later change sets`)
    let { revision } = this.#oldest
    for (const change of this.#changes) if (change.id < id) revision = change.changeSet.revision
    return revision
  }

  /** The id of the newest change set up to a revision. 0 if there was none, `undefined` if it was dropped. */
  lastChangeUpTo(revision: number): number | undefined {
    let found = this.#lastDroppedChange === 0 ? 0 : undefined
    for (const { id, changeSet } of this.#changes) if (changeSet.revision <= revision) found = id
    return found
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
    if (!this.#hasEnded) for (const entry of [...this.#exchanges, ...this.#changes]) this.#limits.budget.remove(entry)
    this.#hasEnded = true
    this.#emitter.emit(undefined)
    this.#emitter.clear()
  }

  #store(exchange: StoredExchange, id = this.#lastId + 1): ExchangeEntry {
    exchange.id = id
    this.#lastId = id
    const entry: ExchangeEntry = {
      id,
      kind: 'exchange',
      exchange,
      bytes: exchange.bytes,
      older: undefined,
      newer: undefined,
      drop: this.#dropExchange,
    }
    this.#add(entry, this.#exchanges)
    const limits = this.#limits
    if (limits.exchanges === 0) {
      // Nothing is lost if the journal is off.
      this.#removeOldest(this.#exchanges)
      return entry
    }
    if (this.#exchanges.size > limits.exchanges) this.#dropExchange()
    // A single exchange stays, however long it is.
    while (this.#exchanges.bytes > limits.bytes && this.#exchanges.size > 1) this.#dropExchange()
    return entry
  }

  #add<Entry extends HistoryEntry>(entry: Entry, queue: Queue<Entry>): void {
    queue.push(entry)
    if (!this.#hasEnded) this.#limits.budget.add(entry)
  }

  #removeOldest<Entry extends HistoryEntry>(queue: Queue<Entry>): Entry | undefined {
    const entry = queue.shift()
    if (!entry) return undefined
    if (!this.#hasEnded) this.#limits.budget.remove(entry)
    this.#lastDropped = Math.max(this.#lastDropped, entry.id)
    return entry
  }

  #exceedsChangeLimits(): boolean {
    return this.#changes.size > mostChangeSets || this.#rows > mostRows || this.#changes.bytes > this.#limits.bytes
  }

  // Arrow functions, because they are also the `drop` of the entries.
  #dropExchange = (): void => {
    this.#dropped += 1
    this.#removeOldest(this.#exchanges)
  }

  #dropChange = (): void => {
    const entry = this.#removeOldest(this.#changes)
    if (!entry) return
    this.#rows -= entry.changeSet.changes.length
    this.#lastDroppedChange = entry.id
    this.#oldest = entry.changeSet
  }
}
