import type { TokenInfo } from '../store/token-info.js'

const order: readonly TokenInfo['kind'][] = ['public', 'development', 'cloud']

/** Tokens in the order in which people look for them: public, development, cloud. */
export function publicFirst(tokens: readonly TokenInfo[]): TokenInfo[] {
  return order.flatMap(kind => tokens.filter(token => token.kind === kind))
}
