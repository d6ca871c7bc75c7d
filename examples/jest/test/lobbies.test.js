const { setupMockmaker } = require('mockmaker/node')
const { joinLobby, openLobbies } = require('../src/lobbies')

const mock = setupMockmaker({ scenario: { game_modes: ['duel'] } })

beforeAll(() => mock.listen({ onUnhandledRequest: 'error' }))
afterEach(() => mock.reset())
afterAll(() => mock.close())

test('takes a seat', async () => {
  const { lobby_id } = await mock.lobby()

  await joinLobby(lobby_id)

  expect(mock).toHaveAnswered('lobbies.join', { body: { lobby_id } }, 1)
  expect(mock).not.toHaveAnswered('lobbies.find')
  // No game server runs here.
  expect(mock).toHaveServed(lobby_id, { ready: false, connected: 0 })
})

test('reports a broken matchmaker', async () => {
  mock.fail('lobbies.list', 503)

  await expect(openLobbies()).rejects.toThrow('the matchmaker answers 503')
})
