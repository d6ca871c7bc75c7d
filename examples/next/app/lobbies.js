/** Returns the ids of the open lobbies. */
export async function openLobbies() {
  const response = await fetch(`${process.env.MATCHMAKER_URL}/matchmaker/lobbies/list`, { cache: 'no-store' })
  if (!response.ok) throw new Error(`the matchmaker answers ${response.status}`)
  const { lobbies } = await response.json()
  return lobbies.map(({ lobby_id }) => lobby_id)
}
