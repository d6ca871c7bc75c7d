import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import * as z from 'zod'
import type { OperationSpec } from '../../core/contract/operation.js'
import { type OperationId, operations } from '../../core/contract/operations.js'
import { nestingLimit, parseJson as parseExactJson, textNestsWithin } from '../../core/lib/json.js'
import { lazy } from '../../core/lib/lazy.js'
import { UsageError } from '../../core/lib/messages.js'
import { parseUrl } from '../../core/lib/url.js'
import { isSecretName } from '../../core/pipeline/redact.js'
import { routes } from '../../core/pipeline/routes.js'

/** The longest HAR, and the most bytes of its attached and decompressed bodies together. */
export const longestHar = 64 * 1024 * 1024

/** A recorded request to an operation, and its answer. */
export interface HarRequest {
  /** The number of its entry in the HAR, from 1. */
  readonly entry: number
  readonly operation: OperationId
  readonly params: Readonly<Record<string, string>>
  readonly method: string
  /** The path below the URL of the service: `/matchmaker/lobbies/list`. */
  readonly path: string
  readonly query: URLSearchParams
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or a text. `undefined` if there was none. */
  readonly body: unknown
  readonly status: number
  /** JSON, or a text. `undefined` if it was empty. */
  readonly answer: unknown
  /** By name in lower case. */
  readonly answerHeaders: Readonly<Record<string, string>>
  /** When it was sent, in ms since the epoch. `undefined` if the HAR does not say it. */
  readonly sentAt: number | undefined
  /** When its answer came, in ms since the epoch. `undefined` if the HAR does not say it. */
  readonly answeredAt: number | undefined
  /** A fault of a mock was applied to it. */
  readonly isFaulted: boolean
  /** Its id in the journal of a mock. These rise in the order of the answers. */
  readonly journalId: number | undefined
}

/** The reason why an entry of a HAR is no `HarRequest`: words that follow a number. */
type LeftOut =
  | 'for other paths'
  | 'preflights'
  | 'without an answer'
  | 'redirects'
  | 'answered by a cache'
  | 'repeated by a service worker'
  | 'unreadable'
  | `${BodyFault} body`
  | `${BodyFault} request body`

type BodyFault = typeof missing | 'with a cut' | 'with an unreadable'

const missing = 'without a kept'

/** The requests to the service in a HAR, in the order of their times. */
export interface HarRecording {
  readonly exchanges: readonly HarRequest[]
  /** The numbers of the entries that were left out, by the reason. */
  readonly leftOut: ReadonlyMap<LeftOut, readonly number[]>
  /** The numbers of the entries that were read without a time, a header or a size, which is wrong or missing. */
  readonly incomplete: readonly number[]
  /** The texts that must not leave the HAR: tokens, cookies, and the values of fields with such names. */
  readonly secrets: ReadonlySet<string>
}

// A wrong one leaves the others.
const wrongPair = { name: '', value: '' }
const Pair = z.object({ name: z.string(), value: z.string() }).catch(wrongPair)
const Pairs = lazy(() => z.array(Pair).catch([wrongPair]))
type Pairs = z.output<ReturnType<typeof Pairs>>

const optionalText = () => z.string().optional().catch(undefined)
const optionalNumber = () => z.number().optional().catch(undefined)
const bodyFields = () => ({
  mimeType: optionalText(),
  text: optionalText().describe('The body. One that is shorter than its size, or JSON in part, is left out.'),
  encoding: optionalText().describe('`base64`: the text is decoded. Others are left out, unless the text is JSON.'),
  _file: optionalText().describe('A file beside the HAR that has the body, as Playwright attaches it.'),
})

