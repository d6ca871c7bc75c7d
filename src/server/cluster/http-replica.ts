import type { IncomingMessage } from 'node:http'
import type { Mock } from '../../core/mock/mock.js'
import { connectionAddress } from '../../core/pipeline/origin.js'
import { processTime } from '../../core/storage/process-time.js'
import type { SharedStorage } from '../../core/storage/shared-storage.js'
import { setRealTimeOffset } from '../../core/store/real-time.js'
import { isSafe } from '../http/node-adapter.js'
import type { ForwardedRequest, RoutedRequest, Router } from '../http/router.js'
import { Forwarder } from './forward.js'
import { disconnectHeader, ForwardingHeader, forwardingHeader, notOwnerHeader } from './forwarding-header.js'
import { Replica } from './replica.js'

/** The status of a request that came to the wrong server (RFC 9110 § 15.5.20). */
const misdirected = 421

/** The time between two looks at the clock of the server, and at the worlds of other replicas, in ms. */
const lookMs = 1_000
/** The smallest difference of clocks that is corrected, in ms. */
const leastOffsetMs = 100

/** A replica that answers over HTTP. Forwards requests whose world another replica owns. */
export class HttpReplica implements Router {
  readonly #mock: Mock
  readonly #replica: Replica
  readonly #header: ForwardingHeader
  readonly #timer: NodeJS.Timeout
  #offsetMs = 0
  /** The worlds and their owners at the last look. */
  #listed = ''
  readonly #forwarder = new Forwarder()

  /** `secret`: the text that only replicas know. */
  constructor(mock: Mock, { storage, secret }: { readonly storage: SharedStorage; readonly secret: string }) {
    this.#mock = mock
    this.#header = new ForwardingHeader(secret)
    this.#replica = new Replica({ storage, worlds: mock.worlds, environment: processTime })
    this.#followClock(storage)
    this.#timer = setInterval(() => {
      this.#followClock(storage)
      this.#lookAtOthers(storage).catch(() => {}) // the next look tries again
    }, lookMs)
    this.#timer.unref()
    // Its port is about to close.
    mock.atClose(async () => this.#replica.endWaiting())
  }

  /** Lets worlds show the time of the storage's server, which is one for all replicas. */
  #followClock({ clockOffsetMs }: SharedStorage): void {
    // Each measurement has the error of the network's latency. The time of a world must not jump back and forth.
    if (Math.abs(clockOffsetMs - this.#offsetMs) < leastOffsetMs) return
    this.#offsetMs = clockOffsetMs
    setRealTimeOffset(clockOffsetMs)
  }

  /** Tells those who follow the list of worlds what other replicas have changed in it. */
  async #lookAtOthers(storage: SharedStorage): Promise<void> {
    const { changes } = this.#mock.worlds
    if (changes.size === 0) return
    const worlds = await storage.refresh()
    const listed = worlds.map(({ id, owner }) => `${id} ${owner?.id}`).join()
    if (listed !== this.#listed) changes.emit(true)
    this.#listed = listed
  }

  receive(request: IncomingMessage): ForwardedRequest | undefined {
    const { [forwardingHeader]: value } = request.headers
    if (value === undefined) return undefined
    // Only replicas may see the secret. No header of a client may reach another replica.
    delete request.headers[forwardingHeader]
    return this.#header.read(String(value))
  }

  route(routed: RoutedRequest): void {
    const { request, response, incoming, gone, world, forwarded } = routed
    const { path, query = '', headers } = incoming
    const target = (incoming.basePath ?? '') + path + (query === '' ? '' : `?${query}`)
    const host = headers.host === undefined ? undefined : String(headers.host)
    const empty = new Uint8Array()
    this.#replica.route({
      worldId: world.id,
      get mayCreate() {
        return world.mayCreate
      },
      needsContent: world.needsContent,
      isRepeatable: isSafe(incoming),
      isForwarded: forwarded !== undefined,
      waitedMs: forwarded?.waitedMs ?? 0,
      gone,
      answer(waitedMs) {
        incoming.waitedMs = waitedMs
        return routed.answer()
      },
      forward: ({ address }, { waitedMs, signal }) =>
        this.#forwarder.forward(
          {
            ...{ request, response, target, host, gone },
            disconnect: how => routed.respond({ status: 0, headers: {}, body: empty, disconnect: how }),
          },
          {
            ...{ address, signal },
            facts: this.#header.write({
              address: connectionAddress(incoming),
              forwardedFor: incoming.forwardedFor,
              waitedMs,
            }),
          },
        ),
      respond(answered) {
        const { disconnect } = answered
        // Half a body stays half a body on its way.
        const isSent = disconnect === undefined || disconnect === 'truncate'
        if (isSent || !forwarded) return routed.respond(answered)
        // The connection to the client breaks, and not that between replicas.
        routed.respond({ status: misdirected, headers: { [disconnectHeader]: disconnect }, body: empty })
      },
      refuseAsNotOwner: () => routed.respond({ status: misdirected, headers: { [notOwnerHeader]: '1' }, body: empty }),
      responseTo: error => this.#mock.router.outside.refuse(incoming, error),
    })
  }

  /** Takes no more worlds from now on. */
  announceClose(): void {
    this.#replica.announceClose()
  }

  close(): void {
    clearInterval(this.#timer)
    setRealTimeOffset(0)
    this.#replica.close()
    this.#forwarder.close()
  }
}
