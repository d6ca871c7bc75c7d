import type { EventSourceMessage } from 'eventsource-parser'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ControlApi } from '../control/api.js'

/** A call of the control API, such as `GET /clock`. */
export type Route = keyof ControlApi
export type Input<Name extends Route> = ControlApi[Name]['input']
export type Output<Name extends Route> = ControlApi[Name]['output']

/** The end of the URL of a world that is not the default one. */
const worldPart = /\/w\/[^/]+$/

/** The mock does not answer. */
export class Unreachable extends Error {}

/** Calls the control API of one world. */
export class Api {
  /** The URL of the world, without a slash at its end. */
  readonly url: string
  readonly #fetch: typeof fetch
  readonly #open = new Set<Promise<Response>>()
  #isClosed = false

  constructor(url: string, fetch: typeof globalThis.fetch = globalThis.fetch.bind(globalThis)) {
    this.url = url
    this.#fetch = fetch
  }

  /** Makes a call, and returns its JSON. Rejects with `Unreachable`, or with the sentence of the mock that refused the call. */
  async call<Name extends Route>(
    route: Name,
    ...[input]: Record<never, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>]
  ): Promise<Output<Name>> {
    const [method = '', path = ''] = route.split(' ')
    // TypeScript does not know which parts a generic route has.
    const { params = {}, query = {}, body } = (input ?? {}) as Parts
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
    const init =
      method === 'GET'
        ? {}
        : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) }
    const response = await this.#send(`/__mock${filled}${search.size > 0 ? `?${search}` : ''}`, init)
    return (await read(response.json())) as Output<Name> // by the table of calls
  }

  /** Gets a text, such as a snapshot as YAML. Rejects as `call` does. */
  async text(path: string, accept = 'text/plain'): Promise<string> {
    const response = await this.#send(`/__mock${path}`, { headers: { accept } })
    return read(response.text())
  }

  /** Reads the events of a stream. Rejects as `call` does. */
  async events(
    path: string,
    { signal, lastEventId }: { readonly signal: AbortSignal; readonly lastEventId: string | undefined },
  ): Promise<ReadableStreamDefaultReader<EventSourceMessage>> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const { body } = await this.#send(`/__mock${path}`, { headers, signal })
    if (!body) throw new Unreachable('The mock sent no events.')
    // TypeScript's streams of text decoders are not quite those of `fetch`.
    const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>
    return body.pipeThrough(decoder).pipeThrough(new EventSourceParserStream()).getReader()
  }

  /** Refuses later calls, and waits for the open ones. A call in a world that was just deleted would create it again. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled([...this.#open])
  }

  /** Calls the mock itself. A call in a world that does not exist creates the world. */
  ofMock(): Api {
    return new Api(this.url.replace(worldPart, ''), this.#fetch)
  }

  /** Returns the URL of another world of the mock, without a slash at its end. */
  urlOfWorld(id: string): string {
    const { url } = this.ofMock()
    return id === 'default' ? url : `${url}/w/${encodeURIComponent(id)}`
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    if (this.#isClosed) throw new Unreachable('The page has closed the world.')
    const sent = this.#fetch(this.url + path, init)
    this.#open.add(sent)
    const response = await read(sent).finally(() => this.#open.delete(sent))
    if (response.ok) return response
    const answer: unknown = await response.json().catch(() => undefined)
    const { message = `The mock answers ${response.status}.` } = Object(answer) as { readonly message?: string }
    throw new Error(message)
  }
}

/** Waits for an answer. Rejects with `Unreachable` if the connection breaks. */
function read<Value>(answer: Promise<Value>): Promise<Value> {
  return answer.catch(() => {
    throw new Unreachable('The mock does not answer.')
  })
}

interface Parts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}
