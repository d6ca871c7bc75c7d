import type { Environment } from '../../src/control/environment.js'
import { exchange, httpText } from './wire.js'

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
