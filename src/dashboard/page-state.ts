import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { JournalEntry } from '../contract/journal.js'
import { worldPath } from '../contract/paths.js'
import { Api } from './api.js'
import { controlToken, takeTokenFromAddress } from './control-token.js'
import { type ClockReading, createTables, LiveWorld, type Tables, timeOf } from './live-world.js'
import { type RegionSums, sumRegions } from './lobby-rows.js'
import { changeBeside, type KnownHistory, requestBeside, type Target } from './moments.js'

/** A moment of the past. */
interface Moment {
  readonly revision: number
  readonly tables: Tables
  /** The time of the revision, in ms since the epoch. */
  readonly at: number
  /** The ids of all requests before it are smaller. */
  readonly nextId: number
}

/** A part of the page. A phone shows one at a time. */
export type View = 'world' | 'lobbies' | 'requests' | 'time'

/** A span of time, in ms since the epoch. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The message of a success is shown for this time, in ms. */
const successMs = 6_000

/** A message to the user. */
interface Message {
  readonly text: string
  readonly isError: boolean
}

/** The state of the page: the world that it shows, and the choices of the user. */
class PageState {
  /** The page of a world is at its URL: `/`, `/w/{id}/`, or below the path where an app has mounted the mock. */
  readonly api = new Api(location.origin + location.pathname.replace(/\/$/, ''), undefined, controlToken)
  readonly live = new LiveWorld(this.api)
  /** The moment of the time travel. `undefined`: the page shows the present. */
  readonly past: Signal<Moment | undefined> = signal(undefined)
  /** The time of the world's clock, updated each second and with each event. */
  readonly now = signal(0)
  readonly view: Signal<View> = signal('world')
  /** The id of the request whose details are shown. */
  readonly requestId: Signal<number | undefined> = signal(undefined)
  /** The id of the lobby whose details are shown. */
  readonly lobbyId: Signal<string | undefined> = signal(undefined)
  /** The part of the timeline that the user has brushed. The requests of this span are shown. */
  readonly brushed: Signal<Span | undefined> = signal(undefined)
  readonly message: Signal<Message | undefined> = signal(undefined)
  /** The number of open modal dialogs. They show the message, because they cover the rest of the page. */
  readonly modals = signal(0)
  /** The name of the open dialog or menu. */
  readonly dialog: Signal<string | undefined> = signal(undefined)
  /** The request from which the user makes a fault. */
  readonly faultDraft: Signal<JournalEntry | undefined> = signal(undefined)
  /** The id of the region whose lobbies are shown. `undefined`: all. */
  readonly region: Signal<string | undefined> = signal(undefined)
  /** The regions at the moment over which the pointer is on the timeline. `undefined`: the map shows what the page shows. */
  readonly preview: Signal<readonly RegionSums[] | undefined> = signal(undefined)
  /** The ids of the regions that the map frames. `undefined`: all. */
  readonly framed: Signal<readonly string[] | undefined> = signal(undefined)
  /** The rows that the page shows: now, or at the moment of the time travel. */
  readonly shown: ReadonlySignal<{ readonly tables: Tables }> = computed(() => {
    // The rows change in place.
    this.live.version.value
    return this.past.value ?? { tables: this.live.tables }
  })
  /** The time that the page shows, in ms since the epoch. */
  readonly time = computed(() => this.past.value?.at ?? this.now.value)
  /** The jobs that are due next. The first ones of the schedule may have run since it came. */
  readonly upcoming = computed(() => this.live.schedule.value.filter(({ at }) => Date.parse(at) >= this.now.value))
  /** True if the user can change nothing: in the past, in a world that is only shown, and without a connection. */
  readonly isReadOnly = computed(() => {
    const { connection, about } = this.live
    return this.past.value !== undefined || connection.value !== 'live' || about.value?.read_only === true
  })

  /** The revision to which the page travels. `undefined`: it is there. */
  #target: number | undefined
  #isTravelling = false

  constructor() {
    effect(() => {
      // No event is later than the time that the page shows.
      this.live.version.value
      this.live.exchanges.value
      if (this.live.clock.value) this.#setNow(this.live.clock.value)
    })
  }

