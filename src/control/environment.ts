import { shellWord } from './curl-line.js'

/** Variables of a process, by their names. */
export type Environment = Readonly<Record<string, string>>

/** What clients need to find a mock. */
interface ClientEnvironment {
  /** Where they reach it. Without a slash at its end. */
  readonly url: string
  readonly token?: string | undefined
  /** The name of the version that their namespace runs: `0.0.1`. */
  readonly versionName?: string | undefined
}

/** The variables by which clients find a mock (PROTOCOL.md C, E). What is unknown is left out. */
export function environmentOf({ url, token, versionName }: ClientEnvironment): Environment {
  return {
    MOCKMAKER_URL: url,
    RIVET_API_ENDPOINT: url,
    // Deprecated by the service, but all that the Unreal plugin reads (PROTOCOL.md E).
    RIVET_MATCHMAKER_API_URL: `${url}/matchmaker`,
    ...(token === undefined ? {} : { RIVET_TOKEN: token }),
    ...(versionName === undefined ? {} : { RIVET_VERSION_NAME: versionName }),
  }
}

/** Variables as lines for a POSIX shell. */
export function exportLines(environment: Environment): string[] {
  return Object.entries(environment).map(([name, value]) => `export ${name}=${shellWord(value)}`)
}
