// @ts-check
// Takes seats among so many lobbies, in-process, and prints what one costs: `node find-process.js <lobbies>`.
import { createMockmaker } from '../../../dist/index.js'
import { cpuMs } from '../cpu.js'
import { median } from '../rounds.js'
import { tokens } from '../scenario.js'
import { crowdOf, seatBody, seatPath } from './crowd.js'

const seats = 2_000
const batches = 7

const [, , lobbies = ''] = process.argv
const mock = createMockmaker({ scenario: { ...crowdOf(Number(lobbies)), clock: 'frozen' } })
const exchange = {
  method: 'POST',
  path: seatPath,
  headers: { authorization: `Bearer ${tokens.public}` },
  body: new TextEncoder().encode(JSON.stringify(seatBody)),
}

await takeSeats()
const times = []
for (let batch = 0; batch < batches; batch++) {
  const startedAt = cpuMs()
  await takeSeats()
  times.push((cpuMs() - startedAt) / seats)
}
process.stdout.write(JSON.stringify({ findUs: median(times) * 1000 }))

async function takeSeats() {
  for (let i = 0; i < seats; i++) {
    const { status } = await mock.answer(exchange)
    if (status !== 200) throw new Error(`find answers ${status}`)
  }
}
