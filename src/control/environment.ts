import { shellWord } from './curl-line.js'

/** Variables of a process, by their names. */
export type Environment = Readonly<Record<string, string>>

/** The variables by which clients find a mock. Without a token there is none. */
export function environmentOf(url: string, token: string | undefined): Environment {
  return {
    MOCKMAKER_URL: url,
    RIVET_API_ENDPOINT: url,
    // Deprecated by the service, but all that the Unreal plugin reads (PROTOCOL.md E).
    RIVET_MATCHMAKER_API_URL: `${url}/matchmaker`,
    ...(token === undefined ? {} : { RIVET_TOKEN: token }),
  }
}

/** Variables as lines for a POSIX shell. */
export function exportLines(environment: Environment): string[] {
  return Object.entries(environment).map(([name, value]) => `export ${name}=${shellWord(value)}`)
}
