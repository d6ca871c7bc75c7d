// @ts-check
// Lets a day go by in a world where so many players come and go, and prints how long that took: `node day-process.js <players>`.
import { createMockmaker } from '../../../dist/index.js'
import { cpuMs } from '../cpu.js'
import { livelyOf } from './lively.js'

const [, , players = ''] = process.argv
const mock = createMockmaker({ scenario: { ...livelyOf(Number(players)), clock: 'frozen' } })
const { world } = mock
let [sessions, changeSets] = [0, 0]
world.subscribe(({ changes }) => {
  changeSets += 1
  for (const { table, after } of changes) if (table === 'players' && !after) sessions += 1
})

// So that as many play as on any other day.
await world.clock.advance('2h')
sessions = 0
changeSets = 0
const [startedAt, cpuBefore] = [performance.now(), cpuMs()]
await world.clock.advance('1d')
const figures = { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (cpuMs() - cpuBefore) / 1000 }
process.stdout.write(JSON.stringify({ ...figures, sessions, changeSets, playing: world.players.count() }))
