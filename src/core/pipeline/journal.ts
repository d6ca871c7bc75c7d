import { utf8Length } from '../contract/formats.js'
import {
  type AnswerReasons,
  type ExchangeMatch,
  Expectation,
  type JournalEntry,
  JournalFilter,
  type OperationPattern,
  type PendingRequest,
  type ShortenedEntry,
} from '../contract/journal.js'
import type { OperationId } from '../contract/operations.js'
import { parseInput } from '../lib/issues.js'
import { draftOf, exactValue, keepDigits, writeJson } from '../lib/json.js'
import { matchesGlob, reworded } from '../lib/messages.js'
import { btoa, parseDate, URLSearchParams } from '../lib/real-globals.js'
import { formatInstant } from '../lib/time.js'
import type { Caller } from '../operations/resolver.js'
import type { LiveWorld } from '../store/world.js'
import type { History, SentRequest, StoredExchange } from './history.js'
import { expectationOf, inArguments, JournalMismatch, type Times } from './journal-mismatch.js'
import type { MockRequest, MockResponse, RequestFacts } from './message.js'
import { isPlainRead } from './outcome.js'
import { jsonOf, strictDecoder } from './parse.js'
import type { PendingRequests } from './pending.js'
import type { Redactor } from './redact.js'
import type { RequestWaits } from './request-waits.js'
import { type Verification, verify } from './verify.js'
import type { PendingWait } from './wait-report.js'

/** The newest requests to a world and their responses, the oldest first. */
export interface Journal {
  /** Finds exchanges, with their tokens redacted. Throws `UsageError` if the filter is wrong. */
  find(filter?: JournalFilter): JournalEntry[]
  /** Returns the exchange with an id, with its tokens redacted. `undefined` if the journal does not have it. */
  get(id: number): JournalEntry | undefined
  /**
   * Lists the requests that wait for their answer now, with their tokens redacted. Default: those of all operations. Throws
   * `UsageError` if the operation does not exist.
   */
  pending(operation?: OperationPattern): PendingRequest[]
  /** Lists the calls of `next` and `blocked` that wait now, each with the nearest requests. The oldest call is the first. */
  waits(): PendingWait[]
  /**
   * Counts the exchanges that were dropped since the journal was last cleared. The limits are `journalSize` and memory.
   */
  dropped(): number
  /**
   * Returns the moment since when the journal has all requests but the dropped ones, in ISO 8601. It is real time, because the
   * world's clock may stand still or go back. The journal begins with the world in this process, and again when it is cleared
   * or replaced: by `clear`, by `reset` and `load`, and by `restore` of a snapshot with a journal.
   */
  beginsAt(): string
  /** Compares the exchanges with an expectation. Throws `UsageError` if the expectation is wrong. */
  verify(expectation: Expectation): Verification
  /**
   * Throws `JournalMismatch` unless the journal has matching requests: at least one, or `times`. The error shows the nearest
   * requests and their differences. Throws `UsageError` if the expectation is wrong.
   */
  expect(operation: OperationPattern, match?: ExchangeMatch, times?: Times): void
  /** Removes all exchanges. Their ids are not used again. */
  clear(): void
}

interface JournalSource {
  readonly history: History
  readonly world: Pick<LiveWorld, 'tables' | 'checkUsable'>
  readonly pending: PendingRequests
  readonly waits: RequestWaits
  readonly redactor: Redactor
}

/** The journal of a world. */
export class LiveJournal implements Journal {
  constructor(private readonly source: JournalSource) {}

