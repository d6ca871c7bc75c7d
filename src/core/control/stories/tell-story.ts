import type { AnswerReasons } from '../../contract/journal.js'
import { isSeatOperation, type OperationId } from '../../contract/operations.js'
import type * as types from '../../generated/options.js'
import { parseDate } from '../../lib/real-globals.js'
import { elapsedText, formatInstant } from '../../lib/time.js'
import type { History, StoredExchange } from '../../pipeline/history.js'
import { redactToken } from '../../pipeline/redact.js'
import type { GameServerState, LiveServers } from '../../simulation/servers.js'
import type { ChangeSet } from '../../store/change-set.js'
import { seatsTaken, shownLimit } from '../../store/lobby-rules.js'
import { type LobbyRow, nextPlayerJobAt, type PlayerRow } from '../../store/matchmaker-rows.js'
import { playerName } from '../../store/player-names.js'
import type { LiveWorld } from '../../store/world.js'
import type { Past } from '../explain/past.js'
import { lobbyText, regionName } from '../warnings/seat-rules.js'
import type { Story, StoryRecorder } from './stories.js'
import {
  endingText,
  type FactKind,
  type FactRows,
  kinds,
  refusedText,
  type StoryFact,
  type StoryLobby,
} from './story-kinds.js'

export const storyOutcomes = [
  'on_the_way',
  'playing',
  'left',
  'never_connected',
  'connection_lost',
  'lobby_stopped',
  'server_ended',
  'removed',
  'gave_up',
  'wrong_lobby',
  'refused',
  'canned',
] as const
type StoryOutcome = types.StoryOutcome

/** A player, and how its story stands. Times are those of the world's clock, in ISO 8601. */
export interface StorySummary {
  /** Rises with each new story of the world. */
  readonly id: number
  /** The token of the player. Cut to its label if no player of this world has ever had it. */
  readonly token: string
  /** Two words from the token, the same each time: `MellowFox`. */
  readonly name: string
  readonly outcome: StoryOutcome
  /** The present state of the player, or its end, in a sentence. */
  readonly sentence: string
  /** True for a player of a simulation. */
  readonly is_simulated: boolean
  /** Absent if no player of this world has ever had the token. */
  readonly address?: string
  /** The newest lobby. Absent without one. */
  readonly lobby_id?: string
  readonly game_mode_id?: string
  readonly region_id?: string
  /** The time of its first fact. */
  readonly began_at: string
  /** When it got its newest seat. */
  readonly reserved_at?: string
  readonly connected_at?: string
  readonly ended_at?: string
  /** The next job of its row: a seat expires, a player connects or leaves. */
  readonly next_at?: string
  /** The time of its newest fact. */
  readonly changed_at: string
  /** The world right after its newest fact. */
  readonly revision: number
}

export const stepKinds = [...(Object.keys(kinds) as FactKind[]), 'found', 'joined', 'created'] as const // its keys
type StepKind = types.StepKind

/** A step of a story. */
export interface StoryStep {
  readonly kind: StepKind
  /** In ISO 8601. */
  readonly at: string
  /** The time since the step before, in ms of the world's clock. Absent for the first one. */
  readonly after_ms?: number
  /** Two or three words. */
  readonly title: string
  /** The event, and who caused it. */
  readonly text: string
  /** The world right after it. `GET /__mock/snapshot?revision=` shows it, while the history has it. */
  readonly revision: number
  /** The id of its request in the journal. Absent if there was none, or if the journal no longer has it. */
  readonly request?: number
  readonly operation?: OperationId
  /** The status of the answer, for a call that changed nothing. */
  readonly status?: number
  /** The error code of that answer. */
  readonly code?: string
  readonly lobby_id?: string
  /** Why the request got its answer, and which lobbies lost. */
  readonly reasons?: AnswerReasons
}

/** A request of a story that the journal still has. */
export interface StoryRequest {
  readonly id: number
  /** In ISO 8601. */
  readonly time: string
  readonly operation?: string
  readonly status: number
  /** The time to its answer, in real ms. */
  readonly ms: number
}

