import { batch, type Signal, signal } from '@preact/signals'
import { ClientError, type Output, openStream } from '../../client/call.js'
import type { FaultState } from '../../core/contract/faults.js'
import type { ShortenedEntry } from '../../core/contract/journal.js'
import type { MockEvent } from '../../core/control/events.js'
import type { ExplainedChoice } from '../../core/control/explain/explain-find.js'
import type { ChangeSetJson, ClockJson } from '../../core/control/history.js'
import type { ScheduledJob } from '../../core/control/schedule.js'
import type { JournalState, StateName, WorldStates } from '../../core/control/states.js'
import type { StorySummary } from '../../core/control/stories/tell-story.js'
import type { KeptData } from '../../core/control/world-control.js'
import { parseJson } from '../../core/lib/json.js'
import { isPlainRead } from '../../core/pipeline/outcome.js'
import type { GameServerState } from '../../core/simulation/servers.js'
import { seatsTaken } from '../../core/store/lobby-rules.js'
import type { Rows, TableName } from '../../core/store/rows.js'
import { tableNames } from '../../core/store/table-names.js'
import type { Api } from './api.js'
import { addPlayers, type PlayerSpan, spansOfStories } from './player-spans.js'

/** Rows by table and id. The maps change in place: read `version` to follow them. */
export type RowMaps = { readonly [Name in TableName]: Map<string, Rows[Name]> }

/** A change set as the timeline shows it. */
export interface Change {
  readonly revision: number
  /** In ms since the epoch, on the world's clock. */
  readonly at: number
  readonly cause: ChangeSetJson['cause']
  /** The number of rows that it changed. */
  readonly rows: number
}

/**
 * `lost`: the page tries to connect again. `locked`: the mock needs a control token. `deleted`: the mock runs, and has deleted
 * the world. `absent`: the mock runs, and has never had the world.
 */
export type Connection = 'connecting' | 'live' | 'lost' | 'locked' | 'deleted' | 'absent'

/**
 * The reason why the page has missed events. `restart`: the mock was restarted with another world. `requests`: it was restarted with
 * this world, without its earlier requests. `gap`: the page was away for too long.
 */
export type Missed = 'restart' | 'requests' | 'gap'

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

/** The status of a call without the right control token. */
const unauthorized = 401

/** The most requests and changes that the page keeps. */
const mostKept = 50_000

/** The most change sets that the page reads when it opens. */
const mostRead = 1_000

/** The page asks for the requests that were left out when none was left out for this time, in ms. */
const quietMs = 1_000

/** The states that the page follows besides the rows and the requests. */
const followed = Object.keys({
  clock: true,
  faults: true,
  finds: true,
  history: true,
  journal: true,
  schedule: true,
  servers: true,
  stories: true,
  warnings: true,
  world: true,
} satisfies Record<StateName, true>).join()

/** The most requests that the mock sends at once. The page asks for the others when fewer come. */
const mostAtOnce = 25

/** The players from before the page was opened that the timeline shows. */
const mostPlayers = 200

/** The most names of players that the page remembers. */
const mostNames = 2_000

/** The pause until the page shows the next events: many times the time that it needed to show the last ones. */
const shortestPauseMs = 100
const pauseFactor = 20
const longestPauseMs = 1_000

/** Creates tables with rows. */
export function createTables(rows: ChangeSetJson['puts'] = []): RowMaps {
  const tables = Object.fromEntries(tableNames.map(name => [name, new Map()])) as RowMaps // one map for each
  putRows(tables, rows)
  return tables
}

function putRows(tables: RowMaps, rows: ChangeSetJson['puts']): void {
  for (const { table, id, row } of rows) (tables[table] as Map<string, object>).set(id, row)
}

