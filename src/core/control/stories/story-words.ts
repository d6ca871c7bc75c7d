import type { ErrorCode } from '../../contract/errors.js'
import type * as types from '../../generated/options.js'
import { elapsedText } from '../../lib/time.js'
import type { ChangeSet } from '../../store/change-set.js'
import { mostPlayers, seatsTaken } from '../../store/lobby-rules.js'
import type { LobbyRow, PlayerRow } from '../../store/matchmaker-rows.js'
import type { Tables } from '../../store/model.js'
import { type FactKind, isCallKind, isEndKind } from './story-facts.js'
import type { Story, StoryFact, StoryLobby } from './story-memory.js'

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
export type StoryOutcome = types.StoryOutcome

const outcomes: Readonly<Record<FactKind, StoryOutcome>> = {
  present: 'playing',
  reserved: 'on_the_way',
  connected: 'playing',
  lobby_ready: 'on_the_way',
  handed_over: 'on_the_way',
  moved: 'playing',
  changed: 'playing',
  added: 'removed',
  expired: 'never_connected',
  left: 'left',
  session_ended: 'left',
  too_old: 'connection_lost',
  never_ready: 'lobby_stopped',
  lobby_ended: 'lobby_stopped',
  lobby_stopped: 'lobby_stopped',
  server_ended: 'server_ended',
  server_restarted: 'server_ended',
  mock_restarted: 'server_ended',
  removed: 'removed',
  gave_up: 'gave_up',
  wrong_lobby: 'wrong_lobby',
  forgotten: 'left',
  answered: 'on_the_way',
  called: 'canned',
  refused: 'refused',
  canned: 'canned',
}

export function outcomeOf({ state }: Pick<Story, 'state'>): StoryOutcome {
  return outcomes[state]
}

/** The times of the newest seat of a story, in ms of the world's clock. */
export interface SeatTimes {
  readonly reservedAt?: number | undefined
  readonly connectedAt?: number | undefined
  /** True if the player was connected when the story began. */
  readonly wasConnected?: boolean
  readonly endedAt?: number | undefined
}

/** Finds the times of the newest seat. The facts may have lost its beginning. */
export function seatTimes(facts: readonly StoryFact[]): SeatTimes {
  let times: SeatTimes = {}
  for (const { kind, at, status } of facts) {
    if (kind === 'reserved' || (kind === 'present' && status === 1)) times = { reservedAt: at }
    else if (kind === 'present' && status === 2) times = { connectedAt: at, wasConnected: true }
    else if (kind === 'present' || isEndKind(kind)) times = { ...times, endedAt: times.endedAt ?? at }
    else if (kind === 'handed_over') times = { reservedAt: times.reservedAt ?? at }
    else if (kind === 'connected')
      times = { reservedAt: times.endedAt === undefined ? times.reservedAt : undefined, connectedAt: at }
  }
  return times
}

/** The world in which a story is told. `now` in ms of its clock. */
export interface StoryView {
  readonly tables: Pick<Tables, 'lobbies' | 'players' | 'regions'>
  readonly now: number
}

/** Names a lobby for people: `duel in Frankfurt`. */
export function lobbyText(lobby: StoryLobby | undefined, { tables }: Pick<StoryView, 'tables'>): string {
  if (!lobby) return 'a lobby'
  const region = tables.regions.get(lobby.region_id)?.region_display_name ?? lobby.region_id
  return `${lobby.game_mode_id} in ${region}`
}

/** Tells in one sentence how a story stands, or how it ended. */
export function sentenceOf(story: Story, facts: readonly StoryFact[], view: StoryView): string {
  const lobby = lobbyText(story.lobby, view)
  const { reservedAt, connectedAt, wasConnected = false, endedAt = view.now } = seatTimes(facts)
  const least = wasConnected ? 'at least ' : ''
  const played = connectedAt === undefined ? undefined : `${least}${elapsedText(endedAt - connectedAt)}`
  switch (story.seat) {
    case 'reserved':
      return isStarting(story, view)
        ? `Has a seat in ${lobby}, and waits for its game server.`
        : `Has a seat in ${lobby}, and has not connected yet.`
    case 'connected':
      return `Plays ${lobby}, for ${played ?? 'some time'} so far.`
    case 'unknown':
      return unknownSentence(story, facts)
    case 'ended':
      if (facts.every(({ kind }) => kind === 'present' || isCallKind(kind)))
        return `Had no seat in ${lobby} any more when the story began.`
      return endSentence(story, { facts, lobby, played, waited: elapsedText(endedAt - (reservedAt ?? endedAt)) })
  }
}

function isStarting({ lobby }: Story, { tables }: StoryView): boolean {
  return lobby !== undefined && tables.lobbies.get(lobby.lobby_id)?.status === 'starting'
}

