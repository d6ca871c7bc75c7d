import { clientClosedRequest, type ErrorCode, errorStatus } from '../../contract/errors.js'
import { isSeatOperation, namesPlayer, type OperationId } from '../../contract/operations.js'
import { Emitter } from '../../lib/emitter.js'
import { isJsonObject } from '../../lib/json.js'
import type { RecordedExchange } from '../../pipeline/journal.js'
import type { ChangeSet } from '../../store/change-set.js'
import { isSeated } from '../../store/lobby-rules.js'
import type { PlayerRow } from '../../store/matchmaker-rows.js'
import type { TableState } from '../../store/table-state.js'
import type { LiveWorld } from '../../store/world.js'
import { FactReader, type PlayerChange } from './story-facts.js'
import { type FactKind, kinds, type StoryFact, type StoryLobby, type StorySeat } from './story-kinds.js'

/** The most that a world remembers of its players: stories, and facts of each. */
export const storyLimits = { stories: 5_000, facts: 24 }

const longestToken = 512 // characters

/** The facts about one player. */
export class Story {
  readonly token: string
  /** Rises with each new story of the world. */
  readonly id: number
  readonly isSimulated: boolean
  address: string | undefined
  seat: StorySeat = 'unknown'
  /** The kind of the fact that says how the player is now, or how it ended. */
  state: FactKind = 'refused'
  /** The number of its newest change among those of all stories. */
  changedAt = 0
  /** The number of facts that are gone. -1: earlier ones are gone, and nobody knows how many. */
  lost: number
  /** The time of the newest fact that is gone. */
  lostUntil: number | undefined
  /** The oldest first. There is at least one. */
  facts: readonly StoryFact[] = []

  /** `isWhole`: it begins with the first fact about the player. */
  constructor(
    token: string,
    { id, isWhole, isSimulated }: Pick<Story, 'id' | 'isSimulated'> & { readonly isWhole: boolean },
  ) {
    this.token = token
    this.id = id
    this.isSimulated = isSimulated
    this.lost = isWhole ? 0 : -1
  }

  get oldest(): StoryFact {
    return this.facts[0] as StoryFact // there is one
  }

  get newest(): StoryFact {
    return this.facts.at(-1) as StoryFact // there is one
  }

  /** The lobby of its newest fact about a row, or else of its newest call. */
  get lobby(): StoryLobby | undefined {
    const facts = this.facts.filter(({ lobby }) => lobby)
    return (facts.findLast(({ kind }) => kinds[kind].is !== 'call') ?? facts.at(-1))?.lobby
  }

  wasIn(isOne: (lobby: StoryLobby) => boolean): boolean {
    return this.facts.some(({ lobby }) => lobby && isOne(lobby))
  }

  /** Adds a fact. Beyond `most` facts, drops the oldest one about a call, or else the oldest one. */
  add(fact: StoryFact, most: number): void {
    const known = this.facts
    // A list that grows would take room for further facts.
    this.facts = known.concat(fact)
    if (known.length < most) return
    const call = known.findIndex(({ kind }) => kinds[kind].is === 'call')
    const gone = known[Math.max(0, call)] as StoryFact // there are some
    this.facts = this.facts.filter(one => one !== gone)
    if (this.lost !== -1) this.lost += 1
    // Facts about calls go before older ones.
    this.lostUntil = Math.max(gone.at, this.lostUntil ?? gone.at)
  }

  changeAt(revision: number): StoryFact | undefined {
    return this.facts.findLast(fact => fact.revision === revision && kinds[fact.kind].is !== 'call')
  }
}

type SavedStory = Omit<Story, 'oldest' | 'newest' | 'lobby' | 'wasIn' | 'add' | 'changeAt'>

/** The stories of a world as JSON. */
export interface SavedStories extends Pick<StoryRecorder, 'beginsAt' | 'changes' | 'restartedAt'> {
  readonly stories: readonly SavedStory[]
  readonly nextId: number
  readonly dropped: number
}

/** Tells whether this version knows all kinds of facts in saved stories. */
export function hasKnownKinds({ stories }: SavedStories): boolean {
  return stories.every(({ state, facts }) =>
    [state, ...facts.map(({ kind }) => kind)].every(one => Object.hasOwn(kinds, one)),
  )
}

