const matchmaker = 'https://matchmaker.example'
const pollMs = 2_000

const status = document.querySelector('[role=status]')
const list = document.querySelector('ul')

/** Asks the matchmaker for the lobbies, and shows them. */
async function refresh() {
  try {
    const response = await fetch(`${matchmaker}/matchmaker/lobbies/list`)
    if (!response.ok) throw new Error(`The matchmaker answers ${response.status}.`)
    const { lobbies } = await response.json()
    status.textContent = lobbies.length === 0 ? 'There are no lobbies.' : `${lobbies.length} lobbies`
    list.replaceChildren(...lobbies.map(itemOf))
  } catch (error) {
    status.textContent = error instanceof TypeError ? 'The matchmaker cannot be reached.' : error.message
  }
}

function itemOf({ lobby_id, game_mode_id, total_player_count, max_players_normal }) {
  const item = document.createElement('li')
  const join = document.createElement('button')
  join.textContent = 'Join'
  join.onclick = () => joinLobby(lobby_id)
  item.append(`${game_mode_id}: ${total_player_count} of ${max_players_normal} players `, join)
  return item
}

async function joinLobby(lobby_id) {
  const response = await fetch(`${matchmaker}/matchmaker/lobbies/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lobby_id }),
  })
  const { code } = await response.json()
  status.textContent = response.ok ? 'You have a seat.' : `No seat: ${code}.`
}

await refresh()
setInterval(refresh, pollMs)