function unknownSentence({ state }: Story, facts: readonly StoryFact[]): string {
  if (state === 'canned') return 'Got a canned seat: it is in no lobby of this world.'
  return refusedText(facts.findLast(({ kind }) => kind === 'refused'))
}

const refusedTexts: { readonly [Code in ErrorCode]?: string } = {
  TOKEN_ERROR: 'Refused: this world knows no such token. A reset makes all earlier tokens unknown.',
  CLAIMS_MISSING_ENTITLEMENT: 'Refused: the call had no token of a lobby, or its player_token is no token of a player.',
  MATCHMAKER_LOBBY_STOPPED: 'Refused: the lobby has stopped.',
  MATCHMAKER_LOBBY_FULL: 'Refused: the lobby is full.',
  MATCHMAKER_PLAYER_ALREADY_CONNECTED: 'Refused: the player was connected already.',
  MATCHMAKER_PLAYER_REGISTRATION_EXPIRED: 'Refused: the seat had expired.',
  MATCHMAKER_PLAYER_REMOVED: 'Refused: the player had left the lobby.',
}

function refusedText(fact: Pick<StoryFact, 'status' | 'code'> | undefined): string {
  if (fact?.code !== undefined) return refusedTexts[fact.code] ?? `Refused: ${fact.code}.`
  if (fact?.status === undefined) return 'Refused: the connection was closed without an answer.'
  return `Refused with status ${fact.status}.`
}

interface Ending {
  readonly facts: readonly StoryFact[]
  readonly lobby: string
  /** `undefined`: it never connected. */
  readonly played: string | undefined
  readonly waited: string
}

function endSentence({ state }: Story, { facts, lobby, played, waited }: Ending): string {
  const until = (end: string, first: string) =>
    played === undefined ? `Never connected: ${first}.` : `Played ${played} of ${lobby}, until ${end}.`
  switch (state) {
    case 'expired':
      return `Never connected: the seat in ${lobby} expired after ${waited}.${lateText(facts)}`
    case 'left':
      return played === undefined
        ? `Gave the seat in ${lobby} back without connecting, because its server said so.`
        : `Played ${played} of ${lobby}, and left because its server said so.`
    case 'session_ended':
      return `Played ${played ?? 'some time'} of ${lobby}, and left when its session ended.`
    case 'too_old':
      return until('it lost the connection at the age limit', `the seat in ${lobby} reached its age limit`)
    case 'never_ready':
      return until('the lobby stopped', `the game server of ${lobby} was not ready in time`)
    case 'server_ended':
      return until('its game server ended', `the game server of ${lobby} ended first`)
    case 'server_restarted':
      return until('its game server was restarted', `the game server of ${lobby} was restarted first`)
    case 'mock_restarted':
      return until('the mock stopped, and with it the game server', `the mock stopped first, and with it the server`)
    case 'gave_up':
      return `Gave up after ${waited}: the client closed the connection before ${lobby} was ready.`
    case 'wrong_lobby':
      return 'Lost its seat, because the server of another lobby reported the player.'
    case 'removed':
    case 'added':
      return until(`${removerOf(facts)} removed the player`, `${removerOf(facts)} removed the player first`)
    default:
      return until('the lobby stopped', `${lobby} stopped first`)
  }
}

/** Says how late a server reported a player whose seat had expired. */
function lateText(facts: readonly StoryFact[]): string {
  const expired = facts.find(({ kind }) => kind === 'expired')
  const late = facts.find(({ code }) => code === 'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED')
  return expired && late ? ` Its server reported the player ${elapsedText(late.at - expired.at)} too late.` : ''
}

const removers: { readonly [Kind in StoryFact['cause']]?: string } = {
  control: 'a control call',
  code: 'your code',
  reload: 'a reload of the scenario',
  request: 'a request',
}

function removerOf(facts: readonly StoryFact[]): string {
  const { cause } = facts.findLast(({ kind }) => kind === 'removed' || kind === 'added') ?? {}
  return (cause && removers[cause]) ?? 'the mock'
}

/** The rows around a fact, if the history still has its change set. */
export interface FactRows {
  readonly player: PlayerRow | undefined
  readonly lobby: LobbyRow | undefined
}

/** Finds the rows of a player and its lobby right after a change set. */
export function rowsOf(changeSet: ChangeSet | undefined, token: string, lobbyId: string | undefined): FactRows {
  const rowOf = (table: 'players' | 'lobbies', id: string | undefined) =>
    changeSet?.changes.find(change => change.table === table && change.id === id)?.after?.row
  return {
    player: rowOf('players', token) as PlayerRow | undefined, // of that table
    lobby: rowOf('lobbies', lobbyId) as LobbyRow | undefined,
  }
}

/** A step of a story in words. */
export interface StepWords {
  readonly title: string
  readonly text: string
}

