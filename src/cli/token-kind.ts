/** The kinds of tokens. */
export const tokenKinds = ['public', 'development', 'cloud'] as const
export type TokenKind = (typeof tokenKinds)[number]
