import { ApiError, type ErrorCode } from '../../core/contract/errors.js'
import { operations } from '../../core/contract/operations.js'
import { defaultWorldId } from '../../core/contract/paths.js'
import { completeDeviceLink } from '../../core/control/device-links.js'
import { parseJson, writeJson } from '../../core/lib/json.js'
import { createMock, type Mock } from '../../core/mock/mock.js'
import type { MockResponse } from '../../core/pipeline/message.js'
import { compareAnswers, type Drift, type Names } from './compare.js'
import { codeOf, type HarRecording, type HarRequest } from './read.js'
import { tokenOf } from './recorded-games.js'
import { completedLink, needsFault, scenarioOf } from './scenario-of.js'

/** A difference, with the requests that show it. */
export interface RequestDrift extends Drift {
  /** `GET /matchmaker/lobbies/list`. */
  readonly request: string
  /** The number of requests that show it. */
  readonly count: number
}

/** The comparison of a recording with the mock. */
export interface Comparison {
  readonly drifts: readonly RequestDrift[]
  /** The number of requests that were sent to the mock. */
  readonly compared: number
  /** The number of requests that were left out, by the reason. Those `of game servers` need the token of a lobby. */
  readonly leftOut: Readonly<Record<string, number>>
  /** The recorded errors that the world cannot give, because their reason is in no answer, and what it would answer instead. */
  readonly unexplained: ReadonlyMap<HarRequest, string>
}

/** Codes whose reason is in the request. For any other, a row, a token or a limit may be the reason that no answer shows. */
const codesOfRequests: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  'API_BAD_BODY',
  'API_BAD_HEADERS',
  'API_BAD_QUERY',
  'API_BODY_TOO_LARGE',
  'API_METHOD_NOT_ALLOWED',
  'API_UNAUTHORIZED',
  'CDN_INVALID_DOMAIN',
  'MATCHMAKER_CUSTOM_LOBBY_CONFIG_INVALID',
  'MATCHMAKER_NO_GAME_MODE_PROVIDED',
  'MATCHMAKER_TAG_NAME_TOO_LONG',
  'MATCHMAKER_TAG_TOO_LONG',
  'MATCHMAKER_TOO_MANY_TAGS',
])

/** The id of the copy of the world in which recorded errors are tried: the world itself stays as it was at each request. */
const trial = 'trial'

/** Replays a recording in a world made from it, and compares the answers. A watch is asked at the time of its answer. */
export async function compareRecording(recording: HarRecording): Promise<Comparison> {
  const replay = new Replay(recording)
  try {
    return await replay.run()
  } finally {
    await replay.close()
  }
}

const encoder = new TextEncoder()

class Replay {
  readonly #mock: Mock
  /** Ids and tokens of the mock, by the recorded ones. */
  readonly #known: Map<string, string>
  readonly #show: (recorded: string) => string
  /** The recorded tokens of the links that the recording itself completes. */
  readonly #completed: ReadonlySet<string>
  readonly #drifts = new Map<string, RequestDrift & { count: number }>()
  readonly #unexplained = new Map<HarRequest, string>()

  constructor(private readonly recording: HarRecording) {
    const { scenario, redaction } = scenarioOf(recording)
    // A recorded error that needs a fault is not sent.
    this.#mock = createMock({ scenario: { ...scenario, faults: [], clock: 'frozen' } })
    this.#known = new Map(redaction.tokens)
    this.#show = text => redaction.text(text)
    this.#completed = new Set(recording.exchanges.flatMap(completedLink))
  }

