import type { WarningRule } from '../../contract/warnings.js'
import { Emitter } from '../../lib/emitter.js'
import { parseDate, real } from '../../lib/real-globals.js'
import { formatInstant } from '../../lib/time.js'
import type { RecordedExchange } from '../../pipeline/journal.js'
import type { MockResponse, RequestFacts } from '../../pipeline/message.js'
import type { LiveServers, ServerEvent } from '../../simulation/servers.js'
import type { ChangeSet } from '../../store/change-set.js'
import type { LiveWorld } from '../../store/world.js'
import { ClientSeats } from './client-seats.js'
import { ruleEntries } from './rules.js'
import {
  type Mistake,
  ObservedExchange,
  type Rule,
  type Warning,
  type Warnings,
  type WarningsState,
} from './warning.js'

/** The most that a world remembers: warnings, and requests and players of each. */
const limits = { warnings: 100, requests: 20, players: 20 }

/** The clock of a world may be ahead of the real time by this much, in real ms. */
const leastMoveMs = 1_000

/** A warning that a recorder can count on. Its texts are made when somebody reads them. */
interface Recorded
  extends Omit<
    Warning,
    'sentence' | 'advice' | 'count' | 'first_at' | 'last_at' | 'revision' | 'requests' | 'players'
  > {
  texts: Pick<Warning, 'sentence' | 'advice'> | (() => Pick<Warning, 'sentence' | 'advice'>)
  count: number
  readonly firstAt: number
  lastAt: number
  revision: number
  requests: number[]
  players: string[]
}

/** The functions of all rules by what they see. */
interface Watch {
  readonly reads: readonly ((observed: ObservedExchange) => void)[]
  readonly exchanges: readonly ((observed: ObservedExchange) => void)[]
  readonly changes: readonly ((changeSet: ChangeSet) => void)[]
  readonly events: readonly ((event: ServerEvent) => void)[]
  readonly ends: readonly (() => void)[]
  readonly seats: ClientSeats
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
  /** Gets each new warning. */
  readonly log: Emitter<NewWarning>
  /** Reports a bug of a rule. */
  onBug(error: unknown, where: string): void
}

/** Lets the rules watch a world, and remembers what they report. Starts again when the state of the world is replaced. */
export class WarningRecorder implements Warnings {
  readonly #source: RecorderSource
  /** By rule and key, the oldest first. */
  #recorded = new Map<string, Recorded>()
  /** The places of warnings that a graver one has replaced. */
  readonly #replaced = new Set<string>()
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
    source.servers.events.subscribe(event =>
      this.#run(({ events }) => {
        for (const see of events) see(event)
      }),
    )
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
    return [...this.#recorded.values()].filter(({ rule }) => !this.#isOff(rule)).map(recorded => warningOf(recorded))
  }

  /** Goes on with what `state` has returned. `shift`: the ids of all requests have risen by it. */
  load({ warnings, dropped }: WarningsState, shift: number): void {
    this.begin()
    for (const { sentence, advice, first_at, last_at, requests, players = [], ...rest } of warnings)
      this.#recorded.set(`loaded ${rest.id}`, {
        ...rest,
        texts: { sentence, advice },
        firstAt: parseDate(first_at),
        lastAt: parseDate(last_at),
        requests: requests.map(id => id + shift),
        players: [...players],
      })
    this.#nextId = Math.max(0, ...warnings.map(({ id }) => id)) + 1
    this.#dropped = dropped
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
    const observed = new ObservedExchange(exchange, request, response, startedAt, endedAt)
    this.#run(({ reads, exchanges, seats }) => {
      for (const see of exchange.isPlainRead ? reads : exchanges) see(observed)
      if (exchange.revisions) seats.addExchange(exchange)
    })
  }

  /** Shows the rules a change set, after its commit. */
  addChange(changeSet: ChangeSet): void {
    const { kind } = changeSet.cause
    if (kind === 'reset' || kind === 'load') this.begin()
    else
      this.#run(({ changes, seats }) => {
        this.#noteTime(changeSet.at, changeSet.clock !== undefined)
        for (const see of changes) see(changeSet)
        seats.addChange(changeSet)
      })
  }

  /** Notes a time of the world's clock. Nobody is to blame for a move of it. Fake timers move it without a change set of the clock. */
  #noteTime(at: number, isMove = false): void {
    const { rate, mode } = this.#source.world.clock
    const lead = at - real.now() * rate
    const isAhead = mode === 'frozen' ? at > this.#latest : lead > this.#lead + leastMoveMs * Math.max(1, rate)
    this.#latest = Math.max(this.#latest, at)
    if (!isMove && !isAhead) return
    this.#movedAt = at
    this.#lead = lead
  }

  #run(tell: (watch: Watch) => void): void {
    if (this.#isHalted) return
    try {
      this.#watch ??= this.#begin()
      tell(this.#watch)
    } catch (error) {
      this.#source.onBug(error, 'in a rule of warnings')
    }
  }

  #begin(): Watch {
    const { world } = this.#source
    this.#latest = world.clock.now()
    this.#noteTime(this.#latest, true)
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
      changes: all.flatMap(one => one.change ?? []),
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

  #report(rule: WarningRule, { sentence, advice }: Rule, mistake: Mistake): void {
    if (this.#isOff(rule)) return
    const { id: worldId, world, log } = this.#source
    const { key, facts, subject, requests, count = 1 } = mistake
    const now = world.clock.now()
    const texts = () => ({ sentence: sentence(facts), advice: advice(facts) })
    const { players = [], ...others } = subject
    const place = `${rule} ${key}`
    if (this.#replaced.has(place)) return
    if (mistake.replaces) {
      this.#recorded.delete(`${mistake.replaces} ${key}`)
      this.#replaced.add(`${mistake.replaces} ${key}`)
    }
    const known = this.#recorded.get(place)
    if (known) {
      Object.assign(known, { texts, lastAt: now, revision: world.revision, count: known.count + count })
      for (const id of requests) addRequest(known.requests, id)
      for (const token of players) if (known.players.length < limits.players) known.players.push(token)
      this.changed.emit('soon')
      return
    }
    if (this.#recorded.size >= limits.warnings) {
      this.#dropped += count
      return
    }
    const recorded: Recorded = {
      ...others,
      id: this.#nextId++,
      rule,
      texts,
      count,
      firstAt: mistake.since ?? now,
      lastAt: now,
      revision: world.revision,
      requests: requests.slice(0, limits.requests),
      players: players.slice(0, limits.players),
    }
    this.#recorded.set(place, recorded)
    this.changed.emit('now')
    log.emit({ world: worldId, warning: warningOf(recorded) })
  }
}

/** Keeps the first half and the newest half of too many ids. */
function addRequest(requests: number[], id: number): void {
  if (requests.includes(id)) return
  requests.push(id)
  if (requests.length > limits.requests) requests.splice(limits.requests / 2, 1)
}

function warningOf({ texts, firstAt, lastAt, players, requests, ...rest }: Recorded): Warning {
  const { id, rule, count, revision, ...subject } = rest
  return {
    id,
    rule,
    ...(typeof texts === 'function' ? texts() : texts),
    count,
    first_at: formatInstant(firstAt),
    last_at: formatInstant(lastAt),
    requests: [...requests],
    revision,
    ...subject,
    ...(players.length > 0 ? { players: [...players] } : {}),
  }
}
