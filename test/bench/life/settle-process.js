// @ts-check
// Lets the players that so many lobbies count settle, one in each lobby, and prints what that costs: `node settle-process.js <lobbies>`.
import { createMockmaker } from '../../../dist/index.js'
import { cpuMs } from '../cpu.js'

const [, , lobbies = ''] = process.argv
const { world } = createMockmaker({
  scenario: {
    now: '2026-11-20T00:00:00Z',
    clock: 'frozen',
    game_modes: [{ game_mode_id: 'duel', max_players: 2 }],
    lobbies: Array.from({ length: Number(lobbies) }, () => ({ total_player_count: 1 })),
    players: { concurrent: 0 },
  },
})
const cpuBefore = cpuMs()
await world.clock.advance('5s')
const settleMs = cpuMs() - cpuBefore
if (world.players.count() !== Number(lobbies)) throw new Error(`${world.players.count()} players have settled`)
process.stdout.write(JSON.stringify({ settleMs }))
