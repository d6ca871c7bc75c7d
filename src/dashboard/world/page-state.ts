import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { FaultState } from '../../core/contract/faults.js'
import type { ExplainedCandidate, JournalEntry, ShortenedEntry } from '../../core/contract/journal.js'
import { worldPath } from '../../core/contract/paths.js'
import type { ExplainedChoice } from '../../core/control/explain/explain-find.js'
import type { SentRequest } from '../../core/pipeline/history.js'
import { findObstacle, modeKey } from '../../core/store/lobby-rules.js'
import { clockTime } from '../ui/format.js'
import { openDialog, runAction, say } from '../ui/screen.js'
import { type Address, type Moment, type Opened, parseAddress, printAddress, type ViewName } from './address.js'
import { Api } from './api.js'
import { controlToken, takeTokenFromAddress } from './control-token.js'
import { copy } from './copy.js'
import { type ClockReading, createTables, FollowedWorld, type RowMaps, timeOf } from './followed-world.js'
import { sumRegions } from './lobby-rows.js'
import { changeBeside, type KnownHistory, requestBeside, type Target } from './moments.js'

/** The world at a moment of the past. */
interface PastWorld {
  readonly revision: number
  readonly tables: RowMaps
  /** The time of the revision, in ms since the epoch. */
  readonly at: number
  /** The ids of all requests before it are smaller. */
  readonly nextId: number
}

/** A span of time, in ms since the epoch. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Follows the world at a URL. */
function follow(url: string) {
  const api = new Api(url, copy?.fetch, controlToken)
  return { api, live: new FollowedWorld(api) }
}

function keptSignal<Value extends string>(key: string, initial: Value): Signal<Value> {
  const kept: Signal<Value> = signal(initial)
  try {
    kept.value = (localStorage.getItem(key) as Value | null) ?? initial // only this module writes it
    effect(() => localStorage.setItem(key, kept.value))
  } catch {
    // The next page begins with the initial value.
  }
  return kept
}

/** The views that show the details of each kind of thing. The first one lists it. */
const viewsOf: { readonly [kind in Opened['kind']]: readonly [ViewName, ...ViewName[]] } = {
  request: ['world', 'requests'],
  held: ['world', 'requests'],
  lobby: ['world', 'requests'],
  player: ['players'],
  server: ['servers'],
}