/** One world of a running mock. It follows the event stream of the world. */
export class FollowedWorld {
  readonly tables = createTables()
  /** The change sets that made lobbies, by the id of the lobby. Older lobbies are not here. */
  readonly made = new Map<string, Pick<Change, 'at' | 'revision'>>()
  /** The seats that an outage took, by the id of the lobby. Those from before the page was opened are not here. */
  readonly taken = new Map<string, number>()
  /** The lobbies that are not in `made` are older than this time. */
  madeSince = 0
  readonly connection: Signal<Connection> = signal('connecting')
  /** The revision of the tables. */
  readonly revision = signal(0)
  /** Counts the changes of the tables. */
  readonly version = signal(0)
  /** The requests with their answers, the oldest first. */
  readonly exchanges: Signal<readonly ShortenedEntry[]> = signal([])
  /** The oldest first. */
  readonly changes: Signal<readonly Change[]> = signal([])
  /** By the tokens of players. */
  readonly #names = new Map<string, string>()
  /** The seats of players. Simulated players have none. */
  readonly players: Signal<readonly PlayerSpan[]> = signal([])
  /** The oldest revision that the mock can still show. */
  readonly oldestRevision = signal(0)
  /** The time of that revision, in ms since the epoch. */
  readonly oldestAt = signal(0)
  /** The first requests that wait for their answers, and the number of all. */
  readonly pending: Signal<Pick<JournalState, 'waiting' | 'pending'>> = signal({ waiting: 0, pending: [] })
  readonly faults: Signal<readonly FaultState[]> = signal([])
  readonly schedule: Signal<readonly ScheduledJob[]> = signal([])
  /** The answer that a find would get now, in each game mode. */
  readonly finds: Signal<readonly ExplainedChoice[]> = signal([])
  readonly clock: Signal<ClockReading | undefined> = signal(undefined)
  /** The game servers that the mock has started. */
  readonly servers: Signal<readonly GameServerState[]> = signal([])
  readonly warnings: Signal<WorldStates['warnings']> = signal({ warnings: [], dropped: 0 })
  readonly about: Signal<WorldStates['world'] | undefined> = signal(undefined)
  /** The players whose stories changed last. */
  readonly stories: Signal<WorldStates['stories'] | undefined> = signal(undefined)
  /** The place that keeps the worlds. `undefined`: they are only in memory. */
  readonly data: Signal<KeptData | undefined> = signal(undefined)
  /** False while so many requests come that the mock leaves some out. The page asks for them when fewer come. */
  readonly hasAllRequests: Signal<boolean> = signal(true)
  /** `undefined`: the page has missed no events. */
  readonly missed: Signal<Missed | undefined> = signal(undefined)
  readonly #api: Api
  readonly #retryMs: number
  readonly #end = new AbortController()
  #tryAgain = () => {}
  /** The id of the newest event. The stream goes on after it. */
  #lastEventId: string | undefined
  /** The events that the page does not show yet. */
  #changeQueue: ChangeSetJson[] = []
  #exchangeQueue: ShortenedEntry[] = []
  #frame: ReturnType<typeof setTimeout> | undefined
  /** When the page may show events again, in ms of `performance.now()`. */
  #nextAt = 0
  #completion: ReturnType<typeof setTimeout> | undefined
  /** False until the tables are those of this run of the mock. */
  #isLoaded = false
  #loads = 0
  /** Requests with smaller ids are gone. */
  #oldest: Pick<JournalState, 'oldest' | 'oldest_read'> = { oldest: 0, oldest_read: 0 }
  /** The newest request of a snapshot that the page has. */
  #loadedRequest: number | undefined
  /** The rows that the page asks for together with its first events, which saves a round trip. */
  #early: Promise<Output<'GET /rows'> | undefined> | undefined
  /** The revision at which the stream began. */
  #begunAt = 0
  /** The id of the newest request before those that are left out. */
  #completeUpTo: number | undefined

  /** `retryMs` is the time until the page tries to connect again. */
  constructor(api: Api, { retryMs = 1_000 } = {}) {
    this.#api = api
    this.#retryMs = retryMs
    void this.#follow()
    this.#early = this.#readRows().catch(noAnswer)
  }

