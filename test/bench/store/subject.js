// @ts-check
import { createMockmaker } from '../../../dist/index.js'
import { scenarioOf } from '../scenario.js'

/**
 * Something that keeps lobbies. The functions that it does not have are not measured.
 *
 * @typedef {object} Subject
 * @property {readonly string[]} ids
 * @property {(id: string) => object | undefined} [get] By the id itself.
 * @property {(id: string) => object | undefined} [find] By a query of the data library.
 * @property {(id: string) => Promise<void>} update Makes an empty lobby one of one player, and any other empty: a change each time.
 */

/**
 * Lobbies in the world of a mock as it is when it serves: a list has been asked for, so that the index by namespace is there.
 *
 * @param {number} lobbies
 * @returns {Promise<Subject>}
 */
export async function inWorld(lobbies) {
  const { world } = createMockmaker({ scenario: scenarioOf({ lobbies }) })
  const rows = world.lobbies.all()
  const [{ namespace_id = '' } = {}] = rows
  world.lobbies.findMany(q => q.where({ namespace_id }))
  return {
    ids: rows.map(row => row.lobby_id),
    get: id => world.lobbies.get(id),
    find: lobby_id => world.lobbies.findFirst(q => q.where({ lobby_id })),
    async update(lobby_id) {
      await world.lobbies.update(q => q.where({ lobby_id }), {
        data(lobby) {
          lobby.total_player_count = lobby.total_player_count === 0 ? 1 : 0
        },
      })
    },
  }
}
