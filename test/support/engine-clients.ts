import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import * as z from 'zod'
import type { Environment } from '../../src/control/environment.js'

/** An answer as it came over a socket. */
export interface WireAnswer {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A connection on which a client writes exactly its own bytes. */
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

  /** Writes text with the line ends that it has. */
  write(text: string): void {
    this.#socket.write(text)
  }

  /** Reads the next answer; one below 200, as `100 Continue`, has no body. Rejects where the connection ends before. */
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

/** Sends one request on a connection of its own, and reads its answer. */
export async function exchange(url: string, request: string): Promise<WireAnswer> {
  const wire = await Wire.open(url)
  wire.write(request)
  const answer = await wire.read()
  wire.close()
  return answer
}

/** Lines as HTTP ends them, and a body. */
export function httpText(lines: readonly string[], body = ''): string {
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** What a call of the plugin answers. `result` is 0 whenever an answer came, whatever its status is. */
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
 * Stands for a game with the Godot plugin 1.x. Throws where the plugin ends the game.
 * Sources: rivet-gg/plugin-godot v1.4.0, addons/rivet/api; godotengine/godot 4, core/io/http_client_tcp.cpp and
 * scene/main/http_request.cpp.
 */
export function godotGame({ RIVET_API_ENDPOINT: url, RIVET_TOKEN: token }: Environment): GodotGame {
  if (!url) throw new Error('the game calls https://api.rivet.gg')
  return {
    async call(method, path, body = {}) {
      if (!token) throw new Error('OS.crash: Rivet token not found')
      // Each call is an HTTPRequest of its own, with a connection of its own.
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

/** What `PlayerPrefs` of the game hold. */
type PlayerPrefs = Readonly<Record<string, string>>

/** How UnityWebRequest sends a body: at once, after `100 Continue`, or in chunks, as older versions do by default. */
export type Framing = 'length' | 'continue' | 'chunked'

/** A game with the plugin. Each call answers what its `success` gets, and rejects with what its `fail` gets. */
export interface UnityGame {
  findLobby(request: { game_modes: string[]; regions?: string[] }): Promise<UnityLobby>
  joinLobby(lobbyId: string): Promise<UnityLobby>
  createLobby(request: { game_mode: string; region?: string; publicity: 'public' | 'private' }): Promise<UnityLobby>
  lobbyReady(): Promise<void>
  playerConnected(playerToken: string): Promise<void>
  playerDisconnected(playerToken: string): Promise<void>
}

/**
 * What Newtonsoft.Json can put into the plugin's structures: what is absent stays empty, and another type, null where a
 * number is meant, or a port above 65535, is an exception.
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
 * Stands for a game with the Unity plugin 1.x. Throws where the plugin throws.
 * Sources: rivet-gg/plugin-unity v1.0.3, Assets/Rivet/Runtime/RivetManager.cs; the order of the headers is libcurl's, by
 * which UnityWebRequest sends.
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

/** What the plugin's window in the editor reads of a game, by HttpClient; its players are counted in 32 bits. */
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

/** A game with the plugin. Each call answers what its `OnSuccess` gets, and rejects with what its `OnFailure` gets. */
export interface UnrealGame {
  find(gameModes: readonly string[], regions?: readonly string[]): Promise<UnrealLobby>
  join(lobbyId: string): Promise<UnrealLobby>
  ready(): Promise<void>
  connected(playerToken: string): Promise<void>
  disconnected(playerToken: string): Promise<void>
}

/** What the plugin takes out of an answer. It asks a port for its `host`, and gets an empty text where there is none. */
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
 * Stands for a game with the Unreal plugin, on one connection that it keeps.
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

/** JSON as the engine's writer has it by default: tabs, and the line ends of Windows. */
function prettyPrinted(body: object): string {
  return JSON.stringify(body, null, '\t').replaceAll('\n', '\r\n')
}

/** The bytes of a call. The header `Accepts` is the plugin's. */
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