  /** Stops following the world. */
  close(): void {
    this.#end.abort()
    this.#tryAgain()
    clearTimeout(this.#frame)
    this.#lose()
  }

  /** Asks for the requests that were left out, and those after them. */
  async #askForSkipped(): Promise<void> {
    const [completeUpTo, completion] = [this.#completeUpTo, this.#completion]
    if (completeUpTo === undefined || this.connection.value !== 'live') return
    const answer = await this.#api
      .call('GET /journal', { query: { since: completeUpTo, answers: 'short' } })
      .catch(noAnswer)
    // The mock has left out more since, or its requests are gone.
    if (this.#completion !== completion || this.#completeUpTo !== completeUpTo) return
    if (answer) batch(() => this.#complete(completeUpTo, answer.exchanges))
    else this.#completeSoon()
  }

  #completeSoon(): void {
    clearTimeout(this.#completion)
    this.#completion = setTimeout(() => void this.#askForSkipped(), quietMs)
  }

  /** Shows all requests after an id, instead of those of the events. */
  #complete(completeUpTo: number, exchanges: readonly ShortenedEntry[]): void {
    const { value } = this.exchanges
    const last = exchanges.at(-1)?.id ?? completeUpTo
    const [older, newer] = [value.filter(({ id }) => id <= completeUpTo), value.filter(({ id }) => id > last)]
    this.exchanges.value = this.#withoutDropped([...older, ...exchanges, ...newer]).slice(-mostKept)
    this.#completeUpTo = undefined
    this.hasAllRequests.value = true
  }

  /** Leaves out the requests that the journal has dropped, or that were cleared. They may still be on their way. */
  #withoutDropped(exchanges: readonly ShortenedEntry[]): readonly ShortenedEntry[] {
    const { oldest, oldest_read } = this.#oldest
    const kept = exchanges.filter(entry => entry.id >= (isPlainRead(entry) ? oldest_read : oldest))
    return kept.length === exchanges.length ? exchanges : kept
  }

  async #follow(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const error: unknown = await this.#readEvents().catch(cause => cause)
      if (this.#end.signal.aborted) return
      this.#lose()
      if (error instanceof ClientError && error.status === unauthorized) {
        await this.#waitForRetry('locked')
        continue
      }
      if (await this.#isGone()) {
        if (!this.about.value) {
          await this.#waitForRetry('absent')
          continue
        }
        this.connection.value = 'deleted'
        return
      }
      await new Promise(resolve => setTimeout(resolve, this.#retryMs))
    }
  }

  async #waitForRetry(connection: Connection): Promise<void> {
    this.connection.value = connection
    await new Promise<void>(resolve => {
      this.#tryAgain = resolve
    })
  }

  /** Asks for the place that keeps the worlds, and its size now. */
  async readData(): Promise<void> {
    const health = await this.#api.ofMock().call('GET /health').catch(noAnswer)
    if (health) this.data.value = health.data
  }

  /** Tries again, with another control token or after the world was made. */
  retry(): void {
    this.#tryAgain()
  }

  async #readEvents(): Promise<void> {
    const events = await openStream(
      this.#api,
      'GET /changes',
      { query: { newest: mostAtOnce, with: followed, answers: 'short' } },
      { signal: this.#end.signal, lastEventId: this.#lastEventId },
    )
    for await (const { type, id, data } of events) {
      if (type === 'begin') this.#begin(id)
      else if (type === 'end') this.#lose()
      // The mock sends no other types of events.
      else this.#handle({ type, id, data: parseJson(data) } as MockEvent)
      this.#lastEventId = id ?? this.#lastEventId
    }
  }

  #handle(event: MockEvent): void {
    if (event.type === 'change') this.#queue(() => this.#changeQueue.push(event.data))
    else if (event.type === 'exchange') this.#queue(() => this.#exchangeQueue.push(event.data))
    else if (event.type === 'skipped') this.#skip()
    else if (event.type === 'gone') {
      this.missed.value ??= 'gap'
      this.#load()
    } else batch(() => this.#show(event))
  }

  /** The mock has left out requests. The page asks for them when fewer come. */
  #skip(): void {
    this.#completeUpTo ??= (this.#exchangeQueue.at(-1) ?? this.exchanges.value.at(-1))?.id ?? 0
    this.hasAllRequests.value = false
    this.#completeSoon()
  }

