// @ts-check

/**
 * Lobbies in a plain Map, each replaced by a frozen copy when it changes: as little as a store can do.
 *
 * @param {readonly import('../../../src/core/store/rows.js').LobbyRow[]} rows
 * @returns {Promise<import('../store/subject.js').Subject>}
 */
export async function inPlainMap(rows) {
  const lobbies = new Map(rows.map(row => [row.lobby_id, Object.freeze(structuredClone(row))]))
  return {
    ids: rows.map(row => row.lobby_id),
    get: id => lobbies.get(id),
    async update(id) {
      const row = lobbies.get(id)
      if (row) lobbies.set(id, Object.freeze({ ...row, total_player_count: row.total_player_count === 0 ? 1 : 0 }))
    },
  }
}
