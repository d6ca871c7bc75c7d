import { shellWord } from '../control/curl-line.js'

/** The kinds of tokens. */
export const tokenKinds = ['public', 'development', 'cloud'] as const
export type TokenKind = (typeof tokenKinds)[number]

/** The variables by which clients find a mock. Without a token there is none. */
export function environmentOf(url: string, token: string | undefined): Readonly<Record<string, string>> {
  return {
    MOCKMAKER_URL: url,
    RIVET_API_ENDPOINT: url,
    ...(token === undefined ? {} : { RIVET_TOKEN: token }),
  }
}

/** Variables as lines for a POSIX shell. */
export function exportLines(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).map(([name, value]) => `export ${name}=${shellWord(value)}`)
}
