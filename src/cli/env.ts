import * as z from 'zod'
import { versionNames } from '../behaviour/game.js'
import { type Environment, environmentOf, exportLines } from '../control/environment.js'
import { isJsonObject } from '../lib/json.js'
import { UsageError } from '../lib/usage-error.js'
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

async function ofClients({ url, token: kind }: EnvOptions): Promise<Environment> {
  const { tokens } = parsed(await askRunningMock({ url, path: `/tokens?kind=${kind}`, accept: 'application/json' }))
  if (!Array.isArray(tokens)) throw noMockmaker(url)
  const first = entriesOf(tokens, ShownToken).find(token => token.kind === kind)
  return environmentOf({ url, token: first?.token, versionName: first && (await versionNameFor(first, url)) })
}

const ShownToken = z.object({
  kind: z.string(),
  token: z.string(),
  game_id: z.string().optional(),
  namespace_id: z.string().optional(),
})
const ShownNamespace = z.object({ namespace_id: z.string(), game_id: z.string(), version_id: z.string() })

/** The name of the version that the namespace of a token runs; of a cloud token, the first namespace of its game. */
async function versionNameFor(token: z.output<typeof ShownToken>, url: string): Promise<string | undefined> {
  const { namespaces } = parsed(await askRunningMock({ url, path: '/namespaces', accept: 'application/json' }))
  if (!Array.isArray(namespaces)) return undefined
  const all = entriesOf(namespaces, ShownNamespace)
  const own = all.find(({ namespace_id, game_id }) =>
    token.kind === 'cloud' ? game_id === token.game_id : namespace_id === token.namespace_id,
  )
  return own && versionNames(all.filter(({ game_id }) => game_id === own.game_id)).get(own.version_id)
}

/** The variables that an answer may set. Others, such as `PATH` or `LD_PRELOAD`, could take over the shell. */
const acceptedName = /^(?:MOCKMAKER|RIVET|PORT)_\w+$/

async function ofLobby(lobbyId: string, { url }: EnvOptions): Promise<Environment> {
  const path = `/lobbies/${encodeURIComponent(lobbyId)}/env`
  const answer = parsed(await askRunningMock({ url, path, accept: 'application/json' }))
  const variables = Object.entries(answer).flatMap(([name, value]): [string, string][] =>
    acceptedName.test(name) && typeof value === 'string' ? [[name, value]] : [],
  )
  const environment = Object.fromEntries(variables)
  if (environment.RIVET_TOKEN === undefined) throw noMockmaker(url)
  // Behind a proxy, the mock does not know its own URL.
  return { ...environment, ...environmentOf({ url }) }
}

/** The fields of an answer; none where it is no object. Any server may answer there. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const answer: unknown = JSON.parse(text)
    return isJsonObject(answer) ? answer : {}
  } catch {
    return {}
  }
}

/** The entries of a list that fit a schema. */
function entriesOf<Entry>(list: readonly unknown[], schema: z.ZodType<Entry>): Entry[] {
  return list.flatMap(entry => schema.safeParse(entry).data ?? [])
}

function noMockmaker(url: string): UsageError {
  return new UsageError(`what answers at ${url} is no mockmaker: name the URL of one with --url`)
}
