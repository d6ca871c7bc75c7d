import type { FaultState } from '../contract/faults.js'
import type { PendingRequest } from '../contract/journal.js'
import type { Emitter } from '../lib/emitter.js'
import { writeJson } from '../lib/json.js'
import { didYouMean, quoted, UsageError } from '../lib/messages.js'
import { real, unref } from '../lib/real-globals.js'
import type { Faults } from '../pipeline/faults.js'
import type { History } from '../pipeline/history.js'
import type { PendingRequests } from '../pipeline/pending.js'
import type { GameServerState, LiveServers } from '../simulation/servers.js'
import { endOf, type FaultsState } from '../store/faults.js'
import type { Timer } from '../store/timers.js'
import type { LiveWorld } from '../store/world.js'
import type { ScenarioName } from '../store/world-state.js'
import { type ExplainedChoice, listFinds } from './explain/explain-find.js'
import { type ClockJson, clockJson, type HistoryJson, historyState } from './history.js'
import { listSchedule, type ScheduledJob } from './schedule.js'
import type { StoriesState } from './stories/find-stories.js'
import type { WarningRecorder } from './warnings/recorder.js'
import type { WarningsState } from './warnings/warning.js'

/** The parts of a world that events describe as they are now, besides its rows and its requests. */
export interface WorldStates {
  /** The setting of the clock, and its time when the event was made. While the clock only runs, there is no event. */
  readonly clock: ClockJson
  readonly faults: { readonly faults: readonly FaultState[] }
  /** The answers that a find gets now, for the first 100 game modes. */
  readonly finds: { readonly finds: readonly ExplainedChoice[] }
  /** The oldest revision that can be restored, its time in ISO 8601, and the newest revision. */
  readonly history: Omit<HistoryJson, 'change_sets'>
  readonly journal: JournalState
  /** The next 50 jobs. */
  readonly schedule: { readonly jobs: readonly ScheduledJob[] }
  /** The game servers that the mock has started. */
  readonly servers: { readonly servers: readonly GameServerState[] }
  /** The players whose stories changed last. */
  readonly stories: StoriesState
  readonly warnings: WarningsState
  /**
   * `read_only`: the server refuses every change. Absent otherwise. `public_url`: the URL by which others reach the world, if the
   * server has been told.
   */
  readonly world: ScenarioName & { readonly id: string; readonly read_only?: true; readonly public_url?: string }
}

/** The part of a world that an event describes. */
export type StateName = keyof WorldStates

/** The journal without its requests. */
export interface JournalState {
  /** The id of the oldest request. If the journal is empty, the id of the next one. Requests with smaller ids are gone. */
  readonly oldest: number
  /** The same of the requests that only read, and succeeded. The journal drops them first. */
  readonly oldest_read: number
  /** The number of requests that the journal no longer has. */
  readonly dropped: number
  /** The id of the newest request that came with a snapshot. Such requests have no events. Absent without a snapshot. */
  readonly loaded?: number
  /** The number of requests that wait for their answers. */
  readonly waiting: number
  /** The first 100 of them, those that a fault holds or delays before the others. */
  readonly pending: readonly PendingRequest[]
}

export function checkStateNames(names: readonly string[]): readonly StateName[] {
  for (const name of names)
    if (!stateNames.some(known => known === name))
      throw new UsageError(
        `changes: with names ${quoted(name)}: expected ${stateNames.join(', ')}.${didYouMean(String(name), stateNames)}`,
      )
  return names as readonly StateName[] // just checked
}

const mostJobs = 50
const mostPending = 100

export interface StateSource {
  readonly id: string
  readonly world: LiveWorld
  readonly history: History
  readonly pending: PendingRequests
  readonly faults: Pick<Faults, 'list'>
  readonly servers: Pick<LiveServers, 'list' | 'changes'>
  readonly stories: { state(): StoriesState; readonly changed: Emitter<void> }
  readonly warnings: Pick<WarningRecorder, 'state' | 'changed'>
}

/** Tells that a state may have changed: send it at once, or with the next ones. */
type Mark<Name> = (name: Name, when: 'now' | 'soon') => void

/** Reads states, and tells when they may have changed. */
export interface ObservedStates<States> {
  read<Name extends keyof States>(name: Name): States[Name]
  /** Returns a function that unsubscribes. `end` is called when there are no more changes. */
  subscribe(mark: Mark<keyof States>, end: () => void): () => void
}

/** Reads each state. Worlds share these functions: a fork would create them anew. */
const readers: { readonly [Name in StateName]: (source: StateSource) => WorldStates[Name] } = {
  clock: ({ world }) => clockJson(world.clock.state),
  faults: ({ faults }) => ({ faults: faults.list() }),
  finds: ({ world }) => ({ finds: listFinds(world) }),
  history: ({ history }) => historyState(history),
  journal: ({ history, pending }) => ({
    oldest: history.oldestExchange ?? history.lastId + 1,
    oldest_read: history.oldestRead ?? history.lastId + 1,
    dropped: history.dropped,
    ...(history.lastLoaded === 0 ? {} : { loaded: history.lastLoaded }),
    waiting: pending.count(),
    pending: pending.listFirst(mostPending),
  }),
  schedule: ({ world }) => ({ jobs: listSchedule(world, { limit: mostJobs }) }),
  servers: ({ servers }) => ({ servers: servers.list() }),
  stories: ({ stories }) => stories.state(),
  warnings: ({ warnings }) => warnings.state(),
  world: ({ id, world }) => {
    const { title, description, seed } = world
    return { id, title, ...(description === undefined ? {} : { description }), seed }
  },
}

