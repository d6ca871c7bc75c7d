const matchmaker = 'https://matchmaker.example/matchmaker'

/** Returns the ids of the open lobbies of a game mode. */
export async function openLobbies(gameMode) {
  const response = await fetch(`${matchmaker}/lobbies/list`)
  if (!response.ok) throw new Error(`the matchmaker answers ${response.status}`)
  const { lobbies } = await response.json()
  return lobbies.filter(({ game_mode_id }) => game_mode_id === gameMode).map(({ lobby_id }) => lobby_id)
}

/** Finds a seat in a lobby of a game mode. */
export async function findSeat(gameMode) {
  const body = JSON.stringify({ game_modes: [gameMode] })
  const response = await fetch(`${matchmaker}/lobbies/find`, { method: 'POST', body })
  if (!response.ok) throw new Error(`the matchmaker answers ${response.status}`)
  const { lobby } = await response.json()
  return lobby.lobby_id
}
