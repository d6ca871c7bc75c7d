import type { JournalEntry } from '../contract/journal.js'
import type { History, HistoryEntry } from '../server/history.js'
import type { MockResponseInit, StreamClient } from '../server/message.js'
import type { TableName } from '../store/rows.js'
import type { World } from '../store/world.js'

/** An event of a world: a change set, an exchange, or a gap. `id` is its position, for `lastEventId`. */
export type MockEvent =
  | { readonly type: 'change'; readonly id: string; readonly data: ChangeSetJson }
  | { readonly type: 'exchange'; readonly id: string; readonly data: JournalEntry }
  | {
      readonly type: 'gone'
      readonly id: string
      readonly data: { readonly message: string; readonly revision: number }
    }

/** A change set as JSON. */
export interface ChangeSetJson {
  readonly revision: number
  /** Its time, in ISO 8601. */
  readonly at: string
  readonly puts: readonly { readonly table: TableName; readonly id: string; readonly row: object }[]
  readonly deletes: readonly { readonly table: TableName; readonly id: string }[]
}

/** Where the events begin. Default: with the next one. */
export interface ChangesOptions {
  /** Begins after that revision of the world. */
  readonly since?: number | undefined
  /** Begins after the event of that id. */
  readonly lastEventId?: string | undefined
  /** Ends the events. */
  readonly signal?: AbortSignal | undefined
}

/** The events of a world as they happen. They end with `return` (the end of a `for await`), with the signal, and with the world. */
export interface MockEvents extends AsyncIterableIterator<MockEvent, undefined> {
  /** The id of the position before the first event. */
  readonly after: string
}

/** The most events that may wait for one reader. */
const maxWaiting = 10_000

/** Limits the events that wait for the readers of a mock. At a limit, the reader with the most loses them, and is told. */
export class EventBudget {
  /** In bytes: for each reader, and for all together. */
  readonly #limits: { readonly each: number; readonly total: number }
  readonly #queues = new Set<EventQueue>()
  #bytes = 0

  constructor(limits: { readonly each: number; readonly total: number }) {
    this.#limits = limits
  }

