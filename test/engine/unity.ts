import * as z from 'zod'
import type { Environment } from '../../src/control/environment.js'
import { httpText, Wire, type WireAnswer } from './wire.js'

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
