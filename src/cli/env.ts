import { UsageError } from '../contract/usage-error.js'
import type { Console } from './console.js'
import { environmentOf, exportLines, type TokenKind } from './environment.js'
import { askRunningMock } from './running-mock.js'

/** What `mockmaker env` was told. */
export interface EnvOptions {
  readonly url: string
  readonly token: TokenKind
}

/** Prints the variables by which clients find a running mock, for a shell. The token is the first one of its kind. Rejects with `UsageError`. */
export async function printEnvironment({ url, token }: EnvOptions, { print }: Pick<Console, 'print'>): Promise<void> {
  const tokens = tokensIn(await askRunningMock({ url, path: '/tokens', accept: 'application/json' }))
  if (!tokens) throw new UsageError(`what answers at ${url} is no mockmaker: name the URL of one with --url`)
  const first = tokens.find(({ kind }) => kind === token)?.token
  for (const line of exportLines(environmentOf(url, first))) print(line)
}

interface Token {
  readonly kind: string
  readonly token: string
}

/** The tokens of an answer; `undefined` where it has none. */
function tokensIn(text: string): readonly Token[] | undefined {
  try {
    // Whoever listens there may answer anything.
    const { tokens } = JSON.parse(text) as { readonly tokens?: readonly Token[] }
    return Array.isArray(tokens) ? tokens : undefined
  } catch {
    return undefined
  }
}
