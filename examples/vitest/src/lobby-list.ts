import { joinLobby, type Lobby, listLobbies } from './matchmaker.js'

/** Shows the lobbies in an element, and updates them every five seconds. Returns a function that stops it. */
export async function showLobbies(element: HTMLElement): Promise<() => void> {
  const update = async () => {
    try {
      const lobbies = await listLobbies()
      element.replaceChildren(...lobbies.map(lobby => rowOf(lobby, update)))
    } catch (error) {
      element.textContent = String(error)
    }
  }
  await update()
  const timer = setInterval(update, 5000)
  return () => clearInterval(timer)
}

function rowOf({ lobby_id, game_mode_id, total_player_count }: Lobby, update: () => Promise<void>): HTMLElement {
  const row = document.createElement('button')
  row.textContent = `${game_mode_id}: ${total_player_count}`
  row.onclick = () => joinLobby(lobby_id).then(update)
  return row
}
