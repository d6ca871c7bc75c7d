import { clientClosedRequest, type ErrorCode, errorStatus } from '../../contract/errors.js'
import type { OperationId } from '../../contract/operations.js'
import { Emitter } from '../../lib/emitter.js'
import { isJsonObject } from '../../lib/json.js'
import type { RecordedExchange } from '../../pipeline/journal.js'
import type { ChangeSet } from '../../store/change-set.js'
import { isSeated } from '../../store/lobby-rules.js'
import type { LobbyRow, PlayerRow } from '../../store/matchmaker-rows.js'
import type { TableState } from '../../store/table-state.js'
import type { LiveWorld } from '../../store/world.js'
import { FactReader, isSeatOperation, isStateKind, namesPlayer, type PlayerChange } from './story-facts.js'
import {
  Story,
  type StoryFact,
  type StoryLimits,
  type StoryLobby,
  StoryMemory,
  type StorySeat,
  storyLimits,
} from './story-memory.js'

/** The most characters of a token that no row has. */
const longestToken = 512

/** The number of changed stories that the world remembers, for events. */
const remembered = 64

/**
 * Remembers what happened to the players of a world: facts, and no rows. It observes change sets and exchanges. The stories
 * begin anew when the state of the world is replaced.
 */
export class WorldStories {
  readonly #tables: LiveWorld['tables']
  readonly #limits: StoryLimits
  /** `undefined` until something happens to a player. */
  #parts: StoryParts | undefined
  #nextId = 1
  #beginsAt = { revision: 0, at: 0 }
  /** The players at the beginning. `undefined` once they have stories. */
  #players: TableState<PlayerRow> | undefined
  /** The stories of the newest change set of a request that has no journal entry yet. Most are answered before the next one. */
  #newestUnanswered: { readonly revision: number; readonly stories: Story[] } | undefined
  #changes = 0
  #restartedAt: number | undefined
  /** Emits after a story has changed, or all have begun anew. */
  readonly changed = new Emitter<void>()

  /** `begin` is the first revision of the world, and its time. */
  constructor(
    tables: LiveWorld['tables'],
    begin: { readonly revision: number; readonly at: number },
    limits: StoryLimits = storyLimits,
  ) {
    this.#tables = tables
    this.#limits = limits
    this.begin(begin)
  }

  /** The stories. Players that have been there from the beginning have one, too. */
  get memory(): StoryMemory {
    this.#addFirstPlayers()
    return this.#kept.memory
  }

