import { afterAll, expect } from 'vitest'
import { mockmaker } from '../../../src/testing/vitest/index.js'
import { balance } from '../../support/balancer.js'
import { sharedModel, startReplica } from '../../support/served-replicas.js'

const model = sharedModel()
const scenario = { game_modes: ['duel'] }
const replicas = [await startReplica(model, { scenario }), await startReplica(model, { scenario })]

const balancer = await balance(replicas.map(({ url }) => url))

afterAll(async () => {
  balancer.close()
  await Promise.all(replicas.map(({ close }) => close()))
})

const test = mockmaker({ server: balancer.url, onUnhandledRequest: 'error' })

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
  expect(balancer.connections()).toBeGreaterThan(1)
})
