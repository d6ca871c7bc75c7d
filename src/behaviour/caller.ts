import type { Auth } from '../contract/operation.js'

/** Who asks: what the token, or where there is none the Origin, says about a request. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'tokenless' | 'public' | 'development'; readonly namespaceId: string }
  | { readonly kind: 'cloud'; readonly gameId: string }
  | { readonly kind: 'device' }

/** The callers that an operation of that auth can have. */
export type CallerOf<Needed extends Auth> = Needed extends 'namespace'
  ? Extract<Caller, { namespaceId: string }>
  : Needed extends 'cloud'
    ? Extract<Caller, { kind: 'cloud' }>
    : Caller
