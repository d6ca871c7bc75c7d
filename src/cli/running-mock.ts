import * as z from 'zod'
import { ClientError, call, type InputOf, type Output, type Remote, type Route } from '../client/call.js'
import { readinessPath, splitWorldUrl } from '../core/contract/paths.js'
import { type Environment, environmentOf, exportLines } from '../core/control/environment.js'
import { BodyTooLong, limitedResponse } from '../core/lib/limited-response.js'
import { escapedLine, shortened, startPage, UsageError } from '../core/lib/messages.js'
import { versionNames } from '../core/operations/games.js'
import type { FlagsOf } from './flags.js'
import type { Console } from './output.js'

/** The URL and the control token of the mock that a command calls. */
export interface ControlAddress {
  readonly url: string
  readonly controlToken?: string | undefined
}

/** Prints the variables for a client as lines for a shell, or with a `lobbyId` those for its game server. */
export async function printEnvironment(
  lobbyId: string | undefined,
  flags: FlagsOf<'env'>,
  console: Console,
): Promise<void> {
  const environment = lobbyId === undefined ? await clientEnvironment(flags) : await lobbyEnvironment(lobbyId, flags)
  console.printDocument(exportLines(environment).join('\n'))
}

const Token = z.object({
  kind: z.string(),
  token: z.string(),
  game_id: z.string().optional(),
  namespace_id: z.string().optional(),
})
const Namespace = z.object({ namespace_id: z.string(), game_id: z.string(), version_id: z.string() })

/** Returns the variables for a client of a running mock, with its first token of a kind. Rejects with `UsageError`. */
export async function clientEnvironment({ token: kind, ...address }: FlagsOf<'env'>): Promise<Environment> {
  const { url } = address
  const { tokens } = await ask(address, 'GET /{table}', { params: { table: 'tokens' }, query: { kind } })
  if (!Array.isArray(tokens)) throw notMockmaker(url)
  const first = parseEntries(tokens, Token).find(token => token.kind === kind)
  return environmentOf(url, first?.token, first && (await versionNameFor(first, address)))
}

async function versionNameFor(token: z.output<typeof Token>, address: ControlAddress): Promise<string | undefined> {
  const { namespaces } = await ask(address, 'GET /{table}', { params: { table: 'namespaces' }, query: {} })
  if (!Array.isArray(namespaces)) return undefined
  const all = parseEntries(namespaces, Namespace)
  const own = all.find(({ namespace_id, game_id }) =>
    token.kind === 'cloud' ? game_id === token.game_id : namespace_id === token.namespace_id,
  )
  return own && versionNames(all.filter(({ game_id }) => game_id === own.game_id)).get(own.version_id)
}

/** The variables that a response may set. Others, such as `PATH` or `LD_PRELOAD`, could take over the shell. */
const allowedName = /^(?:MOCKMAKER|RIVET|PORT)_\w+$/

async function lobbyEnvironment(lobbyId: string, address: ControlAddress): Promise<Environment> {
  const { url } = address
  const response = await ask(address, 'GET /lobbies/{lobby_id}/env', { params: { lobby_id: lobbyId } })
  const variables = Object.entries(response).flatMap(([name, value]): [string, string][] =>
    allowedName.test(name) && typeof value === 'string' ? [[name, value]] : [],
  )
  const environment = Object.fromEntries(variables)
  if (environment.RIVET_TOKEN === undefined) throw notMockmaker(url)
  // Behind a proxy the mock does not know its own URL.
  return { ...environment, ...environmentOf(url) }
}

function parseEntries<Entry>(list: readonly unknown[], schema: z.ZodType<Entry>): Entry[] {
  return list.flatMap(entry => schema.safeParse(entry).data ?? [])
}

export function notMockmaker(url: string): UsageError {
  return new UsageError(`the server at ${url} is not mockmaker: pass the URL of a mock with --url`)
}

