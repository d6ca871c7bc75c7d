// @ts-check

const encoder = new TextEncoder()

/**
 * A list of lobbies as a plain object, written as JSON each time: as little as answering it can cost.
 *
 * @param {Uint8Array} bytes The list as JSON.
 * @returns {import('../store/list-after-change-process.js').Subject}
 */
export function parsedList(bytes) {
  const list = JSON.parse(new TextDecoder().decode(bytes))
  return {
    change(players) {
      list.lobbies[0].total_player_count = players
    },
    list: () => encoder.encode(JSON.stringify(list)),
  }
}
