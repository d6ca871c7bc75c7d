import { type Linked, LinkedList } from '../../lib/linked-list.js'
import type { LobbyRow } from '../../store/matchmaker-rows.js'
import {
  type FactDetail,
  type FactKind,
  isCallKind,
  kindOf,
  packDetail,
  unpackDetail,
  withKind,
} from './story-facts.js'

/** The most that a world remembers of its players. */
export interface StoryLimits {
  readonly stories: number
  /** Of all stories together, estimated. */
  readonly bytes: number
  /** The most facts of one story. */
  readonly facts: number
  /** The most change sets that wait for the answers to their requests, besides the newest one. */
  readonly unanswered: number
}

export const storyLimits: StoryLimits = { stories: 20_000, bytes: 8 * 1024 ** 2, facts: 24, unanswered: 20_000 }

/** A lobby of stories. It outlives its row, and all its players share it. */
export type StoryLobby = Pick<LobbyRow, 'lobby_id' | 'namespace_id' | 'game_mode_id' | 'region_id'>

/** A fact about a player. */
export interface StoryFact extends FactDetail {
  /** In ms of the world's clock. */
  readonly at: number
  /** The revision of the world right after it. */
  readonly revision: number
  /** The journal id of its request. `undefined`: there was none, or the journal never had it. */
  readonly request?: number | undefined
  readonly lobby?: StoryLobby | undefined
}

/** The numbers of a fact in the list of its story: time, revision, journal id, detail. */
const width = 4
const [revisionAt, requestAt, detailAt] = [1, 2, 3]

/** The estimated memory of a story without its facts, in bytes. Measured with 20,000 stories. */
const storyBytes = 260

/** The estimated memory of each lobby of a story besides its first, in bytes. Most players have only one. */
const lobbyBytes = 130

/** The seat of a player. `ended`: it had one. `unknown`: no row of this world has ever had the token. */
export type StorySeat = 'reserved' | 'connected' | 'ended' | 'unknown'

const noFacts: number[] = []

/** The facts about one player. They are numbers in one list, because there are thousands of stories. */
export class Story implements Linked<Story> {
  readonly token: string
  /** Rises with each new story of the world. */
  readonly id: number
  readonly isSimulated: boolean
  address: string | undefined
  seat: StorySeat = 'unknown'
  /** The kind that says how it is now, or how it ended. */
  state: FactKind = 'refused'
  /** The number of its newest change among those of all stories. */
  changedAt = 0
  /** The number of facts that are gone. -1: earlier ones are gone, and nobody knows how many. */
  lost: number
  /** The time of the newest fact that is gone. */
  lostUntil: number | undefined
  /** Its bytes in the sum of the memory. */
  countedBytes = 0
  older: Story | undefined
  newer: Story | undefined
  /** `undefined` for a story that gave way to others. */
  list: LinkedList<Story> | undefined
  #facts = noFacts
  /** Most players have only one lobby. */
  #lobby: StoryLobby | undefined
  #otherLobbies: StoryLobby[] | undefined

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

  get bytes(): number {
    const texts = this.token.length + (this.address?.length ?? 0)
    return storyBytes + texts + this.#facts.length * 8 + (this.#otherLobbies?.length ?? 0) * lobbyBytes
  }

  /** The number of facts. */
  get size(): number {
    return this.#facts.length / width
  }