  #show({ type, data }: Extract<MockEvent, { type: StateName }>): void {
    if (type === 'clock') this.clock.value = { ...data, now: Date.parse(data.now), readAt: performance.now() }
    if (type === 'faults') this.faults.value = data.faults
    if (type === 'finds') this.finds.value = data.finds
    if (type === 'history') this.#showOldest(data)
    if (type === 'schedule') this.schedule.value = data.jobs
    if (type === 'servers') this.servers.value = data.servers
    if (type === 'stories') {
      this.#nameAll(data.newest)
      this.stories.value = data
    }
    if (type === 'warnings') this.warnings.value = data
    if (type === 'world') this.about.value = data
    if (type !== 'journal') return
    this.pending.value = data
    // No event tells of the requests of a snapshot.
    if (this.#isLoaded && data.loaded !== this.#loadedRequest) this.#load()
    this.#loadedRequest = data.loaded
    this.#oldest = data
    this.exchanges.value = this.#withoutDropped(this.exchanges.value)
  }

  /** Names a player. `undefined`: the page has not heard of its story yet. Who shows the name is shown anew when it comes. */
  nameOf(token: string): string | undefined {
    void this.stories.value
    return this.#names.get(token)
  }

  #nameAll(stories: readonly Pick<StorySummary, 'token' | 'name'>[]): void {
    for (const { token, name } of stories) {
      this.#names.set(token, name)
      const [oldest = ''] = this.#names.keys()
      if (this.#names.size > mostNames) this.#names.delete(oldest)
    }
  }

