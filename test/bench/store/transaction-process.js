// @ts-check
// Puts players into lobbies, one in each transaction, and prints what a transaction costs: `node transaction-process.js <lobbies>`.
import { createMockmaker } from '../../../dist/index.js'
import { cpuMs } from '../cpu.js'
import { crowdOf } from '../life/crowd.js'
import { median } from '../rounds.js'

const transactions = 3_000
const batches = 7

const [, , lobbies = ''] = process.argv
const mock = createMockmaker({ scenario: { ...crowdOf(Number(lobbies)), clock: 'frozen' } })
// The part of a world that resolvers write to.
const world = /** @type {import('../../../src/core/store/world.js').LiveWorld} */ (mock.world)
const rows = world.lobbies.all()
let players = 0

putPlayers()
const times = []
for (let batch = 0; batch < batches; batch++) {
  const startedAt = cpuMs()
  putPlayers()
  times.push((cpuMs() - startedAt) / transactions)
}
process.stdout.write(JSON.stringify({ transactionUs: median(times) * 1000 }))

/** A player that is put counts in its lobby: that is the second put. */
function putPlayers() {
  for (let i = 0; i < transactions; i++) {
    players += 1
    const { lobby_id, namespace_id } = rows[(players * 7919) % rows.length] ?? never()
    const player = Object.freeze({
      player_token: `player.mock.${players}`,
      lobby_id,
      namespace_id,
      address: '127.0.0.1',
      status: /** @type {const} */ ('reserved'),
      expires_at: 4e12,
    })
    world.write(() => world.tables.players.put(player))
  }
}

/** @returns {never} */
function never() {
  throw new Error('the world has no lobbies')
}
