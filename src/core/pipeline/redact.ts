import type { Expectation, RequestPattern } from '../contract/journal.js'
import { controlPath, decodeSegment, deviceLinkPath } from '../contract/paths.js'
import { keepDigits, nestingLimit, parseJson, setKey, textNestsWithin } from '../lib/json.js'
import { btoa, TextDecoder, URLSearchParams } from '../lib/real-globals.js'
import { redactCredentials } from '../lib/url.js'
import type { Tables } from '../store/model.js'
import { tokenTables } from '../store/rows.js'
import { namedTokens } from '../store/tokens.js'

/** Cuts a token to its label: `pub_prod.…`, or `…` if it has none. */
export function redactToken(token: string): string {
  const label = /^([\w-]+)\./.exec(token)?.[1]
  return label === undefined ? '…' : `${label}.…`
}

function redactMintedTokens(text: string): string {
  // Most texts hold none, and the pattern is slower.
  if (!text.includes('.mock.')) return text
  return text.replaceAll(/(?<!\w)(\w+)\.mock\.[\w.%-]+/g, '$1.mock.…')
}

/** A token in the path of a page or of the control API. The lookbehind starts at a segment: quadratic time otherwise. */
const tokenInPath =
  /(?<=\/)(?=[^/\s"'?#])(?<=\/devices\/link\/+|\/__mock\/+(?:device[-_]links|tokens|players|stories)\/+)[^/\s"'?#]+/g

const tokenInQuery = /(?<=[?&](?:\w+_)?token=)[^&\s"'#]+/g

/** A token in a body that is not JSON: a form, or broken JSON. */
const tokenInBody = /(?<=\btoken\W{1,4}|_token\W{1,4})\w[^\s"'&,;}]*/g

/** In characters. A shorter token is cut only where it is a word: other words have it by chance. */
const shortestPart = 8

/** A response may contain the states of lobbies, each as deep as a body may be. */
const deepestBody = 2 * nestingLimit

const decoder = new TextDecoder()

/**
 * Redacts the tokens in requests and their answers. It recognises those that the mock creates by their form, others by the name of
 * their field, and all that the mock knows wherever they stand.
 */
export class Redactor {
  /** Matches the known tokens that have no form of their own. */
  #known: RegExp | undefined
  /** Tells the state of the world that `#known` is for. */
  #knownAt = Number.NaN
  #lastPath = { path: '', at: Number.NaN, redacted: '' }

  constructor(
    private readonly tables: Tables,
    /** The texts that only the process knows, such as the control token. More may follow. */
    private readonly secrets: ReadonlySet<string>,
  ) {}

  /** Redacts the tokens in a text, also in the URLs that it contains, and percent-encoded ones. */
  text(text: string): string {
    const redacted = redactText(this.#cut(text))
    return redacted.includes('%') ? redacted.replaceAll(/[^\s"'/?#&]+/g, part => this.#decoded(part)) : redacted
  }

  /** Redacts the tokens in a path. Remembers the last one, because clients repeat their requests. */
  path(path: string): string {
    const at = this.#stateOfTokens()
    if (path !== this.#lastPath.path || at !== this.#lastPath.at)
      this.#lastPath = { path, at, redacted: this.text(path) }
    return this.#lastPath.redacted
  }

  /** Redacts the tokens in a message. A word that it has shortened may be most of a token. */
  message(message: string): string {
    return this.text(message.replaceAll(/(?<!\S)[^\s…]{30,}…\S*/g, redactToken))
  }

  /** Parses a query into its parameters, with the tokens redacted. */
  query(query: string): Record<string, string | string[]> {
    return collectValues(
      [...new URLSearchParams(query)].map(([name, value]) => [this.#name(name), this.#parameter(name, value)]),
    )
  }

  /** Redacts the tokens in headers, and all headers with the name of a secret: `cookie`, `x-api-key`. */
  headers(
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): Record<string, string | string[]> {
    return collectValues(
      Object.entries(headers).flatMap(([name, values]) =>
        // A middleware in front of the mock may have set a value that is not a string.
        [values ?? []].flat().map(value => [this.#name(name), this.#header(name, String(value))] as const),
      ),
    )
  }

  /** Returns a redacted body under its name: as JSON, or else as text. Returns no field for an empty body. */
  body(name: 'body' | 'answer', bytes: Uint8Array | undefined): { body?: unknown; answer?: unknown } {
    if (bytes === undefined || bytes.length === 0) return {}
    if (!textNestsWithin(bytes, deepestBody)) return { [name]: `… (nests deeper than ${deepestBody} levels)` }
    const text = decoder.decode(bytes)
    try {
      const fields = {}
      setKey(fields, name, this.#json(parseJson(text)))
      return fields
    } catch {
      return { [name]: this.text(text.includes('token') ? text.replaceAll(tokenInBody, redactToken) : text) }
    }
  }

  /** Redacts the tokens in an expectation, because the journal contains only redacted ones. */
  expectation({ order, ...expectation }: Expectation): Expectation {
    return { ...this.pattern(expectation), ...(order ? { order: order.map(one => this.pattern(one)) } : {}) }
  }

  /** Redacts the tokens in a pattern of requests, as in an expectation. */
  pattern<Pattern extends RequestPattern>(pattern: Pattern): Pattern {
    const { match } = pattern
    if (!match) return pattern
    const { path, query, headers, body } = match
    const header = (name: string, text: string) => this.#header(name.toLowerCase(), text)
    return {
      ...pattern,
      match: {
        ...match,
        ...(path === undefined ? {} : { path: unlessGlob(path, text => this.text(text)) }),
        ...(query ? { query: redactValues(query, (name, text) => this.#parameter(name, text)) } : {}),
        ...(headers ? { headers: redactValues(headers, header) } : {}),
        ...(body === undefined ? {} : { body: this.#json(body) }),
      },
    }
  }

  #cut(text: string): string {
    const at = this.#stateOfTokens()
    if (at !== this.#knownAt) {
      this.#known = patternOf([...this.secrets, ...namedTokens(this.tables)])
      this.#knownAt = at
    }
    return this.#known ? text.replaceAll(this.#known, redactToken) : text
  }

  /** Returns a number that changes with the tokens that the mock knows. */
  #stateOfTokens(): number {
    let state = this.secrets.size
    for (const name of tokenTables) state += this.tables[name].state.revision
    return state
  }

  #name(name: string): string {
    return redactMintedTokens(this.#cut(name))
  }

  /** Decodes a part of a URL if that has a token, and redacts it. */
  #decoded(part: string): string {
    const decoded = part.includes('%') ? decodeSegment(part) : part
    const redacted = this.#name(decoded)
    return redacted === decoded ? part : redacted
  }

  #parameter(name: string, value: string): string {
    return isTokenName(name) ? redactToken(value) : this.text(value)
  }

  /** Redacts the value of a header. `name` is in lower case. */
  #header(name: string, value: string): string {
    if (isTokenName(name.replaceAll('-', '_'))) return redactToken(value)
    if (name !== 'authorization' && name !== 'proxy-authorization') return isSecretName(name) ? '…' : this.text(value)
    const [scheme = '', ...token] = value.split(' ')
    return token.length === 0 ? redactToken(scheme) : `${this.text(scheme)} ${redactToken(token.join(' '))}`
  }

  /** Redacts the tokens in a JSON value. Values below `levels` become `…`. Default: as deep as a body may nest. */
  #json(value: unknown, isToken = false, levels = nestingLimit): unknown {
    if (typeof value === 'string') return isToken ? redactToken(value) : this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (levels === 0) return '…'
    if (Array.isArray(value)) {
      const items = value.map(item => this.#json(item, isToken, levels - 1))
      return keepDigits(items, value)
    }
    const fields = Object.entries(value).map(([name, field]) => [
      this.#name(name),
      this.#json(field, isToken || isTokenName(name), levels - 1),
    ])
    return keepDigits(Object.fromEntries(fields), value)
  }
}

function patternOf(tokens: readonly string[]): RegExp | undefined {
  if (tokens.length === 0) return undefined
  const forms = tokens.flatMap(token => {
    const base64 = btoa(token).replace(/=+$/, '')
    return [token, JSON.stringify(token).slice(1, -1), base64, base64.replaceAll('+', '-').replaceAll('/', '_')]
  })
  // A longer one may begin with a shorter one.
  const parts = [...new Set(forms)].sort((one, other) => other.length - one.length).map(literalPattern)
  return new RegExp(parts.join('|'), 'g')
}

function literalPattern(text: string): string {
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
  return text.length < shortestPart ? String.raw`(?<![\w-])${escaped}(?![\w-])` : escaped
}

function redactText(text: string): string {
  // Most texts have no such path, and the pattern is slower.
  const hasPath = text.includes(deviceLinkPath) || text.includes(`${controlPath}/`)
  const redacted = hasPath ? text.replaceAll(tokenInPath, redactToken) : text
  return redactCredentials(
    redactMintedTokens(redacted.includes('token=') ? redacted.replaceAll(tokenInQuery, redactToken) : redacted),
  )
}

function redactValues(
  values: Readonly<Record<string, string>>,
  redact: (name: string, text: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, unlessGlob(text, one => redact(name, one))]),
  )
}

function unlessGlob(text: string, redact: (text: string) => string): string {
  return text.includes('*') ? text : redact(text)
}

function isTokenName(name: string): boolean {
  return name === 'token' || name.endsWith('_token')
}

/** Tells whether a header, a parameter or a field of any service holds a secret, by its name. */
export function isSecretName(name: string): boolean {
  return /authori[sz]ation|authenticat|(?:^|[-_])auth(?:$|[-_])|cookie|secret|password|token|api[-_]?key|session/i.test(
    name,
  )
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
