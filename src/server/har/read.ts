import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import * as z from 'zod'
import type { OperationId } from '../../core/contract/operations.js'
import { parseJson as parseExactJson } from '../../core/lib/exact-json.js'
import { nestingLimit, textNestsWithin } from '../../core/lib/json.js'
import { lazy } from '../../core/lib/lazy.js'
import { parseUrl } from '../../core/lib/url.js'
import { UsageError } from '../../core/lib/usage-error.js'
import { routes } from '../../core/pipeline/routes.js'

/** The longest HAR, and the most bytes of its attached and decompressed bodies together. */
export const longestHar = 64 * 1024 * 1024

/** A recorded request to an operation, and its answer. */
export interface HarRequest {
  readonly operation: OperationId
  /** The parameters of the path. */
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
}

/** The reason why an entry of a HAR is no `RecordedRequest`: words that follow a number. */
type LeftOut =
  | 'for other paths'
  | 'without an answer'
  | 'without a kept body'
  | 'without a kept request body'
  | 'redirects'
  | 'unreadable'

/** The requests to the service in a HAR, in the order of their times. */
export interface HarRecording {
  readonly exchanges: readonly HarRequest[]
  /** The number of entries that were left out, by the reason. */
  readonly leftOut: ReadonlyMap<LeftOut, number>
  /** The texts that must not leave the HAR: tokens, cookies, and the values of fields with such names. */
  readonly secrets: ReadonlySet<string>
}

/** Headers, cookies or parameters. */
// A wrong one leaves the others.
const Pair = z.object({ name: z.string(), value: z.string() }).catch({ name: '', value: '' })
const Pairs = lazy(() => z.array(Pair).catch([]))
type Pairs = z.output<ReturnType<typeof Pairs>>

const optionalText = () => z.string().optional().catch(undefined)
const optionalNumber = () => z.number().optional().catch(undefined)
const bodyFields = () => ({
  text: optionalText().describe('The body.'),
  encoding: optionalText().describe('`base64`: the text is decoded.'),
  _file: optionalText().describe('The name of a file beside the HAR that has the body, as Playwright attaches it.'),
})
const secret = 'Not used. Its values are secrets: no output has them.'

/** An entry of a HAR: every field that is read, and what becomes of it. The docs list them. */
export const Entry = lazy(() =>
  z.object({
    startedDateTime: optionalText().describe('The order of the requests, and the time of the clock.'),
    time: optionalNumber().describe('When the answer came, in ms after the start.'),
    request: z.object({
      method: z.string().describe('The operation, with the path.'),
      url: z.string().describe('The operation by the end of its path, and the query. The host is left out.'),
      headers: Pairs().describe('`authorization` and `x-coords`. `content-length` tells that there was a body.'),
      cookies: Pairs().describe(secret),
      bodySize: optionalNumber().describe('Tells that there was a body.'),
      postData: z
        .object({
          ...bodyFields(),
          params: Pairs().describe('Not used, because the service has no forms. Secrets are found in it.'),
        })
        .optional()
        .catch(undefined),
    }),
    response: z.object({
      status: z.number().describe('The status. 0 means no answer.'),
      headers: Pairs().describe(
        '`retry-after` of errors. `content-encoding`: the body is decompressed if it is still compressed.',
      ),
      cookies: Pairs().describe(secret),
      content: z
        .object({ ...bodyFields(), size: optionalNumber().describe('0: the answer had no body.') })
        .optional()
        .catch(undefined),
    }),
  }),
)
type Entry = z.output<ReturnType<typeof Entry>>

const Archive = lazy(() => z.object({ log: z.object({ entries: z.array(z.unknown()) }) }))

/**
 * Reads the text of an HTTP Archive. Takes the requests to operations, under any prefix of their paths. Throws `UsageError` if
 * it is no HAR. No message has a part of the text.
 *
 * @param file the path of the HAR, for messages
 * @param readAttached reads a body that Playwright has attached as a file beside the HAR. Default: those answers are left out
 */
export function readHar(text: string, file: string, readAttached: ReadAttached = () => undefined): HarRecording {
  if (text.startsWith('PK')) throw new UsageError(`${file} is a zip: unpack it, and take the .har file in it`)
  const archive = Archive().safeParse(parseJson(text))
  if (!archive.success)
    throw new UsageError(`${file} is no HTTP Archive: expected JSON with log.entries, as developer tools save it`)
  const leftOut = new Map<LeftOut, number>()
  const secrets = new Set<string>()
  const exchanges: HarRequest[] = []
  const bodies = new Bodies(readAttached)
  for (const value of archive.data.log.entries) {
    const { success, data } = Entry().safeParse(value)
    const read = success ? readEntry(data, secrets, bodies) : 'unreadable'
    if (typeof read !== 'string') exchanges.push(read)
    else if (read !== 'preflight') leftOut.set(read, (leftOut.get(read) ?? 0) + 1)
  }
  exchanges.sort((one, other) => (one.sentAt ?? 0) - (other.sentAt ?? 0))
  return { exchanges, leftOut, secrets }
}