/** An entry of a HAR: every field that is read, and what becomes of it. The docs list them. */
export const Entry = lazy(() =>
  z.object({
    startedDateTime: optionalText().describe('The order of the requests, and the time of the clock.'),
    time: optionalNumber().describe('When the answer came, in ms after the start. Below 0: unknown.'),
    _serviceWorkerRef: optionalText().describe(
      'A service worker sent it, says Playwright. It is left out if it repeats the request of a page.',
    ),
    _mockmaker: z
      .object({
        id: optionalNumber().describe('The order of the answers.'),
        fault: optionalText().describe('A fault of the mock: an error becomes a fault again.'),
      })
      .optional()
      .catch(undefined),
    request: z.object({
      method: z.string().describe('The operation, by the end of the path, and the query.'),
      url: z.string().describe('The operation, by the end of the path, and the query.'),
      headers: Pairs().describe('`authorization` and `x-coords`. `content-length` tells that there was a body.'),
      cookies: Pairs(),
      bodySize: optionalNumber().describe('Tells whether there was a body, and whether it is cut.'),
      postData: z
        .object({
          ...bodyFields(),
          params: Pairs(),
        })
        .optional()
        .catch(undefined),
    }),
    response: z.object({
      status: z.number().describe('The status. 0 means no answer.'),
      headers: Pairs().describe(
        '`retry-after` of errors. `content-encoding`: the body is decompressed if it is still compressed.',
      ),
      cookies: Pairs(),
      content: z
        .object({
          ...bodyFields(),
          size: optionalNumber().describe('Tells whether there was a body, and whether it is cut.'),
        })
        .optional()
        .catch(undefined),
      _fetchedViaServiceWorker: z
        .boolean()
        .optional()
        .catch(undefined)
        .describe(
          'A service worker answered, says Chromium. It is left out if the request of the worker is there too.',
        ),
    }),
  }),
)
type Entry = z.output<ReturnType<typeof Entry>>

const Archive = lazy(() => z.object({ log: z.object({ entries: z.array(z.unknown()) }) }))

interface HarOptions {
  /** Reads a body that Playwright has attached as a file beside the HAR. Default: those answers are left out. */
  readonly readAttached?: ReadAttached
  /** The end of the message if it is no HAR: what else the caller takes. */
  readonly alternative?: string | undefined
}

/**
 * Reads the text of an HTTP Archive. Takes the requests to operations, under any prefix of their paths. Throws `UsageError` if
 * it is no HAR. No message has a part of the text.
 *
 * @param file the path of the HAR, for messages
 */
export function readHar(
  text: string,
  file: string,
  { readAttached = () => undefined, alternative = '' }: HarOptions = {},
): HarRecording {
  // A zip, or a file that a proxy has compressed.
  if (/^(?:PK|.{0,3}\uFFFD)/s.test(text))
    throw new UsageError(`${file} is compressed or no UTF-8: unpack it, and take the .har file in it`)
  const json = parseJson(text)
  if (json === undefined && /^\uFEFF?\s*\{\s*"log"/.test(text))
    throw new UsageError(`${file} is an HTTP Archive that was cut, or whose JSON is wrong: save it again`)
  const archive = Archive().safeParse(json)
  if (!archive.success)
    throw new UsageError(
      `${file} is no HTTP Archive: expected JSON with log.entries, as developer tools save it${alternative}`,
    )
  const leftOut = new Map<LeftOut, number[]>()
  const leaveOut = (entry: number, reason: LeftOut) => {
    const entries = leftOut.get(reason)
    if (entries) entries.push(entry)
    else leftOut.set(reason, [entry])
  }
  const incomplete: number[] = []
  const secrets = new Set<string>()
  const read: ReadEntry[] = []
  const bodies = new Bodies(readAttached)
  for (const [i, value] of archive.data.log.entries.entries()) {
    const { success, data } = Entry().safeParse(value)
    const one = success ? readEntry(i + 1, data, secrets, bodies) : 'unreadable'
    if (typeof one === 'string') leaveOut(i + 1, one)
    else {
      read.push(one)
      if (isIncomplete(data as Entry)) incomplete.push(i + 1)
    }
  }
  const repeated = new Set(read.filter(one => isRepeated(one, read)))
  for (const { exchange } of repeated) leaveOut(exchange.entry, 'repeated by a service worker')
  const exchanges = read.filter(one => !repeated.has(one)).map(({ exchange }) => exchange)
  return { exchanges: inOrderOfTime(exchanges), leftOut, incomplete, secrets }
}

/** An exchange with what finds its repetition. */
interface ReadEntry {
  readonly exchange: HarRequest
  /** Equal for equal requests. Playwright may not have the body of an answer to a service worker. */
  readonly key: string
  readonly isOfWorker: boolean
}

/** Tells whether the entry is the same request again, as a service worker has forwarded it for a page. Both overlap. */
function isRepeated({ exchange, key, isOfWorker }: ReadEntry, all: readonly ReadEntry[]): boolean {
  if (!isOfWorker) return false
  const { sentAt = 0, answeredAt = 0 } = exchange
  return all.some(
    other =>
      !other.isOfWorker &&
      other.key === key &&
      (other.exchange.sentAt ?? 0) <= answeredAt &&
      sentAt <= (other.exchange.answeredAt ?? 0),
  )
}

function inOrderOfTime(exchanges: readonly HarRequest[]): HarRequest[] {
  let last = 0
  const timed = exchanges.map(exchange => {
    last = exchange.sentAt ?? last
    return { exchange, at: last }
  })
  return timed.sort((one, other) => one.at - other.at).map(({ exchange }) => exchange)
}

function isIncomplete({ startedDateTime, time = -1, request, response }: Entry): boolean {
  const isTimed = time >= 0 && !Number.isNaN(Date.parse(startedDateTime ?? ''))
  const { method, postData, bodySize } = request
  if (method !== 'GET' && !postData && bodySize === undefined) return true
  return !isTimed || [...request.headers, ...response.headers].includes(wrongPair)
}

/** Reads a file beside a HAR. Returns `undefined` if it cannot. */
type ReadAttached = (name: string) => Buffer | undefined

const decompressions = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync }

