import type { Caller } from '../behaviour/caller.js'
import type { JournalEntry } from '../contract/journal.js'
import type { OperationId } from '../contract/operations.js'
import { nestingLimit, textNestsWithin } from '../lib/json.js'
import type { MockRequest, MockResponse, RequestContext } from './message.js'
import {
  bodyWithoutTokens,
  headersWithoutTokens,
  jsonWithoutTokens,
  pathWithoutTokens,
  queryWithoutTokens,
} from './token-label.js'

/** An exchange that is kept. */
export interface Recorded {
  /** What it is called in the history that keeps it, which gives it this. */
  id: number
  readonly operation: string | undefined
  readonly status: number
  /** How much memory it takes, about: its bodies, its path, its query and its headers. */
  readonly bytes: number
  /** What was asked, and how that went: the entry without the answer, which may be long. */
  asked(): JournalEntry
  /** As the journal shows it. */
  shown(): JournalEntry
}

/** How an exchange has ended. */
interface Ending {
  /** The id of its world. */
  readonly worldId: string
  /** In ms of the world's clock. */
  readonly at: number
  /** As `performance.now()` has it. */
  readonly endedAt: number
  readonly status: number
  readonly answer: MockResponse
}

/** In bytes. A longer body is not kept. */
const longestKept = 256 * 1024

/** An exchange as it went by. Most are never looked at, so that all that makes one readable waits until it is. */
export class RecordedExchange implements Recorded {
  id = 0
  readonly bytes: number
  readonly operation: OperationId | undefined
  readonly status: number
  // One object for each, and not the exchange itself, which may hold a socket.
  readonly #worldId: string
  readonly #at: number
  readonly #method: string
  readonly #path: string
  readonly #query: string | undefined
  readonly #headers: MockRequest['headers']
  readonly #body: Uint8Array | undefined
  readonly #caller: Caller | undefined
  readonly #answer: Uint8Array
  readonly #ms: number
  readonly #blockedMs: number
  readonly #fault: string | undefined

  constructor({ request, operation, caller, startedAt, blockedAt, fault }: RequestContext, ending: Ending) {
    const { endedAt } = ending
    const { body } = ending.answer
    this.operation = operation
    this.status = ending.status
    this.#worldId = ending.worldId
    this.#at = ending.at
    this.#method = request.method
    this.#path = request.path
    this.#query = request.query
    this.#headers = request.headers
    // A copy, because it may be a small part of something long, and is another's. A Buffer's slice would be none.
    this.#body = request.body && request.body.length <= longestKept ? new Uint8Array(request.body) : undefined
    this.#caller = caller
    this.#answer = body.length > longestKept ? nothing : body
    this.#ms = endedAt - startedAt
    this.#blockedMs = blockedAt === undefined ? 0 : endedAt - blockedAt
    this.#fault = fault?.id
    this.bytes = this.#answer.length + (this.#body?.length ?? 0) + bytesOfHead(request)
  }

  shown(): JournalEntry {
    return { ...this.asked(), ...shownBody('answer', this.#answer) }
  }

  asked(): JournalEntry {
    return {
      id: this.id,
      time: new Date(this.#at).toISOString(),
      world: this.#worldId,
      ...(this.operation === undefined ? {} : { operation: this.operation }),
      ...(this.#caller === undefined ? {} : { caller: shownCaller(this.#caller) }),
      method: this.#method,
      path: pathWithoutTokens(this.#path),
      query: queryWithoutTokens(this.#query ?? ''),
      headers: headersWithoutTokens(this.#headers),
      ...shownBody('body', this.#body),
      status: this.status,
      ms: Math.round(this.#ms * 1000) / 1000,
      blocked_ms: Math.round(this.#blockedMs * 1000) / 1000,
      ...(this.#fault === undefined ? {} : { fault: this.#fault }),
    }
  }
}

/** What an exchange takes beside its bodies. */
function bytesOfHead({ path, query = '', headers }: MockRequest): number {
  let bytes = 500 + path.length + query.length
  for (const name in headers) {
    const value = headers[name]
    bytes += 50 + name.length
    if (typeof value === 'string') bytes += value.length
    else if (Array.isArray(value)) for (const one of value) bytes += 16 + String(one).length
  }
  return bytes
}

/** An exchange of an earlier run, as a snapshot has it. */
export function recordedBefore(entry: JournalEntry): Recorded {
  const { operation, status } = entry
  return {
    id: 0,
    operation,
    status,
    bytes: JSON.stringify(entry).length,
    asked() {
      return this.shown()
    },
    shown() {
      return { ...structuredClone(entry), id: this.id }
    },
  }
}

function shownCaller(caller: Caller): NonNullable<JournalEntry['caller']> {
  if ('namespaceId' in caller) return { kind: caller.kind, namespace_id: caller.namespaceId }
  return 'gameId' in caller ? { kind: caller.kind, game_id: caller.gameId } : { kind: caller.kind }
}

/** An answer may have the states of lobbies inside it, each as deep as a body. */
const shownLevels = 2 * nestingLimit

const nothing = new Uint8Array()
const decoder = new TextDecoder()

/** A body by its name: JSON, or else a text; nothing where there is none. */
function shownBody(name: 'body' | 'answer', bytes: Uint8Array | undefined): { body?: unknown; answer?: unknown } {
  if (bytes === undefined || bytes.length === 0) return {}
  if (!textNestsWithin(bytes, shownLevels)) return { [name]: `… (nests deeper than ${shownLevels} levels)` }
  const text = decoder.decode(bytes)
  try {
    return { [name]: jsonWithoutTokens(JSON.parse(text)) }
  } catch {
    return { [name]: bodyWithoutTokens(text) }
  }
}