/** The newest lobby of a story, as it is now. */
export interface StoryLobbyState extends StoryLobby {
  /** The name of its region. */
  readonly region: string
  /** `gone`: the world has forgotten it. */
  readonly status: LobbyRow['status'] | 'gone'
  /** The seats that are taken. */
  readonly seats?: number
  /** The limit of find, or the largest one if more seats are taken. */
  readonly max_players?: number
  readonly run_by?: LobbyRow['run_by']
}

/** The story of a player, from its find to its end. */
export interface StoryJson extends StorySummary {
  /** The oldest first. */
  readonly steps: readonly StoryStep[]
  readonly requests: readonly StoryRequest[]
  readonly lobby?: StoryLobbyState
  /** The game server that the mock has started for that lobby. */
  readonly server?: GameServerState
  /** Since when the story has all facts. Absent if it has all. */
  readonly whole_since?: string
  /** The gaps of the story, and why they are there. */
  readonly notes: readonly string[]
  /** The story as a sequence diagram of Mermaid, between the fences that Markdown wants. Only if you ask for it. */
  readonly mermaid?: string
}

/** The parts of a world that its stories are told from. */
export interface StorySource {
  readonly world: LiveWorld
  readonly history: History
  readonly past: Past
  readonly servers: Pick<LiveServers, 'list'>
  readonly stories: StoryRecorder
}

/** Returns the outcome of a story: how it stands or ended, in a word. */
export function storyOutcome({ state }: Pick<Story, 'state'>): StoryOutcome {
  return kinds[state].outcome ?? 'refused'
}

interface SeatTimes {
  readonly reservedAt?: number | undefined
  readonly connectedAt?: number | undefined
  /** True if the player was connected when the story began. */
  readonly wasConnected?: boolean
  readonly endedAt?: number | undefined
}

function seatTimes(facts: readonly StoryFact[]): SeatTimes {
  let times: SeatTimes = {}
  for (const { kind, at, seat } of facts) {
    if (kind === 'reserved' || seat === 'reserved') times = { reservedAt: at }
    else if (seat === 'connected') times = { connectedAt: at, wasConnected: true }
    else if (kind === 'present' || kinds[kind].is === 'end') times = { ...times, endedAt: times.endedAt ?? at }
    else if (kind === 'handed_over') times = { reservedAt: times.reservedAt ?? at }
    else if (kind === 'connected')
      times = { reservedAt: times.endedAt === undefined ? times.reservedAt : undefined, connectedAt: at }
  }
  return times
}

/** Tells in one sentence how a story stands, or how it ended. */
export function sentenceOf({ facts, seat, state, lobby: newest }: Story, world: LiveWorld): string {
  const lobby = lobbyText(newest, world)
  const { reservedAt, connectedAt, wasConnected = false, endedAt = world.clock.now() } = seatTimes(facts)
  const least = wasConnected ? 'at least ' : ''
  const played = connectedAt === undefined ? undefined : `${least}${elapsedText(endedAt - connectedAt)}`
  switch (seat) {
    case 'reserved': {
      const isStarting = newest && world.tables.lobbies.get(newest.lobby_id)?.status === 'starting'
      return `Has a seat in ${lobby}, and ${isStarting ? 'waits for its game server' : 'has not connected yet'}.`
    }
    case 'connected':
      return `Plays ${lobby}, for ${played ?? 'some time'} so far.`
    case 'unknown':
      if (state === 'canned') return 'Got a canned seat: it is in no lobby of this world.'
      return refusedText(facts.findLast(({ kind }) => kind === 'refused'))
    case 'ended':
      if (facts.every(({ kind }) => kind === 'present' || kinds[kind].is === 'call'))
        return `Had no seat in ${lobby} any more when the story began.`
      return endingText(state, { facts, lobby, played, waitedMs: endedAt - (reservedAt ?? endedAt) })
  }
}

