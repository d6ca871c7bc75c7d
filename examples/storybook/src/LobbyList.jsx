import { useCallback, useEffect, useState } from 'react'

/** Lists the lobbies of a matchmaker. */
export function LobbyList({ matchmaker = 'https://matchmaker.example' }) {
  const [state, setState] = useState({ text: 'Loading' })
  const load = useCallback(async () => setState(await listLobbies(matchmaker)), [matchmaker])
  useEffect(() => void load(), [load])

  if (!state.lobbies) return <p role="status">{state.text}</p>
  return (
    <section>
      <button type="button" onClick={load}>
        Reload
      </button>
      <p role="status">{state.lobbies.length} lobbies</p>
      <ul>
        {state.lobbies.map(lobby => (
          <li key={lobby.lobby_id}>{lobby.game_mode_id}</li>
        ))}
      </ul>
    </section>
  )
}

async function listLobbies(matchmaker) {
  const response = await fetch(`${matchmaker}/matchmaker/lobbies/list`)
  const { lobbies } = await response.json()
  return response.ok ? { lobbies } : { text: `The matchmaker answers ${response.status}` }
}