  get #kept(): StoryParts {
    this.#parts ??= new StoryParts(this.#limits)
    return this.#parts
  }

  /** Since when the world has stories: a revision, and its time in ms of the world's clock. */
  get beginsAt(): { readonly revision: number; readonly at: number } {
    return this.#beginsAt
  }

  /** Rises with each change of a story. */
  get changes(): number {
    return this.#changes
  }

  /** The revision at which a restart of the mock has loaded the world. Facts up to it have no requests. */
  get restartedAt(): number | undefined {
    return this.#restartedAt
  }

  /** No earlier request gets its answer any more. */
  set restartedAt(revision: number) {
    this.#restartedAt = revision
    this.#parts?.unanswered.clear()
    this.#newestUnanswered = undefined
  }

  /** Lists the stories of players that changed last, the newest first. Leaves out simulated players. */
  recent(most: number): Story[] {
    const stories = [...new Set(this.#parts?.recent)].filter(({ list }) => list !== undefined)
    return stories.sort((one, other) => other.changedAt - one.changedAt).slice(0, most)
  }

  /** Forgets all stories, and begins at a revision. */
  begin(revision: { readonly revision: number; readonly at: number }): void {
    this.#parts = undefined
    this.#nextId = 1
    this.#beginsAt = revision
    this.#players = this.#tables.players.share()
    this.#newestUnanswered = undefined
    this.#restartedAt = undefined
    this.#changes += 1
    this.changed.emit()
  }

  /** Adds the facts of a change set, after its commit. */
  addChange(changeSet: ChangeSet): void {
    const { revision, at, cause, changes } = changeSet
    if (cause.kind === 'reset' || cause.kind === 'load') {
      this.begin({ revision, at })
      return
    }
    let [reader, hasDeletedLobby]: [FactReader | undefined, boolean] = [undefined, false]
    for (const { table, before, after } of changes) {
      if (table !== 'lobbies' || after) continue
      hasDeletedLobby = true
      // The facts about its players name it.
      if (before) this.#rememberLobby(before.row)
    }
    for (const change of changes) {
      if (change.table !== 'players') continue
      reader ??= new FactReader(changeSet)
      this.#addRowFact(change, changeSet, reader)
    }
    if (hasDeletedLobby)
      for (const { table, id, after } of changes) if (table === 'lobbies' && !after) this.#kept.lobbies.delete(id)
    if (reader) this.changed.emit()
  }

  #addRowFact(change: PlayerChange, { revision, at, cause }: ChangeSet, reader: FactReader): void {
    const kind = reader.kindOf(change)
    const row = (change.after ?? change.before)?.row
    if (kind === undefined || !row) return
    this.#addFirstPlayers()
    const known = this.#kept.memory.get(row.player_token)
    // Its story gave way to others long ago.
    if (!known && kind === 'forgotten') return
    const story = known ?? this.#createStory(row, change.before === undefined)
    const operation = cause.kind === 'request' ? (cause.operation as OperationId | undefined) : undefined // it is of a call
    const lobby = this.#lobbyOf(row.lobby_id)
    story.address = row.address
    story.seat = change.after === undefined ? 'ended' : seatOf(row)
    if (isStateKind(kind)) story.state = kind
    story.add({ kind, at, revision, lobby, cause: cause.kind, operation }, this.#limits.facts)
    this.#keep(story)
    if (cause.kind === 'request') this.#expectAnswer(revision, story)
  }

  /** Adds the facts of a request, after the journal has its entry. */
  addExchange(exchange: RecordedExchange): void {
    const { operation, revisions, status } = exchange
    const hasSeat = status === 200 && isSeatOperation(operation)
    if (revisions === undefined && !hasSeat && !namesPlayer(operation)) return
    const token = namesPlayer(operation) ? textAt(exchange.sentJson(), 'player_token') : undefined
    let [hasFact, isSeated] = [false, false]
    for (const revision of revisions ?? [])
      for (const story of this.#takeUnanswered(revision)) {
        hasFact ||= story.token === token
        const fact = story.setRequest(revision, exchange.id)
        // Stories that gave way to others get no more facts.
        if (!fact || !story.list) continue
        if (story.token === token) this.#correct(story, revision, exchange)
        isSeated ||= fact.kind === 'reserved'
        if (fact.kind === 'reserved' && isSeatOperation(operation)) this.#addAnswer(story, fact.at, exchange)
        else this.#touch(story)
      }
    if (hasSeat && !isSeated) this.#addCannedSeat(exchange)
    else if (!hasFact) this.#addCall(token, status === 200 ? 'called' : 'refused', exchange)
    this.changed.emit()
  }

  /** A development token gets a seat in no lobby, and so may an override give one. */
  #addCannedSeat(exchange: RecordedExchange): void {
    const answer = exchange.answerJson()
    const token = isJsonObject(answer) ? textAt(answer.player, 'token') : undefined
    // The story of a player with a row may have given way to others.
    if (token !== undefined && !this.#tables.players.state.entry(token)) this.#addCall(token, 'canned', exchange)
  }

  /** A server of another lobby loses the player its seat. Only the answer says so. */
  #correct(story: Story, revision: number, exchange: RecordedExchange): void {
    if (exchange.status !== 200 && codeOf(exchange) === 'MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY')
      story.setKind(revision, 'wrong_lobby')
  }

  /** Adds a fact if a find waited after it took its seat, or did not answer with it. A client that left got none. */
  #addAnswer(story: Story, reservedAt: number, exchange: RecordedExchange): void {
    const { status, at, since } = exchange
    if (status === 200 && since !== undefined && at > reservedAt) this.#addCallFact(story, 'answered', exchange)
    else if (status !== 200 && status !== clientClosedRequest) this.#addCallFact(story, 'refused', exchange)
    else this.#touch(story)
  }

  #addCall(token: string | undefined, kind: 'called' | 'refused' | 'canned', exchange: RecordedExchange): void {
    if (token === undefined || token === '' || token.length > longestToken) return
    this.#addFirstPlayers()
    const story = this.#kept.memory.get(token) ?? this.#beginStoryOfCall(token, exchange)
    if (story.seat === 'unknown' && kind !== 'refused') story.state = 'canned'
    this.#addCallFact(story, kind, exchange)
  }

  /** Its player has no story: there was none, or it gave way to others. */
  #beginStoryOfCall(token: string, { at, revision }: RecordedExchange): Story {
    const row = this.#tables.players.state.entry(token)?.row
    if (row) return this.#beginStory(row, { at, revision, isWhole: false })
    return this.#createStory({ player_token: token }, this.#kept.memory.dropped === 0)
  }

  #addCallFact(story: Story, kind: 'answered' | 'called' | 'refused' | 'canned', exchange: RecordedExchange): void {
    const { at, id, operation, status, caller } = exchange
    // The request may have looked at the world before the facts that came while it waited.
    const revision = story.size === 0 ? exchange.revision : Math.max(exchange.revision, story.newest.revision)
    const lobby = caller?.kind === 'lobby' ? this.#lobbyOf(caller.lobbyId) : undefined
    const code = kind === 'refused' ? codeOf(exchange) : undefined
    const fact: StoryFact = { kind, at, revision, request: id, lobby, cause: 'request', operation, status, code }
    story.add(fact, this.#limits.facts)
    this.#keep(story)
  }

  #keep(story: Story): void {
    this.#kept.memory.keep(story)
    this.#touch(story)
  }

  /** Remembers that a story has changed. */
  #touch(story: Story): void {
    this.#changes += 1
    story.changedAt = this.#changes
    if (!story.isSimulated) this.#kept.rememberRecent(story)
  }

  #createStory({ player_token, session_ms }: Pick<PlayerRow, 'player_token' | 'session_ms'>, isWhole: boolean): Story {
    return new Story(player_token, { id: this.#nextId++, isWhole, isSimulated: session_ms !== undefined })
  }

  /** Begins the stories of the players that have been there from the beginning. Most worlds never need them. */
  #addFirstPlayers(): void {
    const players = this.#players
    if (!players) return
    this.#players = undefined
    const rows = players.all()
    const { revision, at } = this.#beginsAt
    const tooMany = Math.max(0, rows.length - this.#limits.stories)
    this.#nextId += tooMany
    this.#kept.memory.countDropped(tooMany)
    for (const row of rows.slice(tooMany))
      this.#kept.memory.keep(this.#beginStory(row, { at, revision, isWhole: true }))
  }

  /** Begins a story with a row that has been there before. */
  #beginStory(
    row: PlayerRow,
    { at, revision, isWhole }: Pick<StoryFact, 'at' | 'revision'> & { isWhole: boolean },
  ): Story {
    const story = this.#createStory(row, isWhole)
    const lobby = this.#lobbyOf(row.lobby_id)
    story.address = row.address
    story.seat = seatOf(row)
    story.state = row.status === 'removed' ? 'left' : row.status
    story.add({ kind: 'present', at, revision, lobby, cause: 'code', status: statuses.indexOf(row.status) + 1 }, 1)
    return story
  }

  #lobbyOf(id: string): StoryLobby | undefined {
    const known = this.#kept.lobbies.get(id)
    if (known) return known
    const row = this.#tables.lobbies.state.entry(id)?.row
    return row && this.#rememberLobby(row)
  }

  #rememberLobby({ lobby_id, namespace_id, game_mode_id, region_id }: LobbyRow): StoryLobby {
    const known = this.#kept.lobbies.get(lobby_id)
    if (known) return known
    const lobby = { lobby_id, namespace_id, game_mode_id, region_id }
    this.#kept.lobbies.set(lobby_id, lobby)
    return lobby
  }

  #expectAnswer(revision: number, story: Story): void {
    const newest = this.#newestUnanswered
    if (newest?.revision === revision) {
      newest.stories.push(story)
      return
    }
    this.#newestUnanswered = { revision, stories: [story] }
    if (!newest) return
    // Its request waits, or ended without an entry. Tokens, because the stories may give way to others meanwhile.
    const { unanswered } = this.#kept
    unanswered.set(
      newest.revision,
      newest.stories.map(({ token }) => token),
    )
    if (unanswered.size <= this.#limits.unanswered) return
    const [oldest = 0] = unanswered.keys()
    unanswered.delete(oldest)
  }

  #takeUnanswered(revision: number): readonly Story[] {
    const newest = this.#newestUnanswered
    if (newest?.revision === revision) {
      this.#newestUnanswered = undefined
      return newest.stories
    }
    if (!this.#parts) return []
    const { memory, unanswered } = this.#parts
    const tokens = unanswered.get(revision) ?? noTokens
    unanswered.delete(revision)
    return tokens.flatMap(token => memory.get(token) ?? [])
  }
}

/** The stories of a world, with the lookups that they need. */
class StoryParts {
  readonly memory: StoryMemory
  /** Shared by the stories of a lobby. */
  readonly lobbies = new Map<string, StoryLobby>()
  /** The tokens of older change sets of requests that have no journal entry yet, by revision. */
  readonly unanswered = new Map<number, string[]>()
  /** The stories that changed last, in no order. */
  readonly recent: Story[] = []
  #recentCount = 0

  constructor(limits: StoryLimits) {
    this.memory = new StoryMemory(limits)
  }

  rememberRecent(story: Story): void {
    this.recent[this.#recentCount++ % remembered] = story
  }
}

const noTokens: readonly string[] = []

/** The statuses of a player at the beginning, as a fact has them: positions from 1. */
const statuses: readonly PlayerRow['status'][] = ['reserved', 'connected', 'expired', 'removed']

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