export function summarizeStory(story: Story, world: LiveWorld): StorySummary {
  const { id, token, lobby, isSimulated, address, seat } = story
  const { reservedAt, connectedAt, endedAt } = seatTimes(story.facts)
  const row = seat === 'unknown' ? undefined : world.tables.players.get(token)
  const nextAt = seat === 'ended' || !row ? undefined : nextPlayerJobAt(row)
  return {
    id,
    token: seat === 'unknown' ? redactToken(token) : token,
    name: playerName(token),
    outcome: storyOutcome(story),
    sentence: sentenceOf(story, world),
    is_simulated: isSimulated,
    ...(address === undefined ? {} : { address }),
    ...(lobby ? { lobby_id: lobby.lobby_id, game_mode_id: lobby.game_mode_id, region_id: lobby.region_id } : {}),
    began_at: formatInstant(story.oldest.at),
    ...timeField('reserved_at', reservedAt),
    ...timeField('connected_at', connectedAt),
    ...timeField('ended_at', endedAt),
    ...timeField('next_at', nextAt),
    changed_at: formatInstant(story.newest.at),
    revision: story.newest.revision,
  }
}

function timeField<Name extends string>(name: Name, ms: number | undefined): { readonly [Key in Name]?: string } {
  return (ms === undefined ? {} : { [name]: formatInstant(ms) }) as { readonly [Key in Name]?: string } // that key, or none
}

/** Tells a whole story. The reasons of its requests are computed now. */
export function tellStory(story: Story, source: StorySource): StoryJson {
  const { world, history, servers } = source
  const requests = new Map<number, StoryRequest>()
  const steps: StoryStep[] = []
  for (const fact of story.facts) {
    const exchange = fact.request === undefined ? undefined : history.exchange(fact.request)
    if (exchange) requests.set(exchange.id, requestOf(exchange))
    steps.push(...stepsOf(fact, exchange, { story, source }))
  }
  const server = servers.list().findLast(({ lobby_id }) => lobby_id === story.lobby?.lobby_id)
  const whole = wholeSince(story)
  return {
    ...summarizeStory(story, world),
    steps: steps.map((step, i) => withPause(step, steps[i - 1])),
    requests: [...requests.values()],
    ...(story.lobby ? { lobby: lobbyState(story.lobby, world) } : {}),
    ...(server ? { server } : {}),
    ...timeField('whole_since', whole),
    notes: notesOf(story, source, whole),
  }
}

function withPause(step: StoryStep, before: StoryStep | undefined): StoryStep {
  if (!before) return step
  const { kind, at, ...rest } = step
  return { kind, at, after_ms: Math.max(0, parseDate(at) - parseDate(before.at)), ...rest }
}

const seatSteps = {
  'lobbies.find': ['found', 'Found'],
  'lobbies.join': ['joined', 'Joined'],
  'lobbies.create': ['created', 'Created'],
} as const satisfies { readonly [Id in OperationId]?: readonly [StepKind, string] }

