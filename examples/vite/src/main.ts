import { openLobbies } from './lobbies.ts'

async function showLobbies(list: Element) {
  for (const { lobby_id, game_mode_id } of await openLobbies()) {
    const item = document.createElement('li')
    item.textContent = `${game_mode_id}: ${lobby_id}`
    list.append(item)
  }
}

const list = document.querySelector('#lobbies')
if (list) void showLobbies(list)
