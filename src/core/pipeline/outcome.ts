import type { JournalEntry } from '../contract/journal.js'
import type { OperationId } from '../contract/operations.js'
import { isJsonObject } from '../lib/json.js'
import { counted } from '../lib/messages.js'

// The page shows outcomes too. It has no zod, so this module has none.

type Answer = Readonly<Record<string, unknown>>

/** Describes the lobby of a seat by its id. `undefined` if the world does not have it. */
type DescribeLobby = (lobbyId: string) => string | undefined

const listText = (one: string, many: string, key: string) => (answer: Answer) => {
  const list = answer[key]
  return Array.isArray(list) ? counted(list.length, one, many) : undefined
}

function seatText({ lobby }: Answer, describeLobby: DescribeLobby): string | undefined {
  return isJsonObject(lobby) && typeof lobby.lobby_id === 'string' ? describeLobby(lobby.lobby_id) : undefined
}

function errorsText({ errors }: Answer): string | undefined {
  if (!Array.isArray(errors)) return undefined
  return errors.length === 0 ? 'valid' : errors.map(error => [error?.path].flat().join(' ')).join(', ')
}

const outcomes = {
  'lobbies.list': listText('lobby', 'lobbies', 'lobbies'),
  'lobbies.find': seatText,
  'lobbies.join': seatText,
  'lobbies.create': seatText,
  'regions.list': listText('region', 'regions', 'regions'),
  'players.getStatistics': ({ player_count }) =>
    typeof player_count === 'number' ? counted(player_count, 'player', 'players') : undefined,
  'games.namespaces.validateGameNamespace': errorsText,
  'games.namespaces.validateGameNamespaceTokenDevelopment': errorsText,
  'devices.links.get': ({ cloud_token }) => (cloud_token === undefined ? 'pending' : 'complete'),
} as const satisfies {
  readonly [Id in OperationId]?: (answer: Answer, describeLobby: DescribeLobby) => string | undefined
}

/** Describes the answer to a successful call: `206 lobbies`. `undefined` if the status says enough. */
export function describeOutcome(operation: string, answer: unknown, describeLobby: DescribeLobby): string | undefined {
  if (!isJsonObject(answer) || !Object.hasOwn(outcomes, operation)) return undefined
  return outcomes[operation as keyof typeof outcomes](answer, describeLobby)
}

type Outcome = Pick<JournalEntry, 'method' | 'status'> & { readonly revisions?: readonly number[] | undefined }

/** Tells whether a request only read, and succeeded. Clients repeat such requests, so a full journal drops them first if it has many. */
export function isPlainRead({ method, status, revisions }: Outcome): boolean {
  return method === 'GET' && status > 0 && status < 400 && revisions === undefined
}