/** The state of the page: the world that it shows, and the choices of the user. */
class PageState {
  /** The page of a world is at its URL: `/`, `/w/{id}/`, or below the path where an app has mounted the mock. */
  readonly #shown = signal(follow(copy?.url ?? location.origin + location.pathname.replace(/\/$/, '')))
  /** The parts that the page shows, as the query of its URL names them. */
  readonly address: Signal<Address> = signal(parseAddress(location.search))
  readonly view: ReadonlySignal<ViewName> = computed(() => this.address.value.view)
  /** The thing that the details show. */
  readonly opened: ReadonlySignal<Opened | undefined> = computed(() => this.address.value.opened)
  /** The id of the request whose details are shown. */
  readonly requestId = computed(() => (this.opened.value?.kind === 'request' ? this.opened.value.id : undefined))
  /** The id of the lobby whose details are shown. */
  readonly lobbyId = computed(() => (this.opened.value?.kind === 'lobby' ? this.opened.value.id : undefined))
  /** The token of the player whose story is shown, or the id of the story. */
  readonly playerKey = computed(() => (this.opened.value?.kind === 'player' ? this.opened.value.id : undefined))
  /** The id of the region whose lobbies are shown. `undefined`: all. */
  readonly region = computed(() => this.address.value.region)
  /** The moment of the time travel. `undefined`: the page shows the present. */
  readonly past: Signal<PastWorld | undefined> = signal(undefined)
  /** The time of the world's clock, updated each second and with each event. */
  readonly now = signal(0)
  /** The zone of the times that the page shows. */
  readonly zone = keptSignal<'utc' | 'local'>('mockmaker zone', 'utc')
  /** Single letters act as keys, or are off. */
  readonly singleKeys = keptSignal<'on' | 'off'>('mockmaker single keys', 'on')
  /** The part of the timeline that the user has brushed. The requests of this span are shown. */
  readonly brushed: Signal<Span | undefined> = signal(undefined)
  /**
   * The number of times that the palette was opened. It tells the open palette from the one before, whose dialog reports a moment
   * later that it is closed.
   */
  readonly paletteOpenings = signal(0)
  /** The request from which the user makes a fault. */
  readonly faultDraft: Signal<JournalEntry | undefined> = signal(undefined)
  /** The request that the user sends again. */
  readonly repeated: Signal<{ readonly entry: JournalEntry; readonly request: SentRequest } | undefined> =
    signal(undefined)
  /** The ids of the regions that the map frames. `undefined`: all. */
  readonly framed: Signal<readonly string[] | undefined> = signal(undefined)
  /** The lobbies that the opened find compared. */
  readonly compared: Signal<readonly ExplainedCandidate[] | undefined> = signal(undefined)
  /** False until the page has the rows of the world. */
  readonly isLoaded = computed(() => this.live.version.value > 0)
  /** The rows that the page shows: now, or at the moment of the time travel. */
  readonly shown: ReadonlySignal<{ readonly tables: RowMaps }> = computed(() => {
    // The rows change in place.
    this.live.version.value
    return this.past.value ?? { tables: this.live.tables }
  })
  /** The key of the game mode whose next find the page shows. `undefined`: the first one. */
  readonly findMode: Signal<string | undefined> = signal(undefined)
  /** True while the world has no request: the page invites to the first one. */
  readonly isInviting = computed(() => {
    const { exchanges, pending } = this.live
    const hasRequest = exchanges.value.length > 0 || pending.value.pending.length > 0
    return !copy && this.isLoaded.value && !this.past.value && !hasRequest
  })
  /** The key of that mode, or of the one in which most lobbies have a free seat. `undefined`: the world has no mode. */
  readonly mode: ReadonlySignal<string | undefined> = computed(() => {
    const { gameModes, lobbies } = this.shown.value.tables
    const chosen = this.findMode.value
    if (chosen !== undefined && gameModes.has(chosen)) return chosen
    const counts = new Map([...gameModes.keys()].map(key => [key, 0]))
    for (const lobby of this.isInviting.value ? lobbies.values() : [])
      if (findObstacle(lobby) === undefined) counts.set(modeKey(lobby), (counts.get(modeKey(lobby)) ?? 0) + 1)
    const most = Math.max(...counts.values())
    return [...counts].find(([, count]) => count === most)?.[0]
  })
  /** The answer that a find in that mode would get now. Before the first request, that is what the user is asked. */
  readonly nextFind = computed(() => (this.isInviting.value ? undefined : this.findIn(this.mode.value)))
  /** The lobbies from which the first find chooses. */
  readonly candidates: Signal<readonly ExplainedCandidate[]> = signal([])
  /** The id of the region that the pointer is over in a list. */
  readonly pointed: Signal<string | undefined> = signal(undefined)
  /** The seat that the opened request gave. */
  readonly foundSeat: Signal<{ readonly lobbyId: string; readonly name: string; readonly plays: boolean } | undefined> =
    signal(undefined)
  /** The regions with what their lobbies add up to. */
  readonly regionSums = computed(() => sumRegions(this.shown.value.tables))
  /** The time that the page shows, in ms since the epoch. */
  readonly time = computed(() => this.past.value?.at ?? this.now.value)
  /** The outages at that time, by the ids of their regions. */
  readonly outages = computed(() => this.outagesAt(this.time.value))
  /** The jobs that are due next. The first ones of the schedule may have run since it came. */
  readonly upcoming = computed(() => this.live.schedule.value.filter(({ at }) => Date.parse(at) >= this.now.value))
  /** True if the user can change nothing: in the past, in a world that is only shown, and without a connection. */
  readonly isReadOnly = computed(() => {
    const { connection, about } = this.live
    return this.past.value !== undefined || connection.value !== 'live' || about.value?.read_only === true
  })

  #isTravelling = false

  /** Returns the outages at a time, by the ids of their regions. */
  outagesAt(time: number): ReadonlyMap<string, FaultState> {
    const isOn = (fault: FaultState) => Date.parse(fault.begins_at ?? '') <= time && !isOver(fault, time)
    const outages = this.live.faults.value.filter(fault => fault.region !== undefined && isOn(fault))
    return new Map(outages.map(fault => [`${fault.region}`, fault]))
  }

  /** Returns the answer that a find in a mode would get now. */
  findIn(mode: string | undefined): ExplainedChoice | undefined {
    if (this.past.value || mode === undefined) return undefined
    return this.live.finds.value.find(one => modeKey(one) === mode)
  }

  /** Names the game mode of the next find. */
  modeName(): string {
    return this.shown.value.tables.gameModes.get(this.mode.value ?? '')?.game_mode_id ?? 'default'
  }

  get api(): Api {
    return this.#shown.value.api
  }

  /** The world as it is now. */
  get live(): FollowedWorld {
    return this.#shown.value.live
  }

