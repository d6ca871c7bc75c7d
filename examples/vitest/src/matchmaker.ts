const matchmaker = 'https://matchmaker.example'

export interface Lobby {
  readonly lobby_id: string
  readonly game_mode_id: string
  readonly total_player_count: number
}

async function call<Answer>(path: string, body?: object): Promise<Answer> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(matchmaker + path, init)
  if (!response.ok) throw new Error(`The matchmaker answers ${response.status}.`)
  return response.json()
}

export async function listLobbies(): Promise<readonly Lobby[]> {
  const { lobbies } = await call<{ lobbies: Lobby[] }>('/matchmaker/lobbies/list')
  return lobbies
}

export async function joinLobby(lobby_id: string): Promise<void> {
  await call('/matchmaker/lobbies/join', { lobby_id })
}

interface Link {
  readonly cloud_token?: string
  readonly watch: { readonly index: string }
}

/** Waits until somebody completes the link of this device, and returns its token. */
export async function waitForLink(device_link_token: string): Promise<string> {
  const path = `/cloud/devices/links?device_link_token=${device_link_token}`
  let link = await call<Link>(path)
  while (link.cloud_token === undefined) link = await call<Link>(`${path}&watch_index=${link.watch.index}`)
  return link.cloud_token
}
