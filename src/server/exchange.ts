/** A request, in a form that knows neither Fetch nor Express. */
export interface Exchange {
  /** Upper case. */
  readonly method: string
  /** As it was sent, percent-encoding included: `/matchmaker/lobbies/list`. */
  readonly path: string
  /** What follows the `?`. Default: none. */
  readonly query?: string | undefined
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Default: none. Only the first `bodyLimit` + 1 bytes are needed of a longer one. */
  readonly body?: Uint8Array | undefined
  /** The address of who asks, as the connection has it. Default: `127.0.0.1`. */
  readonly address?: string | undefined
  /** Answers a signal that is aborted when the client goes away, so that a blocked watch is freed. Called only where something blocks. */
  signal?(): GoneSignal | undefined
}

/** As much of an `AbortSignal` as a blocked watch needs. */
export interface GoneSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The answer to an exchange. Header names are lower case; what belongs to a connection is not there. */
export interface Answer {
  /** 0 where the connection breaks off without an answer: the status that Fetch gives a network error. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Not to be changed: answers may share it. */
  readonly body: Uint8Array<ArrayBuffer>
  /** What goes on after the body, until either side ends it. The function that comes back is called when the client has gone. */
  readonly stream?: ((client: StreamClient) => () => void) | undefined
  /** How the connection breaks off: it is torn down, or closed with nothing on it. Absent where there is an answer. */
  readonly broken?: 'reset' | 'empty'
}

/** Who hears the rest of an answer. */
export interface StreamClient {
  send(text: string): void
  end(): void
  /** Waits until it has taken what was sent, or has gone. */
  taken(): Promise<void>
}

/** Whose pages may read an answer: those of every origin that CORS allows, those of this machine, or none but its own. */
export type Readers = 'allowed origins' | 'loopback' | 'this origin'

/** A door's own answer, before it has the headers that every answer has. */
export interface Page extends Answer {
  readonly readableBy: Readers
}

/** The most bytes that a request's body may have. */
export const bodyLimit = 1024 * 1024

/** A header's value; the first where it was sent more than once. */
export function header({ headers }: Pick<Exchange, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'object' ? value[0] : value
}