  async run(): Promise<Comparison> {
    const { exchanges, leftOut } = this.recording
    const own = exchanges.filter(({ operation }) => operations[operation].auth !== 'lobby')
    for (const exchange of inReplayOrder(own)) {
      if (needsFault(exchange)) continue
      const answer = await this.#send(exchange)
      const drifts = this.#compare(exchange, answer)
      const unexplained = exchange.status >= 400 && drifts.find(({ sure }) => sure === 'possible')
      if (unexplained) this.#unexplained.set(exchange, unexplained.mock)
      else this.#add(exchange, drifts)
    }
    const ofServers = exchanges.length - own.length
    return {
      drifts: [...this.#drifts.values()],
      unexplained: this.#unexplained,
      compared: own.length,
      leftOut: {
        ...(ofServers > 0 && { 'of game servers': ofServers }),
        ...Object.fromEntries([...leftOut].map(([reason, { length }]) => [reason, length])),
      },
    }
  }

  close(): Promise<void> {
    return this.#mock.close()
  }

  async #send(exchange: HarRequest): Promise<MockResponse> {
    const { method, operation, params, query, body } = exchange
    await this.#moveClock(replayTimeOf(exchange))
    this.#completeLink(exchange)
    const sent = new URLSearchParams([...query].map(([name, value]) => [name, this.#translate(value)]))
    // With an index, the mock would wait for a change.
    if (mayWait(exchange) && exchange.status < 400) sent.delete('watch_index')
    // A refused request must change nothing, also if the world would not refuse it.
    const { worlds } = this.#mock
    const world = exchange.status < 400 ? this.#mock.default : await worlds.put(trial, { fork: defaultWorldId })
    return world.answer({
      method,
      // A secret may be equal to a word of the path.
      path: operations[operation].path.replaceAll(/{(\w+)}/g, (_, name: string) =>
        encodeURIComponent(this.#translate(params[name] ?? '')),
      ),
      query: sent.toString(),
      headers: this.#headersOf(exchange),
      ...(body !== undefined && { body: encoder.encode(this.#bodyText(body)) }),
    })
  }

  /** Completes a link before its answer, as somebody did whose request is not in the recording. */
  #completeLink({ operation, query, answer }: HarRequest): void {
    const token = query.get('device_link_token')
    const { cloud_token } = Object(answer) as { cloud_token?: unknown }
    if (operation !== 'devices.links.get' || token === null || cloud_token === undefined) return
    if (this.#completed.has(token)) return
    const { world } = this.#mock.default
    const { deviceLinks, games } = world.tables
    const link = deviceLinks.get(this.#translate(token))
    const [game] = games.all()
    if (link?.status !== 'pending' || !game) return
    try {
      // No request: it would count for faults.
      completeDeviceLink(world, link.device_link_token, { game: game.game_id })
    } catch (error) {
      // It has expired. The answer of the mock shows that.
      if (!(error instanceof ApiError)) throw error
    }
  }

  async #moveClock(to: number | undefined): Promise<void> {
    const { clock } = this.#mock.default
    const ms = (to ?? 0) - clock.now()
    if (ms > 0) await clock.advance(ms)
  }

  #headersOf(exchange: HarRequest): Record<string, string> {
    const { 'x-coords': place } = exchange.headers
    const token = tokenOf(exchange)
    return {
      ...(place !== undefined && { 'x-coords': place }),
      ...(token !== undefined && { authorization: `Bearer ${this.#translate(token)}` }),
    }
  }

  #bodyText(body: unknown): string {
    return typeof body === 'string' ? body : writeJson(body, { textOf: text => this.#translate(text) })
  }

  #translate(recorded: string): string {
    return this.#known.get(recorded) ?? this.#show(recorded)
  }

  #compare(exchange: HarRequest, response: MockResponse): Drift[] {
    const { status, answer, headers, query } = exchange
    const text = new TextDecoder().decode(response.body)
    const mock: unknown = text === '' ? undefined : parseJson(text)
    const [code, mockCode] = [codeOf(answer), codeOf(mock)]
    const isOfRequests = [code, mockCode].every(one => one === undefined || codesOfRequests.has(one))
    const sure = isOfRequests ? 'certain' : 'possible'
    if (status !== response.status)
      return [
        {
          kind: 'status',
          path: '',
          sure,
          recorded: statusText(status, code),
          mock: statusText(response.status, mockCode),
        },
      ]
    if (status >= 400)
      return code === mockCode
        ? []
        : [{ kind: 'code', path: 'code', sure, recorded: code ?? 'none', mock: mockCode ?? 'none' }]
    const names: Names = {
      translate: recorded => this.#translate(recorded),
      learn: (recorded, ours) => void this.#known.set(recorded, ours),
      show: this.#show,
      hasPlace: headers['x-coords'] !== undefined,
    }
    const drifts = compareAnswers(answer, mock, names)
    // A journal cuts tokens, so that several links have the same one, and development tokens with other ports too.
    const token = tokenOf(exchange)
    const cuttable = [query.get('device_link_token'), token?.startsWith('dev_') ? token : undefined]
    const isCut = cuttable.some(text => text?.endsWith('…'))
    return isCut ? drifts.map(drift => ({ ...drift, sure: 'possible' })) : drifts
  }

  /** Adds the differences of a request. One that many elements of a list have counts once. */
  #add({ method, operation }: HarRequest, drifts: readonly Drift[]): void {
    const request = `${method} ${operations[operation].path}`
    const seen = new Set<string>()
    for (const drift of drifts) {
      const { kind, path, sure, recorded, mock } = drift
      const key = JSON.stringify([request, kind, path, sure, ...(kind === 'value' ? [] : [recorded, mock])])
      if (seen.has(key)) continue
      seen.add(key)
      const known = this.#drifts.get(key)
      if (known) known.count += 1
      else this.#drifts.set(key, { request, ...drift, count: 1 })
    }
  }
}

/** Sorts requests by the time at which each is sent to the mock. Those without a time stay behind the one before them. */
function inReplayOrder(exchanges: readonly HarRequest[]): HarRequest[] {
  if (exchanges.every(({ journalId }) => journalId !== undefined))
    return exchanges.toSorted((one, other) => Number(one.journalId) - Number(other.journalId))
  let last = 0
  const timed = exchanges.map(exchange => {
    const at = replayTimeOf(exchange) ?? last
    if (!mayWait(exchange)) last = at
    return { exchange, at }
  })
  return timed.sort((one, other) => one.at - other.at).map(({ exchange }) => exchange)
}

/** Returns when a request is sent to the mock. A watch is sent when its answer came: after the requests that it waited for. */
function replayTimeOf(exchange: HarRequest): number | undefined {
  return mayWait(exchange) ? exchange.answeredAt : exchange.sentAt
}

function mayWait({ operation, query }: HarRequest): boolean {
  return operations[operation].kind === 'watch' && query.has('watch_index')
}

function statusText(status: number, code: string | undefined): string {
  return status >= 400 && code !== undefined ? `${status} ${code}` : String(status)
}
