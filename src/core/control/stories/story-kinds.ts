import type { ErrorCode } from '../../contract/errors.js'
import type { OperationId } from '../../contract/operations.js'
import type { StoryOutcome } from '../../generated/options.js'
import { elapsedText } from '../../lib/time.js'
import type { Cause } from '../../store/change-set.js'
import { seatsTaken, shownLimit } from '../../store/lobby-rules.js'
import type { LobbyRow, PlayerRow } from '../../store/matchmaker-rows.js'
import { neverConnected, neverReady } from '../warnings/seat-rules.js'

/** A lobby of a story. It outlives its row. */
export type StoryLobby = Pick<LobbyRow, 'lobby_id' | 'namespace_id' | 'game_mode_id' | 'region_id'>

/** The seat of a player. `ended`: it had one. `unknown`: no row of this world has ever had the token. */
export type StorySeat = 'reserved' | 'connected' | 'ended' | 'unknown'

/** A fact about a player: a change of its row, or a call that named it. */
export interface StoryFact {
  kind: FactKind
  /** In ms of the world's clock. */
  readonly at: number
  /** The revision of the world right after it. */
  readonly revision: number
  readonly cause: Cause['kind']
  readonly lobby: StoryLobby | undefined
  /** The operation of its request. */
  readonly operation: OperationId | undefined
  /** The journal id of its request. `undefined`: there was none, or the journal never had it. */
  request: number | undefined
  /** The answer to a call: the status, and the code of an error. */
  readonly answer?: { readonly status: number; readonly code: ErrorCode | undefined }
  /** The seat that the player had when the story began. */
  readonly seat?: StorySeat
}

/** The rows around a fact, if the history still has its change set. */
export interface FactRows {
  readonly player: PlayerRow | undefined
  readonly lobby: LobbyRow | undefined
}

interface Ending {
  readonly facts: readonly StoryFact[]
  readonly lobby: string
  /** For how long. `undefined`: the player never connected. */
  readonly played: string | undefined
  readonly waitedMs: number
}

interface Kind {
  /** `row`: the row of the player has changed. `end`: the change took its seat. `call`: a call has only named the player. */
  readonly is: 'row' | 'end' | 'call'
  /** The state of the player after it, or its end. Absent: as before. */
  readonly outcome?: StoryOutcome
  /** The step in two or three words, and in a sentence. */
  readonly title: string
  readonly text: string | ((fact: StoryFact, around: { readonly lobby: string; readonly rows: FactRows }) => string)
  /** The sentence of a story that has ended with it. Default: that the lobby stopped. */
  readonly ending?: (end: Ending) => string
}

function ended(outcome: StoryOutcome, kind: Pick<Kind, 'title' | 'text' | 'ending'>): Kind {
  return { is: 'end', outcome, ...kind }
}

