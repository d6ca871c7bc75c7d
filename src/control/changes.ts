import type { JournalEntry } from '../contract/journal.js'
import type { History, Moment } from '../server/history.js'
import type { TableName } from '../store/rows.js'
import type { World } from '../store/world.js'

/** Something that has happened in a world. `id` says where, for `lastEventId`. */
export type MockEvent =
  | { readonly type: 'change'; readonly id: string; readonly data: ShownChangeSet }
  | { readonly type: 'exchange'; readonly id: string; readonly data: JournalEntry }
  | {
      readonly type: 'gone'
      readonly id: string
      readonly data: { readonly message: string; readonly revision: number }
    }

/** A change set as it is shown. `at` as in ISO 8601. */
export interface ShownChangeSet {
  readonly revision: number
  readonly at: string
  readonly puts: readonly { readonly table: TableName; readonly id: string; readonly row: object }[]
  readonly deletes: readonly { readonly table: TableName; readonly id: string }[]
}

/** Where to begin. Default: with what happens next. */
export interface ChangesOptions {
  /** With what has happened since that revision of the world. */
  readonly since?: number | undefined
  /** With what has happened since the event of that id. */
  readonly lastEventId?: string | undefined
  /** Ends the events. */
  readonly signal?: AbortSignal | undefined
}

/** The events of a world as they happen. They end with `return`, as the end of a `for await` calls it, with the signal, and with the world. */
export interface Changes extends AsyncIterableIterator<MockEvent, undefined> {
  /** The id of what came before the first of them. */
  readonly after: string
}

/** The world whose events they are, and what is kept of them. */
interface ChangesOf {
  readonly world: World
  readonly history: History
  /** Tells the events of one run from those of another: ids of an earlier one are none of this one's. */
  readonly run: string
  readonly budget: EventBudget
}

/** How many events may wait for a slow reader. Above that they are dropped, and the next event says so. */
const mostWaiting = 10_000

/** How many bytes of events may wait, for each reader and for all readers together. */
interface EventLimits {
  readonly each: number
  readonly total: number
}

/** Limits the events that wait for the readers of a mock. Above a limit, the reader with the most loses them, and is told. */
export class EventBudget {
  readonly #limits: EventLimits
  readonly #queues = new Set<EventQueue>()
  #bytes = 0

  constructor(limits: EventLimits) {
    this.#limits = limits
  }

  /** How many bytes of events wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** Called after a queue has grown or shrunk. */
  changed(queue: EventQueue, by: number): void {
    this.#bytes += by
    if (queue.bytes === 0) this.#queues.delete(queue)
    else this.#queues.add(queue)
    // A single event waits, however large it is: otherwise its reader would never get it.
    if (by > 0 && queue.bytes > this.#limits.each + queue.past && queue.length > 1) queue.drop()
    if (by > 0 && this.#bytes > this.#limits.total) this.#longest()?.drop()
  }

  #longest(): EventQueue | undefined {
    let longest: EventQueue | undefined
    for (const queue of this.#queues) if (queue.bytes > (longest?.bytes ?? 0)) longest = queue
    return longest
  }
}

interface Waiting {
  /** Makes the event when it is read: many may wait that nobody reads. */
  readonly event: () => MockEvent
  readonly bytes: number
}

/** The events that wait for one reader. */
class EventQueue {
  readonly #budget: EventBudget
  readonly #gone: () => () => MockEvent
  /** How many bytes it began with. The history of the world keeps those anyway. */
  readonly past: number
  #waiting: Waiting[] = []
  #bytes = 0

  /** Begins with the past, or with the event of `gone` where the past is no longer known. */
  constructor(
    budget: EventBudget,
    { past, gone }: { past: readonly Waiting[] | undefined; gone: () => () => MockEvent },
  ) {
    this.#budget = budget
    this.#gone = gone
    this.past = (past ?? []).reduce((sum, { bytes }) => sum + bytes, 0)
    if (past) this.push(...past)
    else this.drop()
  }

  get bytes(): number {
    return this.#bytes
  }

  get length(): number {
    return this.#waiting.length
  }

  push(...added: readonly Waiting[]): void {
    if (this.#waiting.length + added.length > mostWaiting) {
      this.drop()
      return
    }
    let bytes = 0
    for (const waiting of added) {
      this.#waiting.push(waiting)
      bytes += waiting.bytes
    }
    this.#grow(bytes)
  }

  shift(): MockEvent | undefined {
    const first = this.#waiting.shift()
    if (first) this.#grow(-first.bytes)
    return first?.event()
  }

  /** Drops all events that wait, and puts one in their place that says so. */
  drop(): void {
    this.clear()
    this.#waiting.push({ event: this.#gone(), bytes: 0 })
  }

  clear(): void {
    this.#waiting = []
    this.#grow(-this.#bytes)
  }

  #grow(by: number): void {
    this.#bytes += by
    this.#budget.changed(this, by)
  }
}

/** The events, gathered from now on for whoever asks for one after the other. */
export function changesOf(about: ChangesOf, { signal, ...from }: ChangesOptions = {}): Changes {
  const { world, history, run, budget } = about
  const start = startOf(about, from)
  const past = start === undefined ? undefined : history.after(start)
  const idOf = (id: number) => `${run}-${id}`
  // Its id and revision are those of now, not of when it is read: the events from now on follow it.
  const gone = () => {
    const event: MockEvent = { type: 'gone', id: idOf(history.last), data: { message, revision: world.revision } }
    return () => event
  }
  const waitingOf = (moment: Moment) => ({ event: () => eventOf(moment, idOf(moment.id)), bytes: moment.bytes })
  const queue = new EventQueue(budget, { past: past?.map(waitingOf), gone })
  const readers: (() => void)[] = []
  let ended = false
  let stop = () => {}
  const wake = () => {
    for (const reader of readers.splice(0)) reader()
  }
  const end = () => {
    ended = true
    stop()
    signal?.removeEventListener('abort', end)
    wake()
  }
  stop = history.listen(moment => {
    if (!moment) return end()
    queue.push(waitingOf(moment))
    wake()
  })
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end)
  return {
    after: idOf(past === undefined ? history.last : (start ?? history.last)),
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      while (queue.length === 0 && !ended) await new Promise<void>(resolve => readers.push(resolve))
      const event = queue.shift()
      return event ? { done: false, value: event } : { done: true, value: undefined }
    },
    async return() {
      queue.clear()
      end()
      return { done: true, value: undefined }
    },
  }
}

const message =
  'what was asked for is no longer kept: read the world anew; the events that follow are those from now on'

/** The moment after which they begin; `undefined` where that was in another run, or is no longer known. */
function startOf({ world, history, run }: ChangesOf, { since, lastEventId }: ChangesOptions): number | undefined {
  if (lastEventId !== undefined) {
    const [itsRun, id = '', ...more] = lastEventId.split('-')
    return itsRun === run && more.length === 0 && /^\d+$/.test(id) ? Number(id) : undefined
  }
  if (since === undefined) return history.last
  return since > world.revision ? undefined : history.momentOf(since)
}

function eventOf(moment: Moment, id: string): MockEvent {
  if (moment.kind === 'exchange') return { type: 'exchange', id, data: moment.exchange.shown() }
  const { at, ...changeSet } = moment.changeSet
  return { type: 'change', id, data: { ...changeSet, at: new Date(at).toISOString() } }
}