/** Remembers facts about the players of a world, and no rows. Starts again when the state of the world is replaced. */
export class StoryRecorder {
  readonly #tables: LiveWorld['tables']
  readonly #limits: typeof storyLimits
  /** By token, in the order of their creation. Those of simulated players are dropped first. */
  #simulated = new Fifo<string, Story>()
  #others = new Fifo<string, Story>()
  /** The stories that a request has changed, by the revision, until the request has its journal entry. */
  #unanswered = new Map<number, Story[]>()
  #nextId = 1
  #dropped = 0
  /** Since when the world has stories: a revision, and its time in ms of the world's clock. */
  beginsAt: { readonly revision: number; readonly at: number } = { revision: 0, at: 0 }
  /** The players at the beginning. `undefined` once they have stories. Most worlds never need them. */
  #players: TableState<PlayerRow> | undefined
  changes = 0
  /** The revision at which a restart of the mock has loaded the world. Facts up to it have no requests. */
  restartedAt: number | undefined
  readonly changed = new Emitter<void>()

  /** `begin` is the first revision of the world, and its time. */
  constructor(
    tables: LiveWorld['tables'],
    begin: { readonly revision: number; readonly at: number },
    limits = storyLimits,
  ) {
    this.#tables = tables
    this.#limits = limits
    this.begin(begin)
  }

