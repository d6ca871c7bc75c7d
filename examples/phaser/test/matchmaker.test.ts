import { setupMockmaker } from 'mockmaker/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { prepareLink, waitForCloudToken } from '../src/device-link.ts'
import { findSeat, listLobbies } from '../src/matchmaker.ts'

// In the process of the test, the mock plays the game servers too.
const mock = setupMockmaker({ scenario: { regions: ['lnd-fra', 'lnd-tok'], game_modes: ['arena', 'duel'] } })

beforeAll(() => mock.listen({ onUnhandledRequest: 'error' }))
afterEach(() => mock.reset())
afterAll(() => mock.close())

test('lists the lobbies with regions and game modes', async () => {
  await mock.lobby({ lobby_id: 'one', game_mode_id: 'duel', players: 1 })

  const { lobbies, regions, game_modes } = await listLobbies()

  expect(lobbies).toMatchObject([{ lobby_id: 'one', total_player_count: 1 }])
  expect(regions.map(({ region_display_name }) => region_display_name).sort()).toEqual(['Frankfurt', 'Tokyo'])
  expect(game_modes.map(({ game_mode_id }) => game_mode_id)).toEqual(['arena', 'duel'])
})

test('finds a seat in a region', async () => {
  const { lobby } = await findSeat('arena', 'lnd-tok')

  expect(lobby.region.display_name).toBe('Tokyo')
  mock.journal.expect('lobbies.find', { body: { game_modes: ['arena'], regions: ['lnd-tok'] } }, 1)
})

test('says why there is no seat', async () => {
  mock.fail('lobbies.find', 'MATCHMAKER_LOBBY_FULL', { times: 1 })

  await expect(findSeat('arena')).rejects.toThrow('MATCHMAKER_LOBBY_FULL')
})

test('gets a cloud token when somebody completes the link', async () => {
  const { device_link_token } = await prepareLink()
  const cloudToken = waitForCloudToken(device_link_token)
  await mock.blocked(1)

  await mock.completeDeviceLink(device_link_token)

  expect(await cloudToken).toMatch(/^cloud\.mock\./)
})

test('says that a link has expired', async () => {
  const { device_link_token } = await prepareLink()
  const failure = expect(waitForCloudToken(device_link_token)).rejects.toThrow('TOKEN_EXPIRED')

  await mock.expireDeviceLink(device_link_token)

  await failure
})
