import { hasFailed } from '../../contract/errors.js'
import { isSeatOperation, type OperationId } from '../../contract/operations.js'
import { isJsonObject } from '../../lib/json.js'
import { counted, shortened } from '../../lib/messages.js'
import { URLSearchParams } from '../../lib/real-globals.js'
import { secondsText } from '../../lib/time.js'
import { hostInUrl } from '../../lib/url.js'
import { nilUuid } from '../../operations/lobbies.js'
import { readClient } from '../../pipeline/authenticate.js'
import type { MockRequest } from '../../pipeline/message.js'
import { routes } from '../../pipeline/routes.js'
import { devPlayerPrefix } from '../../store/tokens.js'
import { addProof } from './proofs.js'
import { RecentMap } from './recent-map.js'
import type { Mistake, ObservedExchange, Repeated, Rule, WarningFacts, WarningSubject } from './warning.js'

/** Names a client: `127.0.0.1:51884`. In-process it has no port. */
function clientText(request: MockRequest): string {
  const { address } = readClient(request)
  const { port } = request
  return port === undefined ? address : `${hostInUrl(address)}:${port}`
}

function subjectOf({ request, exchange: { operation } }: ObservedExchange): WarningSubject {
  const link = operation === 'devices.links.get' ? linkQuery(request).link : undefined
  return {
    address: clientText(request),
    ...(operation === undefined ? {} : { operation }),
    ...(link === undefined ? {} : { device_link: link }),
  }
}

function linkQuery({ query = '' }: MockRequest): { readonly link?: string; readonly index: string | undefined } {
  const parameters = new URLSearchParams(query)
  const link = parameters.get('device_link_token')
  return { ...(link === null ? {} : { link }), index: parameters.get('watch_index') ?? undefined }
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  // Cached reads share one answer.
  if (one === other) return true
  return one !== undefined && one.length === other?.length && one.every((byte, i) => byte === other[i])
}

const oneClient = 'One client'
const sendIndex =
  'Send watch.index of the last answer as watch_index: the next answer then waits for a change. Check it with mockmaker lab.'

/** More unchanged answers than this in each of `hotSeconds` are a hot loop. */
const mostPerSecond = 20
const hotSeconds = 3

class Loop {
  #path: string | undefined
  #query: string | undefined
  /** The revision of the world that the answer is about. */
  #revision: number | undefined
  #length = 0
  /** Weak, because many clients may have got long answers. */
  #answer: WeakRef<Uint8Array> | undefined
  #second = 0
  #inSecond = 0
  #hot = 0
  /** The first request since when each second was hot: its time in real ms and in ms of the world, and its journal id. */
  #first = { at: 0, endedAt: 0, id: 0 }
  #count = 0
  /** The part of `#count` that a report has told. */
  #reported = 0
  #endedAt = 0
  #warning: Repeated<WarningFacts['hot loop']> | undefined