  constructor() {
    addEventListener('popstate', () => (this.address.value = parseAddress(location.search)))
    const at = computed(() => this.address.value.at)
    effect(() => {
      if (!at.value) this.past.value = undefined
      else if (this.isLoaded.value) void this.#travel()
    })
    effect(() => {
      // Its lobbies and its requests are others.
      if (this.live.missed.value === 'restart') this.filter({ opened: undefined, at: undefined, region: undefined })
    })
    effect(() => {
      // No event is later than the time that the page shows.
      this.live.version.value
      this.live.exchanges.value
      if (this.live.clock.value) this.#setNow(this.live.clock.value)
    })
  }

  /** Goes to another address, which the button Back of the browser leaves again. */
  go(change: Partial<Address>): void {
    this.#move(change, 'push')
  }

  /** Changes the address in its place. */
  filter(change: Partial<Address>): void {
    this.#move(change, 'replace')
  }

  #move(change: Partial<Address>, how: 'push' | 'replace'): void {
    const next = { ...this.address.peek(), ...change }
    const query = printAddress(next)
    if (query === printAddress(this.address.peek())) return
    try {
      history[`${how}State`](undefined, '', location.pathname + query)
    } catch {
      // A copy in a frame may have no address.
    }
    this.address.value = next
  }

  /** Shows another view, with the details of nothing. */
  show(view: ViewName): void {
    this.go({ view, opened: undefined, q: undefined, sort: undefined })
  }

  open(kind: 'request', id: number): void
  open(kind: 'held' | 'lobby' | 'player' | 'server', id: string): void
  /** Shows the details of a request, a lobby, a player or a server, in the view that lists it. */
  open(kind: Opened['kind'], id: string | number): void {
    const opened = { kind, id } as Opened // the overloads pair them
    const views = viewsOf[kind]
    const isThere = views.includes(this.view.peek())
    this.go({ opened, ...(!isThere && { view: views[0], q: undefined, sort: undefined }) })
  }

  /** Remembers where the user is, and the newest request that the page knows, before it sends one. */
  beforeRequest(): { readonly since: number; readonly address: Address } {
    return { since: this.live.exchanges.peek().at(-1)?.id ?? 0, address: this.address.peek() }
  }

  /** Shows the newest matching request since then, unless the user has gone on. Returns its id. `undefined`: it has no answer yet. */
  async openNewest(
    { since, address }: ReturnType<PageState['beforeRequest']>,
    isMatch: (entry: ShortenedEntry) => boolean,
  ): Promise<number | undefined> {
    const { exchanges } = await this.api.call('GET /journal', { query: { since, answers: 'short' } })
    const id = exchanges.findLast(isMatch)?.id
    if (id !== undefined && this.address.peek() === address) this.open('request', id)
    return id
  }

  /** Opens the palette, with an empty search. */
  openPalette(): void {
    this.paletteOpenings.value += 1
    openDialog.value = 'palette'
  }

  /** Closes the top layer: the dialog or menu, the details, the span, and then the past. */
  closeTop(): void {
    if (openDialog.peek() !== undefined) openDialog.value = undefined
    else if (this.opened.peek()) this.go({ opened: undefined })
    else if (this.brushed.peek()) this.brushed.value = undefined
    else this.go({ at: undefined })
  }

  /** Writes a time of the world's clock in the zone of the page. */
  timeText(ms: number): string {
    return clockTime(ms, this.zone.value)
  }

  /** Reads the clock, and shows a new second. Without a connection, nobody knows the time. */
  tick(): void {
    const clock = this.live.connection.peek() === 'live' && this.live.clock.peek()
    if (clock && Math.floor(timeOf(clock) / 1_000) !== Math.floor(this.now.peek() / 1_000)) this.#setNow(clock)
  }

  #setNow(clock: ClockReading): void {
    this.now.value = Math.floor(timeOf(clock))
  }

  /** Shows the world at a revision. A second step back replaces the first one in the history of the browser. */
  travelTo(revision: number): void {
    const change = { at: { revision } }
    if (this.address.peek().at) this.filter(change)
    else this.go(change)
  }

  /** Shows the world at a time of its clock. */
  travelToTime(time: number): void {
    this.travelTo(this.#revisionAt(time))
  }

  /** Shows the present. */
  travelToNow(): void {
    this.go({ at: undefined })
  }

  /** Goes to the change before or after the moment that the page shows. */
  stepToChange(direction: -1 | 1): void {
    this.#step(changeBeside(this.#known(), direction))
  }

  /** Goes to the moment right after the request before or after. */
  stepToRequest(direction: -1 | 1): void {
    this.#step(requestBeside(this.#known(), direction))
  }

  #step(target: Target | undefined): void {
    if (target === 'now') this.travelToNow()
    else if (target !== undefined) this.travelTo(target)
  }

  #known(): KnownHistory {
    const { changes, exchanges, oldestRevision } = this.live
    const { at } = this.address.peek()
    const revision = at ? this.#revisionOf(at) : (changes.peek().at(-1)?.revision ?? 0)
    return { changes: changes.peek(), exchanges: exchanges.peek(), oldest: oldestRevision.peek(), revision }
  }

  #revisionAt(time: number): number {
    const { changes, oldestRevision } = this.live
    const change = changes.peek().findLast(({ at }) => at <= time)
    return Math.max(oldestRevision.peek(), change?.revision ?? 0)
  }

  #revisionOf(at: Moment): number {
    return 'time' in at ? this.#revisionAt(lastTimeOfDay(at.time, this.now.peek())) : at.revision
  }

  /** Loads the world at the moment of the address. While it loads, the user may go on: only the last moment counts. */
  async #travel(): Promise<void> {
    if (this.#isTravelling) return
    this.#isTravelling = true
    let at: Moment | undefined
    do {
      at = this.address.peek().at
      if (at) await this.#load(at)
    } while (this.address.peek().at !== at)
    this.#isTravelling = false
  }

  /** Loads the world at a moment. Stays in the present, and says so, if the mock no longer has it. */
  async #load(at: Moment): Promise<void> {
    const revision = this.#revisionOf(at)
    if (revision === this.past.peek()?.revision) return
    const { oldestRevision, oldestAt } = this.live
    if (revision < oldestRevision.peek()) {
      this.filter({ at: undefined })
      const [text, oldest] = [this.timeText(oldestAt.peek()), oldestRevision.peek()]
      const action = { text: 'Go there', run: () => this.travelTo(oldest) }
      return say({ text: `History starts at ${text}.`, isError: false, action })
    }
    const isLoaded = await runAction(async () => {
      const { rows, at: time, next_id } = await this.api.call('GET /rows', { query: { revision } })
      if (this.address.peek().at !== at) return
      const nextId = next_id ?? Number.POSITIVE_INFINITY
      this.past.value = { revision, at: Date.parse(time), nextId, tables: createTables(rows) }
    })
    if (!isLoaded && this.address.peek().at === at) this.filter({ at: undefined })
  }

  /** Copies this world, as it is now or at a revision, and opens the copy. A name that is taken is refused. */
  async fork(revision: number | undefined, name?: string): Promise<void> {
    await runAction(async () => {
      const source = this.live.about.value?.id ?? 'default'
      const { worlds } = await this.api.ofMock().call('GET /worlds')
      const taken = new Set(worlds.map(world => world.id))
      if (name !== undefined && taken.has(name))
        throw new Error(`There is a world ${name} already. Choose another name, or delete that world first.`)
      const id = name ?? freeName(this.forkName(source, revision), taken)
      await this.api.call('PUT /worlds/{world_id}', {
        params: { world_id: id },
        body: { fork: source, revision },
      })
      this.openWorld(id)
    })
  }

  /** Names a fork by what it is made from: `default-at-14-20-08`, or `default-before-14-20-03` for a moment of the past. */
  forkName(source: string, revision: number | undefined): string {
    const next = this.live.changes.value.find(one => revision !== undefined && one.revision > revision)
    const time = `${next ? 'before' : 'at'}-${this.timeText(next?.at ?? this.time.value).replaceAll(':', '-')}`
    // A fork of a fork is named by the first one, so that the name stays short.
    return `${source.replace(/-(at|before)(-\d\d){3}(-\d+)?$/, '').slice(0, longestSource)}-${time}`
  }

  /** Opens another world in this tab. */
  openWorld(id: string): void {
    const url = this.api.ofMock().url + worldPath(id)
    if (!copy) {
      location.assign(`${url}/`)
      return
    }
    this.live.close()
    this.#shown.value = follow(url)
    this.go(parseAddress(''))
  }
}

takeTokenFromAddress()
// A link with another token may be opened in the same tab.
addEventListener('hashchange', () => {
  takeTokenFromAddress()
  page.live.retry()
})

export const page = new PageState()

/** The id of a world has at most 64 characters. */
const longestSource = 40

export const dayMs = 86_400_000

/** Returns the last moment before `now` at which a clock of a zone showed a time of the day. */
export function lastTimeOfDay(text: string, now: number, zone: 'utc' | 'local' = 'utc'): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number)
  const midnight = zone === 'utc' ? now - (now % dayMs) : new Date(now).setHours(0, 0, 0, 0)
  const time = midnight + Math.round(((hours * 60 + minutes) * 60 + seconds) * 1_000)
  return time > now ? time - dayMs : time
}

/** True if a fault applies no more. */
export function isOver({ ends_at }: FaultState, now: number): boolean {
  return ends_at !== undefined && Date.parse(ends_at) <= now
}

/** Returns a name, with a number at its end if it is taken: `default-12`, `default-12-2`. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let i = 2; taken.has(free); i++) free = `${name}-${i}`
  return free
}