  /** The history. Throws `UsageError` if the world has ended. */
  get #history(): History {
    this.source.world.checkUsable()
    return this.source.history
  }

  find(filter: JournalFilter = {}, answers?: 'short'): ShortenedEntry[] {
    const { operation: glob, status, since = 0 } = parseInput(JournalFilter(), filter, 'filter')
    return this.#history.exchanges
      .filter(({ id }) => id > since)
      .filter(exchange => status === undefined || exchange.status === status)
      .filter(({ operation }) => glob === undefined || matchesGlob(operation ?? '', glob))
      .map(exchange => exchange.entry(answers))
  }

  /** Returns the exchanges that the journal has now. Leaves out those from an id on. */
  entriesBefore(id = Number.POSITIVE_INFINITY): JournalEntry[] {
    return this.#history.exchanges.filter(exchange => exchange.id < id).map(exchange => exchange.entry())
  }

  get(id: number): JournalEntry | undefined {
    return this.#history.exchange(id)?.entry()
  }

  pending(operation?: OperationPattern): PendingRequest[] {
    this.source.world.checkUsable()
    return this.source.pending.list(parseInput(JournalFilter(), { operation }, 'filter').operation)
  }

  waits(): PendingWait[] {
    this.source.world.checkUsable()
    return this.source.waits.list()
  }

  dropped(): number {
    return this.#history.dropped
  }

  beginsAt(): string {
    return formatInstant(this.#history.beginsAt)
  }

  /** Tells the journal from those of other processes and of other worlds. */
  get run(): string {
    return this.#history.run
  }

  /** Returns the id of the oldest exchange. */
  oldest(): number | undefined {
    return this.#history.oldestExchange
  }

  verify(expectation: Expectation): Verification {
    const { world, redactor } = this.source
    const { tables } = world
    const dropped = this.dropped()
    const position = { begins_at: this.beginsAt(), run: this.run }
    const exchanges = new Map(this.#history.exchanges.map(exchange => [exchange.id, exchange]))
    const expected = redactor.expectation(parseInput(Expectation(), expectation, 'expectation'))
    const entries = [...exchanges.values()].map(exchange => exchange.entryWithoutAnswer())
    const verification = verify(expected, { entries, tables, dropped })
    const nearest = verification.nearest.map(({ exchange, differs }) => ({
      exchange: exchanges.get(exchange.id)?.entry() ?? exchange,
      differs,
    }))
    return { ...verification, nearest, ...position }
  }

  expect(operation: OperationPattern, match?: ExchangeMatch, times?: Times): void {
    const expectation = expectationOf('expect', { operation, match, times })
    const verification = reworded(
      () => this.verify(expectation),
      message => inArguments('expect', message),
    )
    if (!verification.ok) throw new JournalMismatch(verification)
  }

  /** Returns a request as it was sent, with whole tokens. `undefined` if the journal has none, or only from a snapshot. */
  sentRequest(id: number): SentRequest | undefined {
    return this.#history.exchange(id)?.sentRequest?.()
  }

  /** Replaces all exchanges with those of a snapshot. Leaves out the requests that are in progress. */
  load(entries: readonly JournalEntry[]): void {
    this.#history.loadExchanges(entries.map(entry => restoreExchange(entry)))
  }

  clear(): void {
    this.#history.clearExchanges()
  }
}

/** In bytes. The journal drops a longer body. */
const longestBody = 256 * 1024

const longestShortAnswer = 2 * 1024 // bytes

/** A request and its response. It creates its journal entry on demand, because most entries are never read. */
export class RecordedExchange implements StoredExchange {
  id = 0
  readonly bytes: number
  readonly operation: OperationId | undefined
  readonly status: number
  readonly at: number
  readonly revision: number
  readonly revisions: readonly number[] | undefined
  readonly isPlainRead: boolean
  reasons: AnswerReasons | undefined
  readonly caller: Caller | undefined
  /** The time of the world's clock at which the request began to wait. `undefined`: it did not wait. */
  readonly since: number | undefined
  // Copied from the request, which may hold a socket. No nested objects, because there are many exchanges.
  readonly #redactor: Redactor
  readonly #worldId: string
  readonly #method: string
  readonly #path: string
  readonly #query: string | undefined
  readonly #headers: MockRequest['headers']
  readonly #body: Uint8Array | undefined
  readonly #answer: Uint8Array
  readonly #ms: number
  readonly #blockedMs: number
  readonly #fault: string | undefined
  readonly #isEdited: boolean

  /** `at` is the time of the world's clock, `endedAt` is that of `performance.now()`. */
  constructor(
    exchange: RequestFacts,
    response: MockResponse,
    {
      worldId,
      endedAt,
      redactor,
      ...position
    }: { readonly worldId: string; readonly endedAt: number; readonly redactor: Redactor } & Pick<
      RecordedExchange,
      'at' | 'revision'
    >,
  ) {
    const { request, blockedAt } = exchange
    const { body } = request
    this.operation = exchange.operation
    this.status = response.status
    this.#worldId = worldId
    this.#redactor = redactor
    this.at = position.at
    this.revision = position.revision
    this.#method = request.method
    this.#path = request.path
    this.#query = request.query
    this.#headers = request.headers
    // A copy: the body may be a slice of a large shared buffer.
    this.#body = body && body.length <= longestBody ? new Uint8Array(body) : undefined
    this.caller = exchange.caller
    this.#answer = response.body.length > longestBody ? noBytes : response.body
    this.#ms = endedAt - exchange.startedAt
    this.#blockedMs = blockedAt === undefined ? 0 : endedAt - blockedAt
    this.since = exchange.pendingSince
    this.#fault = exchange.fault?.id
    this.#isEdited = exchange.isEdited ?? false
    this.revisions = exchange.revisions?.length ? exchange.revisions : undefined
    this.isPlainRead = isPlainRead({ method: request.method, status: response.status, revisions: this.revisions })
    this.bytes = this.#answer.length + (this.#body?.length ?? 0) + headLength(request)
  }

  entry(answers?: 'short'): ShortenedEntry {
    const { length } = this.#answer
    const answer = isLeftOut(length, answers) ? { answer_bytes: length } : this.#redactor.body('answer', this.#answer)
    return keepDigits(Object.assign(this.entryWithoutAnswer(), answer), answer)
  }

  /** Returns the value of a JSON body as it was sent, with whole tokens. `undefined` if there is none. */
  sentJson(): unknown {
    return jsonOf(this.#body)
  }

  /** Returns the value of a JSON answer, with whole tokens. `undefined` if there is none. */
  answerJson(): unknown {
    return jsonOf(this.#answer)
  }

  sentRequest(): SentRequest {
    const headers = Object.entries(this.#headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    )
    return {
      method: this.#method,
      path: this.#path,
      query: this.#query ?? '',
      headers: Object.fromEntries(headers),
      ...(this.#body?.length ? sentBody(this.#body) : {}),
    }
  }

  entryWithoutAnswer(): JournalEntry {
    const body = this.#redactor.body('body', this.#body)
    const entry: JournalEntry = {
      id: this.id,
      time: formatInstant(this.at),
      world: this.#worldId,
      ...(this.operation === undefined ? {} : { operation: this.operation }),
      ...(this.caller === undefined ? {} : { caller: callerEntry(this.caller) }),
      method: this.#method,
      path: this.#redactor.text(this.#path),
      query: this.#redactor.query(this.#query ?? ''),
      headers: this.#redactor.headers(this.#headers),
      ...body,
      status: this.status,
      ms: Math.round(this.#ms * 1000) / 1000,
      blocked_ms: Math.round(this.#blockedMs * 1000) / 1000,
      ...(this.since === undefined ? {} : { since: formatInstant(this.since) }),
      ...(this.#fault === undefined ? {} : { fault: this.#fault }),
      ...(this.#isEdited ? { edited: true } : {}),
      ...(this.revisions === undefined ? {} : { revisions: [...this.revisions] }),
      ...(this.reasons === undefined ? {} : { reasons: draftOf(this.reasons) }),
    }
    return keepDigits(entry, body)
  }
}

function isLeftOut(answerBytes: number, answers: 'short' | undefined): boolean {
  return answers === 'short' && answerBytes > longestShortAnswer
}

/** Returns a body as a text, or as base64 if no line of a shell can have it: it is not UTF-8, or has a zero. */
function sentBody(bytes: Uint8Array): Pick<SentRequest, 'body' | 'body_base64'> {
  try {
    const body = strictDecoder.decode(bytes)
    if (!body.includes('\0')) return { body }
  } catch {}
  return { body_base64: btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join('')) }
}

/** Estimates the memory of an exchange without its bodies, in bytes. */
function headLength({ path, query = '', headers }: MockRequest): number {
  let bytes = 500 + path.length + query.length
  for (const name in headers) {
    const value = headers[name]
    bytes += 50 + name.length
    if (typeof value === 'string') bytes += value.length
    else if (Array.isArray(value)) for (const one of value) bytes += 16 + String(one).length
  }
  return bytes
}

/** Restores an exchange of an earlier run. Without `past` it is from a snapshot, and the history lacks its change sets. */
export function restoreExchange(
  kept: JournalEntry,
  past?: Pick<StoredExchange, 'revision' | 'caller'>,
): StoredExchange {
  const { answer, ...head } = kept
  const answerBytes = answer === undefined ? 0 : utf8Length(writeJson(answer))
  return {
    id: head.id,
    operation: head.operation,
    status: head.status,
    at: parseDate(head.time),
    isPlainRead: isPlainRead(head),
    reasons: head.reasons,
    ...(past && { ...past, revisions: head.revisions }),
    // Of a token, the entry has only a part.
    ...(past && head.headers.authorization === undefined && { sentRequest: () => requestOf(kept) }),
    bytes: JSON.stringify(head).length + answerBytes,
    entry(answers) {
      const entry = this.entryWithoutAnswer()
      if (isLeftOut(answerBytes, answers)) return { ...entry, answer_bytes: answerBytes }
      return answer === undefined ? entry : keepDigits({ ...entry, answer: draftOf(answer) }, kept)
    },
    entryWithoutAnswer() {
      return keepDigits({ ...draftOf(head), id: this.id }, kept)
    },
  }
}

function requestOf(entry: JournalEntry): SentRequest {
  const { method, path, query, headers, body } = entry
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map(one => [name, one]))
  const sent = { method, path, query: String(new URLSearchParams(pairs)), headers }
  if (body === undefined) return sent
  return { ...sent, body: typeof body === 'string' ? body : writeJson(exactValue(entry, 'body')) }
}

function callerEntry(caller: Caller): NonNullable<JournalEntry['caller']> {
  if ('namespaceId' in caller) return { kind: caller.kind, namespace_id: caller.namespaceId }
  return 'gameId' in caller ? { kind: caller.kind, game_id: caller.gameId } : { kind: caller.kind }
}

const noBytes = new Uint8Array()
