import type { Join } from '../contract/lobbies.js'
import type { ValidationError } from '../contract/namespaces.js'
import type { OperationId, OperationOutput } from '../contract/operations.js'
import { seatsTaken } from '../store/lobby-row.js'
import type { ReadTables } from '../store/table.js'
import type { RequestContext } from './message.js'

/** Puts the answer of an operation into words. */
type Words<Output> = (output: Output, tables: ReadTables) => string | undefined

const seat: Words<Join> = ({ lobby: { lobby_id, region } }, { lobbies }) => {
  const lobby = lobbies.get(lobby_id)
  if (!lobby) return undefined
  return `${lobby.game_mode_id} in ${region.display_name}, ${seatsTaken(lobby)}/${lobby.max_players_normal}`
}

const validity: Words<{ readonly errors: readonly ValidationError[] }> = ({ errors }) =>
  errors.length === 0 ? 'valid' : errors.map(({ path }) => path.join(' ')).join(', ')

const words: { readonly [Id in OperationId]?: Words<OperationOutput<Id>> } = {
  'lobbies.list': ({ lobbies }) => `${lobbies.length} ${lobbies.length === 1 ? 'lobby' : 'lobbies'}`,
  'lobbies.find': seat,
  'lobbies.join': seat,
  'lobbies.create': seat,
  'games.namespaces.validateGameNamespace': validity,
  'games.namespaces.validateGameNamespaceTokenDevelopment': validity,
  'devices.links.get': ({ cloud_token }) => (cloud_token === undefined ? 'pending' : 'complete'),
}

/** What came of a call, in words, as in `duel in Frankfurt, 2/2`; `undefined` where its status says all. */
export function outcomeOf(
  { operation, caller }: Pick<RequestContext, 'operation' | 'caller'>,
  output: unknown,
  tables: ReadTables,
): string | undefined {
  // The lobbies that a development token gets are in no world.
  if (operation === undefined || caller?.kind === 'development') return undefined
  // An operation answers with its own output.
  return (words[operation] as Words<unknown> | undefined)?.(output, tables)
}
