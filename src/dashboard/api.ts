import {
  call,
  type Input,
  type InputOf,
  type Output,
  openStream,
  type Remote,
  type Route,
  type StreamEvent,
  send,
  textOf,
} from '../client/core.js'

/** The end of the URL of a world that is not the default one. */
const worldPart = /\/w\/[^/]+$/

/** Calls the control API of one world. */
export class Api implements Remote {
  /** The URL of the world, without a slash at its end. */
  readonly url: string
  readonly fetch: typeof globalThis.fetch

  constructor(url: string, fetch: typeof globalThis.fetch = globalThis.fetch.bind(globalThis)) {
    this.url = url
    this.fetch = fetch
  }

  /** Makes a call, and returns its JSON. Rejects with `ClientError`. */
  call<Name extends Route>(route: Name, ...input: InputOf<Name>): Promise<Output<Name>> {
    return call(this, route, ...input)
  }

  /** Makes a call, and returns its answer as a text, such as a snapshot as YAML. Rejects with `ClientError`. */
  async text<Name extends Route>(route: Name, input: Input<Name>, accept = 'text/plain'): Promise<string> {
    return textOf(await send(this, route, input, { headers: { accept } }), this)
  }

  /** Reads the events of the world. Rejects with `ClientError`. */
  changes(
    query: { readonly newest: number; readonly with: string },
    options: { readonly signal: AbortSignal; readonly lastEventId: string | undefined },
  ): Promise<AsyncGenerator<StreamEvent, undefined>> {
    return openStream(this, 'GET /changes', { query: { ...query, answers: 'short' } }, options)
  }

  /** Reads the worlds of the mock, at once and after each change. Rejects with `ClientError`. */
  worlds(signal: AbortSignal): Promise<AsyncGenerator<StreamEvent, undefined>> {
    return openStream(this.ofMock(), 'GET /worlds', {}, { signal })
  }

  /** Returns the API of the mock itself, at its default world. */
  ofMock(): Api {
    return new Api(this.url.replace(worldPart, ''), this.fetch)
  }

  /** Returns the URL of another world of the mock, without a slash at its end. */
  urlOfWorld(id: string): string {
    const { url } = this.ofMock()
    return id === 'default' ? url : `${url}/w/${encodeURIComponent(id)}`
  }
}