export const stateNames = Object.keys(readers) as StateName[] // its keys

export class ObservedWorld implements ObservedStates<WorldStates> {
  constructor(private readonly source: StateSource) {}

  read<Name extends StateName>(name: Name): WorldStates[Name] {
    return readers[name](this.source)
  }

  subscribe(mark: Mark<StateName>, end: () => void): () => void {
    const { world, history, pending, servers, stories, warnings } = this.source
    const phases = new FaultPhases(world, () => {
      mark('faults', 'now')
      mark('finds', 'soon')
    })
    const ends = [
      () => phases.end(),
      history.subscribe(entry => {
        if (!entry) end()
        if (entry?.kind === 'exchange') mark('journal', 'soon')
        if (entry?.kind !== 'change') return
        const { clock, faults, scenario } = entry.changeSet
        if (clock) mark('clock', 'now')
        if (clock || faults) phases.follow()
        if (scenario) mark('world', 'now')
        // Counters change with each request.
        if (faults) mark('faults', hasOtherSettings(faults.before, faults.after) ? 'now' : 'soon')
        mark('history', 'soon')
        mark('schedule', 'soon')
        mark('finds', 'soon')
      }),
      history.replaced.subscribe(() => mark('journal', 'now')),
      history.restarted.subscribe(() => {
        for (const name of stateNames) mark(name, 'now')
        phases.follow()
      }),
      pending.subscribe(hasFault => {
        mark('journal', hasFault ? 'now' : 'soon')
        if (hasFault) mark('faults', 'now')
      }),
      servers.changes.subscribe(when => mark('servers', when)),
      stories.changed.subscribe(() => mark('stories', 'soon')),
      warnings.changed.subscribe(when => mark('warnings', when)),
    ]
    return () => {
      for (const unsubscribe of ends) unsubscribe()
    }
  }
}

function hasOtherSettings({ records: before }: FaultsState, { records: after }: FaultsState): boolean {
  return before.length !== after.length || before.some(({ fault }, i) => fault !== after[i]?.fault)
}

class FaultPhases {
  #timer: Timer | undefined

  constructor(
    private readonly world: LiveWorld,
    private readonly onPhase: () => void,
  ) {
    this.follow()
  }

  /** Waits for the next begin or end. Call it after each change of the faults and of the clock. */
  follow(): void {
    this.end()
    const { clock, faults } = this.world
    const now = clock.now()
    const times = faults.records.flatMap(record => [record.beganAt, endOf(record)])
    const next = times.reduce<number>((first, at = never) => (at > now ? Math.min(first, at) : first), never)
    if (next === never) return
    this.#timer = clock.after(next - now, () => {
      this.follow()
      this.onPhase()
    })
  }

  end(): void {
    if (this.#timer) this.world.clock.cancel(this.#timer)
    this.#timer = undefined
  }
}

const never = Number.POSITIVE_INFINITY

/** The least time between two events of a state, in real ms: one that is sent at once, and any other. */
const spacingMs = { now: 50, soon: 250 } as const

/** The states that one reader follows: all of them at first, then those that have changed. */
export class StateReader<States> {
  readonly #wake: () => void
  readonly #end: () => void
  /** When each state may be read, in real ms. */
  readonly #dueAt = new Map<keyof States, number>()
  readonly #last = new Map<keyof States, { readonly at: number; readonly text: string }>()
  #timerAt = Number.POSITIVE_INFINITY

  /** Calls `wake` when there may be a new state to take, and `ended` when there are no more. */
  constructor(
    private readonly states: ObservedStates<States>,
    names: readonly (keyof States)[],
    { wake, ended }: { readonly wake: () => void; readonly ended: () => void },
  ) {
    this.#wake = wake
    const followed = new Set(names)
    for (const name of followed) this.#dueAt.set(name, 0)
    this.#end =
      followed.size === 0
        ? () => {}
        : states.subscribe((name, when) => followed.has(name) && this.#mark(name, when), ended)
  }

  /** Returns a state that has changed, or `undefined`. */
  take(): { readonly [Name in keyof States]: { type: Name; data: States[Name] } }[keyof States] | undefined {
    if (this.#dueAt.size === 0) return undefined
    const now = real.now()
    for (const [type, dueAt] of this.#dueAt) {
      if (dueAt > now) continue
      this.#dueAt.delete(type)
      const data = this.states.read(type)
      const text = writeJson(data)
      const isSame = this.#last.get(type)?.text === text
      this.#last.set(type, { at: now, text })
      if (!isSame) return { type, data }
    }
    this.#arm()
    return undefined
  }

  end(): void {
    this.#end()
    this.#dueAt.clear()
  }

  #mark(name: keyof States, when: 'now' | 'soon'): void {
    const at = (this.#last.get(name)?.at ?? 0) + spacingMs[when]
    if ((this.#dueAt.get(name) ?? Number.POSITIVE_INFINITY) <= at) return
    this.#dueAt.set(name, at)
    if (at <= real.now()) this.#wake()
    else this.#arm()
  }

  /** Wakes the reader when the next state is due. The timer keeps no process alive. */
  #arm(): void {
    const at = Math.min(...this.#dueAt.values())
    if (at >= this.#timerAt || at === Number.POSITIVE_INFINITY) return
    this.#timerAt = at
    const wake = () => {
      this.#timerAt = Number.POSITIVE_INFINITY
      this.#wake()
    }
    unref(real.setTimeout(wake, Math.max(0, at - real.now())))
  }
}
