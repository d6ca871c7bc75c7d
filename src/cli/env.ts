import { UsageError } from '../contract/usage-error.js'
import { type Environment, environmentOf, exportLines } from '../control/environment.js'
import type { Console } from './console.js'
import { askRunningMock } from './running-mock.js'
import type { TokenKind } from './token-kind.js'

/** What `mockmaker env` was told. */
export interface EnvOptions {
  readonly url: string
  readonly token: TokenKind
}

/**
 * Prints variables of a running mock as lines for a shell: those by which clients find it, with the first token of its
 * kind, or those of the server of a lobby. Rejects with `UsageError`.
 */
export async function printEnvironment(
  lobbyId: string | undefined,
  options: EnvOptions,
  { printDocument }: Pick<Console, 'printDocument'>,
): Promise<void> {
  const environment = lobbyId === undefined ? await ofClients(options) : await ofLobby(lobbyId, options)
  printDocument(exportLines(environment).join('\n'))
}

async function ofClients({ url, token }: EnvOptions): Promise<Environment> {
  const { tokens } = parsed(await askRunningMock({ url, path: `/tokens?kind=${token}`, accept: 'application/json' }))
  if (!Array.isArray(tokens)) throw noMockmaker(url)
  // Whoever listens there may answer others, too.
  const first = (tokens as readonly { kind: string; token: string }[]).find(({ kind }) => kind === token)
  return environmentOf(url, first?.token)
}

async function ofLobby(lobbyId: string, { url }: EnvOptions): Promise<Environment> {
  const path = `/lobbies/${encodeURIComponent(lobbyId)}/env`
  const variables = parsed(await askRunningMock({ url, path, accept: 'application/json' }))
  const isEnvironment = Object.entries(variables).every(
    ([name, value]) => /^[A-Z]\w*$/.test(name) && typeof value === 'string',
  )
  if (!isEnvironment || variables.RIVET_TOKEN === undefined) throw noMockmaker(url)
  // A proxy may stand between, and then the mock does not know where it is reached. The rest has just been looked at.
  return { ...(variables as Environment), ...environmentOf(url, undefined) }
}

/** What an answer holds; nothing where it is no object. Whoever listens there may answer anything. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function noMockmaker(url: string): UsageError {
  return new UsageError(`what answers at ${url} is no mockmaker: name the URL of one with --url`)
}
