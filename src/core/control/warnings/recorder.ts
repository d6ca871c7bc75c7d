import type { WarningRule } from '../../contract/warnings.js'
import { Emitter } from '../../lib/emitter.js'
import { parseDate, real } from '../../lib/real-globals.js'
import { formatInstant } from '../../lib/time.js'
import type { RecordedExchange } from '../../pipeline/journal.js'
import type { MockResponse, RequestFacts } from '../../pipeline/message.js'
import type { LiveServers, ServerEvent } from '../../simulation/servers.js'
import type { ChangeSet } from '../../store/change-set.js'
import type { LiveWorld } from '../../store/world.js'
import { ClientKeys } from './client-keys.js'
import { ClientSeats } from './client-seats.js'
import { addProof } from './proofs.js'
import { ruleEntries } from './rules.js'
import type {
  Mistake,
  ObservedExchange,
  Repeated,
  Rule,
  Warning,
  WarningSubject,
  Warnings,
  WarningsState,
} from './warning.js'

/** The most that a world remembers: warnings, and players of each. */
const limits = { warnings: 100, players: 20 }

/** If the world's clock gains less than this on the real time, nobody has moved it. In real ms. */
const leastMoveMs = 1_000

/** A warning that a recorder can count on. Its texts are made when somebody reads them. */
class Recorded implements Repeated<unknown> {
  readonly requests: number[] = []
  readonly players: string[] = []
  count = 0
  lastAt = 0
  revision = 0
  facts: unknown

  constructor(
    readonly about: Pick<Warning, 'id' | 'rule'> & Omit<WarningSubject, 'players'>,
    readonly firstAt: number,
    /** The texts of a rule, or of a capsule. */
    readonly texts: Pick<Rule, 'sentence' | 'advice'>,
    readonly changed: Emitter<'now' | 'soon'>,
  ) {}

  again(exchange: RecordedExchange, facts: unknown): void {
    this.facts = facts
    this.count += 1
    this.lastAt = exchange.at
    this.revision = exchange.revision
    this.addRequest(exchange.id)
    if (this.changed.size > 0) this.changed.emit('soon')
  }

  addRequest(id: number): void {
    const { requests } = this
    if (requests.at(-1) !== id) addProof(requests, id)
  }

  warning(): Warning {
    const { about, texts, facts, count, firstAt, lastAt, requests, revision, players } = this
    const { id, rule, ...subject } = about
    return {
      id,
      rule,
      sentence: `${texts.sentence(facts)}.`,
      advice: texts.advice(facts),
      count,
      first_at: formatInstant(firstAt),
      last_at: formatInstant(lastAt),
      requests: [...requests],
      revision,
      ...subject,
      ...(players.length > 0 ? { players: [...players] } : {}),
    }
  }
}

interface Watch {
  readonly reads: readonly ((observed: ObservedExchange) => void)[]
  readonly exchanges: readonly ((observed: ObservedExchange) => void)[]
  readonly changes: readonly ((changeSet: ChangeSet) => void)[]
  readonly events: readonly ((event: ServerEvent) => void)[]
  readonly ends: readonly (() => void)[]
  readonly seats: ClientSeats
}

function seeExchange({ reads, exchanges, seats }: Watch, observed: ObservedExchange): void {
  const { exchange } = observed
  for (const see of exchange.isPlainRead ? reads : exchanges) see(observed)
  if (exchange.revisions) seats.addExchange(exchange)
}

function seeChange({ changes, seats }: Watch, changeSet: ChangeSet): void {
  for (const see of changes) see(changeSet)
  seats.addChange(changeSet)
}

function seeEvent({ events }: Watch, event: ServerEvent): void {
  for (const see of events) see(event)
}

/** A new warning of a world, for the terminal. */
export interface NewWarning {
  readonly world: string
  readonly warning: Warning
}

interface RecorderSource {
  readonly id: string
  readonly world: LiveWorld
  readonly servers: LiveServers
  readonly log: Emitter<NewWarning>
  onBug(error: unknown, where: string): void
}

/** Lets the rules watch a world, and remembers what they report. Starts again when the state of the world is replaced. */
export class WarningRecorder implements Warnings {
  readonly #source: RecorderSource
  /** By rule and key, the oldest first. */
  #recorded = new Map<string, Recorded>()
  /** The places of warnings that a more serious one has replaced. */
  readonly #replaced = new Set<string>()
  readonly #keys = new ClientKeys()
  #nextId = 1
  #dropped = 0
  /** Created at the first event, because most worlds have none. */
  #watch: Watch | undefined
  #isHalted = false
  /** The latest time of the world's clock. */
  #latest = 0
  /** The ms by which that clock was ahead of the real time when it last moved. */
  #lead = 0
  /** The last time of that clock to which it was moved. */
  #movedAt = 0
  /** Emits `now` after a new warning, and `soon` after one has happened again. */
  readonly changed = new Emitter<'now' | 'soon'>()