type Words = (fact: StoryFact, about: { readonly lobby: string; readonly rows: FactRows }) => readonly [string, string]

const words: Readonly<Record<FactKind, Words>> = {
  present: (_, { lobby }) => ['In the world', `The player was in ${lobby} when the story began.`],
  reserved: (fact, { rows }) => ['Seat reserved', [seatText(rows), makerText(fact), expiryText(fact, rows)].join('')],
  connected: fact => ['Connected', connectedText(fact)],
  lobby_ready: (fact, { rows }) => ['Lobby ready', `The server of the lobby is ready.${expiryText(fact, rows)}`],
  handed_over: (fact, { rows }) => [
    'Handed over',
    `A real server took the lobby over, and has to connect the player.${expiryText(fact, rows)}`,
  ],
  moved: (fact, { lobby }) => ['Moved', `${actorText(fact)} moved the player to ${lobby}.`],
  changed: fact => ['Changed', `${actorText(fact)} changed the row of the player.`],
  added: fact => ['Added', `${actorText(fact)} created the player without a seat.`],
  expired: () => ['Seat expired', 'Nobody connected in time, so the seat is free again.'],
  left: () => ['Left', 'The server called players.disconnected.'],
  session_ended: () => ['Left', 'The mock ended the session, because it simulates the player or its server.'],
  too_old: () => ['Connection lost', 'A player is removed 8 hours after it got its seat.'],
  never_ready: () => ['Lobby stopped', 'No server called lobbies.ready in time.'],
  lobby_ended: () => ['Lobby stopped', 'The lobby reached its age limit, or its last simulated player left.'],
  lobby_stopped: fact => ['Lobby stopped', `${actorText(fact)} stopped or deleted the lobby.`],
  server_ended: () => ['Server ended', 'The process of the game server ended, so the lobby stopped.'],
  server_restarted: () => ['Server restarted', 'The mock restarted the game server, which begins without players.'],
  mock_restarted: () => ['Mock stopped', 'The mock stopped, and with it the game server that it had started.'],
  removed: fact => ['Removed', `${actorText(fact)} removed the player.`],
  gave_up: () => ['Gave up', 'The client closed the connection while it waited, so the seat is free again.'],
  wrong_lobby: () => ['Wrong lobby', 'The server of another lobby reported the player, so the mock removed it.'],
  forgotten: () => ['Forgotten', 'An hour after the end, the mock deleted the player. Its token is unknown now.'],
  answered: () => ['Answered', 'The client got its seat.'],
  called: fact => ['Called', `A server called ${fact.operation ?? 'an operation'}, which changed nothing.`],
  refused: fact => [refusedTitle(fact), `${callText(fact)}${refusedText(fact)}`],
  canned: () => [
    'Canned seat',
    'The seat is in no lobby of this world: a development token got it, or a resolver of yours gave it.',
  ],
}

/** Describes a fact about the player of a story. */
export function describeFact(fact: StoryFact, rows: FactRows, view: Pick<StoryView, 'tables'>): StepWords {
  const [title, text] = words[fact.kind](fact, { lobby: lobbyText(fact.lobby, view), rows })
  return { title, text: text.trim() }
}

function refusedTitle({ operation }: StoryFact): string {
  return operation === undefined ? 'Refused' : `${operation} refused`
}

function callText({ operation, kind }: StoryFact): string {
  return isCallKind(kind) && operation !== undefined ? `${operation}: ` : ''
}

function seatText({ lobby }: FactRows): string {
  return lobby ? `Seat ${seatsTaken(lobby)} of ${mostPlayers(lobby)}.` : ''
}

/** Requests have a step of their own. */
function makerText(fact: StoryFact): string {
  return fact.cause === 'request' ? '' : ` ${actorText(fact)} made it.`
}

function expiryText({ at }: StoryFact, { player }: FactRows): string {
  if (player?.status !== 'reserved' || player.expires_at === undefined) return ''
  return ` It is lost after ${elapsedText(player.expires_at - at)}.`
}

function connectedText(fact: StoryFact): string {
  if (fact.cause === 'request') return `The server called ${fact.operation ?? 'players.connected'}.`
  if (fact.cause === 'job') return 'The mock connected the player, because it simulates the server.'
  return `${actorText(fact)} connected the player.`
}

const actors: Readonly<Record<StoryFact['cause'], string>> = {
  request: 'A request',
  job: 'The mock',
  simulation: 'The simulation',
  control: 'A control call',
  code: 'Your code',
  reload: 'A reload of the scenario',
  server: 'The game server',
  restart: 'A restart of the mock',
  reset: 'A reset',
  load: 'A load',
}

function actorText({ cause, operation }: StoryFact): string {
  if (cause === 'request' && operation !== undefined) return `The request ${operation}`
  return actors[cause]
}
