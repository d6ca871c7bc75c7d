// The mock during development, and the real service in a build.
export const service: string = import.meta.env.MOCKMAKER_URL ?? 'https://matchmaker.example'

export interface Overview {
  readonly game_modes: readonly { readonly game_mode_id: string }[]
  readonly regions: readonly { readonly region_id: string; readonly region_display_name: string }[]
  readonly lobbies: readonly {
    readonly lobby_id: string
    readonly game_mode_id: string
    readonly region_id: string
    readonly total_player_count: number
    readonly max_players_normal: number
  }[]
}

/** A seat in a lobby: where its server is, and the token that the player sends there. */
export interface Seat {
  readonly lobby: { readonly lobby_id: string; readonly region: { readonly display_name: string } }
  readonly ports: Readonly<Record<string, { readonly host?: string }>>
  readonly player: { readonly token: string }
}

/** Lists the open lobbies, with the regions and the game modes. */
export function listLobbies(): Promise<Overview> {
  return call('/matchmaker/lobbies/list')
}

/** Finds a seat. Without a region, the nearest one counts. The answer comes when the game server is ready. */
export function findSeat(mode: string, region?: string): Promise<Seat> {
  return call('/matchmaker/lobbies/find', { game_modes: [mode], ...(region && { regions: [region] }) })
}

/** Calls the service. Throws an error with its code. */
export async function call<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await fetch(service + path, body ? { method: 'POST', body: JSON.stringify(body) } : {})
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(answer.code ?? `the matchmaker answers ${response.status}`)
  return answer
}
