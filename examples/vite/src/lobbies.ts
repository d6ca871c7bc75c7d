// The mock during development, and the real service in a build.
const matchmaker = import.meta.env.MOCKMAKER_URL ?? 'https://matchmaker.example'

interface Lobby {
  lobby_id: string
  game_mode_id: string
}

/** Returns the open lobbies. */
export async function openLobbies(): Promise<Lobby[]> {
  const response = await fetch(`${matchmaker}/matchmaker/lobbies/list`)
  if (!response.ok) throw new Error(`the matchmaker answers ${response.status}`)
  return (await response.json()).lobbies
}
