import { ApiError } from '../contract/errors.js'
import type { ShortenedEntry } from '../contract/journal.js'
import { signalOf } from '../lib/abort-signal.js'
import { writeJson } from '../lib/json.js'
import { quoted, UsageError } from '../lib/messages.js'
import { AbortController } from '../lib/real-globals.js'
import { formatInstant } from '../lib/time.js'
import type { History, HistoryEntry } from '../pipeline/history.js'
import type { MockResponseInit, StreamClient } from '../pipeline/message.js'
import { TimeoutError } from '../pipeline/request-waits.js'
import type { LiveWorld } from '../store/world.js'
import type { ChangeSetJson } from './history.js'
import { checkStateNames, type ObservedStates, type StateName, StateReader, type WorldStates } from './states.js'

/**
 * An event of a world: a change set, a request with its answer, a number of requests that were left out, a gap, or the present
 * state of a part of the world. `id` is its position, for `lastEventId`.
 */
export type MockEvent =
  | { readonly type: 'change'; readonly id: string; readonly data: ChangeSetJson }
  | { readonly type: 'exchange'; readonly id: string; readonly data: ShortenedEntry }
  | { readonly type: 'skipped'; readonly id: string; readonly data: { readonly exchanges: number } }
  | {
      readonly type: 'gone'
      readonly id: string
      readonly data: { readonly message: string; readonly revision: number }
    }
  | StateEvent

type StateEvent = {
  readonly [Name in StateName]: { readonly type: Name; readonly id: string; readonly data: WorldStates[Name] }
}[StateName]

/** The events to read. */
export interface ChangesOptions {
  /** Begins after this revision of the world. Default: the present. */
  readonly since?: number | undefined
  /** Begins after the event with this id. */
  readonly lastEventId?: string | undefined
  /** `short`: requests come without an answer of more than 2 KiB. Default: with the whole answer. */
  readonly answers?: 'short' | undefined
  /**
   * The most requests that wait for a slow reader, 1 or more. Beyond it the oldest are left out, and an event `skipped` counts them.
   * Default: only the limits of all events.
   */
  readonly newest?: number | undefined
  /**
   * Adds events with the present state of these parts of the world: at the beginning, and after each change. A part has at most
   * one event in 250 ms, and its newest state follows. Default: none.
   */
  readonly with?: readonly StateName[] | undefined
  /** Ends the events. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The events of a world as they happen. They end with `return` (the end of a `for await`), with the signal, and with the world. An
 * event waits until its change is kept. Rejects with `ApiError` if that fails: begin again after the last event.
 */
export interface MockEvents extends AsyncIterableIterator<MockEvent> {
  /** The id of the position before the first event. */
  readonly after: string
}

const maxWaiting = 10_000

/** Limits the memory of events that wait for readers. At a limit, the reader with the most events gets a gap instead. */
export class EventBudget {
  /** In bytes: for each reader, and for all together. */
  readonly #limits: { readonly each: number; readonly total: number }
  readonly #queues = new Set<EventQueue>()
  /** Of all waiting events. */
  #bytes = 0

  constructor(limits: { readonly each: number; readonly total: number }) {
    this.#limits = limits
  }