/** Reads bodies, as long as they do not become too large together. */
class Bodies {
  /** In bytes. */
  #left = longestHar

  constructor(private readonly readAttached: ReadAttached) {}

  /** Returns the value of a body, which may be empty, or its fault. `size`: its bytes before a compression. 0 if unknown. */
  read(
    content: Entry['response']['content'] | Entry['request']['postData'],
    { headers, size }: { readonly headers: Pairs; readonly size: number },
  ): { readonly text?: string; readonly value?: unknown; readonly fault?: BodyFault } {
    if (!content) return { fault: missing }
    const { text, mimeType = '', encoding = '', _file: file } = content
    // The text beside an attached file is empty.
    const isAttached = !text && file !== undefined
    const isPlain = !isAttached && encoding.toLowerCase() !== 'base64'
    const bytes = isAttached ? this.#attached(file) : Buffer.from(text ?? '', isPlain ? 'utf8' : 'base64')
    if (!bytes || (text === undefined && !isAttached)) return { fault: missing }
    const whole = isPlain ? bytes : this.#decompressed(bytes, fieldsOf(headers)['content-encoding'])
    if (!isPlain) this.#left -= whole?.length ?? 0
    if (!whole || this.#left < 0) return { fault: missing }
    const read = isPlain ? text : textOf(whole)
    if (read === undefined) return { fault: 'with an unreadable' }
    if (read === '' && size > 0) return { fault: missing }
    const value = jsonOrText(read)
    if (typeof value !== 'string') return { text: read, value }
    if (isPlain && !/^(utf-?8)?$/i.test(encoding)) return { fault: 'with an unreadable' }
    // The size may be that of the compressed body, or missing.
    const isCut = whole.length < size || (whole.length !== size && /\bjson\b/i.test(mimeType))
    return isCut ? { fault: 'with a cut' } : { text: read, value }
  }

  #attached(name: string | undefined): Buffer | undefined {
    // Only a name: a path could lead anywhere.
    return name !== undefined && this.#left > 0 && /^\w[\w.-]*$/.test(name) ? this.readAttached(name) : undefined
  }