/** Reads a file beside a HAR. Returns `undefined` if it cannot. */
type ReadAttached = (name: string) => Buffer | undefined

const decompressions = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync }

/** Reads bodies, as long as they do not become too large together. */
class Bodies {
  readonly #readAttached: ReadAttached
  /** In bytes. */
  #left = longestHar

  constructor(readAttached: ReadAttached) {
    this.#readAttached = readAttached
  }

  /** Returns the text of a body. `undefined` if the HAR does not have it, or if there are too many bytes. */
  textOf(content: Entry['response']['content'] | Entry['request']['postData'], headers: Pairs): string | undefined {
    if (!content) return undefined
    const { text, encoding, _file: file } = content
    // The text beside an attached file is empty.
    const isAttached = !text && file !== undefined
    if (text !== undefined && !isAttached && encoding !== 'base64') return text
    const bytes = text === undefined || isAttached ? this.#attached(file) : Buffer.from(text, 'base64')
    if (!bytes) return undefined
    const plain = this.#decompressed(bytes, fieldsOf(headers)['content-encoding'])
    this.#left -= plain?.length ?? 0
    return this.#left < 0 ? undefined : plain?.toString()
  }

  #attached(name: string | undefined): Buffer | undefined {
    // Only a name: a path could lead anywhere.
    return name !== undefined && this.#left > 0 && /^\w[\w.-]*$/.test(name) ? this.#readAttached(name) : undefined
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

function parseJson(text: string): unknown {
  try {
    // Some tools begin a file with a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** `preflight`: a browser asked whether it may send a request. */
function readEntry(entry: Entry, secrets: Set<string>, bodies: Bodies): HarRequest | LeftOut | 'preflight' {
  const { request, response, startedDateTime, time = 0 } = entry
  const { status } = response
  const url = parseUrl(request.url)
  const parameters = [...(url?.searchParams ?? [])].map(([name, value]) => ({ name, value }))
  addSecretPairs([...request.headers, ...response.headers, ...parameters], secrets)
  for (const { value } of [...request.cookies, ...response.cookies]) addSecret(value, secrets)
  for (const text of [url?.username, url?.password]) addSecret(text ?? '', secrets)
  addSecretPairs(request.postData?.params ?? [], secrets)
  if (request.method === 'OPTIONS') return 'preflight'
  const found = url && findOperation(request.method, url.pathname)
  if (!found) return 'for other paths'
  const [sent, text] = [
    bodies.textOf(request.postData, request.headers),
    bodies.textOf(response.content, response.headers),
  ]
  const [body, answer] = [jsonOrText(sent), jsonOrText(text)]
  for (const one of [body, answer]) addSecretFields(one, secrets)
  if (status >= 300 && status < 400) return 'redirects'
  if (status < 200 || status > 599) return 'without an answer'
  // A HAR may be saved without bodies, and says nothing about an answer of the cache.
  if (text === undefined && response.content?.size !== 0) return 'without a kept body'
  const sentBytes = Math.max(request.bodySize ?? 0, Number(fieldsOf(request.headers)['content-length'] ?? 0))
  if (!sent && sentBytes > 0 && request.method !== 'GET') return 'without a kept request body'
  const ms = Date.parse(startedDateTime ?? '')
  const sentAt = Number.isNaN(ms) ? undefined : ms
  return {
    ...found,
    method: request.method,
    query: url.searchParams,
    headers: fieldsOf(request.headers),
    body,
    status,
    answer,
    answerHeaders: fieldsOf(response.headers),
    sentAt,
    answeredAt: sentAt === undefined ? undefined : Math.round(sentAt + Math.max(0, time)),
  }
}

/** Finds the operation of a path, which may have anything before it. */
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

/** Returns headers by their names in lower case. Of several with a name, the last one counts. */
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

/** Tells whether a header, a parameter or a field holds a secret, by its name. */
function isSecretName(name: string): boolean {
  return /authori[sz]ation|authenticat|(?:^|[-_])auth(?:$|[-_])|cookie|secret|password|token|api[-_]?key|session/i.test(
    name,
  )
}

/** Returns the code of an error, if it has the form of one. Anything else may be a free text. */
export function codeOf(answer: unknown): string | undefined {
  const { code } = Object(answer) as { code?: unknown }
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined
}