/** `exchange`: the request of the fact, if the journal has it. */
function stepsOf(
  fact: StoryFact,
  exchange: StoredExchange | undefined,
  { story, source }: { readonly story: Story; readonly source: StorySource },
): StoryStep[] {
  const { world, history, past } = source
  const { kind, at, revision, operation, answer: { status = 0, code } = {}, lobby } = fact
  const { title: ownTitle, text } = kinds[kind]
  const around = { lobby: lobbyText(lobby, world), rows: rowsOf(history.changeSet(revision), story.token, lobby) }
  const own: StoryStep = {
    kind,
    at: formatInstant(at),
    title: kind === 'refused' && operation !== undefined ? `${operation} refused` : ownTitle,
    text: typeof text === 'string' ? text : text(fact, around).trim(),
    revision,
    ...(exchange ? { request: exchange.id } : {}),
    ...(operation === undefined ? {} : { operation }),
    ...(status === 0 ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    ...(lobby ? { lobby_id: lobby.lobby_id } : {}),
  }
  if (kind !== 'reserved' || !isSeatOperation(operation)) return [own]
  const [stepKind, title] = seatSteps[operation]
  const reasons = exchange && past.reasonsOf(exchange)
  const since = exchange?.entryWithoutAnswer().since
  // It waits for its lobby after it took the seat, and for a fault before.
  const askedAt = since === undefined ? at : Math.min(at, parseDate(since))
  const waitedMs = exchange && since !== undefined ? exchange.at - askedAt : 0
  const request: StoryStep = {
    kind: stepKind,
    at: formatInstant(askedAt),
    title,
    text: requestText(fact, exchange, around.lobby, reasons?.because[0], waitedMs),
    revision,
    ...(exchange ? { request: exchange.id } : {}),
    operation,
    ...(lobby ? { lobby_id: lobby.lobby_id } : {}),
    ...(reasons ? { reasons } : {}),
  }
  return [request, own]
}

/** Finds the rows of a player and its lobby right after a change set. */
export function rowsOf(changeSet: ChangeSet | undefined, token: string, lobby: StoryLobby | undefined): FactRows {
  const rowOf = (table: 'players' | 'lobbies', id: string | undefined) =>
    changeSet?.changes.find(change => change.table === table && change.id === id)?.after?.row
  return {
    player: rowOf('players', token) as PlayerRow | undefined, // of that table
    lobby: rowOf('lobbies', lobby?.lobby_id) as LobbyRow | undefined,
  }
}

function requestText(
  { operation = 'lobbies.find' }: StoryFact,
  exchange: StoredExchange | undefined,
  lobby: string,
  why: string | undefined,
  waitedMs: number,
): string {
  if (!exchange) return `The client called ${operation}. The request is not kept.`
  if (exchange.status !== 200) return `The client called ${operation}, and had a seat in ${lobby} while it waited.`
  const waited = waitedMs > 0 ? ` The answer came after ${elapsedText(waitedMs)}.` : ''
  return `The client called ${operation}, and got ${lobby}${why === undefined ? '' : `: ${why}`}.${waited}`
}

function requestOf(exchange: StoredExchange): StoryRequest {
  const { id, time, operation, status, ms } = exchange.entryWithoutAnswer()
  return { id, time, ...(operation === undefined ? {} : { operation }), status, ms }
}

function lobbyState(lobby: StoryLobby, world: LiveWorld): StoryLobbyState {
  const region = regionName(lobby, world)
  const row = world.tables.lobbies.get(lobby.lobby_id)
  if (!row) return { ...lobby, region, status: 'gone' }
  return {
    ...lobby,
    region,
    status: row.status,
    seats: seatsTaken(row),
    max_players: shownLimit(row),
    run_by: row.run_by,
  }
}

/** Returns the time since when a story has all facts. `undefined`: it has all. */
export function wholeSince({ lost, lostUntil, oldest }: Story): number | undefined {
  return lost === 0 ? undefined : (lostUntil ?? oldest.at)
}

function notesOf(
  story: Story,
  { history, stories: { restartedAt }, world }: StorySource,
  whole: number | undefined,
): string[] {
  const facts = story.facts
  const notes: string[] = []
  if (whole !== undefined)
    notes.push(
      `It is whole since ${formatInstant(whole)}: ${story.lost > 0 ? `${story.lost} earlier facts are` : 'what was before is'} no longer kept.`,
    )
  const asked = facts.filter(
    ({ cause, request, kind }) => cause === 'request' && kind !== 'present' && !isKept(request),
  )
  const beforeRestart = asked.filter(({ revision }) => restartedAt !== undefined && revision <= restartedAt)
  if (beforeRestart.length > 0)
    notes.push('The mock was restarted. The requests before that are not kept, and neither are their reasons.')
  if (asked.length > beforeRestart.length)
    notes.push('The journal does not have all of its requests: it keeps the newest ones, and none that still wait.')
  const first = facts.find(({ kind }) => kind === 'present')
  if (first) {
    const begin = whole === undefined ? 'The story begins with the world, or with its newest reset. ' : ''
    notes.push(`${begin}The player was in ${lobbyText(first.lobby, world)} then.`)
  }
  return notes

  function isKept(request: number | undefined): boolean {
    return request !== undefined && history.exchange(request) !== undefined
  }
}
