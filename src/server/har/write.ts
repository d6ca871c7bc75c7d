import { STATUS_CODES } from 'node:http'
import type { Entry, Har, Header, QueryString, Request, Response } from 'har-format'
import type { JournalEntry } from '../../core/contract/journal.js'
import type { OperationSpec } from '../../core/contract/operation.js'
import { operations } from '../../core/contract/operations.js'
import { exactValue, writeJson } from '../../core/lib/json.js'
import { version } from '../../version.js'

/** The facts of an entry that HAR has no fields for. It lets a program add fields that begin with `_`. */
const notes = ['id', 'world', 'operation', 'caller', 'fault', 'edited', 'blocked_ms', 'revisions', 'reasons'] as const

interface JournalHarEntry extends Entry {
  /** Why the answer has no status. The developer tools of Chromium show it. Absent if there was an answer. */
  readonly _error?: string
  readonly _mockmaker: Partial<JournalEntry>
}

/**
 * Writes entries of a journal as an HTTP Archive 1.2 (HAR), in their order. Its times are those of the world's clock, and its
 * durations are real ms. Tokens stay cut to their labels. Throws nothing.
 *
 * @param url the URL of the mock, or of its world, without a slash at its end
 */
export function journalToHar(entries: readonly JournalEntry[], { url }: { readonly url: string }): Har {
  return {
    log: {
      version: '1.2',
      creator: { name: 'mockmaker', version },
      comment: "The times are those of the world's clock. Tokens are cut to their labels.",
      entries: entries.map(entry => harEntry(entry, url)),
    },
  }
}

function harEntry(entry: JournalEntry, url: string): JournalHarEntry {
  const { time, since = time, status, ms } = entry
  return {
    startedDateTime: since,
    time: ms,
    request: harRequest(entry, url),
    response: harResponse(entry),
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    ...(status === 0 && { _error: 'the connection was closed without an answer' }),
    _mockmaker: Object.fromEntries(notes.map(name => [name, entry[name]])),
  }
}

function harRequest(entry: JournalEntry, url: string): Request {
  const { method, path, query, headers, body } = entry
  const parameters = listed(query)
  const search = new URLSearchParams(parameters.map(({ name, value }) => [name, value])).toString()
  const text = bodyText(entry, 'body')
  const [mimeType = 'application/json'] = [headers['content-type'] ?? []].flat()
  return {
    method,
    url: url + path + (search && `?${search}`),
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: listed(headers),
    queryString: parameters,
    ...(body !== undefined && { postData: { mimeType, text } }),
    headersSize: -1,
    bodySize: body === undefined ? 0 : Buffer.byteLength(text),
  }
}

function harResponse(entry: JournalEntry): Response {
  const { status, answer } = entry
  const text = bodyText(entry, 'answer')
  const mimeType = typeof answer === 'string' ? 'text/plain' : 'application/json'
  const isLost = answer === undefined && hadAnswer(entry)
  // The journal keeps no headers of answers. Every answer has these.
  const known = { ...((text !== '' || isLost) && { 'content-type': mimeType }), 'cache-control': 'no-store' }
  return {
    status,
    statusText: STATUS_CODES[status] ?? '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: status === 0 ? [] : listed(known),
    content: {
      size: Buffer.byteLength(text),
      mimeType: status === 0 ? 'x-unknown' : mimeType,
      ...(isLost ? { comment: 'The answer was too long for the journal.' } : { text }),
    },
    redirectURL: '',
    headersSize: -1,
    bodySize: status === 0 || isLost ? -1 : Buffer.byteLength(text),
  }
}

function hadAnswer({ method, operation, status }: JournalEntry): boolean {
  if (status === 0 || status === 204 || method === 'HEAD') return false
  return status >= 400 || specs.get(operation)?.output !== undefined
}

const specs: ReadonlyMap<string | undefined, OperationSpec> = new Map(Object.entries(operations))

function bodyText(entry: JournalEntry, name: 'body' | 'answer'): string {
  const body = exactValue(entry, name)
  if (body === undefined) return ''
  return typeof body === 'string' ? body : writeJson(body)
}

function listed(values: Readonly<Record<string, string | readonly string[]>>): QueryString[] & Header[] {
  return Object.entries(values).flatMap(([name, all]) => [all].flat().map(value => ({ name, value })))
}
