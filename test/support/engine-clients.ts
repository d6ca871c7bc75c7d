import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import * as z from 'zod'
import type { Environment } from '../../src/core/control/environment.js'

/** An answer as received on a socket. */
interface WireAnswer {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A connection on which a client controls each byte. */
class Wire {
  readonly #socket: Socket
  readonly #chunks: AsyncIterator<Buffer>
  #bytes = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#chunks = socket[Symbol.asyncIterator]()
  }

  static async open(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new Wire(socket)
  }

  /** Writes text with its own line endings. */
  write(text: string): void {
    this.#socket.write(text)
  }

  /** Reads the next answer. One below 200, as `100 Continue`, has no body. Rejects if the connection closes before. */
  async read(): Promise<WireAnswer> {
    const blank = '\r\n\r\n'
    await this.#until(bytes => bytes.includes(blank))
    const [statusLine = '', ...lines] = this.#take(this.#bytes.indexOf(blank) + blank.length)
      .trimEnd()
      .split('\r\n')
    const headers = new Map(
      lines.map(line => [/^[^:]+/.exec(line)?.[0].toLowerCase() ?? '', line.replace(/^[^:]+: /, '')]),
    )
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    if (status < 200) return { status, headers, body: '' }
    const length = Number(headers.get('content-length'))
    await this.#until(bytes => bytes.length >= length)
    return { status, headers, body: this.#take(length) }
  }

  close(): void {
    this.#socket.destroy()
  }

  async #until(isEnough: (bytes: Buffer) => boolean): Promise<void> {
    while (!isEnough(this.#bytes)) {
      const { value, done } = await this.#chunks.next()
      if (done) throw new Error(`the connection ended after ${this.#bytes}`)
      this.#bytes = Buffer.concat([this.#bytes, value])
    }
  }

  #take(length: number): string {
    const text = this.#bytes.toString('utf8', 0, length)
    this.#bytes = this.#bytes.subarray(length)
    return text
  }
}

/** Sends one request on a new connection, and reads its answer. */
export async function exchange(url: string, request: string): Promise<WireAnswer> {
  const wire = await Wire.open(url)
  wire.write(request)
  const answer = await wire.read()
  wire.close()
  return answer
}

