import * as z from 'zod'
import { type Environment, environmentOf, exportLines } from '../control/environment.js'
import { isJsonObject } from '../lib/json.js'
import { UsageError } from '../lib/usage-error.js'
import { versionNames } from '../operations/games.js'
import type { TokenKind } from './options.js'
import type { Console } from './output.js'
import { askRunningMock } from './running-mock.js'

/** The options of `mockmaker env`. */
export interface EnvFlags {
  readonly url: string
  readonly token: TokenKind
}

/**
 * Prints the environment variables of a running mock as lines for a shell: those of a client, with the first token of the
 * kind, or those of the game server of a lobby. Rejects with `UsageError`.
 */
export async function printEnvironment(lobbyId: string | undefined, flags: EnvFlags, console: Console): Promise<void> {
  const environment =
    lobbyId === undefined ? await clientEnvironment(flags) : await lobbyEnvironment(lobbyId, flags.url)
  console.printDocument(exportLines(environment).join('\n'))
}

const Token = z.object({
  kind: z.string(),
  token: z.string(),
  game_id: z.string().optional(),
  namespace_id: z.string().optional(),
})
const Namespace = z.object({ namespace_id: z.string(), game_id: z.string(), version_id: z.string() })

async function clientEnvironment({ url, token: kind }: EnvFlags): Promise<Environment> {
  const { tokens } = parseObject(await askRunningMock(url, `/tokens?kind=${kind}`))
  if (!Array.isArray(tokens)) throw notMockmaker(url)
  const first = parseEntries(tokens, Token).find(token => token.kind === kind)
  return environmentOf({ url, token: first?.token, versionName: first && (await versionNameFor(first, url)) })
}

/** Finds the version name of the token's namespace. For a cloud token it takes the first namespace of the game. */
async function versionNameFor(token: z.output<typeof Token>, url: string): Promise<string | undefined> {
  const { namespaces } = parseObject(await askRunningMock(url, '/namespaces'))
  if (!Array.isArray(namespaces)) return undefined
  const all = parseEntries(namespaces, Namespace)
  const own = all.find(({ namespace_id, game_id }) =>
    token.kind === 'cloud' ? game_id === token.game_id : namespace_id === token.namespace_id,
  )
  return own && versionNames(all.filter(({ game_id }) => game_id === own.game_id)).get(own.version_id)
}

/** The variables that a response may set. Others, such as `PATH` or `LD_PRELOAD`, could take over the shell. */
const allowedName = /^(?:MOCKMAKER|RIVET|PORT)_\w+$/

async function lobbyEnvironment(lobbyId: string, url: string): Promise<Environment> {
  const response = parseObject(await askRunningMock(url, `/lobbies/${encodeURIComponent(lobbyId)}/env`))
  const variables = Object.entries(response).flatMap(([name, value]): [string, string][] =>
    allowedName.test(name) && typeof value === 'string' ? [[name, value]] : [],
  )
  const environment = Object.fromEntries(variables)
  if (environment.RIVET_TOKEN === undefined) throw notMockmaker(url)
  // Behind a proxy the mock does not know its own URL.
  return { ...environment, ...environmentOf({ url }) }
}

/** Parses a JSON object. Returns an empty one for anything else, because any server may have answered. */
function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Parses the entries of a list, and leaves out those that do not fit the schema. */
function parseEntries<Entry>(list: readonly unknown[], schema: z.ZodType<Entry>): Entry[] {
  return list.flatMap(entry => schema.safeParse(entry).data ?? [])
}

function notMockmaker(url: string): UsageError {
  return new UsageError(`the server at ${url} is not mockmaker: pass the URL of a mock with --url`)
}
