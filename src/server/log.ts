import type { Join } from '../contract/lobbies.js'
import type { ValidationError } from '../contract/namespaces.js'
import type { OperationId, OperationOutput } from '../contract/operations.js'
import type { Caller } from '../operations/resolver.js'
import { seatsTaken } from '../store/matchmaker-rows.js'
import type { ReadTables } from '../store/table-calls.js'
import type { RequestContext } from './message.js'

/** A finished exchange, for a log. It contains no token. */
export interface ExchangeRecord {
  /** The id of the world. */
  readonly world: string
  readonly method: string
  /** With its tokens redacted. */
  readonly path: string
  /** `undefined` if no operation has the path. */
  readonly operation: OperationId | undefined
  /** `undefined` if the request was refused before its caller was known. */
  readonly caller: Caller | undefined
  /** 0 if the connection broke without a response. */
  readonly status: number
  /** The error code of a failure. */
  readonly code: string | undefined
  /** The message of a failure. */
  readonly message: string | undefined
  /** The result of a successful call in words: `duel in Frankfurt, 2/2`. `undefined` if the status says enough. */
  readonly outcome: string | undefined
  readonly rayId: string
  /** Real time from the request to its response, in ms. */
  readonly ms: number
  /** True if the request was blocked on a watch index. */
  readonly blocked: boolean
  /** True if the header Authorization was ignored because it is not `Bearer <token>`. */
  readonly authorizationIgnored: boolean
  /** True if a page of the mock sent the request, such as the dashboard. */
  readonly fromOwnPage: boolean
  /** The origin of the page, if it may not read the response. */
  readonly refusedOrigin: string | undefined
  /** The id of the fault that was applied. */
  readonly fault: string | undefined
  /** The effect of the fault in words: `reset`, `delayed 300 ms`. */
  readonly faultEffect: string | undefined
}

/** Publishes each exchange when it ends. It stores none. */
export interface ExchangeLog {
  /** Calls the listener after each exchange. Returns a function that unsubscribes. */
  subscribe(listener: (record: ExchangeRecord) => void): () => void
}

/** The exchanges of all worlds of a mock. */
export class ExchangePublisher implements ExchangeLog {
  readonly #listeners = new Set<(record: ExchangeRecord) => void>()

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  emit(record: ExchangeRecord): void {
    for (const listener of this.#listeners) listener(record)
  }

  subscribe(listener: (record: ExchangeRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

type Describe<Output> = (output: Output, tables: ReadTables) => string | undefined

const describeSeat: Describe<Join> = ({ lobby: { lobby_id, region } }, { lobbies }) => {
  const lobby = lobbies.get(lobby_id)
  if (!lobby) return undefined
  return `${lobby.game_mode_id} in ${region.display_name}, ${seatsTaken(lobby)}/${lobby.max_players_normal}`
}

const describeErrors: Describe<{ readonly errors: readonly ValidationError[] }> = ({ errors }) =>
  errors.length === 0 ? 'valid' : errors.map(({ path }) => path.join(' ')).join(', ')

const descriptions: { readonly [Id in OperationId]?: Describe<OperationOutput<Id>> } = {
  'lobbies.list': ({ lobbies }) => `${lobbies.length} ${lobbies.length === 1 ? 'lobby' : 'lobbies'}`,
  'lobbies.find': describeSeat,
  'lobbies.join': describeSeat,
  'lobbies.create': describeSeat,
  'games.namespaces.validateGameNamespace': describeErrors,
  'games.namespaces.validateGameNamespaceTokenDevelopment': describeErrors,
  'devices.links.get': ({ cloud_token }) => (cloud_token === undefined ? 'pending' : 'complete'),
}

/** Describes the result of a successful call: `duel in Frankfurt, 2/2`. Returns `undefined` if the status says enough. */
export function describeOutcome(
  { operation, caller }: Pick<RequestContext, 'operation' | 'caller'>,
  output: unknown,
  tables: ReadTables,
): string | undefined {
  // The lobby in the answer to a development token does not exist.
  if (operation === undefined || caller?.kind === 'development') return undefined
  return (descriptions[operation] as Describe<unknown> | undefined)?.(output, tables) // the output of this operation
}
