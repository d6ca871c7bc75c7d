import { batch, type Signal, signal } from '@preact/signals'
import type { FaultState } from '../contract/faults.js'
import type { PendingRequest, ShortenedEntry } from '../contract/journal.js'
import type { ChangeSetJson } from '../control/events.js'
import type { ClockJson } from '../control/history.js'
import type { ScheduledJob } from '../control/schedule.js'
import type { GameServerState } from '../control/world-control.js'
import type { Rows, TableName } from '../store/rows.js'
import { type Api, type Output, Unreachable } from './api.js'

/** Rows by table and id. The maps change in place: read `version` to follow them. */
export type Tables = { readonly [Name in TableName]: Map<string, Rows[Name]> }

/** A change set as the timeline shows it. */
export interface Change {
  readonly revision: number
  /** In ms since the epoch, on the world's clock. */
  readonly at: number
  readonly cause: ChangeSetJson['cause']
  /** The number of rows that it changed. */
  readonly rows: number
}

/** `lost`: the page tries to connect again. `deleted`: the mock runs, and has deleted the world. */
export type Connection = 'connecting' | 'live' | 'lost' | 'deleted'

/** Why the page has missed events: the mock was restarted, or the page was away for too long. */
export type Missed = 'restart' | 'gap'

/** The clock of the world, as it was read. */
export interface ClockReading extends Pick<ClockJson, 'mode' | 'rate'> {
  /** In ms since the epoch. */
  readonly now: number
  /** When it was read, in ms of `performance.now()`. */
  readonly readAt: number
}

/** Returns the time of a world's clock now, in ms since the epoch. */
export function timeOf({ mode, rate, now, readAt }: ClockReading): number {
  return mode === 'frozen' ? now : now + rate * (performance.now() - readAt)
}

/** The most requests and changes that the page keeps. */
const mostKept = 50_000

/** The page asks at this interval for what the event stream does not tell, in ms. */
const pollMs = 1_000

/** The clocks of the page and of the mock may differ by this, in ms of the world. */
const toleranceMs = 500

/** The most requests that the mock sends at once. The page asks for the others when fewer come. */
const mostAtOnce = 25

/** The pause until the page shows the next events: many times the time that it needed to show the last ones. */
const shortestPauseMs = 100
const pauseFactor = 20
const longestPauseMs = 1_000

const tableNames = [
  'settings',
  'games',
  'namespaces',
  'regions',
  'gameModes',
  'lobbies',
  'players',
  'simulations',
  'deviceLinks',
  'tokens',
] as const satisfies readonly TableName[]

/** Creates tables without rows. */
export function createTables(): Tables {
  return Object.fromEntries(tableNames.map(name => [name, new Map()])) as unknown as Tables // one map for each
}

export function putRows(tables: Tables, rows: ChangeSetJson['puts']): void {
  for (const { table, id, row } of rows) (tables[table] as Map<string, object>).set(id, row)
}

/** One world of a running mock. It follows the event stream of the world. */
export class LiveWorld {
  readonly tables = createTables()
  readonly connection: Signal<Connection> = signal('connecting')
  /** The revision of the tables. */
  readonly revision = signal(0)
  /** Counts the changes of the tables. */
  readonly version = signal(0)
  /** The requests with their answers, the oldest first. */
  readonly exchanges: Signal<readonly ShortenedEntry[]> = signal([])
  /** The oldest first. */
  readonly changes: Signal<readonly Change[]> = signal([])
  /** The oldest revision that the mock can still show. */
  readonly oldestRevision = signal(0)
  /** The requests that wait for their answers. */
  readonly pending: Signal<readonly PendingRequest[]> = signal([])
  readonly faults: Signal<readonly FaultState[]> = signal([])
  readonly schedule: Signal<readonly ScheduledJob[]> = signal([])
  readonly clock: Signal<ClockReading | undefined> = signal(undefined)
  /** The game servers that the mock has started. */
  readonly servers: Signal<readonly GameServerState[]> = signal([])
  readonly about: Signal<Output<'GET /world'> | undefined> = signal(undefined)
  /** False while so many requests come that the mock leaves some out. The page asks for them when fewer come. */
  readonly hasAllRequests: Signal<boolean> = signal(true)
  /** `undefined`: the page has missed no events. */
  readonly missed: Signal<Missed | undefined> = signal(undefined)
  readonly #api: Api
  readonly #retryMs: number
  readonly #end = new AbortController()
  /** The id of the newest event. The stream goes on after it. */
  #lastEventId: string | undefined
  /** The events that the page does not show yet. */
  #changeQueue: ChangeSetJson[] = []
  #exchangeQueue: ShortenedEntry[] = []
  #frame: ReturnType<typeof setTimeout> | undefined
  /** When the page may show events again, in ms of `performance.now()`. */
  #nextAt = 0
  #poll: ReturnType<typeof setTimeout> | undefined
  /** False until the tables are those of this run of the mock. */
  #isLoaded = false
  #loads = 0
  /** Counts how often the mock has left out requests. */
  #skips = 0
  /** The count at the last poll. */
  #polledSkips = 0
  /** The id of the newest request before those that are left out. */
  #completeUpTo: number | undefined