  /** The stream has begun, or goes on after a lost connection. Then the mock sends the events since, or `gone`. */
  #begin(id: string | undefined): void {
    this.connection.value = 'live'
    this.#begunAt = Number(id?.split('-')[2])
    if (this.#lastEventId !== undefined && runOf(this.#lastEventId) !== runOf(id)) {
      const isKept = keptWorldOf(id) !== undefined && keptWorldOf(id) === keptWorldOf(this.#lastEventId)
      this.missed.value = isKept ? 'requests' : 'restart'
      // The journal of another run begins anew, and so do the ids of its requests.
      this.#oldest = { oldest: 0, oldest_read: 0 }
      this.exchanges.value = []
      this.#forgetQueued()
    }
    if (!this.#isLoaded) this.#load()
    void this.readData()
    if (this.#completeUpTo !== undefined) this.#completeSoon()
  }

  /** Forgets the requests that wait to be shown, and those that were left out. */
  #forgetQueued(): void {
    this.#exchangeQueue = []
    this.#completeUpTo = undefined
    this.hasAllRequests.value = true
  }

  #lose(): void {
    this.connection.value = 'lost'
    // The next mock may be another one.
    this.#early = undefined
    clearTimeout(this.#completion)
  }

  /** True if the mock runs, and does not have the world any more. */
  async #isGone(): Promise<boolean> {
    const answer = await this.#api.ofMock().call('GET /worlds').catch(noAnswer)
    return answer !== undefined && !answer.worlds.some(({ id }) => id === this.#api.worldId)
  }

  /** Loads all rows and requests again. Events that come meanwhile are shown afterwards. */
  #load(): void {
    this.#isLoaded = false
    this.#changeQueue = []
    this.#forgetQueued()
    this.#loads += 1
    const load = this.#loads
    void this.#loadAll(() => load === this.#loads).catch(() => {
      // If the mock is gone, the stream breaks too, and begins again when the mock is back.
      setTimeout(() => load === this.#loads && this.connection.value === 'live' && this.#load(), this.#retryMs)
    })
  }

  #showOldest({ oldest, oldest_at }: WorldStates['history']): void {
    this.oldestRevision.value = oldest
    this.oldestAt.value = Date.parse(oldest_at)
  }

  #readRows() {
    return this.#api.call('GET /rows', { query: {} })
  }

  /** Reads the rows, unless the early ones will do: the stream has all changes after them. */
  async #rowsOfNow() {
    const early = await this.#early
    this.#early = undefined
    return early && early.revision >= this.#begunAt ? early : this.#readRows()
  }

  async #loadAll(isNewest: () => boolean): Promise<void> {
    const [{ revision, rows }, { exchanges }, { change_sets, ...history }, { stories }] = await Promise.all([
      this.#rowsOfNow(),
      this.#api.call('GET /journal', { query: { answers: 'short' } }),
      this.#api.call('GET /history', { query: { limit: mostRead, rows: false } }),
      this.#api.call('GET /stories', { query: { simulated: false, limit: mostPlayers } }),
    ])
    if (!isNewest()) return
    batch(() => {
      for (const name of tableNames) this.tables[name].clear()
      this.made.clear()
      this.taken.clear()
      putRows(this.tables, rows)
      this.exchanges.value = this.#withoutDropped(exchanges)
      this.changes.value = change_sets
        .filter(one => one.revision <= revision)
        .map(({ at, cause, changes, ...one }) => ({ ...one, at: Date.parse(at), cause, rows: changes.length }))
      for (const { revision, at, changes } of change_sets)
        for (const { table, id, became } of changes)
          if (table === 'lobbies' && became === 'created') this.made.set(id, { revision, at: Date.parse(at) })
      this.madeSince = Date.parse((change_sets.length === mostRead && change_sets[0]?.at) || history.oldest_at)
      this.#names.clear()
      this.#nameAll(stories)
      this.players.value = spansOfStories(stories, id => this.#lobbyWords(id))
      this.#showOldest(history)
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

  #flush(): void {
    clearTimeout(this.#frame)
    this.#frame = undefined
    if (!this.#isLoaded) return
    this.#pauseAfter(performance.now())
    const changes = this.#changeQueue.filter(({ revision }) => revision > this.revision.value)
    const newestId = this.exchanges.value.at(-1)?.id ?? 0
    const exchanges = this.#withoutDropped(this.#exchangeQueue.filter(({ id }) => id > newestId))
    this.#changeQueue = []
    this.#exchangeQueue = []
    batch(() => {
      const shown: Change[] = []
      let players = this.players.peek()
      for (const change of changes) {
        const { revision, at, puts, deletes } = change
        shown.push({ revision, at: Date.parse(at), cause: change.cause, rows: puts.length + deletes.length })
        for (const { table, id } of deletes) this.tables[table].delete(id)
        for (const { table, id } of puts) {
          if (table !== 'lobbies') continue
          const before = this.tables.lobbies.get(id)
          if (!before) this.made.set(id, { revision, at: Date.parse(at) })
          else if (change.cause.kind === 'fault') this.taken.set(id, seatsTaken(before))
        }
        putRows(this.tables, puts)
        players = addPlayers(players, change, id => this.#lobbyWords(id))
      }
      this.players.value = players
      if (exchanges.length > 0) this.exchanges.value = [...this.exchanges.value, ...exchanges].slice(-mostKept)
      const last = changes.at(-1)
      if (!last) return
      this.changes.value = [...this.changes.value, ...shown].slice(-mostKept)
      this.revision.value = last.revision
      this.version.value += 1
    })
    const newest = [changes.at(-1)?.at, exchanges.at(-1)?.time].map(time => (time === undefined ? 0 : Date.parse(time)))
    this.#catchUp(Math.max(...newest))
  }

  #lobbyWords(id: string): string {
    const lobby = this.tables.lobbies.get(id)
    if (!lobby) return 'a lobby'
    const { region_display_name } = this.tables.regions.get(lobby.region_id) ?? {}
    return `${lobby.game_mode_id}, ${region_display_name || lobby.region_id}`
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

  /** Moves the clock to the time of an event, if the clock of the page is behind. */
  #catchUp(time: number): void {
    const { value } = this.clock
    if (value && time > timeOf(value)) this.clock.value = { ...value, now: time, readAt: performance.now() }
  }
}

/** Without an answer the page keeps what it shows. The event stream tells when the mock is gone. */
function noAnswer(): undefined {}

function runOf(eventId: string | undefined): string | undefined {
  return eventId?.split('-')[0]
}

/** Returns what tells a kept world from others. `undefined` if the world of the event is only in memory. */
function keptWorldOf(eventId: string | undefined): string | undefined {
  return /^(\w+)\./.exec(eventId ?? '')?.[1]
}