  constructor(source: RecorderSource) {
    this.#source = source
    source.servers.events.subscribe(event => this.#run(seeEvent, event))
  }

  list(): Warning[] {
    const { world } = this.#source
    world.checkUsable()
    void world.clock.catchUp()
    return this.#list()
  }

  dropped(): number {
    return this.#dropped
  }

  /** Returns all that it remembers, as JSON. Events tell it, and a capsule has it. */
  state(): WarningsState {
    return { warnings: this.#list(), dropped: this.#dropped }
  }

  #list(): Warning[] {
    const shown = [...this.#recorded.values()].filter(({ about }) => !this.#isOff(about.rule))
    return shown.map(recorded => recorded.warning())
  }

  /** Goes on with what `state` has returned. `shift`: the ids of all requests have risen by it. */
  load({ warnings, dropped }: WarningsState, shift: number): void {
    this.begin()
    const kept = warnings.slice(0, limits.warnings)
    for (const warning of kept) {
      const { sentence, advice, first_at, last_at, requests, players = [], count, revision, ...about } = warning
      const texts = { sentence: () => sentence.slice(0, -1), advice: () => advice }
      const recorded = new Recorded(about, parseDate(first_at), texts, this.changed)
      for (const id of requests) recorded.addRequest(id + shift)
      recorded.players.push(...players.slice(0, limits.players))
      Object.assign(recorded, { count, revision, lastAt: parseDate(last_at) })
      this.#recorded.set(`loaded ${about.id}`, recorded)
    }
    this.#nextId = Math.max(0, ...kept.map(({ id }) => id)) + 1
    this.#dropped = dropped + warnings.length - kept.length
    this.changed.emit('now')
  }

  /** Watches nothing until `begin`: the world ends, or becomes another one. */
  end(): void {
    this.#stop()
    this.#isHalted = true
  }

  /** Forgets all warnings, and watches anew. */
  begin(): void {
    this.#stop()
    this.#isHalted = false
    this.#recorded = new Map()
    this.#replaced.clear()
    this.#nextId = 1
    this.#dropped = 0
    this.changed.emit('now')
  }

  #stop(): void {
    for (const end of this.#watch?.ends ?? []) end()
    this.#watch = undefined
  }

  /** Shows the rules an exchange, after the journal has its entry. */
  addExchange(
    exchange: RecordedExchange,
    { request, startedAt }: RequestFacts,
    response: MockResponse,
    endedAt: number,
  ): void {
    const key = this.#keys.of(request, exchange.operation)
    const observed = { exchange, request, response, startedAt, endedAt, key }
    this.#run(seeExchange, observed)
  }

  /** Shows the rules a change set, after its commit. */
  addChange(changeSet: ChangeSet): void {
    const { kind } = changeSet.cause
    // Its owner calls `begin` after it.
    if (kind === 'reset' || kind === 'load') return
    this.#run(seeChange, changeSet)
  }

  /** Notes a time of the world's clock. Nobody is to blame for a move of it. Fake timers move it without a change set of the clock. */
  #noteTime(at: number, isMove = false): void {
    const { rate, mode } = this.#source.world.clock
    const lead = this.#leadAt(at)
    const isAhead = mode === 'frozen' ? at > this.#latest : lead > this.#lead + leastMoveMs * Math.max(1, rate)
    this.#latest = Math.max(this.#latest, at)
    if (!isMove && !isAhead) return
    this.#movedAt = at
    this.#lead = lead
  }

  #leadAt(at: number): number {
    return at - real.now() * this.#source.world.clock.rate
  }

  #run<What>(see: (watch: Watch, what: What) => void, what: What): void {
    if (this.#isHalted) return
    try {
      this.#watch ??= this.#begin()
      see(this.#watch, what)
    } catch (error) {
      this.#source.onBug(error, 'in a rule of warnings')
    }
  }

  #begin(): Watch {
    const { world } = this.#source
    // The event that begins the watch may be older than this moment by a few ms. That is no move.
    this.#latest = world.clock.now()
    this.#lead = this.#leadAt(this.#latest)
    this.#movedAt = Number.NEGATIVE_INFINITY
    const isMovedSince = (at: number) => {
      this.#noteTime(world.clock.now())
      return this.#movedAt > at
    }
    const watched = { world, isMovedSince }
    const all = ruleEntries.map(([name, rule]) => rule.observe(mistake => this.#report(name, rule, mistake), watched))
    const [events, seats] = [all.flatMap(one => one.server ?? []), all.flatMap(one => one.seat ?? [])]
    return {
      reads: all.flatMap(one => one.read ?? []),
      exchanges: all.flatMap(one => one.exchange ?? []),
      changes: [({ at, clock }) => this.#noteTime(at, clock !== undefined), ...all.flatMap(one => one.change ?? [])],
      ends: all.flatMap(one => one.end ?? []),
      events,
      seats: new ClientSeats(event => {
        for (const see of seats) see(event)
      }),
    }
  }

  #isOff(rule: WarningRule): boolean {
    return this.#source.world.tables.settings.get('settings')?.warnings?.[rule] === 'off'
  }

  #report(name: WarningRule, rule: Rule, mistake: Mistake): Repeated<unknown> | undefined {
    if (this.#isOff(name)) return undefined
    const { world, log, id: worldId } = this.#source
    const { key, facts, subject, requests, count = 1, since, replaces } = mistake
    const place = `${name} ${key}`
    if (this.#replaced.has(place)) return undefined
    if (replaces) this.#recorded.delete(`${replaces} ${key}`)
    const now = world.clock.now()
    const { players = [], ...about } = subject
    const known = this.#recorded.get(place)
    if (!known && this.#recorded.size >= limits.warnings) {
      this.#dropped += count
      return undefined
    }
    if (replaces) this.#replaced.add(`${replaces} ${key}`)
    const recorded =
      known ?? new Recorded({ id: this.#nextId++, rule: name, ...about }, since ?? now, rule, this.changed)
    recorded.facts = facts
    recorded.count += count
    recorded.lastAt = now
    recorded.revision = world.revision
    for (const id of requests) recorded.addRequest(id)
    recorded.players.push(...players.slice(0, limits.players - recorded.players.length))
    this.#recorded.set(place, recorded)
    this.changed.emit(known ? 'soon' : 'now')
    if (!known) log.emit({ world: worldId, warning: recorded.warning() })
    return recorded
  }
}