  /** Updates the sum when a queue grows or shrinks, and enforces the limits. */
  addBytes(queue: EventQueue, bytes: number): void {
    this.#bytes += bytes
    if (queue.bytes === 0) this.#queues.delete(queue)
    else this.#queues.add(queue)
    // A single event waits however large it is. Otherwise its reader would never get it.
    if (bytes > 0 && queue.bytes > this.#limits.each + queue.pastBytes && queue.length > 1) queue.drop()
    if (bytes > 0 && this.#bytes > this.#limits.total) this.#longest()?.drop()
  }

  #longest(): EventQueue | undefined {
    let longest: EventQueue | undefined
    for (const queue of this.#queues) if (queue.bytes > (longest?.bytes ?? 0)) longest = queue
    return longest
  }
}

interface WaitingEvent {
  readonly kind: HistoryEntry['kind'] | 'gone'
  /** Called when the event is read, because most waiting events are never read. */
  readonly createEvent: () => MockEvent
  readonly bytes: number
}

class EventQueue {
  readonly #budget: EventBudget
  readonly #createGap: () => MockEvent
  /** The bytes of the past events at the start. They do not count against the limit, because the history holds them anyway. */
  readonly pastBytes: number
  /** The most exchanges that wait. */
  readonly #newest: number
  bytes = 0
  #waiting: WaitingEvent[] = []
  #exchanges = 0
  #skipped = 0

  /** Begins with past events, or with a gap if `past` is undefined. */
  constructor(
    past: readonly WaitingEvent[] | undefined,
    { budget, newest, createGap }: { budget: EventBudget; newest: number; createGap: () => MockEvent },
  ) {
    this.#budget = budget
    this.#newest = newest
    this.#createGap = createGap
    this.pastBytes = (past ?? []).reduce((sum, { bytes }) => sum + bytes, 0)
    if (past) this.push(...past)
    else this.drop()
  }

  get length(): number {
    return this.#waiting.length
  }

  push(...added: readonly WaitingEvent[]): void {
    if (this.#waiting.length + added.length > maxWaiting) {
      this.drop()
      return
    }
    for (const waiting of added) {
      this.#waiting.push(waiting)
      if (waiting.kind === 'exchange') this.#exchanges += 1
    }
    this.#addBytes(added.reduce((sum, { bytes }) => sum + bytes, 0))
    while (this.#exchanges > this.#newest) this.#skipExchange()
  }

  shift(): MockEvent | undefined {
    const first = this.#waiting.shift()
    if (first) this.#remove(first)
    return first?.createEvent()
  }

  /** Returns the number of exchanges that were left out since the last call. */
  takeSkipped(): number {
    const skipped = this.#skipped
    this.#skipped = 0
    return skipped
  }

  /** Replaces all waiting events by a gap. */
  drop(): void {
    this.clear()
    const gap = this.#createGap()
    this.#waiting.push({ kind: 'gone', createEvent: () => gap, bytes: 0 })
  }

  clear(): void {
    this.#waiting = []
    this.#exchanges = 0
    this.#skipped = 0
    this.#addBytes(-this.bytes)
  }

  #skipExchange(): void {
    const index = this.#waiting.findIndex(({ kind }) => kind === 'exchange')
    for (const skipped of this.#waiting.splice(index, 1)) this.#remove(skipped)
    this.#skipped += 1
  }

  #remove({ kind, bytes }: WaitingEvent): void {
    if (kind === 'exchange') this.#exchanges -= 1
    this.#addBytes(-bytes)
  }

  #addBytes(bytes: number): void {
    this.bytes += bytes
    this.#budget.addBytes(this, bytes)
  }
}

interface EventSource {
  readonly world: Pick<LiveWorld, 'revision' | 'settled'>
  readonly history: History
  readonly states: ObservedStates<WorldStates>
  readonly budget: EventBudget
}

/** Reads the events of a world one by one. */
export class EventReader implements MockEvents {
  readonly after: string
  /** The id of the last event that was read. */
  #position: string
  readonly #world: EventSource['world']
  readonly #queue: EventQueue
  readonly #states: StateReader<WorldStates>
  readonly #signal: AbortSignal | undefined
  #wakers: (() => void)[] = []
  #unsubscribe = () => {}
  #hasEnded = false

