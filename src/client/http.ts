import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ControlApi } from '../control/api.js'
import type { ChangesOptions, MockEvent } from '../control/events.js'
import { signalOf } from '../lib/abort-signal.js'
import { isJsonObject } from '../lib/json.js'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import type { WaitOptions } from '../server/request-waits.js'

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
  }
}

/** Creates the error of a call with a wrong argument or option. */
export function misuseError(message: string): ClientError {
  return new ClientError(message, { status: 0, code: 'MISUSED' })
}

/** Checks arguments as the mock does in-process. Throws `ClientError` if they are wrong. */
export function checked<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw error instanceof UsageError ? misuseError(error.message) : error
  }
}

/** A world of a mock, and the `fetch` that reaches it. */
export interface Remote {
  /** Without a slash at its end: `http://127.0.0.1:4100/w/test-42`. */
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  /** The waits that the mock does not know yet. Later calls go out after them. */
  readonly beginning: Set<Promise<unknown>>
}

/** The calls of the control API, such as `GET /faults`. */
export type Route = keyof ControlApi
type Input<Name extends Route> = ControlApi[Name]['input']

/** Makes a call, and returns its JSON. Rejects with `ClientError`. */
export async function request<Name extends Route>(
  remote: Remote,
  route: Name,
  input: Input<Name>,
): Promise<ControlApi[Name]['output']> {
  const response = await send(remote, route, input, { accept: 'application/json' })
  const text = await response.text()
  const value = parseJson(text)
  if (value === undefined) throw noMock(response, text)
  return value as ControlApi[Name]['output'] // a mock answers what its table says
}

