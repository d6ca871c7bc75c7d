import { timingSafeEqual } from 'node:crypto'
import type { ForwardedRequest } from '../http/router.js'

/** The header of a forwarded request: the secret of the replicas, and facts about the client. */
export const forwardingHeader = 'mockmaker-forwarded'

/** Marks the response of a replica that does not run the world of a request. */
export const notOwnerHeader = 'mockmaker-not-owner'

/** Tells the forwarding replica to break the connection of the client, and not to respond. Its value is `reset` or `empty`. */
export const disconnectHeader = 'mockmaker-disconnect'

/** Writes and reads the header: the secret, and JSON in base64url. */
export class ForwardingHeader {
  readonly #bytes: Buffer

  constructor(private readonly secret: string) {
    this.#bytes = Buffer.from(secret)
  }

  write({ address, forwardedFor, waitedMs, port }: ForwardedRequest): string {
    const facts = JSON.stringify([address, forwardedFor ?? null, Math.round(waitedMs), port ?? null])
    return `${this.secret} ${Buffer.from(facts).toString('base64url')}`
  }

  /** Returns `undefined` unless the header has the secret. Compares in constant time. */
  read(value: string | undefined): ForwardedRequest | undefined {
    const space = value?.lastIndexOf(' ') ?? -1
    if (value === undefined || space === -1) return undefined
    if (!this.#isSecret(value.slice(0, space))) return undefined
    try {
      const facts = Buffer.from(value.slice(space + 1), 'base64url').toString()
      // A replica wrote it. One of an earlier version writes no port.
      const [address, forwardedFor, waitedMs, port] = JSON.parse(facts) as [string, string | null, number, number?]
      return { address, forwardedFor: forwardedFor ?? undefined, waitedMs, port: port ?? undefined }
    } catch {
      return undefined
    }
  }

  /** Tells only how long the secret is. Digests would hide that too, at the price of a tenth of the request. */
  #isSecret(text: string): boolean {
    const bytes = Buffer.from(text)
    return bytes.length === this.#bytes.length && timingSafeEqual(bytes, this.#bytes)
  }
}
