import type { WarningRule } from '../../contract/warnings.js'
import { Emitter } from '../../lib/emitter.js'
import { parseDate } from '../../lib/real-globals.js'
import { formatInstant } from '../../lib/time.js'
import type { RecordedExchange } from '../../pipeline/journal.js'
import type { MockResponse, RequestFacts } from '../../pipeline/message.js'
import type { LiveServers } from '../../simulation/servers.js'
import type { ChangeSet } from '../../store/change-set.js'
import type { LiveWorld } from '../../store/world.js'
import { ruleEntries } from './rules.js'
import type { Mistake, ObservedExchange, Observers, Rule, Warning, Warnings, WarningsState } from './warning.js'

/** The most that a world remembers: warnings, and requests and players of each. */
const limits = { warnings: 100, requests: 20, players: 20 }

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
  #nextId = 1
  #dropped = 0
  /** Created at the first event, because most worlds have none. `undefined` while nobody watches. */
  #observers: readonly Observers[] | undefined
  #isHalted = false
  /** Emits `now` after a new warning, and `soon` after one has happened again. */
  readonly changed = new Emitter<'now' | 'soon'>()

  constructor(source: RecorderSource) {
    this.#source = source
    source.servers.events.subscribe(event => this.#tell(observers => observers.server?.(event)))
  }

  list(): Warning[] {
    const { world } = this.#source
    world.checkUsable()
    void world.clock.catchUp()
    return [...this.#recorded.values()].filter(({ rule }) => !this.#isOff(rule)).map(recorded => warningOf(recorded))
  }

  dropped(): number {
    return this.#dropped
  }

  /** The state that `GET /__mock/warnings` and events tell. */
  state(): WarningsState {
    return { warnings: this.list(), dropped: this.#dropped }
  }

  save(): WarningsState {
    return { warnings: [...this.#recorded.values()].map(recorded => warningOf(recorded)), dropped: this.#dropped }
  }

  /** Goes on with what `save` has returned. `shift`: the ids of all requests have risen by it. */
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

  /** Watches nothing until `begin`, while a world becomes another one. */
  halt(): void {
    this.end()
    this.#isHalted = true
  }

  /** Forgets all warnings, and watches anew. */
  begin(): void {
    this.end()
    this.#isHalted = false
    this.#recorded = new Map()
    this.#nextId = 1
    this.#dropped = 0
    this.changed.emit('now')
  }

  /** Stops watching. */
  end(): void {
    for (const observers of this.#observers ?? []) observers.end?.()
    this.#observers = undefined
  }

  /** Shows the rules an exchange, after the journal has its entry. */
  addExchange(exchange: RecordedExchange, facts: RequestFacts, response: MockResponse, endedAt: number): void {
    const observed: ObservedExchange = {
      exchange,
      request: facts.request,
      response,
      startedAt: facts.startedAt,
      endedAt,
    }
    if (exchange.isPlainRead) this.#tell(observers => observers.read?.(observed))
    else this.#tell(observers => observers.exchange?.(observed))
  }

  /** Shows the rules a change set, after its commit. */
  addChange(changeSet: ChangeSet): void {
    const { kind } = changeSet.cause
    if (kind === 'reset' || kind === 'load') this.begin()
    else this.#tell(observers => observers.change?.(changeSet))
  }

  #tell(each: (observers: Observers) => void): void {
    if (this.#isHalted) return
    try {
      this.#observers ??= this.#observe()
      for (const observers of this.#observers) each(observers)
    } catch (error) {
      this.#source.onBug(error, 'in a rule of warnings')
    }
  }

  #observe(): Observers[] {
    const { world } = this.#source
    return ruleEntries.map(([name, rule]) => rule.observe(mistake => this.#report(name, rule, mistake), world))
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
