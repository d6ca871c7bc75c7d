import { type ChangeSet, memoryOf } from '../store/change-set.js'
import { callAll } from '../store/listeners.js'
import type { HistoryBudget, Listed } from './history-budget.js'
import type { Recorded } from './recorded.js'
import { Ring } from './ring.js'

/** Something that has happened in a world. Ids rise by one, exchanges and change sets together. */
export type Moment = ExchangeMoment | ChangeMoment

interface ExchangeMoment {
  readonly id: number
  readonly kind: 'exchange'
  readonly exchange: Recorded
  /** How much memory it takes, about. */
  readonly bytes: number
}

interface ChangeMoment {
  readonly id: number
  readonly kind: 'change'
  readonly changeSet: ChangeSet
  /** How much memory it takes, about. */
  readonly bytes: number
}

type Listener = (moment: Moment | undefined) => void

/** How much a history keeps. */
export interface HistoryLimits {
  /** How many exchanges. */
  readonly exchanges: number
  /** How long its exchanges may be together, and how large its change sets, each in bytes. */
  readonly bytes: number
  /** What it shares with the histories of other worlds. */
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
    readonly bytes: number,
    readonly drop: () => void,
  ) {}
}

/** What has happened in a world lately, the newest exchanges and change sets, and who is told of what happens next. */
export class History {
  readonly #limits: HistoryLimits
  readonly #exchanges: Ring<Kept<ExchangeMoment>>
  readonly #changes = new Ring<Kept<ChangeMoment>>(mostChangeSets)
  /** How many records are in the change sets. */
  #records = 0
  /** How long the exchanges are together, and how large the change sets. */
  #exchangeBytes = 0
  #changeBytes = 0
  /** How many exchanges have been dropped because of the limits. */
  #dropped = 0
  #last = 0
  #generation = 0
  /** The newest moment that is no longer kept, and the newest of them that was a change set. */
  #forgotten = 0
  #forgottenChange = 0
  #listeners: Set<Listener> | undefined
  #ended = false

  constructor(limits: HistoryLimits) {
    this.#limits = limits
    this.#exchanges = new Ring(limits.exchanges)
  }

  /** The id of the newest moment; 0 where nothing has happened. */
  get last(): number {
    return this.#last
  }

  /** How often the exchanges have begun anew. One that began in an earlier generation is not to be added. */
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
  get exchanges(): Recorded[] {
    return [...this.#exchanges].map(({ moment }) => moment.exchange)
  }

  /** How many exchanges have been dropped, because of their number or their length, since the last ones were cleared. */
  get dropped(): number {
    return this.#dropped
  }

  addExchange(exchange: Recorded): void {
    const moment = this.#keep(exchange)
    if (this.#listeners) this.#tell(moment)
  }

  /** Begins a new generation with exchanges of an earlier run, and tells nobody of them. */
  loadExchanges(exchanges: Iterable<Recorded>): void {
    this.#generation += 1
    this.clearExchanges()
    for (const exchange of exchanges) this.#keep(exchange)
  }

  addChange(changeSet: ChangeSet): void {
    const bytes = memoryOf(changeSet)
    const moment: ChangeMoment = { id: ++this.#last, kind: 'change', changeSet, bytes }
    const kept = new Kept(moment, bytes, this.#dropChange)
    this.#records += recordsIn(changeSet)
    this.#changeBytes += bytes
    this.#forgetChange(this.#changes.push(kept))
    this.#list(kept)
    // One alone is kept however large it is.
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

  /** A world that has ended keeps what it has, which is no longer part of what it shares with others. */
  #unlist(kept: Listed): void {
    if (!this.#ended) this.#limits.budget.remove(kept)
  }

  #list(kept: Listed): void {
    if (!this.#ended) this.#limits.budget.add(kept)
  }

  #keep(exchange: Recorded): ExchangeMoment {
    exchange.id = ++this.#last
    const { id, bytes } = exchange
    const kept = new Kept<ExchangeMoment>({ id, kind: 'exchange', exchange, bytes }, bytes, this.#dropExchange)
    this.#exchangeBytes += bytes
    this.#list(kept)
    const displaced = this.#exchanges.push(kept)
    if (displaced) {
      // A journal that keeps none has lost nothing.
      if (displaced !== kept) this.#dropped += 1
      this.#forgetExchange(displaced)
    }
    // One alone is kept however long it is.
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
  }

  #tell(moment: Moment | undefined): void {
    if (this.#listeners) callAll([...this.#listeners].map(listener => () => listener(moment)))
  }
}

function recordsIn({ puts, deletes }: ChangeSet): number {
  return puts.length + deletes.length
}