/** Joins header lines and a body as in HTTP. */
export function httpText(lines: readonly string[], body = ''): string {
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** The result of a plugin call. `result` is 0 for an answer with any status. */
export interface GodotResponse {
  readonly result: 0
  readonly response_code: number
  readonly body: unknown
}

/** An exported game with the plugin. */
export interface GodotGame {
  /** `Rivet.GET`, `Rivet.POST` and `Rivet.PUT`: each sends its dictionary as the body, by default an empty one. */
  call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<GodotResponse>
}

/**
 * Simulates a game with the Godot plugin 1.x. Throws if the plugin would stop the game.
 * Sources: rivet-gg/plugin-godot v1.4.0, addons/rivet/api; godotengine/godot 4, core/io/http_client_tcp.cpp and
 * scene/main/http_request.cpp.
 */
export function godotGame({ RIVET_API_ENDPOINT: url, RIVET_TOKEN: token }: Environment): GodotGame {
  if (!url) throw new Error('the game calls https://api.rivet.gg')
  return {
    async call(method, path, body = {}) {
      if (!token) throw new Error('OS.crash: Rivet token not found')
      // Each call is a new HTTPRequest with a new connection.
      const answer = await exchange(url, godotRequest(new URL(`${url}/${path}`), { method, token, body }))
      return { result: 0, response_code: answer.status, body: JSON.parse(answer.body) }
    },
  }
}

interface Call {
  readonly method: string
  readonly token: string
  readonly body: object
}

/** The bytes of a call: the plugin's own header first, no Content-Type, and a body with each method. */
function godotRequest({ host, pathname }: URL, { method, token, body }: Call): string {
  const text = JSON.stringify(body)
  const head = [
    `${method} ${pathname} HTTP/1.1`,
    `Authorization: Bearer ${token}`,
    'Accept-Encoding: gzip, deflate',
    `Host: ${host}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'User-Agent: GodotEngine/4.2.1.stable.official (Linux)',
    'Accept: */*',
  ]
  return httpText(head, text)
}

/** The `PlayerPrefs` of the game. */
type PlayerPrefs = Readonly<Record<string, string>>

/** The ways in which UnityWebRequest sends a body: at once, after `100 Continue`, or in chunks (older versions). */
export type Framing = 'length' | 'continue' | 'chunked'

/** A game with the plugin. Each call resolves with the argument of `success`, and rejects with that of `fail`. */
interface UnityGame {
  findLobby(request: { game_modes: string[]; regions?: string[] }): Promise<UnityLobby>
  joinLobby(lobbyId: string): Promise<UnityLobby>
  createLobby(request: { game_mode: string; region?: string; publicity: 'public' | 'private' }): Promise<UnityLobby>
  lobbyReady(): Promise<void>
  playerConnected(playerToken: string): Promise<void>
  playerDisconnected(playerToken: string): Promise<void>
}

/**
 * Converts JSON to the plugin's structures, like Newtonsoft.Json. Absent fields stay empty. It throws for another
 * type, for null instead of a number, and for a port above 65535.
 */
const UnityLobby = z.object({
  lobby: z.object({ lobby_id: z.string(), host: z.string().nullish(), port: z.int32().optional() }),
  ports: z.record(
    z.string(),
    z.object({ hostname: z.string().nullish(), port: z.int().min(0).max(65_535).default(0), is_tls: z.boolean() }),
  ),
  player: z.object({ token: z.string() }),
})
type UnityLobby = z.infer<typeof UnityLobby>

interface UnitySettings {
  readonly prefs: PlayerPrefs
  readonly environment?: Environment
  readonly framing?: Framing
}

/**
 * Simulates a game with the Unity plugin 1.x. Throws if the plugin throws.
 * Sources: rivet-gg/plugin-unity v1.0.3, Assets/Rivet/Runtime/RivetManager.cs. The headers are in the order of
 * libcurl, which UnityWebRequest uses.
 */
export function unityGame({ prefs, environment = {}, framing = 'length' }: UnitySettings): UnityGame {
  const url = prefs.ApiEndpoint
  if (!url) throw new Error('File not found: StreamingAssets/rivet_export.json')
  const token = environment.RIVET_TOKEN || prefs.RIVET_EDITOR_TOKEN || prefs.RivetToken
  if (!token) throw new Error('RIVET_TOKEN not set')
  const post = async (path: string, body: object) => {
    const { status, body: text } = await sendPost(new URL(`${url}/matchmaker${path}`), { token, body, framing })
    if (status !== 200) throw new Error(`Error status ${status}: ${text}`)
    return JSON.parse(text) as unknown
  }
  return {
    findLobby: async request => UnityLobby.parse(await post('/lobbies/find', request)),
    joinLobby: async lobby_id => UnityLobby.parse(await post('/lobbies/join', { lobby_id })),
    createLobby: async request => UnityLobby.parse(await post('/lobbies/create', request)),
    lobbyReady: async () => void (await post('/lobbies/ready', {})),
    playerConnected: async player_token => void (await post('/players/connected', { player_token })),
    playerDisconnected: async player_token => void (await post('/players/disconnected', { player_token })),
  }
}

interface Post {
  readonly token: string
  readonly body: object
  readonly framing: Framing
}

async function sendPost(url: URL, { token, body, framing }: Post): Promise<WireAnswer> {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  const head = httpText([
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    'User-Agent: UnityPlayer/2022.3.20f1 (UnityWebRequest/1.0, libcurl/8.5.0-DEV)',
    'Accept: */*',
    'Accept-Encoding: deflate, gzip',
    'Content-Type: application/json',
    `Authorization: Bearer ${token}`,
    'X-Unity-Version: 2022.3.20f1',
    framing === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    ...(framing === 'length' ? [] : ['Expect: 100-continue']),
  ])
  const wire = await Wire.open(url.origin)
  wire.write(head)
  if (framing !== 'length') {
    const { status } = await wire.read()
    if (status !== 100) throw new Error(`${status} instead of 100 Continue`)
  }
  wire.write(framing === 'chunked' ? `${length.toString(16)}\r\n${text}\r\n0\r\n\r\n` : text)
  const answer = await wire.read()
  wire.close()
  return answer
}

/** Reads a game as the plugin's editor window does with HttpClient. It counts players in 32 bits. */
export const UnityGameData = z.object({
  game: z.object({
    total_player_count: z.int32(),
    namespaces: z.array(
      z.object({ name_id: z.string(), display_name: z.string(), namespace_id: z.string(), version_id: z.string() }),
    ),
    versions: z.array(z.object({ version_id: z.string(), display_name: z.string(), create_ts: z.string() })),
    available_regions: z.array(z.object({ region_id: z.string(), region_name_id: z.string(), provider: z.string() })),
  }),
  watch: z.object({ index: z.string() }),
})

/** The keys of the plugin in the game's configuration. */
interface UnrealConfig {
  readonly DefaultMatchmakerUrl?: string
  readonly DefaultToken?: string
}

/** A game with the plugin. Calls resolve with the argument of `OnSuccess`, and reject with that of `OnFailure`. */
interface UnrealGame {
  find(gameModes: readonly string[], regions?: readonly string[]): Promise<UnrealLobby>
  join(lobbyId: string): Promise<UnrealLobby>
  ready(): Promise<void>
  connected(playerToken: string): Promise<void>
  disconnected(playerToken: string): Promise<void>
}

/** Reads an answer like the plugin. It reads the `host` of a port, and gets an empty text if there is none. */
const UnrealLobby = z.object({
  lobby: z.object({ lobby_id: z.string() }),
  ports: z.record(
    z.string(),
    z.object({
      host: z.string().default(''),
      hostname: z.string(),
      port: z.int32().default(0),
      port_range: z.object({ min: z.int32(), max: z.int32() }).optional(),
      is_tls: z.boolean(),
    }),
  ),
  player: z.object({ token: z.string() }),
})
type UnrealLobby = z.infer<typeof UnrealLobby>

interface UnrealSettings {
  readonly config?: UnrealConfig
  readonly environment?: Environment
}

/**
 * Simulates a game with the Unreal plugin, on one keep-alive connection.
 * Source: rivet-gg/plugin-unreal, Plugins/Rivet/Source/Rivet: Public/RivetClient.h, Private/RivetClient.cpp,
 * Private/RivetHttpEndpoint.cpp, Private/MatchmakerLobbiesFind.cpp.
 */
export async function unrealGame({
  config = {},
  environment = {},
}: UnrealSettings): Promise<UnrealGame & { close(): void }> {
  const url = environment.RIVET_MATCHMAKER_API_URL || config.DefaultMatchmakerUrl
  if (!url) throw new Error('the game calls https://api.rivet.gg/matchmaker')
  const token = environment.RIVET_TOKEN || config.DefaultToken || ''
  const wire = await Wire.open(url)
  const post = async (path: string, body: object) => {
    wire.write(unrealPost(new URL(url + path), { token, text: prettyPrinted(body) }))
    const answer = await wire.read()
    // EHttpResponseCodes::IsOk
    if (answer.status < 200 || answer.status > 206)
      throw new Error(`Request status not ok: ${answer.status}\n${answer.body}`)
    return z.record(z.string(), z.unknown()).parse(JSON.parse(answer.body))
  }
  return {
    async find(game_modes, regions = []) {
      const asked = { game_modes, ...(regions.length > 0 && { regions }), prevent_auto_create_lobby: false }
      return UnrealLobby.parse(await post('/lobbies/find', asked))
    },
    join: async lobby_id => UnrealLobby.parse(await post('/lobbies/join', { lobby_id })),
    ready: async () => void (await post('/lobbies/ready', {})),
    connected: async player_token => void (await post('/players/connected', { player_token })),
    disconnected: async player_token => void (await post('/players/disconnected', { player_token })),
    close: () => wire.close(),
  }
}

/** Encodes JSON like the engine's writer by default: with tabs and Windows line endings. */
function prettyPrinted(body: object): string {
  return JSON.stringify(body, null, '\t').replaceAll('\n', '\r\n')
}

/** The bytes of a call. The header `Accepts` is the plugin's own. */
function unrealPost(
  { host, pathname }: URL,
  { token, text }: { readonly token: string; readonly text: string },
): string {
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Accept: */*',
    'Accept-Encoding: deflate, gzip',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Accepts: application/json',
    'User-Agent: Tanks/++UE5+Release-5.2-CL-26001984 Windows/10.0.22621.1.256.64bit',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  return httpText(head, text)
}