  /** `retryMs` is the time until the page tries to connect again. */
  constructor(api: Api, { retryMs = 1_000 } = {}) {
    this.#api = api
    this.#retryMs = retryMs
    void this.#follow()
  }

  /** Stops following the world. */
  close(): void {
    this.#end.abort()
    clearTimeout(this.#frame)
    this.#lose()
  }

  /** Asks for the clock, the faults, the waiting requests and the next jobs: now, and then each second. */
  async refresh(): Promise<void> {
    clearTimeout(this.#poll)
    if (this.connection.value !== 'live') return
    const newest = this.exchanges.value.at(-1)?.id ?? 0
    const skips = this.#skips
    const completeUpTo = skips === this.#polledSkips ? this.#completeUpTo : undefined
    this.#polledSkips = skips
    const since = completeUpTo ?? Number.MAX_SAFE_INTEGER // no requests
    try {
      const [clock, { faults }, { exchanges, oldest: oldestId, pending }, { jobs }, { servers }, { oldest }, about] =
        await Promise.all([
          this.#api.call('GET /clock'),
          this.#api.call('GET /faults'),
          this.#api.call('GET /journal', { query: { since, answers: 'short' } }),
          this.#api.call('GET /schedule', { query: { limit: 50 } }),
          this.#api.call('GET /servers'),
          this.#api.call('GET /revisions', { query: { limit: 1 } }),
          this.#api.call('GET /world'),
        ])
      batch(() => {
        this.clock.value = { ...clock, now: Date.parse(clock.now), readAt: performance.now() }
        this.faults.value = faults
        this.pending.value = pending
        if (completeUpTo !== undefined) this.#complete(completeUpTo, exchanges, this.#skips > skips)
        // Newer requests may have come since the mock answered.
        this.#forgetBefore(Math.min(oldestId ?? newest + 1, newest + 1))
        this.schedule.value = jobs
        this.servers.value = servers
        this.oldestRevision.value = oldest
        this.about.value = about
      })
    } catch (error) {
      // The event stream tells when the mock is gone, and the next poll tries again.
      if (!(error instanceof Unreachable)) throw error
    } finally {
      clearTimeout(this.#poll)
      // A call in a world that was just deleted would create it again.
      if (this.connection.value === 'live') this.#poll = setTimeout(() => void this.refresh(), pollMs)
    }
  }

  /** Shows all requests after an id, instead of those of the events. The mock may have left out more since it listed them. */
  #complete(completeUpTo: number, exchanges: readonly ShortenedEntry[], hasSkippedMore: boolean): void {
    const { value } = this.exchanges
    const last = exchanges.at(-1)?.id ?? completeUpTo
    const [older, newer] = [value.filter(({ id }) => id <= completeUpTo), value.filter(({ id }) => id > last)]
    this.exchanges.value = [...older, ...exchanges, ...newer].slice(-mostKept)
    this.#completeUpTo = hasSkippedMore ? last : undefined
    this.hasAllRequests.value = !hasSkippedMore
  }

  /** Removes the requests that the journal has dropped, or that were cleared. */
  #forgetBefore(oldestId: number): void {
    const { value } = this.exchanges
    if ((value[0]?.id ?? oldestId) < oldestId) this.exchanges.value = value.filter(({ id }) => id >= oldestId)
  }

  /** Reads the events until `close`. Connects again after a lost connection. */
  async #follow(): Promise<void> {
    while (!this.#end.signal.aborted) {
      await this.#readEvents().catch(() => {})
      if (this.#end.signal.aborted) return
      this.#lose()
      if (await this.#isDeleted()) {
        await this.#api.close()
        this.connection.value = 'deleted'
        return
      }
      await new Promise(resolve => setTimeout(resolve, this.#retryMs))
    }
  }

  /** Reads events until the connection breaks. */
  async #readEvents(): Promise<void> {
    const events = await this.#api.events(`/changes?answers=short&newest=${mostAtOnce}`, {
      signal: this.#end.signal,
      lastEventId: this.#lastEventId,
    })
    for (;;) {
      const { done, value } = await events.read()
      if (done) return
      this.#handle(value.event ?? '', JSON.parse(value.data), value.id)
    }
  }

