// @ts-check
// Finds lobbies in-process, and prints the cost of a find: `node find-process.js <lobbies>`.
import { createMockmaker } from '../../dist/index.js'
import { cpuMs, median } from './figures.js'
import { crowdOf, find } from './requests.js'

const finds = 2_000
const [, , lobbies] = process.argv
const mock = createMockmaker({ scenario: crowdOf(Number(lobbies)) })
const request = {
  method: 'POST',
  path: find.path,
  headers: { authorization: `Bearer ${find.token}` },
  body: new TextEncoder().encode(JSON.stringify(find.body)),
}

await findMany()
const times = []
for (let batch = 0; batch < 7; batch++) {
  const before = cpuMs()
  await findMany()
  times.push((cpuMs() - before) / finds)
}
process.stdout.write(JSON.stringify({ 'CPU µs': median(times) * 1000 }))

async function findMany() {
  for (let i = 0; i < finds; i++) {
    const { status } = await mock.answer(request)
    if (status !== 200) throw new Error(`find answers ${status}`)
  }
}
