import { controlPath, deviceLinkPath } from '../contract/paths.js'
import { nestingLimit } from '../lib/json.js'
import { decodedSegment } from './decoded-segment.js'

/** A token cut to its label: `pub_prod.…`; of one that has none, nothing is left. */
function tokenLabel(token: string): string {
  const label = /^([\w-]+)\./.exec(token)?.[1]
  return label === undefined ? '…' : `${label}.…`
}

/** A text with the tokens in it that the mock has minted cut to their labels. */
function withoutMintedTokens(text: string): string {
  // Most texts hold none, and to look for all of them costs more.
  if (!text.includes('.mock.')) return text
  return text.replaceAll(/(?<!\w)(\w+)\.mock\.[\w.%-]+/g, '$1.mock.…')
}

/**
 * A token in a path of a page, or of the control API. Looks back only from where a segment begins: from each of many
 * slashes in a row, it would take the square of their number.
 */
const tokenInPath =
  /(?<=\/)(?=[^/\s"'?#])(?<=\/devices\/link\/+|\/__mock\/+(?:device[-_]links|tokens|players)\/+)[^/\s"'?#]+/g

/** A token in a query. */
const tokenInQuery = /(?<=[?&](?:\w+_)?token=)[^&\s"'#]+/g

/** A token in a body that is no JSON: a form, or one that is broken. */
const tokenInBody = /(?<=\btoken\W{1,4}|_token\W{1,4})\w[^\s"'&,;}]*/g

/** A text in which URLs may be, with their tokens cut to their labels. */
export function textWithoutTokens(text: string): string {
  // Most texts have none of them, and a pattern takes longer.
  const hasPlace = text.includes(deviceLinkPath) || text.includes(`${controlPath}/`)
  const inPath = hasPlace ? text.replaceAll(tokenInPath, tokenLabel) : text
  return withoutMintedTokens(inPath.includes('token=') ? inPath.replaceAll(tokenInQuery, tokenLabel) : inPath)
}

/** A path with its tokens cut to their labels. */
export function pathWithoutTokens(path: string): string {
  const cut = textWithoutTokens(path)
  return cut.includes('%') ? cut.split('/').map(segmentWithoutTokens).join('/') : cut
}

function segmentWithoutTokens(segment: string): string {
  const decoded = decodedSegment(segment)
  const cut = withoutMintedTokens(decoded)
  return cut === decoded ? segment : cut
}

/** Whether what has that name is a token: `token`, `device_link_token`. */
function namesToken(name: string): boolean {
  return name === 'token' || name.endsWith('_token')
}

/** The query's parameters with their tokens cut to their labels. */
export function queryWithoutTokens(query: string): Record<string, string | string[]> {
  return gathered(
    [...new URLSearchParams(query)].map(([name, value]) => [
      withoutMintedTokens(name),
      parameterWithoutToken(name, value),
    ]),
  )
}

/** The value of a parameter of a query. */
export function parameterWithoutToken(name: string, value: string): string {
  return namesToken(name) ? tokenLabel(value) : textWithoutTokens(value)
}

/** The headers with their tokens cut to their labels; a cookie is nobody's business. */
export function headersWithoutTokens(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string | string[]> {
  const cut = Object.entries(headers).flatMap(([name, values]) =>
    // Whoever stands in front of the mock may have set what is no text.
    [values ?? []].flat().map(value => [name, headerWithoutToken(name, String(value))] as const),
  )
  return gathered(cut)
}

/** The value of a header, by its name in lower case. */
export function headerWithoutToken(name: string, value: string): string {
  if (name === 'cookie') return '…'
  if (namesToken(name.replaceAll('-', '_'))) return tokenLabel(value)
  if (name !== 'authorization' && name !== 'proxy-authorization') return textWithoutTokens(value)
  const [scheme = '', ...token] = value.split(' ')
  return token.length === 0 ? tokenLabel(scheme) : `${scheme} ${tokenLabel(token.join(' '))}`
}

/** A body that is no JSON with its tokens cut to their labels. */
export function bodyWithoutTokens(body: string): string {
  return textWithoutTokens(body.includes('token') ? body.replaceAll(tokenInBody, tokenLabel) : body)
}

/** A JSON value with its tokens cut to their labels, and what nests deeper than a body may to `…`. */
export function jsonWithoutTokens(value: unknown): unknown {
  return cutJson(value, { cut: textWithoutTokens, levels: nestingLimit })
}

/** How the texts in a JSON value are cut, and how many levels are left. */
interface JsonCut {
  cut(text: string): string
  readonly levels: number
}

function cutJson(value: unknown, { cut, levels }: JsonCut): unknown {
  if (typeof value === 'string') return cut(value)
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return '…'
  const inner = { cut, levels: levels - 1 }
  if (Array.isArray(value)) return value.map(item => cutJson(item, inner))
  const entries = Object.entries(value).map(([name, field]) => [
    withoutMintedTokens(name),
    cutJson(field, namesToken(name) ? { ...inner, cut: tokenLabel } : inner),
  ])
  return Object.fromEntries(entries)
}

/** By name: one text, or all where there are several. */
function gathered(entries: readonly (readonly [name: string, value: string])[]): Record<string, string | string[]> {
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