  #handle(type: string, data: unknown, id: string | undefined): void {
    // The table of calls types the events of the client only: these come from the same stream.
    if (type === 'begin') this.#begin(id)
    if (type === 'end') this.#lose()
    if (type === 'change') this.#queue(() => this.#changeQueue.push(data as ChangeSetJson))
    if (type === 'exchange') this.#queue(() => this.#exchangeQueue.push(data as ShortenedEntry))
    if (type === 'skipped') {
      this.#completeUpTo ??= (this.#exchangeQueue.at(-1) ?? this.exchanges.value.at(-1))?.id ?? 0
      this.#skips += 1
      this.hasAllRequests.value = false
    }
    if (type === 'gone') {
      this.missed.value ??= 'gap'
      this.#load()
    }
    this.#lastEventId = id ?? this.#lastEventId
  }

  /** The stream has begun, or goes on after a lost connection. Then the mock sends the events since, or `gone`. */
  #begin(id: string | undefined): void {
    this.connection.value = 'live'
    if (this.#lastEventId !== undefined && runOf(this.#lastEventId) !== runOf(id)) this.missed.value = 'restart'
    if (!this.#isLoaded) this.#load()
    void this.refresh()
  }

  #lose(): void {
    this.connection.value = 'lost'
    clearTimeout(this.#poll)
  }

  /** True if the mock runs, and does not have the world any more. A call in the world would create it again. */
  async #isDeleted(): Promise<boolean> {
    const id = this.about.value?.id
    if (id === undefined) return false
    try {
      const { worlds } = await this.#api.ofMock().call('GET /worlds')
      return !worlds.some(world => world.id === id)
    } catch {
      return false
    }
  }

  /** Loads all rows and requests again. Events that come meanwhile are shown afterwards. */
  #load(): void {
    this.#isLoaded = false
    this.#changeQueue = []
    this.#exchangeQueue = []
    this.#completeUpTo = undefined
    this.hasAllRequests.value = true
    this.#loads += 1
    const load = this.#loads
    void this.#loadAll(() => load === this.#loads).catch(() => {
      // If the mock is gone, the stream breaks too, and begins again when the mock is back.
      setTimeout(() => load === this.#loads && this.connection.value === 'live' && this.#load(), this.#retryMs)
    })
  }

  async #loadAll(isNewest: () => boolean): Promise<void> {
    const [{ revision, rows }, { exchanges }, { oldest, revisions }] = await Promise.all([
      this.#api.call('GET /rows', { query: {} }),
      this.#api.call('GET /journal', { query: { answers: 'short' } }),
      this.#api.call('GET /revisions', { query: { limit: 1_000 } }),
    ])
    if (!isNewest()) return
    batch(() => {
      for (const name of tableNames) this.tables[name].clear()
      putRows(this.tables, rows)
      this.exchanges.value = exchanges
      this.changes.value = revisions
        .filter(one => one.revision <= revision)
        .map(({ at, ...change }) => ({ ...change, at: Date.parse(at) }))
      this.oldestRevision.value = oldest
      this.revision.value = revision
      this.version.value += 1
    })
    this.#isLoaded = true
    this.#flush()
  }

  #queue(add: () => void): void {
    add()
    this.#frame ??= setTimeout(() => this.#flush(), Math.max(0, this.#nextAt - performance.now()))
  }

  /** Shows the events of the queue. */
  #flush(): void {
    clearTimeout(this.#frame)
    this.#frame = undefined
    if (!this.#isLoaded) return
    this.#pauseAfter(performance.now())
    const changes = this.#changeQueue.filter(({ revision }) => revision > this.revision.value)
    const newestId = this.exchanges.value.at(-1)?.id ?? 0
    const exchanges = this.#exchangeQueue.filter(({ id }) => id > newestId)
    this.#changeQueue = []
    this.#exchangeQueue = []
    batch(() => {
      for (const change of changes) this.#apply(change)
      if (exchanges.length > 0) this.exchanges.value = [...this.exchanges.value, ...exchanges].slice(-mostKept)
      const last = changes.at(-1)
      if (!last) return
      this.changes.value = [...this.changes.value, ...changes.map(summaryOf)].slice(-mostKept)
      this.revision.value = last.revision
      this.version.value += 1
    })
    const newest = [changes.at(-1)?.at, exchanges.at(-1)?.time].map(time => (time === undefined ? 0 : Date.parse(time)))
    if (this.#isBehind(Math.max(...newest))) void this.refresh()
  }

  /** Sets the pause after showing events: longer if that took long, and longest in a flood of requests. */
  #pauseAfter(startedAt: number): void {
    this.#nextAt = startedAt + longestPauseMs
    if (!this.hasAllRequests.peek()) return
    // The page is rendered before the next task.
    setTimeout(() => {
      const took = performance.now() - startedAt
      this.#nextAt = startedAt + Math.min(longestPauseMs, Math.max(shortestPauseMs, pauseFactor * took))
    })
  }

  /** True if the clock must have moved since it was read: an event came from its future. */
  #isBehind(time: number): boolean {
    const { value } = this.clock
    return value !== undefined && time - timeOf(value) > toleranceMs
  }

  #apply({ puts, deletes }: ChangeSetJson): void {
    for (const { table, id } of deletes) this.tables[table].delete(id)
    putRows(this.tables, puts)
  }
}

function summaryOf({ revision, at, cause, puts, deletes }: ChangeSetJson): Change {
  return { revision, at: Date.parse(at), cause, rows: puts.length + deletes.length }
}

/** Returns the run of the mock that sent an event. */
function runOf(eventId: string | undefined): string | undefined {
  return eventId?.split('-')[0]
}