  /** Reads the clock, and shows a new second. */
  tick(): void {
    const clock = this.live.clock.peek()
    if (clock && Math.floor(timeOf(clock) / 1_000) !== Math.floor(this.now.peek() / 1_000)) this.#setNow(clock)
  }

  #setNow(clock: ClockReading): void {
    this.now.value = Math.floor(timeOf(clock))
  }

  /** Runs an action of the user. Shows a result that is a text, or the sentence of its error. */
  async run(action: () => Promise<unknown>): Promise<boolean> {
    try {
      const result = await action()
      this.#say(typeof result === 'string' ? { text: result, isError: false } : undefined)
      return true
    } catch (error) {
      if (!(error instanceof Error)) throw error
      this.#say({ text: error.message, isError: true })
      return false
    }
  }

  /** Shows a message. One of a success disappears by itself. */
  #say(message: Message | undefined): void {
    this.message.value = message
    if (!message || message.isError) return
    setTimeout(() => {
      if (this.message.value === message) this.message.value = undefined
    }, successMs)
  }

  /** Shows the world at a revision. Tells the user if the mock no longer has it. */
  async travelTo(revision: number): Promise<void> {
    this.#target = revision
    // While it loads, the user may go on. Only the last moment counts.
    if (this.#isTravelling) return
    this.#isTravelling = true
    while (this.#target !== undefined) {
      const target: number = this.#target
      await this.#load(target)
      if (this.#target === target) this.#target = undefined
    }
    this.#isTravelling = false
  }

  async #load(revision: number): Promise<void> {
    await this.run(async () => {
      const { rows, at, next_id } = await this.api.call('GET /rows', { query: { revision } })
      if (this.#target !== revision) return
      const nextId = next_id ?? Number.POSITIVE_INFINITY
      this.past.value = { revision, at: Date.parse(at), nextId, tables: createTables(rows) }
    })
  }

  /** Shows the present. */
  travelToNow(): void {
    this.#target = undefined
    this.past.value = undefined
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
    else if (target !== undefined) void this.travelTo(target)
  }

  #known(): KnownHistory {
    const { changes, exchanges, oldestRevision } = this.live
    const revision = this.#target ?? this.past.peek()?.revision ?? changes.peek().at(-1)?.revision ?? 0
    return { changes: changes.peek(), exchanges: exchanges.peek(), oldest: oldestRevision.peek(), revision }
  }

  /** Asks the mock for the regions at a time of its clock. */
  async regionsAt(time: number): Promise<RegionSums[]> {
    const query = { revision: this.#revisionAt(time), tables: 'regions,lobbies' }
    return sumRegions(createTables((await this.api.call('GET /rows', { query })).rows))
  }

  #revisionAt(time: number): number {
    const { changes, oldestRevision } = this.live
    const change = changes.peek().findLast(({ at }) => at <= time)
    return Math.max(oldestRevision.peek(), change?.revision ?? 0)
  }

  /** Shows the world at a time of its clock. */
  async travelToTime(time: number): Promise<void> {
    await this.travelTo(this.#revisionAt(time))
  }

  /** Copies this world, as it is now or at a revision, and opens the copy. A name that is taken is refused. */
  async fork(revision: number | undefined, name?: string): Promise<void> {
    await this.run(async () => {
      const source = this.live.about.value?.id ?? 'default'
      const { worlds } = await this.api.ofMock().call('GET /worlds')
      const taken = new Set(worlds.map(world => world.id))
      if (name !== undefined && taken.has(name))
        throw new Error(`There is a world ${name} already. Choose another name, or delete that world first.`)
      const id = name ?? freeName(`${source}-${revision ?? this.live.revision.value}`, taken)
      await this.api.call('PUT /worlds/{world_id}', {
        params: { world_id: id },
        body: { fork: source, revision },
      })
      this.openWorld(id)
    })
  }

  /** Opens another world in this tab. */
  openWorld(id: string): void {
    location.assign(`${this.api.ofMock().url}${worldPath(id)}/`)
  }
}

takeTokenFromAddress()
// A link with another token may be opened in the same tab.
addEventListener('hashchange', () => {
  takeTokenFromAddress()
  page.live.retry()
})

export const page = new PageState()

/** Returns a name, with a number at its end if it is taken: `default-12`, `default-12-2`. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let i = 2; taken.has(free); i++) free = `${name}-${i}`
  return free
}
