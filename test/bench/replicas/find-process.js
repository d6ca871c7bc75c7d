// @ts-check
// Seats players in a world that Redis keeps, and sets as many bytes, in turn, one after the other. Prints the median time of each:
// `node find-process.js <url of Redis>`. The bench bundles it, because no entry point gives code a world in Redis.
import { createClient } from '@redis/client'
import { createMock } from '../../../src/core/mock/mock.js'
import { keepInRedis } from '../../../src/server/cluster/keep-in-redis.js'
import { crowdOf, seatBody, seatPath } from '../life/crowd.js'
import { median } from '../rounds.js'
import { tokens } from '../scenario.js'

const batches = 20
const perBatch = 200
const worldId = 'bench'

const [, , url = ''] = process.argv
// As the replica does: a timer for each command takes a fifth of its time.
const redis = createClient({ url, commandOptions: { timeout: 0 } })
await redis.connect()
const mock = createMock({ scenario: { ...crowdOf(100), clock: 'frozen' } })
const nobody = 'http://127.0.0.1:1'
const replica = await keepInRedis(mock, { data: url, dataPrefix: 'find:', advertise: nobody, report() {}, flags: {} })
await mock.worlds.shared?.claim(worldId, { create: true })
const world = await mock.worlds.put(worldId)
const request = {
  method: 'POST',
  path: seatPath,
  headers: { authorization: `Bearer ${tokens.public}` },
  body: new TextEncoder().encode(JSON.stringify(seatBody)),
}

await medianUs(seat)
const before = await receivedBytes()
await medianUs(seat)
const bytes = Math.round(((await receivedBytes()) - before) / perBatch)
const text = 'x'.repeat(bytes)
await medianUs(set)
const times = []
for (let batch = 0; batch < batches; batch++) times.push({ find: await medianUs(seat), set: await medianUs(set) })
process.stdout.write(
  JSON.stringify({
    bytes,
    findUs: median(times.map(({ find }) => find)),
    setUs: median(times.map(({ set }) => set)),
    ratio: median(times.map(({ find, set }) => find / set)),
  }),
)
await mock.close()
replica.close()
redis.destroy()

/**
 * The median time of a batch, in µs.
 *
 * @param {() => Promise<void>} work
 */
async function medianUs(work) {
  const times = []
  for (let i = 0; i < perBatch; i++) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return median(times) * 1000
}

async function seat() {
  const { status } = await world.handle(request)
  if (status !== 200) throw new Error(`find answers ${status}`)
}

async function set() {
  await redis.set('set', text)
}

/** The bytes that the server has received so far. */
async function receivedBytes() {
  return Number(/total_net_input_bytes:(\d+)/.exec(await redis.info('stats'))?.[1])
}
