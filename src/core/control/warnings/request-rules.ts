import { URLSearchParams } from '../../lib/real-globals.js'
import { readClient } from '../../pipeline/authenticate.js'
import { header, type MockRequest } from '../../pipeline/message.js'
import { RecentMap } from './recent-map.js'
import type { Mistake, ObservedExchange, Rule, WarningFacts } from './warning.js'

/** Tells clients apart: by their address, their token, and their connection. Sixteen bots on one machine are sixteen. */
function clientKey(request: MockRequest): string {
  const { forwardedFor = header(request, 'x-forwarded-for') ?? request.address, port, headers } = request
  return `${forwardedFor} ${port} ${headers.authorization}`
}

/** Names a client: `127.0.0.1:51884`. In-process it has no port. */
function clientText(request: MockRequest): string {
  const { address } = readClient(request)
  const { port } = request
  return port === undefined ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`
}

/** Returns the token of the device link that a request asks for. */
function deviceLinkOf({ query = '' }: MockRequest): string | undefined {
  return new URLSearchParams(query).get('device_link_token') ?? undefined
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  // Cached reads share one answer.
  if (one === other) return true
  return one.length === other.length && one.every((byte, i) => byte === other[i])
}

const askedForLink = 'asked for the same device link'

/** More unchanged answers than this in each of `hotSeconds` are a hot loop. */
const mostPerSecond = 20
const hotSeconds = 3

/** The requests of one client for one operation that got the same answer as the one before. */
class Loop {
  #answer: Uint8Array | undefined
  #second = 0
  #inSecond = 0
  #hot = 0
  /** The first request since when each second was hot: its time in real ms and in ms of the world, and its journal id. */
  #first = { at: 0, startedAt: 0, id: 0 }
  #count = 0
  #reported = 0

  /** Counts an exchange. Returns the mistake if it is one. */
  add(
    { exchange, request, response, endedAt }: ObservedExchange,
    key: string,
  ): Mistake<WarningFacts['hot loop']> | undefined {
    const { body } = response
    const isUnchanged = this.#answer !== undefined && isSame(this.#answer, body)
    this.#answer = body
    if (!isUnchanged) return undefined
    if (endedAt - this.#second >= 1_000) this.#beginSecond(endedAt, exchange)
    this.#inSecond += 1
    this.#count += 1
    if (this.#hot < hotSeconds) return undefined
    const { operation } = exchange
    const link = operation === 'devices.links.get' ? deviceLinkOf(request) : undefined
    const count = this.#count - this.#reported
    this.#reported = this.#count
    return {
      key,
      facts: {
        what: link === undefined ? `called ${operation}` : askedForLink,
        perSecond: Math.round((this.#count * 1_000) / (endedAt - this.#first.startedAt)),
      },
      subject: {
        address: clientText(request),
        ...(operation === undefined ? {} : { operation }),
        ...(link === undefined ? {} : { device_link: link }),
      },
      requests: count > 1 ? [this.#first.id, exchange.id] : [exchange.id],
      count,
      since: this.#first.at,
    }
  }

  #beginSecond(endedAt: number, { at, id }: ObservedExchange['exchange']): void {
    const isHot = endedAt - this.#second < 2_000 && this.#inSecond > mostPerSecond
    this.#hot = isHot ? this.#hot + 1 : 0
    if (!isHot) {
      this.#first = { at, id, startedAt: endedAt }
      this.#count = 0
      this.#reported = 0
    }
    this.#second = endedAt
    this.#inSecond = 0
  }
}

export const hotLoop: Rule<WarningFacts['hot loop']> = {
  when: `One client asks one operation more than ${mostPerSecond} times a second for ${hotSeconds} s, and gets the same answer.`,
  sentence: ({ what, perSecond }) => `One client ${what} ${perSecond} times a second, and nothing had changed.`,
  advice: ({ what }) =>
    what === askedForLink
      ? 'Send the watch_index of the last answer: the next answer then waits for a change. Check it with mockmaker lab.'
      : 'Wait between two requests: once in some seconds is enough. Stop when you have what you need.',
  observe(report) {
    const loops = new RecentMap<Loop>()
    const add = (observed: ObservedExchange) => {
      const { operation, status, revisions } = observed.exchange
      if (operation === undefined || status === 0 || status >= 400 || revisions) return
      const key = `${operation} ${clientKey(observed.request)}`
      let loop = loops.get(key)
      if (!loop) {
        loop = new Loop()
        loops.set(key, loop)
      }
      const mistake = loop.add(observed, key)
      if (mistake) report(mistake)
    }
    return { read: add, exchange: add }
  },
}