  /** Most tools save a body as it was before its compression, but keep the header. `undefined` if it becomes too large. */
  #decompressed(bytes: Buffer, header = ''): Buffer | undefined {
    const names = header
      .toLowerCase()
      .split(',')
      .map(name => name.trim().replace(/^x-/, ''))
    try {
      return names.reduceRight((inner, name) => {
        const decompress = decompressions[name as keyof typeof decompressions]
        return decompress?.(inner, { maxOutputLength: Math.max(1, this.#left) }) ?? inner
      }, bytes)
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? undefined : bytes
    }
  }
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    // Some tools begin a file with a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

function readEntry(entry: number, data: Entry, secrets: Set<string>, bodies: Bodies): ReadEntry | LeftOut {
  const { request, response, startedDateTime, time = 0 } = data
  const { status } = response
  const url = parseUrl(request.url)
  addSecretsOf(data, url, secrets)
  if (request.method === 'OPTIONS') return 'preflights'
  const found = url && findOperation(request.method, url.pathname)
  if (!found) return 'for other paths'
  const [headers, answerHeaders] = [fieldsOf(request.headers), fieldsOf(response.headers)]
  const size = Math.max(request.bodySize ?? 0, lengthIn(headers))
  const body = bodies.read(request.postData, { headers: request.headers, size })
  const answerSize = Math.max(response.content?.size ?? 0, lengthIn(answerHeaders))
  const answer = bodies.read(response.content, { headers: response.headers, size: answerSize })
  for (const { value } of [body, answer]) addSecretFields(value, secrets)
  if (status === 304) return 'answered by a cache'
  if (status >= 300 && status < 400) return 'redirects'
  if (status < 200 || status > 599) return 'without an answer'
  const spec: OperationSpec = operations[found.operation]
  // A HAR may be saved without bodies.
  const isEmpty = response.content?.size === 0 && answerSize === 0 && (status >= 400 || spec.output === undefined)
  if (answer.fault && !(answer.fault === missing && isEmpty)) return `${answer.fault} body`
  if (request.method !== 'GET') {
    if (body.fault && body.fault !== missing) return `${body.fault} request body`
    const isNeeded = size > 0 || (status < 300 && spec.body?.safeParse({}).success === false)
    if (!body.text && isNeeded) return `${missing} request body`
    // The service has read it.
    if (status < 300 && spec.body && typeof body.value === 'string') return 'with an unreadable request body'
  }
  const ms = Date.parse(startedDateTime ?? '')
  const sentAt = Number.isNaN(ms) ? undefined : ms
  const exchange: HarRequest = {
    entry,
    ...found,
    method: request.method,
    query: url.searchParams,
    headers,
    body: body.value,
    status,
    answer: answer.value,
    answerHeaders,
    sentAt,
    answeredAt: sentAt === undefined ? undefined : Math.round(sentAt + Math.max(0, time)),
    isFaulted: data._mockmaker?.fault !== undefined,
    journalId: data._mockmaker?.id,
  }
  const isOfWorker = data._serviceWorkerRef !== undefined || response._fetchedViaServiceWorker === true
  return { exchange, key: JSON.stringify([request.method, request.url, body.text, status]), isOfWorker }
}

function addSecretsOf({ request, response }: Entry, url: URL | undefined, secrets: Set<string>): void {
  const parameters = [...(url?.searchParams ?? [])].map(([name, value]) => ({ name, value }))
  addSecretPairs([...request.headers, ...response.headers, ...parameters], secrets)
  for (const { value } of [...request.cookies, ...response.cookies]) addSecret(value, secrets)
  for (const text of [url?.username, url?.password]) addSecret(text ?? '', secrets)
  addSecretPairs(request.postData?.params ?? [], secrets)
}

function lengthIn(headers: Readonly<Record<string, string>>): number {
  return headers['content-encoding'] === undefined ? Number(headers['content-length'] ?? 0) || 0 : 0
}

function findOperation(
  method: string,
  pathname: string,
): Pick<HarRequest, 'operation' | 'params' | 'path'> | undefined {
  for (let at = 0; at !== -1; at = pathname.indexOf('/', at + 1)) {
    const path = pathname.slice(at)
    const [operation] = routes.list(method, path)
    if (operation !== undefined) return { operation, params: routes.find(method, path).params, path }
  }
  return undefined
}

function fieldsOf(headers: Pairs): Record<string, string> {
  return Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
}

/** An answer may contain the states of lobbies, each as deep as a body may be. */
const deepestBody = 2 * nestingLimit

function jsonOrText(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined
  // A deeper value would overflow the stack of the code that walks through it.
  if (!textNestsWithin(new TextEncoder().encode(text), deepestBody)) return text
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

/** In characters. Shorter values are no secrets: they are in other texts by chance. */
export const shortestSecret = 8

function addSecret(text: string, secrets: Set<string>): void {
  // A token has parts, and an id may be one of them.
  for (const part of [text, ...text.split(/[^\w-]+/)]) if (part.length >= shortestSecret) secrets.add(part)
}

function addSecretPairs(pairs: Pairs, secrets: Set<string>): void {
  for (const { name, value } of pairs)
    if (isSecretName(name)) for (const part of [value, ...value.split(/[\s;,=]+/)]) addSecret(part, secrets)
}

function addSecretFields(value: unknown, secrets: Set<string>, isSecret = false): void {
  if (typeof value === 'string') {
    if (isSecret) addSecret(value, secrets)
  } else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value))
      addSecretFields(field, secrets, isSecretName(name) || (isSecret && Array.isArray(value)))
}

/** Returns the code of an error, if it has the form of one. Anything else may be a free text. */
export function codeOf(answer: unknown): string | undefined {
  const { code } = Object(answer) as { code?: unknown }
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined
}
