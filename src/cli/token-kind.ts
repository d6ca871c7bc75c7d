/** The kinds of tokens that clients are given. The server of a lobby has that of its lobby. */
export const tokenKinds = ['public', 'development', 'cloud'] as const
export type TokenKind = (typeof tokenKinds)[number]