/** Makes a call, and returns its successful response. Rejects with `ClientError`. */
async function send<Name extends Route>(
  { url, fetch, beginning }: Remote,
  route: Name,
  input: Input<Name>,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Response> {
  const { target, init } = encode(url, route, input, headers)
  if (beginning.size > 0) await Promise.all(beginning)
  const response = await fetch(target, { ...init, ...(signal ? { signal } : {}) }).catch(cause => {
    if (signal?.aborted) throw cause
    const message = `no mock answers at ${url}: is npx mockmaker running there?`
    throw new ClientError(message, { status: 0, code: 'NO_ANSWER', cause })
  })
  if (!response.ok) throw await refusal(response)
  return response
}

/** Encodes a call as a URL and the options of `fetch`. Throws `ClientError` if a value fits neither a URL nor JSON. */
function encode(url: string, route: Route, input: Input<Route>, headers: Readonly<Record<string, string>>) {
  const [method = '', path = ''] = route.split(' ')
  // TypeScript does not know which parts a generic route has.
  const { params = {}, query = {}, body = {} } = input as Partial<Record<'params' | 'query' | 'body', object>>
  checkObject('argument', query)
  try {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name as never]))
    const target = new URL(`${url}/__mock${filled}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) target.searchParams.set(name, String(value))
    if (method === 'GET') return { target, init: { method, headers } }
    const json = { ...headers, 'content-type': 'application/json' }
    return { target, init: { method, headers: json, body: JSON.stringify(body) } }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [reason = ''] = error.message.split('\n')
    throw misuseError(`the client cannot send this value: ${reason}`)
  }
}

/** JavaScript callers may pass anything. Throws `ClientError`. */
export function checkObject(name: string, value: unknown): void {
  if (!isJsonObject(value)) throw misuseError(`${name} is ${quoted(value)}: expected an object`)
}

async function refusal(response: Response): Promise<ClientError> {
  const { status } = response
  const text = await response.text()
  // Any server may have answered.
  const { code, message } = Object(parseJson(text)) as { readonly code?: unknown; readonly message?: unknown }
  return typeof code === 'string' ? new ClientError(String(message), { status, code }) : noMock(response, text)
}

function noMock({ url, status }: Response, text: string): ClientError {
  const message = `the server at ${url} is not a mock: it answered ${status} ${text.slice(0, 200)}`
  return new ClientError(message, { status, code: 'NO_MOCK' })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Waits for a call, and returns `undefined` if it is refused as 404. */
export function undefinedIfMissing<Value>(call: Promise<Value>): Promise<Value | undefined> {
  return call.catch(error => {
    if (error instanceof ClientError && error.status === 404) return undefined
    throw error
  })
}

/** The pause before a reconnection, in ms. */
const pauseMs = 100

/**
 * Reads the events of a world from the moment when the promise resolves. Reconnects after a lost connection, and resumes at
 * the last event. The events end with the signal, with the `for await` that reads them, and with the world. Rejects with
 * `ClientError`.
 */
export async function readEvents(
  remote: Remote,
  options: ChangesOptions = {},
): Promise<AsyncGenerator<MockEvent, undefined>> {
  const signal = checked(() => signalOf('changes', options))
  const { since, lastEventId, answers, newest } = options
  async function open(after: string | undefined) {
    const headers = { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) }
    const { body } = await send(remote, 'GET /changes', { query: { since, answers, newest } }, headers, signal)
    return body && parseEvents(body, signal)
  }

  async function* resume(
    first: AsyncGenerator<StreamEvent> | null,
    start: string | undefined,
  ): AsyncGenerator<MockEvent, undefined> {
    let last = start
    for (let events = first; events && !signal?.aborted; ) {
      for await (const { type, id, data } of events) {
        if (type === 'end') return undefined
        last = id ?? last
        // The mock sends no other types of events.
        if (type !== 'begin') yield { type, id, data: JSON.parse(data) } as MockEvent
      }
      await new Promise(resolve => setTimeout(resolve, pauseMs))
      events = await open(last).catch(error => {
        // The signal was aborted, or the mock has ended.
        if (signal?.aborted || (error instanceof ClientError && error.status === 0)) return null
        throw error
      })
    }
    return undefined
  }

  const events = await open(lastEventId)
  // The mock sends `begin` when it starts to collect events.
  const begun = await events?.next()
  return resume(events, begun?.value?.id ?? lastEventId)
}

/**
 * Starts a call that waits for requests. The mock waits before it gets any later call of the client. Rejects with
 * `ClientError`. An unhandled rejection is not reported, because a test may fail before it awaits the call.
 */
export function waitFor<Value>(
  remote: Remote,
  route: 'POST /journal/next' | 'POST /journal/blocked',
  { body, options }: { readonly body: Input<typeof route>['body']; readonly options?: WaitOptions | undefined },
): Promise<Value> {
  const beginning = beginWait<Value>(remote, route, body, options)
  const begun = beginning.catch(() => {}).finally(() => remote.beginning.delete(begun))
  remote.beginning.add(begun)
  const outcome = beginning.then(({ outcome }) => outcome)
  outcome.catch(() => {})
  return outcome
}

/** Resolves when the mock waits. The outcome is inside an object, because a promise of a promise would wait for it. */
async function beginWait<Value>(
  remote: Remote,
  route: 'POST /journal/next' | 'POST /journal/blocked',
  body: Input<typeof route>['body'],
  options: WaitOptions | undefined,
): Promise<{ readonly outcome: Promise<Value> }> {
  const signal = checked(() => signalOf(route === 'POST /journal/next' ? 'next' : 'blocked', options))
  const response = await send(remote, route, { body }, { accept: 'text/event-stream' }, signal)
  if (!response.body || response.headers.get('content-type') !== 'text/event-stream')
    throw noMock(response, await response.text())
  const events = parseEvents(response.body, signal)
  await events.next()
  return { outcome: readOutcome<Value>(remote, events, signal) }
}

async function readOutcome<Value>(
  { url }: Remote,
  events: AsyncGenerator<StreamEvent>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  for await (const { type, data } of events) {
    const value = JSON.parse(data)
    if (type === 'done') return value as Value // a mock sends the value of the call
    throw new ClientError(value.message, { status: 0, code: 'WORLD_ENDED' })
  }
  signal?.throwIfAborted()
  throw new ClientError(`the connection to the mock at ${url} broke during the wait`, { status: 0, code: 'NO_ANSWER' })
}

interface StreamEvent {
  readonly type: string
  readonly id: string | undefined
  readonly data: string
}

/** Parses Server-Sent Events until their stream ends, even in the middle of an event. */
async function* parseEvents(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent> {
  // Node and the DOM declare the type of this stream differently.
  const decoded = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
  const reader = decoded.pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield { type: value.event ?? 'message', id: value.id, data: value.data }
    }
  } catch (error) {
    // The connection was lost, or the signal aborted: `readEvents` decides.
    if (!(error instanceof TypeError) && !signal?.aborted) throw error
  } finally {
    await reader.cancel().catch(() => {})
  }
}
