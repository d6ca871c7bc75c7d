import type { Auth } from '../contract/operation.js'
import type { ServerPorts } from '../store/rows.js'

/** Who asks: what the token, or where there is none the Origin, says about a request. `server` is what a token was made for. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'tokenless'; readonly namespaceId: string }
  | { readonly kind: 'public'; readonly namespaceId: string }
  | { readonly kind: 'development'; readonly namespaceId: string; readonly server?: ServerPorts }
  | { readonly kind: 'lobby'; readonly lobbyId: string; readonly namespaceId: string }
  | { readonly kind: 'player'; readonly namespaceId: string }
  | { readonly kind: 'dev_player' }
  | { readonly kind: 'cloud'; readonly gameId: string }
  | { readonly kind: 'device' }

const anyToken = ['public', 'development', 'lobby', 'player', 'dev_player', 'cloud', 'device'] as const

/** The kinds of callers that an operation of each auth can have. */
export const admitted = {
  none: ['anonymous', ...anyToken],
  bearer: anyToken,
  namespace: ['tokenless', 'public', 'development'],
  public: ['public', 'development'],
  lobby: ['lobby', 'development'],
  cloud: ['cloud'],
} as const satisfies { readonly [Needed in Auth]: readonly Caller['kind'][] }

/** The callers that an operation of that auth can have. */
export type CallerOf<Needed extends Auth> = Extract<Caller, { kind: (typeof admitted)[Needed][number] }>
