import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** An answer as it came over a socket. */
export interface WireAnswer {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A connection on which a client writes exactly its own bytes. */
export class Wire {
  readonly #socket: Socket
  readonly #chunks: AsyncIterator<Buffer>
  #bytes = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#chunks = socket[Symbol.asyncIterator]()
  }

  static async open(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new Wire(socket)
  }

  /** Writes text with the line ends that it has. */
  write(text: string): void {
    this.#socket.write(text)
  }

  /** Reads the next answer; one below 200, as `100 Continue`, has no body. Rejects where the connection ends before. */
  async read(): Promise<WireAnswer> {
    const blank = '\r\n\r\n'
    await this.#until(bytes => bytes.includes(blank))
    const [statusLine = '', ...lines] = this.#take(this.#bytes.indexOf(blank) + blank.length)
      .trimEnd()
      .split('\r\n')
    const headers = new Map(
      lines.map(line => [/^[^:]+/.exec(line)?.[0].toLowerCase() ?? '', line.replace(/^[^:]+: /, '')]),
    )
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    if (status < 200) return { status, headers, body: '' }
    const length = Number(headers.get('content-length'))
    await this.#until(bytes => bytes.length >= length)
    return { status, headers, body: this.#take(length) }
  }

  close(): void {
    this.#socket.destroy()
  }

  async #until(isEnough: (bytes: Buffer) => boolean): Promise<void> {
    while (!isEnough(this.#bytes)) {
      const { value, done } = await this.#chunks.next()
      if (done) throw new Error(`the connection ended after ${this.#bytes}`)
      this.#bytes = Buffer.concat([this.#bytes, value])
    }
  }

  #take(length: number): string {
    const text = this.#bytes.toString('utf8', 0, length)
    this.#bytes = this.#bytes.subarray(length)
    return text
  }
}

/** Sends one request on a connection of its own, and reads its answer. */
export async function exchange(url: string, request: string): Promise<WireAnswer> {
  const wire = await Wire.open(url)
  wire.write(request)
  const answer = await wire.read()
  wire.close()
  return answer
}

/** Lines as HTTP ends them, and a body. */
export function httpText(lines: readonly string[], body = ''): string {
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
