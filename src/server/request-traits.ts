import type { Caller } from '../behaviour/caller.js'
import { ApiError } from '../contract/errors.js'
import { type OperationId, operations } from '../contract/operations.js'
import { textNestsWithin } from '../lib/json.js'
import type { View } from '../store/world.js'
import { authenticate } from './authenticate.js'
import type { Comparable } from './differences.js'
import { bodyLimit, type MockRequest } from './message.js'
import { gameNamesOf, namespaceNamesOf, type Owner } from './owner.js'
import { routes } from './routes.js'

const nobody: Owner = {}
const decoder = new TextDecoder('utf-8', { fatal: true })

/** What can be said of a request before it is checked, each found out when it is asked for. */
export class RequestTraits implements Comparable {
  readonly request: MockRequest
  /** Absent where the path is no operation's, or not with that method. */
  readonly operation: OperationId | undefined
  readonly #params: Readonly<Record<string, string>>
  readonly #view: View
  #query: URLSearchParams | undefined
  #body: { readonly json: unknown } | undefined
  #owner: Owner | undefined
  #caller: { readonly found: Caller | undefined } | undefined

  constructor(request: MockRequest, view: View) {
    const route = routeOf(request)
    this.request = request
    this.operation = route?.id
    this.#params = route?.params ?? {}
    this.#view = view
  }

  query(name: string): readonly string[] {
    return this.#parameters().getAll(name)
  }

  header(name: string): readonly string[] {
    const { headers } = this.request
    // What an object has of its own accord is no header.
    return Object.hasOwn(headers, name) ? [headers[name] ?? []].flat() : []
  }

  /** What its body says; an empty one is `{}`. `undefined` where it is not JSON, too long, or nests too deep. */
  get body(): unknown {
    this.#body ??= { json: jsonOf(this.request) }
    return this.#body.json
  }

  /** Who asks; `undefined` where the operation would not answer them, and where there is none. */
  get caller(): Caller | undefined {
    this.#caller ??= { found: this.#findCaller() }
    return this.#caller.found
  }

  /** Whether it is a watch that has an index, and so may block. */
  get mayBlock(): boolean {
    return (
      this.operation !== undefined &&
      operations[this.operation].kind === 'watch' &&
      this.query('watch_index').length > 0
    )
  }

  /** Of the game that its path names or, where it names none, that who asks belongs to. */
  get gameNames(): readonly (string | undefined)[] {
    return gameNamesOf(this.#whose(), this.#view.tables)
  }

  /** The same of its namespace. */
  get namespaceNames(): readonly (string | undefined)[] {
    return namespaceNamesOf(this.#whose(), this.#view.tables)
  }

  #parameters(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.request.query ?? '')
    return this.#query
  }

  #findCaller(): Caller | undefined {
    if (this.operation === undefined) return undefined
    try {
      const { auth } = operations[this.operation]
      return authenticate(this.request, { auth, params: this.#params, view: this.#view })
    } catch (error) {
      if (error instanceof ApiError) return undefined
      throw error
    }
  }

  #whose(): Owner {
    this.#owner ??= this.#findOwner()
    return this.#owner
  }

  #findOwner(): Owner {
    const { game_id, namespace_id } = this.#params
    if (game_id !== undefined) return { gameId: game_id, namespaceId: namespace_id }
    const { caller } = this
    if (caller === undefined) return nobody
    if ('namespaceId' in caller) return { namespaceId: caller.namespaceId }
    return 'gameId' in caller ? { gameId: caller.gameId } : nobody
  }
}

function routeOf({ method, path }: MockRequest): ReturnType<typeof routes.find> | undefined {
  try {
    return routes.find(method, path)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function jsonOf({ body }: MockRequest): unknown {
  if (body === undefined || body.length === 0) return {}
  // The service refuses such a body later, so no fault needs to see inside.
  if (body.length > bodyLimit || !textNestsWithin(body)) return undefined
  try {
    return JSON.parse(decoder.decode(body))
  } catch {
    return undefined
  }
}