const table = {
  present: {
    is: 'row',
    title: 'In the world',
    text: (_, { lobby }) => `The player was in ${lobby} when the story began.`,
  },
  reserved: {
    is: 'row',
    outcome: 'on_the_way',
    title: 'Seat reserved',
    text: (fact, { rows }) => `${seatText(rows.lobby)}${makerText(fact)}${expiryText(fact, rows)}`,
  },
  connected: { is: 'row', outcome: 'playing', title: 'Connected', text: fact => connectedText(fact) },
  lobby_ready: {
    is: 'row',
    title: 'Lobby ready',
    text: (fact, { rows }) => `The server of the lobby is ready.${expiryText(fact, rows, 'The seat')}`,
  },
  handed_over: {
    is: 'row',
    outcome: 'on_the_way',
    title: 'Handed over',
    text: (fact, { rows }) =>
      `A real server gets the lobby, and has to connect the player.${expiryText(fact, rows, 'The seat')}`,
  },
  moved: {
    is: 'row',
    title: 'Moved',
    text: (fact, { lobby }) => `${actorText(fact)} moved the player to ${lobby}.`,
  },
  changed: { is: 'row', title: 'Changed', text: fact => `${actorText(fact)} changed the row of the player.` },
  added: ended('removed', {
    title: 'Added',
    text: fact => `${actorText(fact)} created the player without a seat.`,
    ending: end => removedText(end),
  }),
  expired: ended('never_connected', {
    title: 'Seat expired',
    text: 'No server called players.connected in time, so the seat is free again.',
    ending: ({ lobby, waitedMs, facts }) => `${neverConnected.sentence({ lobby, waitedMs, lateMs: lateMs(facts) })}.`,
  }),
  left: ended('left', {
    title: 'Left',
    text: 'The server called players.disconnected.',
    ending: ({ lobby, played }) =>
      played === undefined
        ? `Gave the seat in ${lobby} back without connecting, because its server said so.`
        : `Played ${played} of ${lobby}, and left because its server said so.`,
  }),
  session_ended: ended('left', {
    title: 'Left',
    text: 'The mock ended the session, because it simulates the player or its server.',
    ending: ({ lobby, played = 'some time' }) => `Played ${played} of ${lobby}, and left when its session ended.`,
  }),
  too_old: ended('connection_lost', {
    title: 'Connection lost',
    text: 'A player is removed 8 hours after it got its seat.',
    ending: end =>
      until(end, 'it lost the connection at the age limit', `the seat in ${end.lobby} reached its age limit`),
  }),
  never_ready: ended('lobby_stopped', {
    title: 'Lobby stopped',
    text: 'No server called lobbies.ready in time.',
    ending: end => until(end, 'the lobby stopped', neverReady.sentence({ who: `the game server of ${end.lobby}` })),
  }),
  lobby_ended: ended('lobby_stopped', {
    title: 'Lobby stopped',
    text: 'The lobby reached its age limit, or its last simulated player left.',
  }),
  lobby_stopped: ended('lobby_stopped', {
    title: 'Lobby stopped',
    text: fact => `${actorText(fact)} stopped or deleted the lobby.`,
  }),
  region_down: ended('lobby_stopped', {
    title: 'Region down',
    text: (_, { lobby }) => `The region went down, so ${lobby} stopped and the seat was lost.`,
    ending: end => until(end, 'its region went down', `the region of ${end.lobby} went down first`),
  }),
  server_ended: ended('server_ended', {
    title: 'Server ended',
    text: 'The process of the game server ended, so the lobby stopped.',
    ending: end => until(end, 'its game server ended', `the game server of ${end.lobby} ended first`),
  }),
  server_restarted: ended('server_ended', {
    title: 'Server restarted',
    text: 'The mock restarted the game server, which begins without players.',
    ending: end => until(end, 'its game server was restarted', `the game server of ${end.lobby} was restarted first`),
  }),
  mock_restarted: ended('server_ended', {
    title: 'Mock stopped',
    text: 'The mock stopped, and with it the game server that it had started.',
    ending: end =>
      until(end, 'the mock stopped, and with it the game server', 'the mock stopped first, and with it the server'),
  }),
  removed: ended('removed', {
    title: 'Removed',
    text: fact => `${actorText(fact)} removed the player.`,
    ending: end => removedText(end),
  }),
  gave_up: ended('gave_up', {
    title: 'Gave up',
    text: 'The client closed the connection while it waited, so the seat is free again.',
    ending: ({ lobby, waitedMs }) =>
      `Gave up after ${elapsedText(waitedMs)}: the client closed the connection before ${lobby} was ready.`,
  }),
  wrong_lobby: ended('wrong_lobby', {
    title: 'Wrong lobby',
    text: 'The server of another lobby reported the player, so the mock removed it.',
    ending: () => 'Lost its seat, because the server of another lobby reported the player.',
  }),
  forgotten: {
    is: 'row',
    title: 'Forgotten',
    text: 'An hour after the end, the mock deleted the player. Its token is unknown now.',
  },
  answered: { is: 'call', title: 'Answered', text: 'The client got its seat.' },
  called: {
    is: 'call',
    title: 'Called',
    text: ({ operation = 'an operation' }) => `A server called ${operation}, which changed nothing.`,
  },
  refused: {
    is: 'call',
    outcome: 'refused',
    title: 'Refused',
    text: fact => `${fact.operation === undefined ? '' : `${fact.operation}: `}${refusedText(fact)}`,
  },
  canned: {
    is: 'call',
    outcome: 'canned',
    title: 'Canned seat',
    text: 'The seat is in no lobby of this world: a development token got it, or a resolver of yours gave it.',
  },
} satisfies Readonly<Record<string, Kind>>

