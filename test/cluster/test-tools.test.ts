import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, expect } from 'vitest'
import { mockmaker } from '../../src/vitest/index.js'
import { sharedModel, startReplica } from '../support/served-replicas.js'

const model = sharedModel()
const scenario = { game_modes: ['duel'] }
const replicas = [await startReplica(model, { scenario }), await startReplica(model, { scenario })]

/** Each connection goes to the next replica. */
let count = 0
const balancer = createServer(socket => {
  count += 1
  const { port, hostname } = new URL(replicas[count % replicas.length]?.url ?? '')
  const replica = connect(Number(port), hostname)
  socket.pipe(replica).pipe(socket)
  for (const end of [socket, replica]) end.on('error', () => void [socket, replica].map(each => each.destroy()))
}).listen(0, '127.0.0.1')
await once(balancer, 'listening')
const server = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}` // it listens

afterAll(async () => {
  balancer.close()
  await Promise.all(replicas.map(({ close }) => close()))
})

const test = mockmaker({ server, onUnhandledRequest: 'error' })

async function countLobbies(): Promise<number> {
  const response = await fetch('https://matchmaker.test/matchmaker/lobbies/list')
  return ((await response.json()) as { lobbies: unknown[] }).lobbies.length
}

const counts = Array.from({ length: 8 }, (_, i) => i)
test.concurrent.for(counts)('a test on replicas has a world of its own: %i', async (lobbies, { mock, expect }) => {
  await mock.lobbies(lobbies)

  expect(await countLobbies()).toBe(lobbies)
  await expect(mock).toHaveAnswered('lobbies.list', {}, 1)
})

test('requests of these tests went through both replicas', async ({ mock }) => {
  await mock.lobby()

  expect(await countLobbies()).toBe(1)
  expect(count).toBeGreaterThan(1)
})