  constructor({ world, history, states, budget }: EventSource, options: ChangesOptions = {}) {
    const signal = signalOf('changes', options)
    const { answers, newest = Number.MAX_SAFE_INTEGER, with: names = [] } = options
    if (answers !== undefined && answers !== 'short')
      throw new UsageError(`changes: answers is ${quoted(answers)}: expected "short"`)
    if (!Number.isInteger(newest) || newest < 1)
      throw new UsageError(`changes: newest is ${quoted(newest)}: expected a whole number of 1 or more`)
    const { since } = options
    if (since !== undefined && !(Number.isInteger(since) && since >= 0))
      throw new UsageError(`changes: since is ${quoted(since)}: expected a revision`)
    const checkedNames = checkStateNames(names)
    const start = entryBefore({ world, history }, options)
    const past = start === undefined ? undefined : history.entriesAfter(start)?.filter(isEvent)
    const waiting = (entry: HistoryEntry) => {
      const id = history.eventId(entry.id)
      return { kind: entry.kind, createEvent: () => eventOf(entry, id, answers), bytes: entry.bytes }
    }
    const createGap = (): MockEvent => ({
      type: 'gone',
      id: history.eventId(history.lastId),
      data: { message: goneMessage, revision: world.revision },
    })
    this.#world = world
    this.#queue = new EventQueue(past?.map(waiting), { budget, newest, createGap })
    this.after = history.eventId(past === undefined ? history.lastId : (start ?? history.lastId))
    this.#position = this.after
    this.#signal = signal
    this.#states = new StateReader(states, checkedNames, { wake: () => this.#wake(), ended: () => this.#end() })
    const unsubscribe = [
      history.subscribe(entry => {
        if (!entry) return this.#end()
        if (!isEvent(entry)) return
        this.#queue.push(waiting(entry))
        this.#wake()
      }),
      history.restarted.subscribe(() => {
        this.#queue.drop()
        this.#wake()
      }),
    ]
    this.#unsubscribe = () => {
      for (const end of unsubscribe) end()
    }
    if (signal?.aborted) this.#end()
    signal?.addEventListener('abort', this.#end)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<MockEvent, undefined>> {
    for (;;) {
      const event = this.#take()
      if (event) {
        const settled = this.#world.settled()
        if (settled) await settled
        return { done: false, value: event }
      }
      if (this.#hasEnded) return { done: true, value: undefined }
      await new Promise<void>(resolve => this.#wakers.push(resolve))
    }
  }

  #take(): MockEvent | undefined {
    const skipped = this.#queue.takeSkipped()
    if (skipped > 0) return { type: 'skipped', id: this.#position, data: { exchanges: skipped } }
    const state = this.#states.take()
    if (state) return { ...state, id: this.#position } as StateEvent // one name and its data
    const event = this.#queue.shift()
    this.#position = event?.id ?? this.#position
    return event
  }

  async return(): Promise<IteratorResult<MockEvent, undefined>> {
    this.#queue.clear()
    this.#end()
    return { done: true, value: undefined }
  }

  readonly #end = (): void => {
    this.#hasEnded = true
    this.#unsubscribe()
    this.#states.end()
    this.#signal?.removeEventListener('abort', this.#end)
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake()
  }
}

const goneMessage =
  'events before this one are no longer kept: read the world again, then continue with the events that follow'

function entryBefore(
  { world, history }: Pick<EventSource, 'world' | 'history'>,
  { since, lastEventId }: ChangesOptions,
): number | undefined {
  if (lastEventId !== undefined) return history.positionOf(lastEventId)
  if (since === undefined) return history.lastId
  return since > world.revision ? undefined : history.lastChangeUpTo(since)
}

/** Leaves out change sets without rows: random numbers, fault counters, the clock. */
function isEvent(entry: HistoryEntry): boolean {
  return entry.kind === 'exchange' || entry.changeSet.changes.length > 0
}

function eventOf(entry: HistoryEntry, id: string, answers: 'short' | undefined): MockEvent {
  if (entry.kind === 'exchange') return { type: 'exchange', id, data: entry.exchange.entry(answers) }
  const { revision, at, cause, changes } = entry.changeSet
  const puts = changes.flatMap(({ table, id, after }) => (after ? [{ table, id, row: after.row }] : []))
  const deletes = changes.flatMap(({ table, id, after }) => (after ? [] : [{ table, id }]))
  return { type: 'change', id, data: { revision, at: formatInstant(at), cause, puts, deletes } }
}

/** Answers with Server-Sent Events. Calls `begin` when the answer is sent. `toSent` returns an event as the client gets it. */
export function eventStream(
  begin: () => MockEvents,
  { world, toSent }: Pick<EventSource, 'world'> & { toSent(event: MockEvent): MockEvent },
): MockResponseInit {
  return streamResponse(client => {
    const events = begin()
    const sendAll = async () => {
      await world.settled()
      // A client that loses the connection before the first event can resume from this position, also at the next run.
      client.send(streamText({ type: 'begin', id: events.after, data: {} }))
      for await (const event of events) {
        try {
          client.send(streamText(toSent(event)))
        } catch {
          await world.settled()
          const message = 'this event is too long to send: read the world again'
          client.send(streamText({ type: 'gone', id: event.id, data: { message, revision: world.revision } }))
        }
        // The events of a slow client stay in the queue, whose memory is limited.
        await client.drained()
      }
      client.send(streamText({ type: 'end', data: {} }))
      client.end()
    }
    sendAll().catch(() => {
      // An event that cannot be sent, or is about changes that are not kept, ends the stream. The client reconnects.
      void events.return?.()
      client.end()
    })
    return () => void events.return?.()
  })
}

function streamResponse(stream: (client: StreamClient) => () => void): MockResponseInit {
  const headers = { 'content-type': 'text/event-stream', 'x-content-type-options': 'nosniff' }
  return { status: 200, headers, body: new Uint8Array(), cors: 'loopback', stream }
}

/**
 * Answers with Server-Sent Events: the states of these names, and each again after a change. A slow client gets the newest state
 * only. A state waits until `settled` resolves. If that rejects, the stream ends, and the client reconnects.
 */
export function stateStream<States>(
  states: ObservedStates<States>,
  names: readonly (keyof States & string)[],
  settled: () => Promise<unknown> | undefined,
): MockResponseInit {
  return streamResponse(client => {
    let isSending = false
    const wake = async () => {
      if (isSending) return
      isSending = true
      for (let state = reader.take(); state; state = reader.take()) {
        const kept = settled()
        if (kept) await kept
        client.send(streamText({ type: state.type as string, data: state.data as object })) // a name, and JSON
        await client.drained()
      }
      isSending = false
    }
    const ended = () => {
      client.send(streamText({ type: 'end', data: {} }))
      client.end()
    }
    const send = () =>
      void wake().catch(() => {
        reader.end()
        client.end()
      })
    const reader = new StateReader(states, names, { wake: send, ended })
    send()
    return () => reader.end()
  })
}

/** Begins to wait, until the signal ends it. */
export type Wait = (signal: AbortSignal) => Promise<object>

/**
 * Answers with Server-Sent Events. `begin` comes as soon as the mock waits. `done` has the value, once all changes are kept.
 * `failed` has the code and the message of the error. A client that disconnects ends the wait.
 */
export function waitStream(wait: Wait, world: Pick<LiveWorld, 'settled'>): MockResponseInit {
  return streamResponse(client => {
    const controller = new AbortController()
    const finish = (type: 'done' | 'failed', data: object) => {
      if (controller.signal.aborted) return
      client.send(streamText({ type, data }))
      client.end()
    }
    const waiting = wait(controller.signal)
    client.send(streamText({ type: 'begin', data: {} }))
    const finishWait = async () => {
      const value = await waiting
      await world.settled()
      finish('done', value)
    }
    finishWait().catch((error: Error) => finish('failed', { code: codeOf(error), message: error.message }))
    return () => controller.abort()
  })
}

/** Returns the last event of `waitStream` if it will have no outcome. */
export function failedWait(message: string): string {
  return streamText({ type: 'failed', data: { code: worldEnded, message } })
}

const worldEnded = 'WORLD_ENDED'

function codeOf(error: Error): string {
  if (error instanceof ApiError) return error.code
  return error instanceof TimeoutError ? 'TIMED_OUT' : worldEnded
}

/** Writes an event of a stream. JSON has no line breaks, which would end it. */
function streamText({ type, id, data }: { type: string; id?: string; data: object }): string {
  return `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${writeJson(data)}\n\n`
}