  /** Returns all that it remembers, as JSON. */
  save(): SavedStories {
    this.#addFirstPlayers()
    const stories = [...this.#simulated.map.values(), ...this.#others.map.values()].map(story => ({ ...story }))
    const { beginsAt, changes, restartedAt } = this
    return { stories, nextId: this.#nextId, dropped: this.#dropped, beginsAt, changes, restartedAt }
  }

  /** Goes on with what `save` has returned. `shift`: the ids of all requests have risen by it. */
  load({ stories, nextId, dropped, beginsAt, changes, restartedAt }: SavedStories, shift: number): void {
    this.begin(beginsAt)
    this.#players = undefined
    for (const saved of stories) {
      const { token, address, seat, state, changedAt, lost, lostUntil } = saved
      const facts = saved.facts.map(fact => ({ ...fact, request: fact.request && fact.request + shift }))
      const columns = { address, seat, state, changedAt, lost, lostUntil, facts }
      const story = Object.assign(new Story(token, { ...saved, isWhole: true }), columns)
      const stories = story.isSimulated ? this.#simulated : this.#others
      stories.map.set(story.token, story)
    }
    this.#nextId = nextId
    this.#dropped = dropped
    this.restartedAt = restartedAt
    this.changes = Math.max(this.changes, changes)
    this.changed.emit()
  }

  /** Notes a restart of the mock. No earlier request gets its answer any more. */
  restart(revision: number): void {
    this.restartedAt = revision
    this.#unanswered = new Map()
  }

  /** `dropped`: stories that were dropped to make room. */
  get counts(): { readonly players: number; readonly simulated: number; readonly dropped: number } {
    this.#addFirstPlayers()
    return { players: this.#others.map.size, simulated: this.#simulated.map.size, dropped: this.#dropped }
  }

  get(token: string): Story | undefined {
    this.#addFirstPlayers()
    return this.#others.map.get(token) ?? this.#simulated.map.get(token)
  }

  /** Lists the stories, the newest first. Players that have been there from the beginning have one, too. */
  list(): Story[] {
    this.#addFirstPlayers()
    return [...this.#others.map.values(), ...this.#simulated.map.values()].sort((one, other) => other.id - one.id)
  }

  /** Lists the stories that changed last, the newest first. Leaves out simulated players. */
  recent(most: number): Story[] {
    const changed = [...this.#others.map.values()].filter(({ changedAt }) => changedAt > 0)
    return changed.sort((one, other) => other.changedAt - one.changedAt).slice(0, most)
  }

  begin(revision: { readonly revision: number; readonly at: number }): void {
    this.#simulated = new Fifo()
    this.#others = new Fifo()
    this.#unanswered = new Map()
    this.#nextId = 1
    this.#dropped = 0
    this.beginsAt = revision
    this.#players = this.#tables.players.share()
    this.restartedAt = undefined
    this.changes += 1
    this.changed.emit()
  }

  addChange(changeSet: ChangeSet): void {
    const { revision, at, cause, changes } = changeSet
    if (cause.kind === 'reset' || cause.kind === 'load') {
      this.begin({ revision, at })
      return
    }
    let reader: FactReader | undefined
    for (const change of changes) {
      if (change.table !== 'players') continue
      reader ??= new FactReader(changeSet)
      this.#addRowFact(change, reader)
    }
    if (reader) this.changed.emit()
  }

  #addRowFact(change: PlayerChange, reader: FactReader): void {
    const { revision, at, cause } = reader.changeSet
    const kind = reader.kindOf(change)
    const { before, after = before } = change
    if (kind === undefined || !after) return
    const { row } = after
    this.#addFirstPlayers(reader)
    const known = this.get(row.player_token)
    // Its story was dropped. The life of a simulated player goes on without one.
    const isSimulated = before?.row.session_ms !== undefined && cause.kind !== 'request'
    if (!known && before && (kind === 'forgotten' || isSimulated)) return
    // A row that has ended does not say whether it was simulated.
    const begun = before
      ? () => this.#beginStory(before.row, { at, revision }, false, reader)
      : () => this.#createStory(row, true)
    const story = known ?? begun()
    const operation = cause.kind === 'request' ? (cause.operation as OperationId | undefined) : undefined // it is of a call
    const lobby = this.#lobbyOf(row.lobby_id, story, reader)
    story.address = row.address
    story.seat = change.after === undefined ? 'ended' : seatOf(row)
    if (kinds[kind].outcome !== undefined) story.state = kind
    this.#add(story, { kind, at, revision, cause: cause.kind, lobby, operation, request: undefined })
    if (cause.kind === 'request') this.#expectAnswer(revision, story)
  }

  addExchange(exchange: RecordedExchange): void {
    const { operation, revisions, status } = exchange
    const hasSeat = status === 200 && isSeatOperation(operation)
    if (revisions === undefined && !hasSeat && !namesPlayer(operation)) return
    const token = namesPlayer(operation) ? textAt(exchange.sentJson(), 'player_token') : undefined
    let [hasFact, isSeated] = [false, false]
    for (const revision of revisions ?? []) {
      for (const story of this.#unanswered.get(revision) ?? []) {
        hasFact ||= story.token === token
        const fact = story.changeAt(revision)
        // A dropped story gets no more facts.
        if (!fact || this.get(story.token) !== story) continue
        fact.request = exchange.id
        if (story.token === token) this.#correct(story, fact, exchange)
        this.#touch(story)
        if (fact.kind !== 'reserved') continue
        isSeated = true
        if (isSeatOperation(operation)) this.#addAnswer(story, fact.at, exchange)
      }
      this.#unanswered.delete(revision)
    }
    if (hasSeat && !isSeated) this.#addCannedSeat(exchange)
    else if (!hasFact) this.#addCall(token, status === 200 ? 'called' : 'refused', exchange)
    this.changed.emit()
  }

  /** Adds a seat that is in no lobby of the world: a development token gets such a seat, and an override may give one. */
  #addCannedSeat(exchange: RecordedExchange): void {
    const answer = exchange.answerJson()
    const token = isJsonObject(answer) ? textAt(answer.player, 'token') : undefined
    // The story of a player with a row may have been dropped.
    if (token !== undefined && !this.#tables.players.state.entry(token)) this.#addCall(token, 'canned', exchange)
  }

  /** Notes that the server of another lobby called, and so the player lost its seat. Only the answer says so. */
  #correct(story: Story, fact: StoryFact, exchange: RecordedExchange): void {
    if (exchange.status === 200 || codeOf(exchange) !== 'MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY') return
    if (story.state === fact.kind) story.state = 'wrong_lobby'
    fact.kind = 'wrong_lobby'
  }

  /** Adds a fact if a find waited after it took its seat, or did not answer with it. A client that left got none. */
  #addAnswer(story: Story, reservedAt: number, exchange: RecordedExchange): void {
    const { status, at, since } = exchange
    if (status === 200 && since !== undefined && at > reservedAt) this.#addCallFact(story, 'answered', exchange)
    else if (status !== 200 && status !== clientClosedRequest) this.#addCallFact(story, 'refused', exchange)
  }

  #addCall(token: string | undefined, kind: 'called' | 'refused' | 'canned', exchange: RecordedExchange): void {
    if (token === undefined || token === '' || token.length > longestToken) return
    const story = this.get(token) ?? this.#beginStoryOfCall(token, exchange)
    if (story.seat === 'unknown' && kind !== 'refused') story.state = 'canned'
    this.#addCallFact(story, kind, exchange)
  }

  /** Begins a story for a player that has none, or whose story was dropped. */
  #beginStoryOfCall(token: string, exchange: RecordedExchange): Story {
    const row = this.#tables.players.state.entry(token)?.row
    if (row) return this.#beginStory(row, exchange, false)
    return this.#createStory({ player_token: token }, this.#dropped === 0)
  }

