import type { Expectation, RequestPattern } from '../contract/journal.js'
import { controlPath, decodeSegment, deviceLinkPath } from '../contract/paths.js'
import { nestingLimit, textNestsWithin } from '../lib/json.js'

/** Cuts a token to its label: `pub_prod.…`, or `…` if it has none. */
export function redactToken(token: string): string {
  const label = /^([\w-]+)\./.exec(token)?.[1]
  return label === undefined ? '…' : `${label}.…`
}

/** Redacts the tokens that a mock has created. It recognises them by their form. */
function redactMintedTokens(text: string): string {
  // Most texts hold none, and the pattern is slower.
  if (!text.includes('.mock.')) return text
  return text.replaceAll(/(?<!\w)(\w+)\.mock\.[\w.%-]+/g, '$1.mock.…')
}

/**
 * A token in the path of a page or of the control API. The lookbehind starts only at a segment. Started at each of many
 * slashes, it would take quadratic time.
 */
const tokenInPath =
  /(?<=\/)(?=[^/\s"'?#])(?<=\/devices\/link\/+|\/__mock\/+(?:device[-_]links|tokens|players|stories)\/+)[^/\s"'?#]+/g

const tokenInQuery = /(?<=[?&](?:\w+_)?token=)[^&\s"'#]+/g

/** A token in a body that is not JSON: a form, or broken JSON. */
const tokenInBody = /(?<=\btoken\W{1,4}|_token\W{1,4})\w[^\s"'&,;}]*/g

/** Redacts the tokens in a text, also in the URLs that it contains. */
export function redactText(text: string): string {
  // Most texts have no such path, and the pattern is slower.
  const hasPath = text.includes(deviceLinkPath) || text.includes(`${controlPath}/`)
  const redacted = hasPath ? text.replaceAll(tokenInPath, redactToken) : text
  return redactMintedTokens(redacted.includes('token=') ? redacted.replaceAll(tokenInQuery, redactToken) : redacted)
}

/** Redacts the tokens in a message: those that a world has, whatever their form, and others by their form. */
export function redactMessage(message: string, isToken: (text: string) => boolean): string {
  // Tokens have no white space.
  return redactText(message.replaceAll(/\S+/g, word => redactWord(word, isToken)))
}

/** The most punctuation that a message has before and after a token. A token may have such characters itself. */
const mostPunctuation = 3

function redactWord(word: string, isToken: (text: string) => boolean): string {
  // A shortened word may be most of a token.
  if (/^[^…]{30,}…/.test(word)) return redactToken(word)
  for (let start = 0; start <= mostPunctuation; start++)
    for (let end = word.length; end > Math.max(start, word.length - 1 - mostPunctuation); end--) {
      const part = word.slice(start, end)
      // Messages quote texts as JSON does.
      if (isToken(part) || (part.includes('\\') && isToken(part.replaceAll(/\\(.)/g, '$1'))))
        return word.slice(0, start) + redactToken(part) + word.slice(end)
    }
  return word
}

/** Redacts the tokens in a path, percent-encoded ones too. */
export function redactPath(path: string): string {
  const redacted = redactText(path)
  return redacted.includes('%') ? redacted.split('/').map(redactSegment).join('/') : redacted
}

function redactSegment(segment: string): string {
  const decoded = decodeSegment(segment)
  const redacted = redactMintedTokens(decoded)
  return redacted === decoded ? segment : redacted
}

/** Parses a query into its parameters, with the tokens redacted. */
export function redactQuery(query: string): Record<string, string | string[]> {
  return collectValues(
    [...new URLSearchParams(query)].map(([name, value]) => [redactMintedTokens(name), redactParameter(name, value)]),
  )
}

function redactParameter(name: string, value: string): string {
  return isTokenName(name) ? redactToken(value) : redactText(value)
}

/** Redacts the tokens in headers, and all cookies. */
export function redactHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string | string[]> {
  return collectValues(
    Object.entries(headers).flatMap(([name, values]) =>
      // A middleware in front of the mock may have set a value that is not a string.
      [values ?? []].flat().map(value => [name, redactHeader(name, String(value))] as const),
    ),
  )
}

/** Redacts the value of a header. `name` is in lower case. */
function redactHeader(name: string, value: string): string {
  if (name === 'cookie') return '…'
  if (isTokenName(name.replaceAll('-', '_'))) return redactToken(value)
  if (name !== 'authorization' && name !== 'proxy-authorization') return redactText(value)
  const [scheme = '', ...token] = value.split(' ')
  return token.length === 0 ? redactToken(scheme) : `${scheme} ${redactToken(token.join(' '))}`
}

/** Redacts the tokens in a JSON value. Values below `levels` become `…`. Default: as deep as a body may nest. */
function redactJson(value: unknown, redact = redactText, levels = nestingLimit): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return '…'
  if (Array.isArray(value)) return value.map(item => redactJson(item, redact, levels - 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      redactMintedTokens(name),
      redactJson(field, isTokenName(name) ? redactToken : redact, levels - 1),
    ]),
  )
}

/** A response may contain the states of lobbies, each as deep as a body may be. */
const deepestBody = 2 * nestingLimit

const decoder = new TextDecoder()

/** Returns a redacted body under its name: as JSON, or else as text. Returns no field for an empty body. */
export function bodyField(
  name: 'body' | 'answer',
  bytes: Uint8Array | undefined,
): { body?: unknown; answer?: unknown } {
  if (bytes === undefined || bytes.length === 0) return {}
  if (!textNestsWithin(bytes, deepestBody)) return { [name]: `… (nests deeper than ${deepestBody} levels)` }
  const text = decoder.decode(bytes)
  try {
    return { [name]: redactJson(JSON.parse(text)) }
  } catch {
    return { [name]: redactText(text.includes('token') ? text.replaceAll(tokenInBody, redactToken) : text) }
  }
}

/** Redacts the tokens in an expectation, because the journal contains only redacted ones. */
export function redactExpectation({ order, ...expectation }: Expectation): Expectation {
  return { ...redactPattern(expectation), ...(order ? { order: order.map(redactPattern) } : {}) }
}

/** Redacts the tokens in a pattern of requests, as in an expectation. */
export function redactPattern<Pattern extends RequestPattern>(pattern: Pattern): Pattern {
  const { match } = pattern
  if (!match) return pattern
  const { path, query, headers, body } = match
  return {
    ...pattern,
    match: {
      ...match,
      ...(path === undefined ? {} : { path: unlessGlob(path, redactPath) }),
      ...(query ? { query: redactValues(query, redactParameter) } : {}),
      ...(headers ? { headers: redactValues(headers, (name, text) => redactHeader(name.toLowerCase(), text)) } : {}),
      ...(body === undefined ? {} : { body: redactJson(body) }),
    },
  }
}

function redactValues(
  values: Readonly<Record<string, string>>,
  redact: (name: string, text: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, unlessGlob(text, one => redact(name, one))]),
  )
}

/** Redacts a text unless it has a `*`. A pattern is not a whole token. */
function unlessGlob(text: string, redact: (text: string) => string): string {
  return text.includes('*') ? text : redact(text)
}

/** Tells whether a field, parameter or header holds a token: `token`, `device_link_token`. */
function isTokenName(name: string): boolean {
  return name === 'token' || name.endsWith('_token')
}

/** Groups values by name: a string for one value, an array for several. */
function collectValues(
  entries: readonly (readonly [name: string, value: string])[],
): Record<string, string | string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of entries) {
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return Object.fromEntries(
    [...values].map(([name, [first = '', ...more]]) => [name, more.length === 0 ? first : [first, ...more]]),
  )
}
