import * as z from 'zod'
import type { Environment } from '../../src/control/environment.js'
import { httpText, Wire } from './wire.js'

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
