const matchmaker = 'https://matchmaker.example/matchmaker'

/** Returns the ids of the open lobbies. */
exports.openLobbies = async () => {
  const response = await fetch(`${matchmaker}/lobbies/list`)
  if (!response.ok) throw new Error(`the matchmaker answers ${response.status}`)
  const { lobbies } = await response.json()
  return lobbies.map(({ lobby_id }) => lobby_id)
}

/** Takes a seat in a lobby. Returns the id of the lobby. */
exports.joinLobby = async lobbyId => {
  const body = JSON.stringify({ lobby_id: lobbyId })
  const response = await fetch(`${matchmaker}/lobbies/join`, { method: 'POST', body })
  if (!response.ok) throw new Error(`the matchmaker answers ${response.status}`)
  const { lobby } = await response.json()
  return lobby.lobby_id
}