export type FactKind = keyof typeof table

/** The kinds of facts. Their order is that of the steps in the docs. */
export const kinds: Readonly<Record<FactKind, Kind>> = table

function until({ played, lobby }: Ending, end: string, first: string): string {
  return played === undefined ? `Never connected: ${first}.` : `Played ${played} of ${lobby}, until ${end}.`
}

/** Tells how a story ended. `kind` is that of its end. */
export function endingText(kind: FactKind, end: Ending): string {
  return kinds[kind].ending?.(end) ?? until(end, 'the lobby stopped', `${end.lobby} stopped first`)
}

const removers: { readonly [Kind in Cause['kind']]?: string } = {
  control: 'a control call',
  code: 'your code',
  reload: 'a reload of the scenario',
  request: 'a request',
}

function removedText(end: Ending): string {
  const { cause } = end.facts.findLast(({ kind }) => kind === 'removed' || kind === 'added') ?? {}
  const remover = (cause && removers[cause]) ?? 'the mock'
  return until(end, `${remover} removed the player`, `${remover} removed the player first`)
}

function lateMs(facts: readonly StoryFact[]): number | undefined {
  const expired = facts.find(({ kind }) => kind === 'expired')
  const late = facts.find(({ answer }) => answer?.code === 'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED')
  return expired && late && late.at - expired.at
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

/** Says why a call was refused. */
export function refusedText(fact: Pick<StoryFact, 'answer'> | undefined): string {
  const { status = 0, code } = fact?.answer ?? {}
  if (code !== undefined) return refusedTexts[code] ?? `Refused: ${code}.`
  return status === 0 ? 'Refused: the connection was closed without an answer.' : `Refused with status ${status}.`
}

/** Says which seat of a lobby was taken last. Empty without its row. */
export function seatText(lobby: LobbyRow | undefined): string {
  return lobby ? `Seat ${seatsTaken(lobby)} of ${shownLimit(lobby)}.` : ''
}

function makerText(fact: StoryFact): string {
  return fact.cause === 'request' ? '' : ` ${actorText(fact)} made it.`
}

function expiryText({ at }: StoryFact, { player }: FactRows, what = 'It'): string {
  if (player?.status !== 'reserved' || player.expires_at === undefined) return ''
  return ` ${what} is lost after ${elapsedText(player.expires_at - at)}.`
}

function connectedText(fact: StoryFact): string {
  if (fact.cause === 'request') return `The server called ${fact.operation ?? 'players.connected'}.`
  if (fact.cause === 'job') return 'The mock connected the player, because it simulates the server.'
  return `${actorText(fact)} connected the player.`
}

/** The causes of changes, as the first words of a sentence. */
export const actors: Readonly<Record<Cause['kind'], string>> = {
  request: 'A request',
  job: 'The mock',
  simulation: 'The simulation',
  control: 'A control call',
  code: 'Your code',
  reload: 'A reload of the scenario',
  fault: 'An outage',
  server: 'The game server',
  restart: 'A restart of the mock',
  reset: 'A reset',
  load: 'A load',
}

function actorText({ cause, operation }: StoryFact): string {
  return cause === 'request' && operation !== undefined ? `The request ${operation}` : actors[cause]
}
