import type { ExchangePattern, Expectation } from '../contract/journal.js'
import { headerWithoutToken, jsonWithoutTokens, parameterWithoutToken, pathWithoutTokens } from './token-label.js'

/** What is expected, its tokens cut to their labels as those of the journal are, or no whole token would ever be found. */
export function withoutTokens({ order, ...expectation }: Expectation): Expectation {
  return { ...patternWithoutTokens(expectation), ...(order ? { order: order.map(patternWithoutTokens) } : {}) }
}

function patternWithoutTokens<Pattern extends ExchangePattern>(pattern: Pattern): Pattern {
  const { match } = pattern
  if (!match) return pattern
  const { path, query, headers, body } = match
  return {
    ...pattern,
    match: {
      ...match,
      ...(path === undefined ? {} : { path: unlessPattern(path, pathWithoutTokens) }),
      ...(query ? { query: cut(query, parameterWithoutToken) } : {}),
      ...(headers ? { headers: cut(headers, (name, text) => headerWithoutToken(name.toLowerCase(), text)) } : {}),
      ...(body === undefined ? {} : { body: jsonWithoutTokens(body) }),
    },
  }
}

type Texts = Readonly<Record<string, string>>

function cut(texts: Texts, without: (name: string, text: string) => string): Texts {
  const entries = Object.entries(texts)
  return Object.fromEntries(entries.map(([name, text]) => [name, unlessPattern(text, one => without(name, one))]))
}

/** What is no whole token is compared with what is left of one. */
function unlessPattern(text: string, without: (text: string) => string): string {
  return text.includes('*') ? text : without(text)
}