  get lobbies(): readonly StoryLobby[] {
    if (!this.#lobby) return []
    return this.#otherLobbies ? [this.#lobby, ...this.#otherLobbies] : [this.#lobby]
  }

  /** The newest lobby of its row. Without a row the newest one that called. */
  get lobby(): StoryLobby | undefined {
    if (!this.#otherLobbies) return this.#lobby
    const facts = this.facts.filter(({ lobby }) => lobby)
    return (facts.findLast(({ kind }) => !isCallKind(kind)) ?? facts.at(-1))?.lobby
  }

  get facts(): StoryFact[] {
    return Array.from({ length: this.size }, (_, i) => this.#factAt(i * width))
  }

  /** Returns the newest fact. There is at least one. */
  get newest(): StoryFact {
    return this.#factAt(this.#facts.length - width)
  }

  get oldest(): StoryFact {
    return this.#factAt(0)
  }

  /** Adds a fact. Beyond `most` facts, the oldest one about a call goes, or else the oldest one. */
  add(fact: StoryFact, most: number): void {
    const { at, revision, request = 0, lobby } = fact
    const packed = packDetail(fact, lobby ? this.#placeOf(lobby) : 0)
    // A list that grows takes longer, and room for further facts.
    this.#facts =
      this.#facts.length === 0 ? [at, revision, request, packed] : this.#facts.concat(at, revision, request, packed)
    if (this.#facts.length > most * width) this.#drop()
  }

  /** Sets the request of the fact of a revision. Returns the time and the kind of that fact, if there is one. */
  setRequest(revision: number, request: number): Pick<StoryFact, 'at' | 'kind'> | undefined {
    const start = this.#positionOf(revision)
    if (start === undefined) return undefined
    this.#facts[start + requestAt] = request
    return { at: this.#number(start), kind: kindOf(this.#number(start + detailAt)) }
  }

  /** Replaces the kind of the fact of a revision. */
  setKind(revision: number, kind: FactKind): void {
    const start = this.#positionOf(revision)
    if (start === undefined) return
    const known = this.#number(start + detailAt)
    if (this.state === kindOf(known)) this.state = kind
    this.#facts[start + detailAt] = withKind(known, kind)
  }

  #drop(): void {
    let start = 0
    while (start < this.#facts.length - width && !isCallKind(kindOf(this.#number(start + detailAt)))) start += width
    const isCall = isCallKind(kindOf(this.#number(start + detailAt)))
    // The newest fact stays.
    const [at = 0] = this.#facts.splice(isCall && start < this.#facts.length - width ? start : 0, width)
    this.lost = this.lost === -1 ? -1 : this.lost + 1
    // Facts about calls go before older ones.
    this.lostUntil = Math.max(at, this.lostUntil ?? at)
  }

  #positionOf(revision: number): number | undefined {
    for (let start = this.#facts.length - width; start >= 0; start -= width)
      if (this.#facts[start + revisionAt] === revision && !isCallKind(kindOf(this.#number(start + detailAt))))
        return start
    return undefined
  }

  #placeOf(lobby: StoryLobby): number {
    this.#lobby ??= lobby
    if (this.#lobby === lobby) return 1
    this.#otherLobbies ??= []
    const known = this.#otherLobbies.indexOf(lobby)
    if (known !== -1) return known + 2
    // A detail has room for a few.
    if (this.#otherLobbies.length === mostLobbies) return 0
    return this.#otherLobbies.push(lobby) + 1
  }

  #number(position: number): number {
    return this.#facts[position] ?? 0
  }

  #factAt(start: number): StoryFact {
    const { lobby: place, ...detail } = unpackDetail(this.#number(start + detailAt))
    const request = this.#number(start + requestAt)
    const lobby = this.lobbies[place - 1]
    return {
      ...detail,
      at: this.#number(start),
      revision: this.#number(start + revisionAt),
      ...(request === 0 ? {} : { request }),
      ...(lobby ? { lobby } : {}),
    }
  }
}

/** The most lobbies of a story, besides its first. A token that ever more servers report has no more of them. */
const mostLobbies = 30

/** The stories of a world, within their limits. */
export class StoryMemory {
  readonly #limits: StoryLimits
  /** In the order of their creation. */
  readonly #stories = new Map<string, Story>()
  /** In the order in which they give way. */
  readonly #lists = [
    new LinkedList<Story>(),
    new LinkedList<Story>(),
    new LinkedList<Story>(),
    new LinkedList<Story>(),
  ] as const
  #bytes = 0
  #dropped = 0
  #simulated = 0

  constructor(limits: StoryLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#stories.size
  }

  /** The number of stories of simulated players. */
  get simulated(): number {
    return this.#simulated
  }

  /** The estimated memory of all stories. */
  get bytes(): number {
    return this.#bytes
  }

  /** The number of stories that gave way to others, or had no room. */
  get dropped(): number {
    return this.#dropped
  }

  get(token: string): Story | undefined {
    return this.#stories.get(token)
  }

  /** Counts stories that had no room from the beginning. */
  countDropped(count: number): void {
    this.#dropped += count
  }

  /** Lists the stories, the newest first. */
  list(): Story[] {
    return [...this.#stories.values()].reverse()
  }

  /** Keeps a story that is new, or has changed. Others give way if there are too many. */
  keep(story: Story): void {
    const list = this.#listOf(story)
    if (story.list !== list) {
      if (!story.list) this.#stories.set(story.token, story)
      if (!story.list && story.isSimulated) this.#simulated += 1
      story.list?.remove(story)
      list.push(story)
      story.list = list
    }
    const { bytes } = story
    this.#bytes += bytes - story.countedBytes
    story.countedBytes = bytes
    while (this.#exceedsLimits()) this.#dropOne()
  }

  #listOf({ seat, isSimulated }: Story): LinkedList<Story> {
    const [endedSimulated, ended, simulated, seated] = this.#lists
    if (seat === 'reserved' || seat === 'connected') return isSimulated ? simulated : seated
    return isSimulated ? endedSimulated : ended
  }

  #exceedsLimits(): boolean {
    const { stories, bytes } = this.#limits
    // A single story stays.
    return this.#stories.size > 1 && (this.#stories.size > stories || this.#bytes > bytes)
  }

  /** Drops the oldest of the simulated players that ended, or else of the others that ended, or else of those with a seat. */
  #dropOne(): void {
    for (const list of this.#lists) {
      const { oldest } = list
      if (!oldest) continue
      list.remove(oldest)
      oldest.list = undefined
      this.#stories.delete(oldest.token)
      this.#bytes -= oldest.countedBytes
      this.#simulated -= Number(oldest.isSimulated)
      this.#dropped += 1
      return
    }
  }
}