/** Checks that a mock has the world that its URL names. Any other call for an unknown world would create it. */
export async function checkWorldExists({ url, controlToken }: ControlAddress): Promise<void> {
  const { server = url, encodedId } = splitWorldUrl(url) ?? {}
  if (encodedId === undefined) return
  await ask({ url: server, controlToken }, 'GET /worlds/{world_id}', {
    params: { world_id: decodeURIComponent(encodedId) },
  })
}

const probeTimeoutMs = 5_000

/** Prints that the server at a URL is ready. Rejects with `UsageError` if it is not, or if it is no mock. */
export async function checkHealth({ url }: FlagsOf<'health'>, console: Console): Promise<void> {
  const { server = url } = splitWorldUrl(url) ?? {}
  const { fetch } = remoteOf({ url: server }, { bytes: longestProbe, beginsWithinMs: probeTimeoutMs })
  const response = await fetch(server + readinessPath).catch(cause => {
    throw new UsageError(`nothing answers at ${server}. ${startPage}`, { cause })
  })
  const answer = await response.json().catch(() => undefined)
  const { status, code, message } = Object(answer) as { status?: unknown; code?: unknown; message?: unknown }
  if (status === 'ok') return console.print(`${server} is ready`)
  if (code !== 'API_UNAVAILABLE') throw notMockmaker(server)
  throw new UsageError(`${server} is not ready: ${escapedLine(shortened(String(message), maxMessage))}`)
}

const longestProbe = 64 * 1024 // bytes

/** The mock must begin its response within this time, in ms. Reading a large scenario can keep it busy for seconds. */
const timeoutMs = 15_000

const longTimeoutMs = 120_000

const longestList = 64 * 1024 * 1024 // bytes

const maxMessage = 2_000 // characters

/** Calls the control API of a running mock, or of the world that the URL names. Rejects with `UsageError` if that fails. */
export async function ask<Name extends Route>(
  address: ControlAddress,
  route: Name,
  ...input: InputOf<Name>
): Promise<Output<Name>> {
  const answer = await call(remoteOf(address, { bytes: longestList }), route, ...input).catch(refuse(address.url))
  return Object(answer) as Output<Name> // or anything else: any server may have answered
}

/** Follows no redirect, waits only so long for an answer, and reads only so many bytes of it. */
export function remoteOf(
  { url, controlToken: token }: ControlAddress,
  {
    bytes,
    beginsWithinMs = timeoutMs,
    endsWithinMs = longTimeoutMs,
  }: { readonly bytes: number; readonly beginsWithinMs?: number; readonly endsWithinMs?: number },
): Remote {
  const limitedFetch: typeof fetch = async (input, init) => {
    const abort = new AbortController()
    const { signal } = abort
    // `AbortSignal.timeout` does not keep the process alive, nor does a connection that was closed without an answer.
    const timer = setTimeout(() => abort.abort(), beginsWithinMs)
    try {
      const response = await fetch(input, { ...init, redirect: 'error', signal })
      setTimeout(() => abort.abort(), endsWithinMs).unref()
      return limitedResponse(response, { bytes, signal })
    } finally {
      clearTimeout(timer)
    }
  }
  return { url, token, fetch: limitedFetch }
}

/** Turns the error of a call into a sentence for the terminal. */
export function refuse(url: string): (error: unknown) => never {
  return error => {
    if (!(error instanceof ClientError)) throw error
    const { status, code, cause } = error
    if (cause instanceof BodyTooLong) throw notMockmaker(url)
    if (code === 'NO_ANSWER')
      throw new UsageError(
        `nothing answers at ${url}: start mockmaker there, or pass its URL with --url. ${startPage}`,
        { cause },
      )
    if (code === 'NO_MOCK' && status < 400) throw notMockmaker(url)
    const message = shortened(error.message, maxMessage)
    // The server cannot know that the caller wanted the control API.
    const hint = message.startsWith('nothing is at') ? '. A mock started with --no-control has no control API.' : ''
    throw new UsageError(code === 'NO_MOCK' ? message : `${url} answers ${status}: ${message}${hint}`)
  }
}
