import { ApiError, hasFailed } from '../../contract/errors.js'
import { type OperationId, operations } from '../../contract/operations.js'
import { isJsonObject } from '../../lib/json.js'
import { quoted } from '../../lib/text.js'
import { readToken } from '../../pipeline/authenticate.js'
import type { History, StoredExchange } from '../../pipeline/history.js'
import { RecordedExchange } from '../../pipeline/journal.js'
import { lobbyIdIn } from '../../store/tokens.js'
import type { LiveWorld } from '../../store/world.js'
import type { WorldStories } from './stories.js'
import type { Story } from './story-memory.js'
import { storyName } from './story-names.js'
import { sentenceOf } from './story-words.js'

/** A player who has had a seat in a lobby, and what the server of the lobby has called for it. */
export interface ServedPlayer {
  readonly token: string
  /** Two words from the token, as in its story. */
  readonly name: string
  /** True if the server has called `players/connected`, and the call was accepted. */
  readonly connected: boolean
  /** True if the server has called `players/disconnected` for it. */
  readonly disconnected: boolean
  /** The present state of the player, or its end, in a sentence. */
  readonly sentence: string
}

/** A call of a game server that the mock has refused. */
export interface RefusedCall {
  /** The id of the request in the journal. */
  readonly request: number
  /** On the world's clock, in ISO 8601. */
  readonly at: string
  readonly method: string
  readonly path: string
  /** Absent if no operation has the path. */
  readonly operation?: OperationId
  readonly status: number
  /** The error code. */
  readonly code: string
  readonly message: string
}

/** The calls of the game server of a lobby. */
export interface ServedLobby {
  readonly lobby_id: string
  /** When it first called ready, on the world's clock, in ISO 8601. Absent if it has not. */
  readonly ready_at?: string
  /** True if it has closed the lobby, false if it has opened it again. Absent if it has called neither. */
  readonly closed?: boolean
  /** The state that it has set. Absent if it has set none, or has cleared it. */
  readonly state?: unknown
  /** The players who have had a seat in the lobby, the oldest first. */
  readonly players: readonly ServedPlayer[]
  /**
   * Its refused calls, the oldest first. A call of a game server with an unknown token counts for every lobby, because nobody
   * knows which lobby it is for. Calls that a fault has failed do not count.
   */
  readonly refused: readonly RefusedCall[]
  /** The number of requests that the journal no longer has. Those calls are missing here. */
  readonly dropped: number
}

interface ServedSource {
  readonly world: LiveWorld
  readonly history: Pick<History, 'exchanges' | 'dropped'>
  readonly stories: WorldStories
}

/** Reads what the server of a lobby has called from the journal and the stories. Throws `ApiError` if there was no such lobby. */
export function servedLobby(lobbyId: string, { world, history, stories }: ServedSource): ServedLobby {
  void world.clock.catchUp()
  const row = world.tables.lobbies.get(lobbyId)
  const players = stories.memory.list().filter(story => story.seat !== 'unknown' && isOf(story, lobbyId))
  const calls = history.exchanges.filter(exchange => isCallOf(lobbyId, exchange, world))
  if (!row && players.length === 0 && calls.length === 0)
    throw new ApiError('API_NOT_FOUND', `there is no lobby ${quoted(lobbyId)}: GET /__mock/lobbies lists the lobbies`)
  const accepted = (id: OperationId) => calls.find(({ operation, status }) => operation === id && status === 200)
  const ready = accepted('lobbies.ready')
  const view = { tables: world.tables, now: world.clock.now() }
  return {
    lobby_id: lobbyId,
    ...(ready ? { ready_at: new Date(ready.at).toISOString() } : {}),
    ...(row && accepted('lobbies.setClosed') ? { closed: row.is_closed } : {}),
    ...(row?.state !== undefined && accepted('lobbies.setState') ? { state: row.state } : {}),
    players: players.reverse().map(story => ({
      token: story.token,
      name: storyName(story.token),
      connected: hasFact(story, lobbyId, 'players.connected'),
      disconnected: hasFact(story, lobbyId, 'players.disconnected'),
      sentence: sentenceOf(story, story.facts, view),
    })),
    refused: calls.flatMap(refusedCall),
    dropped: history.dropped,
  }
}

function isOf({ lobbies }: Story, lobbyId: string): boolean {
  return lobbies.some(({ lobby_id }) => lobby_id === lobbyId)
}

/** Tells whether the server of a lobby has changed the seat of a player by an operation. */
function hasFact({ facts }: Story, lobbyId: string, operation: OperationId): boolean {
  const kind = operation === 'players.connected' ? 'connected' : 'left'
  return facts.some(fact => fact.kind === kind && fact.operation === operation && fact.lobby?.lobby_id === lobbyId)
}

function isCallOf(lobbyId: string, exchange: StoredExchange, { tables }: LiveWorld): boolean {
  // An exchange of a snapshot does not say which lobby has called.
  if (!(exchange instanceof RecordedExchange)) return false
  const { caller, operation } = exchange
  if (caller) return caller.kind === 'lobby' && caller.lobbyId === lobbyId
  if (operation !== undefined && operations[operation].auth !== 'lobby') return false
  const named = lobbyIdIn(readToken(exchange.sentRequest()) ?? '')
  if (named !== undefined && tables.lobbies.get(named)) return named === lobbyId
  return operation !== undefined
}

function refusedCall(exchange: StoredExchange): RefusedCall[] {
  const { status } = exchange
  if (!hasFailed({ status })) return []
  const { id, at, method, path, fault, operation, answer } = { ...exchange.entry(), at: exchange.at }
  if (fault !== undefined) return []
  const { code, message } = isJsonObject(answer) ? answer : {}
  return [
    {
      request: id,
      at: new Date(at).toISOString(),
      method,
      path,
      ...(operation === undefined ? {} : { operation: operation as OperationId }), // the journal has no others
      status,
      code: String(code),
      message: String(message),
    },
  ]
}
