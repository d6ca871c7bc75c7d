import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ControlApi } from '../core/control/api.js'
import { beginAtCaller } from '../core/lib/caller-stack.js'
import { parseJson, writeJson } from '../core/lib/json.js'
import { startPage } from '../core/lib/messages.js'
import { TextDecoderStream, URL } from '../core/lib/real-globals.js'
import { sayIfSlow } from '../core/lib/slow-wait.js'

/** The parts of a `ClientError` besides its message. */
export interface ClientErrorParts {
  /** The HTTP status; 0 if no answer came. */
  readonly status: number
  /** The error code of the answer, such as `API_BAD_BODY`. */
  readonly code: string
  readonly cause?: unknown
}

/** A call that a mock refused or did not answer. The message says why, and what to do. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly status: number
  readonly code: string

  constructor(message: string, { status, code, cause }: ClientErrorParts) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    beginAtCaller(this)
  }
}

/** A world of a mock, and the `fetch` that reaches it. */
export interface Remote {
  /** Without a slash at its end: `http://127.0.0.1:4100/w/test-42`. */
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  /** The control token. Default: none. */
  readonly token?: string | undefined
}

/** The calls of the control API, such as `GET /faults`. */
export type Route = keyof ControlApi
export type Input<Name extends Route> = ControlApi[Name]['input']
export type Output<Name extends Route> = ControlApi[Name]['output']
/** The input of a call. It may be left out if the call needs none. */
export type InputOf<Name extends Route> =
  Record<never, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>]

interface SendOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

/** Makes a call, and returns its JSON. Rejects with `ClientError`. */
export async function call<Name extends Route>(
  remote: Remote,
  route: Name,
  ...[input]: InputOf<Name>
): Promise<Output<Name>> {
  const response = await send(remote, route, input, { headers: { accept: 'application/json' } })
  const text = await textOf(response, remote)
  const value = jsonOf(text)
  if (value === undefined) throw noMock(response, { url: remote.url, text })
  return value as Output<Name> // a mock answers what its table says
}

/** Makes a call, and returns its successful response. Rejects with `ClientError`, or with the reason of the signal. */
export async function send<Name extends Route>(
  { url, fetch, token }: Remote,
  route: Name,
  input: Input<Name> | undefined,
  { headers = {}, signal }: SendOptions,
): Promise<Response> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { target, init } = encode(url, route, input, { ...headers, ...authorization })
  const answer = fetch(target, { ...init, ...(signal ? { signal } : {}) })
  const response = await sayIfSlow(
    answer,
    () => `still waiting for ${target.origin} to answer ${init.method} ${target.pathname}`,
  ).catch(cause => {
    if (signal?.aborted) throw cause
    throw noAnswer(url, cause)
  })
  if (response.ok) return response
  const text = await textOf(response, { url })
  // Any server may have answered.
  const { code, message } = Object(jsonOf(text)) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof code !== 'string') throw noMock(response, { url: target.href, text })
  // Callers know arguments, and not the parts of a request.
  const aboutArguments = String(message).replaceAll(/^(?:body|query)\./gm, '')
  throw new ClientError(aboutArguments, { status: response.status, code })
}

/** Encodes a call as a URL and the options of `fetch`. Throws `ClientError` if a value fits neither a URL nor JSON. */
function encode(url: string, route: Route, input: Input<Route> | undefined, headers: Readonly<Record<string, string>>) {
  const [method = '', path = ''] = route.split(' ')
  // TypeScript does not know which parts a generic route has.
  const { params = {}, query = {}, body = {} } = (input ?? {}) as Partial<Record<'params' | 'query' | 'body', object>>
  try {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name as never]))
    const target = new URL(`${url}/__mock${filled}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) target.searchParams.set(name, String(value))
    if (method === 'GET') return { target, init: { method, headers } }
    const json = { ...headers, 'content-type': 'application/json' }
    return { target, init: { method, headers: json, body: writeJson(body) } }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [reason = ''] = error.message.split('\n')
    throw misuseError(`the client cannot send this value: ${reason}`)
  }
}

/** Creates the error of a call with a wrong argument or option. */
export function misuseError(message: string): ClientError {
  return new ClientError(message, { status: 0, code: 'MISUSED' })
}

function noAnswer(url: string, cause: unknown): ClientError {
  const message = `no mock answers at ${url}: is npx mockmaker running there? ${startPage}`
  return new ClientError(message, { status: 0, code: 'NO_ANSWER', cause })
}

function noMock({ status }: Response, { url, text }: { readonly url: string; readonly text: string }): ClientError {
  const message = `the server at ${url} is not a mock: it answered ${status} ${text.slice(0, 200)}`.trimEnd()
  return new ClientError(message, { status, code: 'NO_MOCK' })
}

/** Reads a response whole. Rejects with `ClientError` if the connection breaks. */
export function textOf(response: Response, { url }: Pick<Remote, 'url'>): Promise<string> {
  return response.text().catch(cause => {
    throw noAnswer(url, cause)
  })
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** A Server-Sent Event. */
export interface StreamEvent {
  readonly type: string
  readonly id: string | undefined
  /** JSON. */
  readonly data: string
}

/**
 * Makes a call that answers with Server-Sent Events, and yields them until the stream ends, even in the middle of an event. A lost
 * connection and the signal end it too. Rejects with `ClientError`, or with the reason of the signal.
 */
export async function openStream<Name extends Route>(
  remote: Remote,
  route: Name,
  input: Input<Name>,
  { signal, lastEventId }: Pick<SendOptions, 'signal'> & { readonly lastEventId?: string | undefined },
): Promise<AsyncGenerator<StreamEvent, undefined>> {
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  }
  const response = await send(remote, route, input, { headers, signal })
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw noMock(response, { url: remote.url, text: await textOf(response, remote) })
  return parseEvents(response.body, signal)
}

async function* parseEvents(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent, undefined> {
  // Node and the DOM declare the type of this stream differently.
  const decoded = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
  const reader = decoded.pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return undefined
      yield { type: value.event ?? 'message', id: value.id, data: value.data }
    }
  } catch (error) {
    // A lost connection is a TypeError in each runtime.
    if (!(error instanceof TypeError) && !signal?.aborted) throw error
    return undefined
  } finally {
    await reader.cancel().catch(() => {})
  }
}
