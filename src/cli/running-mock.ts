import * as z from 'zod'
import { splitWorldUrl } from '../contract/paths.js'
import { type Environment, environmentOf, exportLines } from '../control/environment.js'
import { isJsonObject } from '../lib/json.js'
import { shortened } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import { versionNames } from '../operations/games.js'
import { JsonToYaml } from '../scenario/write-yaml.js'
import type { TokenKind } from './options.js'
import type { Console } from './output.js'

/** The options of `mockmaker env`. */
export interface EnvFlags {
  readonly url: string
  readonly token: TokenKind
}

/**
 * Prints the environment variables of a running mock as lines for a shell. They are for a client, with the first token of
 * the kind. With a `lobbyId` they are for the game server of that lobby. Rejects with `UsageError`.
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
  const { tokens } = await askRunningMock(url, `/tokens?kind=${kind}`)
  if (!Array.isArray(tokens)) throw notMockmaker(url)
  const first = parseEntries(tokens, Token).find(token => token.kind === kind)
  return environmentOf({ url, token: first?.token, versionName: first && (await versionNameFor(first, url)) })
}

/** Finds the version name of the token's namespace. For a cloud token it takes the first namespace of the game. */
async function versionNameFor(token: z.output<typeof Token>, url: string): Promise<string | undefined> {
  const { namespaces } = await askRunningMock(url, '/namespaces')
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
  const response = await askRunningMock(url, `/lobbies/${encodeURIComponent(lobbyId)}/env`)
  const variables = Object.entries(response).flatMap(([name, value]): [string, string][] =>
    allowedName.test(name) && typeof value === 'string' ? [[name, value]] : [],
  )
  const environment = Object.fromEntries(variables)
  if (environment.RIVET_TOKEN === undefined) throw notMockmaker(url)
  // Behind a proxy the mock does not know its own URL.
  return { ...environment, ...environmentOf({ url }) }
}

/** Parses the entries of a list, and leaves out those that do not fit the schema. */
function parseEntries<Entry>(list: readonly unknown[], schema: z.ZodType<Entry>): Entry[] {
  return list.flatMap(entry => schema.safeParse(entry).data ?? [])
}

function notMockmaker(url: string): UsageError {
  return new UsageError(`the server at ${url} is not mockmaker: pass the URL of a mock with --url`)
}

/** The options of `mockmaker export`. */
export interface ExportFlags {
  readonly url: string
  /** Also print these parts: `journal`, `faults`. */
  readonly with?: readonly string[]
  /** Print the world as it was at this revision. Default: the present one. */
  readonly revision?: number
}

/** Prints the snapshot of a running world as YAML, while it arrives. Rejects with `UsageError`. */
export async function exportScenario(
  { url, with: parts = [], revision }: ExportFlags,
  console: Console,
): Promise<void> {
  // Asking an unknown world for its snapshot would create it, and a typo would export an empty world.
  const { server = url, encodedId } = splitWorldUrl(url) ?? {}
  if (encodedId !== undefined) await askRunningMock(server, `/worlds/${encodedId}`)
  const query = new URLSearchParams()
  if (parts.length > 0) query.set('with', parts.join(','))
  if (revision !== undefined) query.set('revision', String(revision))
  const path = query.size === 0 ? '/snapshot' : `/snapshot?${query}`
  await console.printStream(toYaml(readRunningMock(url, path), url))
}

async function* toYaml(json: AsyncIterable<string>, url: string): AsyncGenerator<string, void> {
  const writer = new JsonToYaml()
  try {
    for await (const piece of json) yield writer.push(piece)
    yield writer.end()
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new UsageError(`the response of ${url} is not a snapshot: pass the URL of a mock with --url`)
    throw error
  }
}

/** The mock must begin its response within this time, in ms. */
const timeoutMs = 60_000

/** The longest error message that is shown, in characters. */
const maxMessage = 2_000

/** The longest part of an unknown error page that is shown, in characters. */
const maxPage = 200

/** Calls the control API of a running mock, or of the world that the URL names. Rejects with `UsageError` if that fails. */
async function askRunningMock(url: string, path: string): Promise<JsonObject> {
  let text = ''
  for await (const piece of readRunningMock(url, path)) text += piece
  return parseObject(text)
}

/** Makes the same call, and yields the text of the response in pieces as they arrive. */
async function* readRunningMock(url: string, path: string): AsyncGenerator<string, void> {
  const response = await request(url, path)
  if (!response.ok) throw refusal(url, response.status, await response.text())
  try {
    yield* response.body?.pipeThrough(new TextDecoderStream()) ?? []
  } catch (cause) {
    throw new UsageError(`${url} closed the connection before the end of its response: try again`, { cause })
  }
}

async function request(url: string, path: string): Promise<Response> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), timeoutMs)
  try {
    const headers = { accept: 'application/json' }
    return await fetch(`${url}/__mock${path}`, { headers, redirect: 'error', signal: abort.signal })
  } catch (cause) {
    throw new UsageError(`nothing answers at ${url}: start mockmaker there, or pass its URL with --url`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

function refusal(url: string, status: number, text: string): UsageError {
  const message = messageIn(text)
  // The server cannot know that the caller wanted the control API.
  const hint = message.startsWith('nothing is at') ? '. A mock started with --no-control has no control API.' : ''
  return new UsageError(`${url} answers ${status}: ${message}${hint}`)
}

/** Returns the message of an error, or the beginning of the text if another server answered. */
function messageIn(text: string): string {
  const { message } = parseObject(text)
  if (typeof message === 'string') return shortened(message, maxMessage)
  return shortened(text.trim(), maxPage) || 'the response is empty'
}

type JsonObject = Readonly<Record<string, unknown>>

/** Parses a JSON object. Returns an empty one for anything else, because any server may have answered. */
function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
