import type { Join } from '../../core/contract/lobbies.js'
import type { Environment } from '../../core/control/environment.js'
import { environmentOf, portVariables } from '../../core/control/environment.js'
import { startPage, UsageError } from '../../core/lib/messages.js'
import { sayIfSlow } from '../../core/lib/slow-wait.js'

/** The seat that a bot asks for. With `game_modes`, `lobbies.find` chooses the lobby. */
export type SeatWish = { readonly game_modes: readonly string[] } | { readonly lobby_id: string }

interface SeatOptions {
  /** The URL of the world, without a slash at its end. */
  readonly url: string
  readonly token: string | undefined
  readonly signal: AbortSignal
}

const shownLength = 200 // characters

/** Takes a seat as a client would, so it waits for a game server. Returns the client's variables. Rejects with `UsageError`. */
export async function takeSeat(wish: SeatWish, { url, token, signal }: SeatOptions): Promise<Environment> {
  const call = 'lobby_id' in wish ? 'join' : 'find'
  const answer = fetch(`${url}/matchmaker/lobbies/${call}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(wish),
    signal,
    redirect: 'error',
  })
  const reason = 'the game server of its lobby has not called POST /matchmaker/lobbies/ready'
  const response = await sayIfSlow(answer, () => `a player still waits for its seat: ${reason}`).catch(cause => {
    throw new UsageError(`nothing answers at ${url}. ${startPage}`, { cause })
  })
  const text = await response.text()
  const { code, message, ...join } = answerOf(text)
  if (code !== undefined) throw new UsageError(`it got no seat: ${code}: ${message}`)
  const { lobby, player, ports = {} } = join
  if (lobby === undefined || player === undefined)
    throw new UsageError(`it got no seat: ${url} answers ${response.status}: ${text.slice(0, shownLength)}`)
  return {
    ...environmentOf(url, token),
    RIVET_LOBBY_ID: lobby.lobby_id,
    RIVET_PLAYER_TOKEN: player.token,
    ...Object.fromEntries(Object.entries(ports).flatMap(([label, port]) => portVariables(label, port))),
  }
}

function answerOf(text: string): Partial<Join> & { readonly code?: string; readonly message?: string } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
