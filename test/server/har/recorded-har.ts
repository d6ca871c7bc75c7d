import type { Entry, Har } from 'har-format'
import type { RequestHandler } from '../../../src/core/pipeline/message.js'
import { ask, type TestRequest } from '../../support/http.js'

/** An exchange as a browser records it. */
export interface Recorded {
  readonly method?: string
  /** Default: a list of lobbies. */
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Default: 200. */
  readonly status?: number
  readonly answer?: unknown
  readonly answerHeaders?: Readonly<Record<string, string>>
  /** In ms since the epoch. */
  readonly at?: number
  /** In ms. */
  readonly took?: number
}

/** A region of no catalogue, as the service shows it. */
export const region = {
  region_id: 'moon',
  provider_display_name: 'Own',
  region_display_name: 'Moon',
  datacenter_coord: { latitude: 1, longitude: 2 },
  datacenter_distance_from_client: { kilometers: 3, miles: 2 },
}

/** A lobby of that region. */
export const lobby = {
  region_id: 'moon',
  game_mode_id: 'duel',
  lobby_id: 'one',
  max_players_normal: 2,
  max_players_direct: 2,
  max_players_party: 2,
  total_player_count: 1,
}

/** A list of that lobby. */
export const listAnswer = { game_modes: [{ game_mode_id: 'duel' }], lobbies: [lobby], regions: [region] }

const service = 'https://api.service.example'

const listed = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

/** Returns an entry of a HAR as a browser writes it. */
export function recordedEntry({
  method = 'GET',
  url = '/matchmaker/lobbies/list',
  headers = {},
  body,
  status = 200,
  answer,
  answerHeaders = {},
  at = 0,
  took = 20,
}: Recorded): Entry {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  const sent = body === undefined ? undefined : JSON.stringify(body)
  return {
    startedDateTime: new Date(at).toISOString(),
    time: took,
    request: {
      method,
      url: new URL(url, service).href,
      httpVersion: 'h2',
      cookies: [],
      headers: listed(headers),
      queryString: [],
      ...(sent !== undefined && { postData: { mimeType: 'application/json', text: sent } }),
      headersSize: -1,
      bodySize: Buffer.byteLength(sent ?? ''),
    },
    response: {
      status,
      statusText: '',
      httpVersion: 'h2',
      cookies: [],
      headers: listed(answerHeaders),
      content: {
        size: Buffer.byteLength(text ?? ''),
        mimeType: typeof answer === 'string' ? 'text/html' : 'application/json',
        ...(text !== undefined && { text }),
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { wait: took, receive: 0 },
  }
}

/** Returns the text of a HAR. */
export function recordedHar(entries: readonly (Recorded | Entry)[]): string {
  const har: Har = {
    log: {
      version: '1.2',
      creator: { name: 'test', version: '1' },
      entries: entries.map(entry => ('request' in entry ? entry : recordedEntry(entry))),
    },
  }
  return JSON.stringify(har)
}

/** Sends requests to a mock, one after the other, and records them with whole tokens. */
export async function record(
  mock: { readonly answer: RequestHandler },
  requests: readonly TestRequest[],
  at: number,
): Promise<Recorded[]> {
  const all: Recorded[] = []
  for (const request of requests) {
    const { method, path, query, headers = {}, body } = request
    const { status, body: text, headers: answerHeaders } = await ask(mock, request)
    all.push({
      method,
      url: path + (query === undefined ? '' : `?${query}`),
      headers,
      ...(body !== undefined && { body: parsed(String(body)) }),
      status,
      ...(text !== '' && { answer: parsed(text) }),
      answerHeaders,
      at,
    })
  }
  return all
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
