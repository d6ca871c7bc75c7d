import type { JournalEntry } from '../contract/journal.js'
import type { History, Moment } from '../server/history.js'
import type { TableName } from '../store/rows.js'
import type { World } from '../store/world.js'

/** Something that has happened in a world. `id` says where, for `lastEventId`. */
export type MockEvent =
  | { readonly type: 'change'; readonly id: string; readonly data: ShownChangeSet }
  | { readonly type: 'exchange'; readonly id: string; readonly data: JournalEntry }
  | { readonly type: 'gone'; readonly data: { readonly message: string; readonly revision: number } }

/** A change set as it is shown. `at` as in ISO 8601. */
interface ShownChangeSet {
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

/** The events of a world as they happen. They end with `return`, as the end of a `for await` calls it, with the signal, and with the mock. */
export type Changes = AsyncIterableIterator<MockEvent, undefined>

/** The world whose events they are, and what is kept of them. */
interface ChangesOf {
  readonly world: World
  readonly history: History
  /** Tells the events of one run from those of another: ids of an earlier one are none of this one's. */
  readonly run: string
}

/** Who is told of events. */
interface Told extends ChangesOptions {
  /** Called with `undefined` when there are no more. */
  listener(event: MockEvent | undefined): void
}

/**
 * Tells of each event, first of those of the past that were asked for, until the function that comes back is called. Where
 * they are no longer kept, the first event says so, and what follows is new.
 */
function listenToChanges(of: ChangesOf, { listener, ...options }: Told): () => void {
  const past = pastOf(of, options)
  if (past === undefined) listener(gone(of.world))
  else for (const moment of past) listener(eventOf(moment, of.run))
  return of.history.listen(moment => listener(moment && eventOf(moment, of.run)))
}

/** The events, for those who ask for one after the other. They are gathered from now on. */
export function changesOf(of: ChangesOf, options: ChangesOptions = {}): Changes {
  const events: MockEvent[] = []
  let ended = false
  let wake = () => {}
  const end = () => {
    ended = true
    stop()
    options.signal?.removeEventListener('abort', end)
    wake()
  }
  const stop = listenToChanges(of, {
    ...options,
    listener(event) {
      if (event) events.push(event)
      else end()
      wake()
    },
  })
  if (options.signal?.aborted) end()
  options.signal?.addEventListener('abort', end)
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      while (events.length === 0 && !ended) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      const event = events.shift()
      return event ? { done: false, value: event } : { done: true, value: undefined }
    },
    async return() {
      events.length = 0
      end()
      return { done: true, value: undefined }
    },
  }
}

/** What has happened since then; `undefined` where some of it is no longer kept, or then never was. */
function pastOf({ world, history, run }: ChangesOf, { since, lastEventId }: ChangesOptions): Moment[] | undefined {
  if (lastEventId !== undefined) {
    const [itsRun, id, ...more] = lastEventId.split('-')
    return itsRun === run && more.length === 0 && /^\d+$/.test(id ?? '') ? history.after(Number(id)) : undefined
  }
  if (since === undefined) return []
  const id = since > world.revision ? undefined : history.momentOf(since)
  return id === undefined ? undefined : history.after(id)
}

function gone({ revision }: World): MockEvent {
  const message =
    'what was asked for is no longer kept: read the world anew; the events that follow are those from now on'
  return { type: 'gone', data: { message, revision } }
}

function eventOf(moment: Moment, run: string): MockEvent {
  const id = `${run}-${moment.id}`
  if (moment.kind === 'exchange') return { type: 'exchange', id, data: moment.exchange.shown() }
  const { at, ...changeSet } = moment.changeSet
  return { type: 'change', id, data: { ...changeSet, at: new Date(at).toISOString() } }
}
