const { setupMockmaker } = require('mockmaker/node')

const mock = setupMockmaker({ scenario: { game_modes: ['duel'] } })

beforeAll(() => mock.listen())
afterAll(() => mock.close())

test('answers fetch, and has the matchers', async () => {
  await mock.lobbies(2)

  const { lobbies } = await (await fetch('https://matchmaker.test/matchmaker/lobbies/list')).json()

  expect(lobbies).toHaveLength(2)
  expect(mock).toHaveAnswered('lobbies.list', {}, 1)
})
