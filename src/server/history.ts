import { UsageError } from '../lib/usage-error.js'
import { type ChangeSet, memoryOf } from '../store/change-set.js'
import { callAll } from '../store/dependencies.js'
import type { HistoryBudget, Listed } from './history-budget.js'
import type { StoredExchange } from './journal.js'
import { Ring } from './ring.js'

/** Something that has happened in a world. Ids rise by one, exchanges and change sets together. */
export type Moment = ExchangeMoment | ChangeMoment

interface ExchangeMoment {
  readonly id: number
  readonly kind: 'exchange'
  readonly exchange: StoredExchange
  /** About how much memory it takes. */
  readonly bytes: number
}

interface ChangeMoment {
  readonly id: number
  readonly kind: 'change'
  readonly changeSet: ChangeSet
  /** About how much memory it takes. */
  readonly bytes: number
}

type Listener = (moment: Moment | undefined) => void

/** A revision of a world, and the time of its change set, in ms since the epoch. */
interface Revision {
  readonly revision: number
  readonly at: number
}

/** The limits of a history. */
export interface HistoryLimits {
  /** How many exchanges. */
  readonly exchanges: number
  /** How many bytes of exchanges, and how many of change sets. */
  readonly bytes: number
  /** The budget that it shares with the histories of other worlds. */
  readonly budget: HistoryBudget
}

/** How many change sets are kept. */
const mostChangeSets = 1_000

/** How many records the change sets that are kept may have together. */
const mostRecords = 100_000

/** A moment that is kept. */
class Kept<Kind extends Moment> implements Listed {
  older: Listed | undefined
  newer: Listed | undefined

  constructor(
    readonly moment: Kind,
    readonly drop: () => void,
  ) {}

  get bytes(): number {
    return this.moment.bytes
  }
}

/** The newest exchanges and change sets of a world, and the listeners that hear of the next ones. */
export class History {
  readonly #limits: HistoryLimits
  readonly #exchanges: Ring<Kept<ExchangeMoment>>
  readonly #changes = new Ring<Kept<ChangeMoment>>(mostChangeSets)
  /** How many records are in the change sets. */
  #records = 0
  /** The bytes of the exchanges, and of the change sets. */
  #exchangeBytes = 0
  #changeBytes = 0
  /** How many exchanges the limits have dropped. */
  #dropped = 0
  #last = 0
  #generation = 0
  /** The newest moment that is no longer kept, and the newest of them that was a change set. */
  #forgotten = 0
  #forgottenChange = 0
  #listeners: Set<Listener> | undefined
  #ended = false
  /** The oldest revision that can be restored: the one before the oldest change set. */
  #oldest: Revision

  /** `start` is the revision that the world starts with. */
  constructor(limits: HistoryLimits, start: Revision) {
    this.#limits = limits
    this.#oldest = start
    this.#exchanges = new Ring(limits.exchanges)
  }

  /** The id of the newest moment; 0 where nothing has happened. */
  get last(): number {
    return this.#last
  }

  /** How often the exchanges have begun anew. The responder does not add a request of an earlier generation. */
  get generation(): number {
    return this.#generation
  }

  /** How many listen. */
  get listeners(): number {
    return this.#listeners?.size ?? 0
  }

  /** Whether an exchange that is added is kept, or anybody is told of it. */
  get wantsExchanges(): boolean {
    return this.#exchanges.most > 0 || this.listeners > 0
  }

