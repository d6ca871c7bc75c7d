import type { JournalEntry } from '../../contract/journal.js'
import { isJsonObject } from '../../lib/json.js'
import { parseDate } from '../../lib/real-globals.js'
import { elapsedText, formatInstant, timeOfDay } from '../../lib/time.js'
import type { History, StoredExchange } from '../../pipeline/history.js'
import { endText, type LiveServers } from '../../simulation/servers.js'
import type { Cause } from '../../store/change-set.js'
import type { LobbyRow } from '../../store/matchmaker-rows.js'
import type { LiveWorld } from '../../store/world.js'
import type { Explanation, TakenSeat } from '../explain/explain-find.js'
import { lobbyText } from '../warnings/seat-rules.js'
import type { StoryBook } from './find-stories.js'
import { actors } from './story-kinds.js'

interface RefusalSource {
  readonly world: Pick<LiveWorld, 'tables'>
  readonly history: History
  readonly servers: Pick<LiveServers, 'get'>
  readonly stories: Pick<StoryBook, 'list'>
}

/** Says who took the seats of a lobby that was full, or how a lobby had stopped. `reasons` have only the message of the error. */
export function explainRefusal(exchange: StoredExchange, reasons: Explanation, source: RefusalSource): Explanation {
  const entry = exchange.entry()
  const { code, message } = isJsonObject(entry.answer) ? entry.answer : {}
  const lobby = source.world.tables.lobbies.get(lobbyIdOf(exchange, entry, source) ?? '')
  if (!lobby || entry.fault !== undefined || entry.edited) return reasons
  const explained =
    code === 'MATCHMAKER_LOBBY_FULL'
      ? fullText(lobby, entry, source)
      : code === 'MATCHMAKER_LOBBY_STOPPED'
        ? stoppedText(lobby, entry, source)
        : undefined
  if (!explained) return reasons
  const { text, ...more } = explained
  return { ...reasons, because: reasons.because.map(one => (one === message ? text : one)), ...more }
}

function lobbyIdOf(exchange: StoredExchange, { body }: JournalEntry, { history }: RefusalSource): string | undefined {
  const { caller, revisions = [] } = exchange
  if (isJsonObject(body) && typeof body.lobby_id === 'string') return body.lobby_id
  if (caller?.kind === 'lobby') return caller.lobbyId
  const changes = revisions.flatMap(revision => history.changeSet(revision)?.changes ?? [])
  return changes.find(({ table }) => table === 'lobbies')?.id
}

const mostStories = 500

function fullText(lobby: LobbyRow, { time }: JournalEntry, source: RefusalSource) {
  const then = parseDate(time)
  const isPast = (at: string | undefined) => at !== undefined && parseDate(at) <= then
  const seats = source.stories
    .list({ lobby: lobby.lobby_id, limit: mostStories })
    .stories.flatMap(({ id, token, address, name, lobby_id, reserved_at, connected_at, ended_at }): TakenSeat[] => {
      const since = reserved_at ?? connected_at
      // A player may have gone elsewhere since.
      if (lobby_id !== lobby.lobby_id || since === undefined || !isPast(since) || isPast(ended_at)) return []
      const player = address === undefined ? `${id}` : token
      return [{ player, name, since, state: isPast(connected_at) ? 'playing' : 'on_the_way' }]
    })
    .sort((one, other) => parseDate(one.since) - parseDate(other.since))
  const [first, last] = [seats[0], seats.at(-1)]
  const most = lobby.max_players_direct
  const place = `${lobbyText(lobby, source.world)} is full`
  if (!first || !last) return { text: `${place}: all ${most} seats were taken`, seats }
  const before = `${elapsedText(then - parseDate(last.since))} before this request`
  if (seats.length < most)
    return { text: `${place}: all ${most} seats were taken, the last one by ${last.name} ${before}`, seats }
  if (first === last) return { text: `${place}: ${last.name} took the seat ${before}`, seats }
  const holder = `${first.name} holds a seat since ${momentText(parseDate(first.since))}`
  return { text: `${place}: ${holder}, and ${last.name} took the last one ${before}`, seats }
}

function momentText(ms: number): string {
  return `${timeOfDay(ms)}${formatInstant(ms).slice(-'.000Z'.length, -1)}`
}

function stoppedText(lobby: LobbyRow, { time }: JournalEntry, source: RefusalSource) {
  if (lobby.status !== 'stopped') return undefined
  const { history } = source
  const end = history
    .changesSince(history.oldest.revision)
    .later.findLast(({ changes }) =>
      changes.some(({ table, id, before }) => table === 'lobbies' && id === lobby.lobby_id && isRunning(before?.row)),
    )
  const change = end?.changes.find(({ table, id }) => table === 'lobbies' && id === lobby.lobby_id)
  const how =
    endText(source.servers.get(lobby.lobby_id)) ??
    (end && causeText(end.cause, change?.before?.row as LobbyRow | undefined)) // of this table
  if (how === undefined) return undefined
  const ago = end && end.at <= parseDate(time) ? ` ${elapsedText(parseDate(time) - end.at)} before this answer` : ''
  return { text: `${lobbyText(lobby, source.world)} stopped${ago}: ${how}` }
}

function isRunning(row: object | undefined): boolean {
  return row !== undefined && (row as LobbyRow).status !== 'stopped'
}

function causeText(cause: Cause, before: LobbyRow | undefined): string {
  if (cause.kind === 'server') return 'its game server ended'
  if (cause.kind === 'control') return `the call ${cause.call} stopped it`
  if (cause.kind !== 'job') return `${actors[cause.kind].replace(/^./, first => first.toLowerCase())} stopped it`
  return before?.status === 'starting'
    ? 'no server called lobbies.ready in time'
    : 'it reached its age limit, or its last simulated player left'
}
