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
}

/** How many events wait for who does not read them. Then they are dropped, and the next one says so. */
const mostWaiting = 10_000

/** The events, gathered from now on for whoever asks for one after the other. */
export function changesOf({ world, history, run }: ChangesOf, { signal, ...from }: ChangesOptions = {}): Changes {
  const start = startOf({ world, history, run }, from)
  const past = start === undefined ? undefined : history.after(start)
  const idOf = (id: number) => `${run}-${id}`
  // Of now, and not of when it is read: what happens from now on follows it.
  const gone = () => {
    const event: MockEvent = { type: 'gone', id: idOf(history.last), data: { message, revision: world.revision } }
    return () => event
  }
  // Made readable when they are read: there may be many, and nobody may read them.
  const waiting: (() => MockEvent)[] = past?.map(moment => () => eventOf(moment, idOf(moment.id))) ?? [gone()]
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
    if (waiting.length >= mostWaiting) waiting.splice(0, waiting.length, gone())
    else waiting.push(() => eventOf(moment, idOf(moment.id)))
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
      while (waiting.length === 0 && !ended) await new Promise<void>(resolve => readers.push(resolve))
      const event = waiting.shift()
      return event ? { done: false, value: event() } : { done: true, value: undefined }
    },
    async return() {
      waiting.length = 0
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