  #addCallFact(story: Story, kind: 'answered' | 'called' | 'refused' | 'canned', exchange: RecordedExchange): void {
    const { at, id, operation, status, caller } = exchange
    // The request may have looked at the world before the facts that came while it waited.
    const revision = Math.max(exchange.revision, story.facts.at(-1)?.revision ?? 0)
    const lobby = caller?.kind === 'lobby' ? this.#lobbyOf(caller.lobbyId, story) : undefined
    const answer = { status, code: kind === 'refused' ? codeOf(exchange) : undefined }
    this.#add(story, { kind, at, revision, cause: 'request', lobby, operation, request: id, answer })
  }

  #add(story: Story, fact: StoryFact): void {
    story.add(fact, this.#limits.facts)
    this.#keep(story)
    this.#touch(story)
  }

  #touch(story: Story): void {
    this.changes += 1
    story.changedAt = this.changes
  }

  /** Keeps a story. If there are too many, drops the oldest one of a simulated player, or else the oldest one. */
  #keep(story: Story): void {
    const stories = story.isSimulated ? this.#simulated : this.#others
    stories.map.set(story.token, story)
    const { size } = this.#simulated.map
    if (size + this.#others.map.size <= this.#limits.stories) return
    const crowded = size > 0 ? this.#simulated : this.#others
    crowded.dropOldest()
    this.#dropped += 1
  }

  #createStory({ player_token, session_ms }: Pick<PlayerRow, 'player_token' | 'session_ms'>, isWhole: boolean): Story {
    return new Story(player_token, { id: this.#nextId++, isWhole, isSimulated: session_ms !== undefined })
  }

  /** Begins the stories of the players that have been there from the beginning. `reader` is that of a change set after it. */
  #addFirstPlayers(reader?: FactReader): void {
    const players = this.#players
    if (!players) return
    this.#players = undefined
    for (const row of players.all()) this.#keep(this.#beginStory(row, this.beginsAt, true, reader))
  }

  /** Begins a story with a row that has been there before. */
  #beginStory(
    row: PlayerRow,
    { at, revision }: Pick<StoryFact, 'at' | 'revision'>,
    isWhole: boolean,
    reader?: FactReader,
  ): Story {
    const story = this.#createStory(row, isWhole)
    const lobby = this.#lobbyOf(row.lobby_id, story, reader)
    story.address = row.address
    story.seat = seatOf(row)
    story.state = row.status === 'removed' ? 'left' : row.status
    const none = { operation: undefined, request: undefined }
    story.add({ kind: 'present', at, revision, cause: 'code', lobby, ...none, seat: story.seat }, 1)
    return story
  }

  /** Finds a lobby, also one that the change set of the reader has deleted. Most facts of a story share it. */
  #lobbyOf(id: string, { facts }: Story, reader?: FactReader): StoryLobby | undefined {
    const known = facts.at(-1)?.lobby
    const row = this.#tables.lobbies.state.entry(id)?.row ?? reader?.lobbyBefore(id)
    if (!row) return known?.lobby_id === id ? known : undefined
    const { lobby_id, namespace_id, game_mode_id, region_id } = row
    const isKnown = known?.lobby_id === id && known.game_mode_id === game_mode_id && known.region_id === region_id
    return isKnown ? known : { lobby_id, namespace_id, game_mode_id, region_id }
  }

  /** Some requests wait for long, and without a journal none gets an entry. */
  #expectAnswer(revision: number, story: Story): void {
    const stories = this.#unanswered.get(revision)
    if (stories) stories.push(story)
    else this.#unanswered.set(revision, [story])
    if (this.#unanswered.size <= this.#limits.stories) return
    const [oldest = 0] = this.#unanswered.keys()
    this.#unanswered.delete(oldest)
  }
}

class Fifo<Key, Value> {
  readonly map = new Map<Key, Value>()
  /** One iterator for all drops. A new one would walk over all deleted entries, which takes 4 µs among 5,000. */
  readonly #keys = this.map.keys()

  /** Drops the oldest entry. There is at least one. */
  dropOldest(): void {
    this.map.delete(this.#keys.next().value as Key) // the iterator is not at its end
  }
}

function seatOf(row: PlayerRow): StorySeat {
  return isSeated(row) ? row.status : 'ended'
}

function codeOf(exchange: RecordedExchange): ErrorCode | undefined {
  const code = textAt(exchange.answerJson(), 'code')
  return code !== undefined && Object.hasOwn(errorStatus, code) ? (code as ErrorCode) : undefined // a key
}

function textAt(value: unknown, key: string): string | undefined {
  const text = isJsonObject(value) ? value[key] : undefined
  return typeof text === 'string' ? text : undefined
}
