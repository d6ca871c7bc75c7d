import type { ChangeSet } from '../store/change-set.js'
import { callAll } from '../store/listeners.js'
import type { Recorded } from './recorded.js'
import { Ring } from './ring.js'

/** Something that has happened in a world. Ids rise by one, exchanges and change sets together. */
export type Moment = ExchangeMoment | ChangeMoment

interface ExchangeMoment {
  readonly id: number
  readonly kind: 'exchange'
  readonly exchange: Recorded
}

interface ChangeMoment {
  readonly id: number
  readonly kind: 'change'
  readonly changeSet: ChangeSet
}

type Listener = (moment: Moment | undefined) => void

/** How long the bodies of the exchanges that are kept may be together, in bytes. */
const mostBytes = 64 * 1024 * 1024

/** How many change sets are kept. */
const mostChangeSets = 1_000

/** How many records the change sets that are kept may have together. */
const mostRecords = 100_000

/** What has happened in a world lately, the newest exchanges and change sets, and who is told of what happens next. */
export class History {
  readonly #exchanges: Ring<Recorded>
  readonly #changes = new Ring<ChangeMoment>(mostChangeSets)
  /** How many records are in the change sets. */
  #records = 0
  /** How long the bodies of the exchanges are together. */
  #bytes = 0
  #last = 0
  #generation = 0
  /** The newest moment that is no longer kept, and the newest of them that was a change set. */
  #forgotten = 0
  #forgottenChange = 0
  #listeners: Set<Listener> | undefined
  #ended = false

  constructor(mostExchanges: number) {
    this.#exchanges = new Ring(mostExchanges)
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
  get exchanges(): Iterable<Recorded> {
    return this.#exchanges
  }

  addExchange(exchange: Recorded): void {
    this.#keep(exchange)
    if (this.#listeners) this.#tell(momentOf(exchange))
  }

  /** Begins a new generation with exchanges of an earlier run, and tells nobody of them. */
  loadExchanges(exchanges: Iterable<Recorded>): void {
    this.#generation += 1
    this.clearExchanges()
    for (const exchange of exchanges) this.#keep(exchange)
  }

  addChange(changeSet: ChangeSet): void {
    const moment: ChangeMoment = { id: ++this.#last, kind: 'change', changeSet }
    this.#records += sizeOf(changeSet)
    this.#forgetChange(this.#changes.push(moment))
    // One alone is kept however large it is.
    while (this.#records > mostRecords && this.#records > sizeOf(changeSet)) this.#forgetChange(this.#changes.shift())
    this.#tell(moment)
  }

  /** Forgets the exchanges. */
  clearExchanges(): void {
    for (let gone = this.#exchanges.shift(); gone; gone = this.#exchanges.shift()) this.#forgetExchange(gone)
  }

  /** What has happened after a moment; `undefined` where some of that is no longer kept, or there was no such moment. */
  after(id: number): Moment[] | undefined {
    if (id < this.#forgotten || id > this.#last) return undefined
    return [...[...this.#exchanges].map(momentOf), ...this.#changes]
      .filter(moment => moment.id > id)
      .sort((a, b) => a.id - b.id)
  }

  /** The newest change set's moment up to a revision; 0 where there was none, `undefined` where that is no longer known. */
  momentOf(revision: number): number | undefined {
    let found = this.#forgottenChange === 0 ? 0 : undefined
    for (const { id, changeSet } of this.#changes) if (changeSet.revision <= revision) found = id
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
    this.#ended = true
    this.#tell(undefined)
    this.#listeners?.clear()
  }

  #keep(exchange: Recorded): void {
    exchange.id = ++this.#last
    this.#bytes += exchange.bytes
    this.#forgetExchange(this.#exchanges.push(exchange))
    while (this.#bytes > mostBytes && this.#bytes > exchange.bytes) this.#forgetExchange(this.#exchanges.shift())
  }

  #forgetExchange(gone: Recorded | undefined): void {
    if (!gone) return
    this.#bytes -= gone.bytes
    this.#forgotten = Math.max(this.#forgotten, gone.id)
  }

  #forgetChange(gone: ChangeMoment | undefined): void {
    if (!gone) return
    this.#records -= sizeOf(gone.changeSet)
    this.#forgotten = Math.max(this.#forgotten, gone.id)
    this.#forgottenChange = gone.id
  }

  #tell(moment: Moment | undefined): void {
    if (this.#listeners) callAll([...this.#listeners].map(listener => () => listener(moment)))
  }
}

function momentOf(exchange: Recorded): ExchangeMoment {
  return { id: exchange.id, kind: 'exchange', exchange }
}

function sizeOf({ puts, deletes }: ChangeSet): number {
  return puts.length + deletes.length
}
