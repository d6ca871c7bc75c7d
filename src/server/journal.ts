import { Expectation, type JournalEntry, type JournalFilter, JournalFilterSchema } from '../contract/journal.js'
import { matchesGlob } from '../lib/glob.js'
import { parseInput } from '../lib/issues.js'
import type { LiveWorld } from '../store/world.js'
import type { History } from './history.js'
import { recordedBefore } from './recorded.js'
import { type Near, type Verification, verify } from './verify.js'
import { withoutTokens } from './without-tokens.js'

/** What has been asked of a world, and what it answered: the newest exchanges, the oldest first. */
export class Journal {
  readonly #history: History
  readonly #world: Pick<LiveWorld, 'view'>

  constructor(history: History, world: Pick<LiveWorld, 'view'>) {
    this.#history = history
    this.#world = world
  }

  /** The exchanges that are wanted, with their tokens cut to their labels. Throws `UsageError` where none can be meant. */
  find(filter: JournalFilter = {}): JournalEntry[] {
    const { operation: glob, status, since = 0 } = parseInput(JournalFilterSchema, filter, 'filter')
    return this.#history.exchanges
      .filter(({ id }) => id > since)
      .filter(exchange => status === undefined || exchange.status === status)
      .filter(({ operation }) => glob === undefined || matchesGlob(operation ?? '', glob))
      .map(exchange => exchange.shown())
  }

  /**
   * How many older exchanges are no longer kept, because there were too many (`journalSize`) or they were too long
   * together (`journalBytes`, `totalJournalBytes`). Counts from when the journal was last cleared.
   */
  dropped(): number {
    return this.#history.dropped
  }

  /** Whether the exchanges are as expected; where they are not, why, and what came nearest. Throws `UsageError` where nothing can be so. */
  verify(expectation: Expectation): Verification {
    const { tables } = this.#world.view
    const exchanges = new Map(this.#history.exchanges.map(exchange => [exchange.id, exchange]))
    const entries = [...exchanges.values()].map(exchange => exchange.asked())
    const expected = parseInput(Expectation, expectation, 'expectation')
    const { nearest, ...verification } = verify(withoutTokens(expected), { entries, tables, dropped: this.dropped() })
    const whole = ({ exchange, differs }: Near) => ({
      exchange: exchanges.get(exchange.id)?.shown() ?? exchange,
      differs,
    })
    return { ...verification, nearest: nearest.map(whole) }
  }

  /**
   * Begins anew, with the exchanges that a snapshot has. They get new ids. A request that is being answered meanwhile does
   * not enter: it belongs to what was before.
   */
  load(entries: readonly JournalEntry[]): void {
    this.#history.loadExchanges(entries.map(recordedBefore))
  }

  /** Forgets all exchanges. Their ids are not given again. */
  clear(): void {
    this.#history.clearExchanges()
  }
}
