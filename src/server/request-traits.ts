import { ApiError } from '../contract/error.js'
import { type OperationId, operations } from '../contract/operations.js'
import type { View } from '../store/world.js'
import { authenticate } from './authenticate.js'
import type { Exchange } from './exchange.js'
import { routes } from './routes.js'

/** Whose a request is, by ids; absent where nothing says. */
interface Owner {
  readonly gameId?: string | undefined
  readonly namespaceId?: string | undefined
}

const nobody: Owner = {}
const decoder = new TextDecoder('utf-8', { fatal: true })

/** What can be said of a request before it is checked, each found out when it is asked for. */
export class RequestTraits {
  readonly exchange: Exchange
  /** Absent where the path is no operation's, or not with that method. */
  readonly operation: OperationId | undefined
  readonly #params: Readonly<Record<string, string>>
  readonly #view: View
  #query: URLSearchParams | undefined
  #body: { readonly json: unknown } | undefined
  #owner: Owner | undefined

  constructor(exchange: Exchange, view: View) {
    const route = routeOf(exchange)
    this.exchange = exchange
    this.operation = route?.id
    this.#params = route?.params ?? {}
    this.#view = view
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.exchange.query ?? '')
    return this.#query
  }

  /** What its body says; an empty one is `{}`. `undefined` where it is not JSON. */
  get body(): unknown {
    this.#body ??= { json: jsonOf(this.exchange) }
    return this.#body.json
  }

  /** Whether it is a watch that has an index, and so may block. */
  get mayBlock(): boolean {
    return this.operation !== undefined && operations[this.operation].kind === 'watch' && this.query.has('watch_index')
  }

  /** What the game is called that its path names or, where it names none, that who asks belongs to. */
  get gameNames(): readonly (string | undefined)[] {
    const { gameId, namespaceId } = this.#whose()
    const { games, namespaces } = this.#view.tables
    const id = gameId ?? (namespaceId === undefined ? undefined : namespaces.get(namespaceId)?.game_id)
    return id === undefined ? [] : [id, games.get(id)?.name_id]
  }

  /** The same of its namespace. */
  get namespaceNames(): readonly (string | undefined)[] {
    const { namespaceId } = this.#whose()
    if (namespaceId === undefined) return []
    const { games, namespaces } = this.#view.tables
    const namespace = namespaces.get(namespaceId)
    if (!namespace) return [namespaceId]
    return [namespaceId, namespace.name_id, `${games.get(namespace.game_id)?.name_id}/${namespace.name_id}`]
  }

  #whose(): Owner {
    this.#owner ??= this.#findOwner()
    return this.#owner
  }

  #findOwner(): Owner {
    const { game_id, namespace_id } = this.#params
    if (game_id !== undefined) return { gameId: game_id, namespaceId: namespace_id }
    if (this.operation === undefined) return nobody
    try {
      const caller = authenticate(operations[this.operation].auth, this.exchange, this.#view)
      if ('namespaceId' in caller) return { namespaceId: caller.namespaceId }
      return 'gameId' in caller ? { gameId: caller.gameId } : nobody
    } catch (error) {
      if (error instanceof ApiError) return nobody
      throw error
    }
  }
}

function routeOf({ method, path }: Exchange): ReturnType<typeof routes.find> | undefined {
  try {
    return routes.find(method, path)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function jsonOf({ body }: Exchange): unknown {
  if (body === undefined || body.length === 0) return {}
  try {
    return JSON.parse(decoder.decode(body))
  } catch {
    return undefined
  }
}