  /** Counts an exchange. Reports the mistake if it is one. */
  add(
    observed: ObservedExchange,
    report: (mistake: Mistake<WarningFacts['hot loop']>) => Repeated<WarningFacts['hot loop']> | undefined,
  ): void {
    const { exchange, endedAt } = observed
    if (!this.#isUnchanged(observed)) return
    if (endedAt - this.#second >= 1_000) this.#beginSecond(observed)
    this.#inSecond += 1
    this.#count += 1
    this.#endedAt = endedAt
    if (this.#hot < hotSeconds) return
    if (this.#warning) {
      this.#warning.again(exchange, this.#facts(exchange))
      return
    }
    this.#warning = report(this.#mistake(observed))
    this.#reported = this.#count
  }

  /** Compares an answer with the one before it. At one revision, the same request gets the same answer, so its bytes need no comparison. */
  #isUnchanged({ exchange: { revision }, request: { path, query }, response: { body } }: ObservedExchange): boolean {
    const isSameRequest = path === this.#path && query === this.#query
    if (isSameRequest && revision === this.#revision && body.length === this.#length) return true
    const before = this.#answer?.deref()
    if (before !== body) this.#answer = new WeakRef(body)
    this.#path = path
    this.#query = query
    this.#revision = revision
    this.#length = body.length
    return before !== undefined && isSame(before, body)
  }

  #beginSecond({ exchange: { at, id }, endedAt }: ObservedExchange): void {
    const isHot = endedAt - this.#second < 2_000 && this.#inSecond > mostPerSecond
    this.#hot = isHot ? this.#hot + 1 : 0
    if (!isHot) {
      this.#first = { at, id, endedAt }
      this.#count = 0
      this.#reported = 0
      this.#warning = undefined
    }
    this.#second = endedAt
    this.#inSecond = 0
  }

  #mistake(observed: ObservedExchange): Mistake<WarningFacts['hot loop']> {
    const { exchange, request } = observed
    const { link } = exchange.operation === 'devices.links.get' ? linkQuery(request) : {}
    return {
      ...(link === undefined ? { key: observed.key } : { key: link, replaces: 'watch without index' }),
      facts: this.#facts(exchange),
      subject: subjectOf(observed),
      requests: [this.#first.id, exchange.id],
      count: this.#count - this.#reported,
      since: this.#first.at,
    }
  }

  #facts({ operation }: ObservedExchange['exchange']): WarningFacts['hot loop'] {
    const [count, ms] = [this.#count, this.#endedAt - this.#first.endedAt]
    return { who: oneClient, operation: operation as OperationId, perSecond: Math.round((count * 1_000) / ms) } // it has one
  }
}

export const hotLoop: Rule<WarningFacts['hot loop']> = {
  sentence: ({ who, operation, perSecond }) =>
    `${who} ${operation === 'devices.links.get' ? 'asked for the same device link' : `called ${operation}`} ${perSecond} times a second, and nothing had changed`,
  advice: ({ operation }) =>
    operation === 'devices.links.get'
      ? sendIndex
      : 'Wait between two requests: one in some seconds is enough. Stop when you have what you need.',
  observe(report) {
    const loops = new RecentMap<Loop>()
    const add = (observed: ObservedExchange) => {
      const { operation, status, revisions } = observed.exchange
      if (operation === undefined || status === 0 || status >= 400 || revisions) return
      const key = observed.key
      let loop = loops.get(key)
      if (!loop) {
        loop = new Loop()
        loops.set(key, loop)
      }
      loop.add(observed, report)
    }
    return { read: add, exchange: add }
  },
}

const fewestPolls = 5

export const watchWithoutIndex: Rule<WarningFacts['watch without index']> = {
  sentence: ({ who, polls, old }) =>
    `${who} asked for a device link ${counted(polls, 'time', 'times')} ${old === 0 ? 'without watch_index' : old === polls ? 'with an old watch_index' : 'without watch_index, or with an old one'}`,
  advice: () => sendIndex,
  observe(report) {
    /** By link: the newest index, and the polls in a row without it. */
    const links = new RecentMap<{ index: string; polls: number; old: number; requests: number[]; since: number }>()
    return {
      read(observed) {
        const { exchange, request } = observed
        if (exchange.operation !== 'devices.links.get') return
        const { link, index } = linkQuery(request)
        const { watch, cloud_token } = Object(exchange.answerJson()) as { watch?: unknown; cloud_token?: unknown }
        const newest = isJsonObject(watch) ? watch.index : undefined
        if (link === undefined || typeof newest !== 'string' || cloud_token !== undefined) return
        const known = links.get(link)
        const isWrong = known !== undefined && index !== known.index
        const { at, id } = exchange
        if (!known || !isWrong) links.set(link, { index: newest, polls: 0, old: 0, requests: [], since: at })
        if (!known || !isWrong) return
        if (known.polls === 0) known.since = at
        known.index = newest
        known.polls += 1
        if (index !== undefined) known.old += 1
        known.requests.push(id)
        if (known.polls < fewestPolls) return
        report({
          key: link,
          facts: { who: oneClient, polls: known.polls, old: known.old },
          subject: subjectOf(observed),
          requests: known.requests.splice(0),
          count: known.polls === fewestPolls ? fewestPolls : 1,
          since: known.since,
        })
      },
    }
  },
}

/** So many equal refusals in a row are a mistake, if the pauses between them do not grow. */
const fewestRefusals = 5
/** A client that waits so long after each refusal needs no longer pauses, in ms. */
const longPauseMs = 10_000
/** In-process requests name no connection. Many clients may send the same one in this time, in ms. */
const crowdMs = 250
/** A longer body, in bytes, is no reason to warn: the bodies of many clients would take too much memory. */
const longestBody = 16_384
/** A timer may be early by so much, and `retry-after` counts whole seconds. In ms. */
export const earlyMs = 100

/** Tells whether pauses after failures, in ms, grow from the first to the last. */
export function doPausesGrow(pauses: readonly number[]): boolean {
  const [first = 0, last = first] = [pauses[0], pauses.at(-1)]
  return last >= 1.25 * first && last >= 100
}

class Refusals {
  // Copied from the request, which may hold a socket.
  readonly #path: string
  readonly #query: string | undefined
  readonly #body: Uint8Array | undefined
  readonly #isLong: boolean
  readonly #firstAt: number
  readonly #since: number
  /** The ids that no report has told: the first ones, and the newest ones. */
  readonly #requests: number[] = []
  #unreported = 0
  /** The first pause, and the newest ones. */
  readonly #pauses: number[] = []
  #status = -1
  #code: unknown
  #endedAt: number
  #count = 0
  /** The pause that an answer has asked for: in seconds, and from when, in real ms. */
  #asked: { readonly seconds: number; readonly from: number } | undefined

  constructor({ request, startedAt, exchange }: ObservedExchange) {
    this.#path = request.path
    this.#query = request.query
    this.#isLong = (request.body?.length ?? 0) > longestBody
    this.#body = this.#isLong ? undefined : request.body
    this.#firstAt = startedAt
    this.#endedAt = startedAt
    this.#since = exchange.at
  }

  /** Tells whether a request is the same as those that were refused. */
  isSame({ path, query, body }: MockRequest): boolean {
    return path === this.#path && query === this.#query && !this.#isLong && isSame(body, this.#body)
  }

  /** Adds a refusal. `undefined`: it is for another reason. Returns the mistakes of the client. */
  add(
    observed: ObservedExchange,
  ): Omit<Mistake<WarningFacts['no pause after failure']>, 'key' | 'subject'>[] | undefined {
    const { exchange, request, response, startedAt, endedAt } = observed
    const { status, id } = exchange
    const { code } = Object(exchange.answerJson()) as { code?: unknown }
    if (this.#count > 0 && (status !== this.#status || code !== this.#code)) return undefined
    const pause = startedAt - this.#endedAt
    // A request that was under way before the refusal is no answer to it.
    if (pause < 0) return []
    const isOfCrowd = (since: number) => request.port === undefined && startedAt - since < crowdMs
    const asked = this.#asked
    const isEarly = asked && !isOfCrowd(asked.from) && startedAt < asked.from + asked.seconds * 1_000 - earlyMs
    const early = isEarly
      ? [
          {
            facts: { who: oneClient, pauses: [pause], retryAfter: asked.seconds },
            requests: [this.#requests.at(-1) ?? id, id],
          },
        ]
      : []
    const seconds = Number(response.headers['retry-after'])
    if (seconds > 0) this.#asked = { seconds, from: endedAt }
    this.#status = status
    this.#code = code
    this.#endedAt = endedAt
    if (this.#count > 0) this.#pauses.push(pause)
    if (this.#pauses.length >= fewestRefusals) this.#pauses.splice(1, 1)
    this.#count += 1
    this.#unreported += 1
    addProof(this.#requests, id)
    const isPatient = this.#asked || pause >= longPauseMs || doPausesGrow(this.#pauses)
    if (this.#count < fewestRefusals || isPatient || isOfCrowd(this.#firstAt)) return early
    const facts = { who: oneClient, pauses: [...this.#pauses] }
    const mistake = { facts, requests: this.#requests.splice(0), count: this.#unreported, since: this.#since }
    this.#unreported = 0
    return [...early, mistake]
  }
}

export const noPauseAfterFailure: Rule<WarningFacts['no pause after failure']> = {
  sentence: ({ who, pauses, retryAfter }) =>
    retryAfter === undefined
      ? `${who} asked again after each failure, and the pauses do not grow: ${pauses.map(secondsText).join(', ')}`
      : `${who} asked again after ${secondsText(pauses[0] ?? 0)}, and retry-after said ${retryAfter} s`,
  advice: ({ retryAfter }) =>
    retryAfter === undefined
      ? 'Double the pause after each failure, up to some seconds. Give up on an error that stays.'
      : 'Wait for so many seconds after an answer with retry-after.',
  observe(report) {
    const refused = new RecentMap<Refusals>()
    return {
      read(observed) {
        if (refused.size > 0) refused.delete(observed.key)
      },
      exchange(observed) {
        const { exchange, request } = observed
        // A path that no operation has is a mistake of its own.
        if (exchange.operation === undefined) return
        if (!hasFailed(exchange)) {
          if (refused.size > 0) refused.delete(observed.key)
          return
        }
        const key = observed.key
        const known = refused.get(key)
        const mistakes = known?.isSame(request) ? known.add(observed) : undefined
        if (!mistakes) {
          const refusals = new Refusals(observed)
          refusals.add(observed)
          refused.set(key, refusals)
        }
        for (const mistake of mistakes ?? []) report({ key, subject: subjectOf(observed), ...mistake })
      },
    }
  },
}

export const noSuchCall: Rule<WarningFacts['no such call']> = {
  sentence: ({ call }) => `The service has no call ${call}`,
  advice: ({ near }) => (near === undefined ? 'npx mockmaker routes prints all calls.' : `Did you mean ${near}?`),
  observe(report) {
    return {
      exchange(observed) {
        const { exchange, request } = observed
        const { path, basePath = '', method } = request
        if (exchange.operation !== undefined || exchange.status !== 404 || isOfBrowser(request)) return
        if (routes.list('OPTIONS', path).length > 0) return
        const near = routes.suggest(path)
        // The journal has no tokens.
        const shown = `${method} ${shortened(exchange.entryWithoutAnswer().path)}`
        report({
          key: shown,
          facts: { call: shown, near: near && `${near.method} ${basePath}${near.path}` },
          subject: subjectOf(observed),
          requests: [exchange.id],
        })
      },
    }
  },
}

/** Browsers ask for such files by themselves: `/favicon.ico`. */
function isOfBrowser({ method, path }: MockRequest): boolean {
  return method === 'GET' && (/\.\w+$/.test(path) || path.startsWith('/.well-known/'))
}

export const cannedAnswers: Rule<WarningFacts['canned answers']> = {
  sentence: ({ operation }) =>
    `A client got a canned seat with a development token, and ${operation} used it as a real one`,
  advice: () =>
    'Use a public token: then find gives a seat in a lobby of the world. Of a canned seat, only the ports count.',
  observe(report) {
    let canned: number | undefined
    return {
      exchange(observed) {
        const { operation, caller, status, id } = observed.exchange
        const isDevelopment = caller?.kind === 'development'
        const isUse = operation === 'lobbies.join' || (operation === 'players.connected' && !isDevelopment)
        if (canned !== undefined && isUse && usesCanned(Object(observed.exchange.sentJson())))
          report({ key: operation, facts: { operation }, subject: subjectOf(observed), requests: [canned, id] })
        else if (isDevelopment && isSeatOperation(operation) && status === 200) canned = id
      },
    }
  },
}

function usesCanned({ lobby_id, player_token }: { lobby_id?: unknown; player_token?: unknown }): boolean {
  return lobby_id === nilUuid || (typeof player_token === 'string' && player_token.startsWith(devPlayerPrefix))
}

export const crowdFromOneAddress: Rule<WarningFacts['crowd from one address']> = {
  sentence: ({ address }) => `${address} has all the players that one address may have, and one more was refused`,
  advice: () =>
    'Players of one machine share an address. For a test of many, raise max_players_per_client in the scenario.',
  observe(report) {
    return {
      exchange(observed) {
        const { exchange, request } = observed
        if (exchange.status < 400 || !isSeatOperation(exchange.operation)) return
        const { code } = Object(exchange.answerJson()) as { code?: unknown }
        if (code !== 'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE') return
        const { address } = readClient(request)
        report({
          key: address,
          facts: { address },
          subject: { ...subjectOf(observed), address },
          requests: [exchange.id],
        })
      },
    }
  },
}
