import { ApiError, hasFailed } from '../../contract/errors.js'
import { type OperationId, operations } from '../../contract/operations.js'
import { isJsonObject, keepDigits } from '../../lib/json.js'
import { quoted } from '../../lib/messages.js'
import { formatInstant } from '../../lib/time.js'
import { readToken } from '../../pipeline/authenticate.js'
import type { History, StoredExchange } from '../../pipeline/history.js'
import type { RefusedCall, ServedLobby } from '../../simulation/servers.js'
import { playerName } from '../../store/player-names.js'
import { lobbyIdIn } from '../../store/tokens.js'
import type { LiveWorld } from '../../store/world.js'
import type { Story, StoryRecorder } from './stories.js'
import { sentenceOf } from './tell-story.js'

interface ServedSource {
  readonly world: LiveWorld
  readonly history: Pick<History, 'exchanges' | 'dropped'>
  readonly stories: StoryRecorder
}

/** Reads what the server of a lobby has called from the journal and the stories. Throws `ApiError` if there was no such lobby. */
export function servedLobby(lobbyId: string, { world, history, stories }: ServedSource): ServedLobby {
  void world.clock.catchUp()
  const row = world.tables.lobbies.get(lobbyId)
  const players = stories.list().filter(story => story.seat !== 'unknown' && isOf(story, lobbyId))
  const calls = history.exchanges.filter(exchange => isCallOf(lobbyId, exchange, world))
  if (!row && players.length === 0 && calls.length === 0)
    throw new ApiError('API_NOT_FOUND', `there is no lobby ${quoted(lobbyId)}: GET /__mock/lobbies lists the lobbies`)
  const accepted = (id: OperationId) => calls.find(({ operation, status }) => operation === id && status === 200)
  const ready = accepted('lobbies.ready')
  const served = {
    lobby_id: lobbyId,
    ...(ready ? { ready_at: formatInstant(ready.at) } : {}),
    ...(row && accepted('lobbies.setClosed') ? { closed: row.is_closed } : {}),
    ...(row?.state !== undefined && accepted('lobbies.setState') ? { state: row.state } : {}),
    players: players.reverse().map(story => ({
      token: story.token,
      name: playerName(story.token),
      connected: hasFact(story, lobbyId, 'players.connected'),
      disconnected: hasFact(story, lobbyId, 'players.disconnected'),
      sentence: sentenceOf(story, world),
    })),
    refused: calls.flatMap(refusedCall),
    dropped: history.dropped,
  }
  return row ? keepDigits(served, row) : served
}

function isOf(story: Story, lobbyId: string): boolean {
  return story.wasIn(({ lobby_id }) => lobby_id === lobbyId)
}

function hasFact({ facts }: Story, lobbyId: string, operation: OperationId): boolean {
  const kind = operation === 'players.connected' ? 'connected' : 'left'
  return facts.some(fact => fact.kind === kind && fact.operation === operation && fact.lobby?.lobby_id === lobbyId)
}

function isCallOf(lobbyId: string, exchange: StoredExchange, { tables }: LiveWorld): boolean {
  // An exchange of a snapshot does not say which lobby has called.
  if (exchange.revision === undefined) return false
  const { caller } = exchange
  const operation = exchange.operation as OperationId | undefined // the journal has no others
  if (caller) return caller.kind === 'lobby' && caller.lobbyId === lobbyId
  if (operation !== undefined && operations[operation].auth !== 'lobby') return false
  const sent = exchange.sentRequest?.()
  const named = lobbyIdIn((sent && readToken(sent)) ?? '')
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
      at: formatInstant(at),
      method,
      path,
      ...(operation === undefined ? {} : { operation: operation as OperationId }), // the journal has no others
      status,
      code: String(code),
      message: String(message),
    },
  ]
}