  /** The exchanges that are kept, the oldest first. */
  get exchanges(): StoredExchange[] {
    return [...this.#exchanges].map(({ moment }) => moment.exchange)
  }

  /** How many exchanges were dropped since the last clearing, because of their number or their bytes. */
  get dropped(): number {
    return this.#dropped
  }

  addExchange(exchange: StoredExchange): void {
    const moment = this.#keep(exchange)
    if (this.#listeners) this.#tell(moment)
  }

  /** Begins a new generation with exchanges of an earlier run. Listeners do not hear of them. */
  loadExchanges(exchanges: Iterable<StoredExchange>): void {
    this.#generation += 1
    this.clearExchanges()
    for (const exchange of exchanges) this.#keep(exchange)
  }

  addChange(changeSet: ChangeSet): void {
    const bytes = memoryOf(changeSet)
    const moment: ChangeMoment = { id: ++this.#last, kind: 'change', changeSet, bytes }
    const kept = new Kept(moment, this.#dropChange)
    this.#records += recordsIn(changeSet)
    this.#changeBytes += bytes
    this.#forgetChange(this.#changes.push(kept))
    this.#list(kept)
    // A single change set is kept, however large it is.
    while (
      (this.#records > mostRecords || this.#changeBytes > this.#limits.bytes) &&
      this.#records > recordsIn(changeSet)
    )
      this.#dropChange()
    this.#tell(moment)
  }

  /** Forgets the exchanges. */
  clearExchanges(): void {
    for (let gone = this.#exchanges.shift(); gone; gone = this.#exchanges.shift()) this.#forgetExchange(gone)
    this.#dropped = 0
  }

  /** What has happened after a moment; `undefined` where some of that is no longer kept, or there was no such moment. */
  after(id: number): Moment[] | undefined {
    if (id < this.#forgotten || id > this.#last) return undefined
    return [...this.#exchanges, ...this.#changes]
      .map(({ moment }) => moment)
      .filter(moment => moment.id > id)
      .sort((a, b) => a.id - b.id)
  }

  /** The oldest revision that can be restored. */
  get oldest(): number {
    return this.#oldest.revision
  }

  get newest(): number {
    return [...this.#changes].at(-1)?.moment.changeSet.revision ?? this.oldest
  }

  /**
   * Finds the newest change set up to a revision, and all change sets after it, the oldest first. Throws `UsageError` for a
   * revision that does not exist yet, or is no longer kept.
   */
  since(revision: number): Revision & { readonly later: readonly ChangeSet[] } {
    const { oldest, newest } = this
    if (revision < oldest)
      throw new UsageError(`revision ${revision} is no longer kept: the oldest one is ${oldest} (GET /__mock/history)`)
    if (revision > newest) throw new UsageError(`there is no revision ${revision} yet: the newest one is ${newest}`)
    const changeSets = [...this.#changes].map(({ moment }) => moment.changeSet)
    const later = changeSets.filter(changeSet => changeSet.revision > revision)
    const own = changeSets.at(-1 - later.length) ?? this.#oldest
    return { revision: own.revision, at: own.at, later }
  }

  /** The id of the first change set after a revision. Infinity if there is none. */
  nextChangeAfter(revision: number): number {
    const next = [...this.#changes].find(({ moment }) => moment.changeSet.revision > revision)
    return next?.moment.id ?? Number.POSITIVE_INFINITY
  }

  /** The newest change set's moment up to a revision; 0 where there was none, `undefined` where that is no longer known. */
  momentOf(revision: number): number | undefined {
    let found = this.#forgottenChange === 0 ? 0 : undefined
    for (const { moment } of this.#changes) if (moment.changeSet.revision <= revision) found = moment.id
    return found
  }

  /** Calls the listener for each moment as it happens, and with `undefined` when there are no more, until the function that comes back is called. */
  listen(listener: Listener): () => void {
    if (this.#ended) {
      listener(undefined)
      return () => {}
    }
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
    return () => void this.#listeners?.delete(listener)
  }

  /** There are no more moments for those who listen. */
  end(): void {
    for (const kept of [...this.#exchanges, ...this.#changes]) this.#unlist(kept)
    this.#ended = true
    this.#tell(undefined)
    this.#listeners?.clear()
  }

  /** Removes a moment from the shared budget. The moments of a world that has ended are not in it. */
  #unlist(kept: Listed): void {
    if (!this.#ended) this.#limits.budget.remove(kept)
  }

  #list(kept: Listed): void {
    if (!this.#ended) this.#limits.budget.add(kept)
  }

  #keep(exchange: StoredExchange): ExchangeMoment {
    exchange.id = ++this.#last
    const { id, bytes } = exchange
    const kept = new Kept<ExchangeMoment>({ id, kind: 'exchange', exchange, bytes }, this.#dropExchange)
    this.#exchangeBytes += bytes
    this.#list(kept)
    const displaced = this.#exchanges.push(kept)
    if (displaced) {
      // A journal that keeps none has lost nothing.
      if (displaced !== kept) this.#dropped += 1
      this.#forgetExchange(displaced)
    }
    // A single exchange is kept, however long it is.
    while (this.#exchangeBytes > this.#limits.bytes && this.#exchangeBytes > bytes) this.#dropExchange()
    return kept.moment
  }

  #dropExchange = (): void => {
    this.#dropped += 1
    this.#forgetExchange(this.#exchanges.shift())
  }

  #dropChange = (): void => this.#forgetChange(this.#changes.shift())

  #forgetExchange(gone: Kept<ExchangeMoment> | undefined): void {
    if (!gone) return
    this.#unlist(gone)
    this.#exchangeBytes -= gone.bytes
    this.#forgotten = Math.max(this.#forgotten, gone.moment.id)
  }

  #forgetChange(gone: Kept<ChangeMoment> | undefined): void {
    if (!gone) return
    this.#unlist(gone)
    this.#changeBytes -= gone.bytes
    this.#records -= recordsIn(gone.moment.changeSet)
    this.#forgotten = Math.max(this.#forgotten, gone.moment.id)
    this.#forgottenChange = gone.moment.id
    this.#oldest = gone.moment.changeSet
  }

  #tell(moment: Moment | undefined): void {
    if (this.#listeners) callAll([...this.#listeners], listener => listener(moment))
  }
}

function recordsIn({ changes }: ChangeSet): number {
  return changes.length
}
