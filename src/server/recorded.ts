import type { Caller } from '../behaviour/caller.js'
import type { JournalEntry } from '../contract/journal.js'
import type { OperationId } from '../contract/operations.js'
import type { Exchange } from './exchange.js'
import { headersWithoutTokens, jsonWithoutTokens, pathWithoutTokens, queryWithoutTokens } from './token-label.js'

/** An exchange that is kept. */
export interface Recorded {
  readonly operation: string | undefined
  readonly status: number
  /** As the journal shows it. */
  shown(id: number): JournalEntry
}

/** An exchange that has ended, and what is known of it. */
export interface Ended {
  /** The id of its world. */
  readonly world: string
  /** In ms of the world's clock. */
  readonly at: number
  readonly exchange: Exchange
  readonly operation: OperationId | undefined
  readonly caller: Caller | undefined
  readonly status: number
  /** The body of the answer. */
  readonly answer: Uint8Array
  readonly ms: number
  readonly blockedMs: number
  readonly fault: string | undefined
}

/** In bytes. A longer body is not kept. */
const longestKept = 256 * 1024

/** An exchange as it went by. Most are never looked at, so that all that makes one readable waits until it is. */
export class RecordedExchange implements Recorded {
  readonly operation: OperationId | undefined
  readonly status: number
  readonly #ended: Omit<Ended, 'exchange'>
  // Not the exchange itself, which may hold a socket.
  readonly #method: string
  readonly #path: string
  readonly #query: string
  readonly #headers: Exchange['headers']
  readonly #body: Uint8Array | undefined

  constructor({ exchange, ...ended }: Ended) {
    this.operation = ended.operation
    this.status = ended.status
    this.#ended = ended
    this.#method = exchange.method
    this.#path = exchange.path
    this.#query = exchange.query ?? ''
    this.#headers = exchange.headers
    // A copy, because it may be a small part of something long.
    this.#body = exchange.body && exchange.body.length <= longestKept ? exchange.body.slice() : undefined
  }

  shown(id: number): JournalEntry {
    const { world, at, operation, caller, status, answer, ms, blockedMs, fault } = this.#ended
    return {
      id,
      time: new Date(at).toISOString(),
      world,
      ...(operation === undefined ? {} : { operation }),
      ...(caller === undefined ? {} : { caller: shownCaller(caller) }),
      method: this.#method,
      path: pathWithoutTokens(this.#path),
      query: queryWithoutTokens(this.#query),
      headers: headersWithoutTokens(this.#headers),
      ...shownBody('body', this.#body),
      status,
      ...shownBody('answer', answer.length > longestKept ? undefined : answer),
      ms: Math.round(ms * 1000) / 1000,
      blocked_ms: Math.round(blockedMs * 1000) / 1000,
      ...(fault === undefined ? {} : { fault }),
    }
  }
}

/** An exchange of an earlier run, as a snapshot has it. */
export function recordedBefore(entry: JournalEntry): Recorded {
  const { operation, status } = entry
  return { operation, status, shown: id => ({ ...entry, id }) }
}

function shownCaller(caller: Caller): NonNullable<JournalEntry['caller']> {
  if ('namespaceId' in caller) return { kind: caller.kind, namespace_id: caller.namespaceId }
  return 'gameId' in caller ? { kind: caller.kind, game_id: caller.gameId } : { kind: caller.kind }
}

const decoder = new TextDecoder()

/** A body by its name: JSON, or else a text; nothing where there is none. */
function shownBody(name: 'body' | 'answer', bytes: Uint8Array | undefined): { body?: unknown; answer?: unknown } {
  if (bytes === undefined || bytes.length === 0) return {}
  const text = decoder.decode(bytes)
  return { [name]: jsonWithoutTokens(parsed(text)) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
