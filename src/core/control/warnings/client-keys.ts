import { header, type MockRequest } from '../../pipeline/message.js'

interface Known {
  readonly operation: string | undefined
  readonly address: string | undefined
  readonly token: unknown
  readonly key: string
}

/** Names clients and their operations. To make a text and look it up takes ten times as long as to find the one of before. */
export class ClientKeys {
  /** The newest one of each port. */
  #known = new Map<number | undefined, Known>()

  /** Returns the operation and the client: its address, its token, and its connection. */
  of(request: MockRequest, operation: string | undefined): string {
    const { port } = request
    const token = request.headers.authorization
    const address = request.forwardedFor ?? header(request, 'x-forwarded-for') ?? request.address
    const known = this.#known.get(port)
    if (known && known.operation === operation && known.address === address && known.token === token) return known.key
    if (this.#known.size >= mostKnown) this.#known.clear()
    const key = [operation, address, port, token].join(' ')
    this.#known.set(port, { operation, address, token, key })
    return key
  }
}

const mostKnown = 1_000
