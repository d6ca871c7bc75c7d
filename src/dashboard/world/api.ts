import {
  call,
  type Input,
  type InputOf,
  type Output,
  type Remote,
  type Route,
  send,
  textOf,
} from '../../client/call.js'
import { decodeSegment, splitWorldUrl } from '../../core/contract/paths.js'

/** Calls the control API of one world. */
export class Api implements Remote {
  /** `tokenOf` returns the control token of the moment. */
  constructor(
    /** The URL of the world, without a slash at its end. */
    readonly url: string,
    readonly fetch: typeof globalThis.fetch = globalThis.fetch.bind(globalThis),
    private readonly tokenOf: () => string | undefined = () => undefined,
  ) {}

  get token(): string | undefined {
    return this.tokenOf()
  }

  /** The id of the world. */
  get worldId(): string {
    return decodeSegment(splitWorldUrl(this.url)?.encodedId ?? 'default')
  }

  /** Makes a call, and returns its JSON. Rejects with `ClientError`. */
  call<Name extends Route>(route: Name, ...input: InputOf<Name>): Promise<Output<Name>> {
    return call(this, route, ...input)
  }

  /** Makes a call, and returns its answer as a text, such as a snapshot as YAML. Rejects with `ClientError`. */
  async text<Name extends Route>(route: Name, input: Input<Name>, accept = 'text/plain'): Promise<string> {
    return textOf(await send(this, route, input, { headers: { accept } }), this)
  }

  /** Returns the API of the mock itself, at its default world. */
  ofMock(): Api {
    return new Api(splitWorldUrl(this.url)?.server ?? this.url, this.fetch, this.tokenOf)
  }
}