  /** The bytes of all events that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts what a queue has gained or lost, and drops events over a limit. */
  count(queue: EventQueue, by: number): void {
    this.#bytes += by
    if (queue.bytes === 0) this.#queues.delete(queue)
    else this.#queues.add(queue)
    // A single event waits however large it is. Otherwise its reader would never get it.
    if (by > 0 && queue.bytes > this.#limits.each + queue.past && queue.length > 1) queue.drop()
    if (by > 0 && this.#bytes > this.#limits.total) this.#longest()?.drop()
  }

  #longest(): EventQueue | undefined {
    let longest: EventQueue | undefined
    for (const queue of this.#queues) if (queue.bytes > (longest?.bytes ?? 0)) longest = queue
    return longest
  }
}

interface WaitingEvent {
  /** Makes the event when it is read, because most that wait are never read. */
  readonly event: () => MockEvent
  readonly bytes: number
}

/** The events that wait for one reader. */
class EventQueue {
  readonly #budget: EventBudget
  readonly #gap: () => () => MockEvent
  /** The bytes that it began with. The history of the world keeps those anyway. */
  readonly past: number
  #waiting: WaitingEvent[] = []
  #bytes = 0

  /** Begins with past events, or with a gap if they are no longer kept. */
  constructor(budget: EventBudget, past: readonly WaitingEvent[] | undefined, gap: () => () => MockEvent) {
    this.#budget = budget
    this.#gap = gap
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

  push(...added: readonly WaitingEvent[]): void {
    if (this.#waiting.length + added.length > maxWaiting) {
      this.drop()
      return
    }
    for (const waiting of added) this.#waiting.push(waiting)
    this.#count(added.reduce((sum, { bytes }) => sum + bytes, 0))
  }

  shift(): MockEvent | undefined {
    const first = this.#waiting.shift()
    if (first) this.#count(-first.bytes)
    return first?.event()
  }

  /** Replaces all events that wait by a gap. */
  drop(): void {
    this.clear()
    this.#waiting.push({ event: this.#gap(), bytes: 0 })
  }

  clear(): void {
    this.#waiting = []
    this.#count(-this.#bytes)
  }

  #count(by: number): void {
    this.#bytes += by
    this.#budget.count(this, by)
  }
}

/** The world whose events are read. */
interface EventSource {
  readonly world: Pick<World, 'revision'>
  readonly history: History
  /** Marks the ids of this run. Ids of an earlier run are unknown. */
  readonly run: string
  readonly budget: EventBudget
}

/** Collects the events of a world from now on, for a reader to take one by one. */
export function subscribeToEvents(source: EventSource, { signal, ...from }: ChangesOptions = {}): MockEvents {
  const { world, history, run, budget } = source
  const start = startOf(source, from)
  const past = start === undefined ? undefined : history.entriesAfter(start)?.filter(isEvent)
  const idOf = (id: number) => `${run}-${id}`
  const waiting = (entry: HistoryEntry) => ({ event: () => eventOf(entry, idOf(entry.id)), bytes: entry.bytes })
  const gap = () => {
    // Its id and revision are those of the gap, not of the reading: later events follow it.
    const event: MockEvent = { type: 'gone', id: idOf(history.lastId), data: { message, revision: world.revision } }
    return () => event
  }
  const queue = new EventQueue(budget, past?.map(waiting), gap)
  const readers: (() => void)[] = []
  let ended = false
  let unsubscribe = () => {}
  const wakeReaders = () => {
    for (const wake of readers.splice(0)) wake()
  }
  const end = () => {
    ended = true
    unsubscribe()
    signal?.removeEventListener('abort', end)
    wakeReaders()
  }
  unsubscribe = history.subscribe(entry => {
    if (!entry) return end()
    if (!isEvent(entry)) return
    queue.push(waiting(entry))
    wakeReaders()
  })
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end)
  return {
    after: idOf(past === undefined ? history.lastId : (start ?? history.lastId)),
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

/** Returns the id of the entry before the first event; `undefined` if it is of another run, or no longer known. */
function startOf({ world, history, run }: EventSource, { since, lastEventId }: ChangesOptions): number | undefined {
  if (lastEventId !== undefined) {
    const [itsRun, id = '', ...more] = lastEventId.split('-')
    return itsRun === run && more.length === 0 && /^\d+$/.test(id) ? Number(id) : undefined
  }
  if (since === undefined) return history.lastId
  return since > world.revision ? undefined : history.lastChangeUpTo(since)
}

/** Whether readers are told. They are not told of a change set without rows: draws, counters, and the clock. */
function isEvent(entry: HistoryEntry): boolean {
  return entry.kind === 'exchange' || entry.changeSet.changes.length > 0
}

function eventOf(entry: HistoryEntry, id: string): MockEvent {
  if (entry.kind === 'exchange') return { type: 'exchange', id, data: entry.exchange.entry() }
  const { revision, at, changes } = entry.changeSet
  const puts = changes.flatMap(({ table, id, after }) => (after ? [{ table, id, row: after.row }] : []))
  const deletes = changes.flatMap(({ table, id, after }) => (after ? [] : [{ table, id }]))
  return { type: 'change', id, data: { revision, at: new Date(at).toISOString(), puts, deletes } }
}

/** Answers with events of a world as Server-Sent Events. They begin when the answer is sent. */
export function eventStream(world: Pick<World, 'revision'>, begin: () => MockEvents): MockResponseInit {
  const stream = (client: StreamClient) => {
    const events = begin()
    sendEvents(events, client, world).catch(() => {
      // An event that cannot be sent ends the stream. The client connects again.
      void events.return?.()
      client.end()
    })
    return () => void events.return?.()
  }
  const headers = { 'content-type': 'text/event-stream', 'x-content-type-options': 'nosniff' }
  return { status: 200, headers, body: new Uint8Array(), cors: 'loopback', stream }
}

async function sendEvents(events: MockEvents, client: StreamClient, world: Pick<World, 'revision'>): Promise<void> {
  // A client that is cut off before the first event can come back to this position.
  client.send(streamText({ type: 'begin', id: events.after, data: {} }))
  for await (const event of events) {
    client.send(eventText(event, world))
    // While a client is slow, its events wait in the queue, where they count, and others are answered.
    await client.drained()
  }
  client.send(streamText({ type: 'end', data: {} }))
  client.end()
}

/** The text of an event, or of a gap if the event is longer than a string can be. */
function eventText(event: MockEvent, { revision }: Pick<World, 'revision'>): string {
  try {
    return streamText(event)
  } catch {
    const message = 'what happened is too long to be told: read the world anew'
    return streamText({ type: 'gone', id: event.id, data: { message, revision } })
  }
}

/** An event of a stream. Its JSON has no line break that would end it. */
function streamText({ type, id, data }: { type: string; id?: string; data: object }): string {
  return `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}
