/** Returns the ids of the open lobbies. */
export async function openLobbies() {
  const response = await fetch('https://matchmaker.example/matchmaker/lobbies/list')
  if (!response.ok) throw new Error(`the matchmaker answers ${response.status}`)
  const { lobbies } = await response.json()
  return lobbies.map(({ lobby_id }) => lobby_id)
}
