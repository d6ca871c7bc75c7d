const { setupMockmaker } = require('mockmaker/node')
const { openLobbies } = require('../src/lobbies')

const mock = setupMockmaker({ scenario: { game_modes: ['duel'] } })

beforeAll(() => mock.listen({ onUnhandledRequest: 'error' }))
afterAll(() => mock.close())

// Fails, to show what a failed test prints.
test('expects a lobby too many', () =>
  mock.isolated(async own => {
    await own.lobby()

    expect(await openLobbies()).toHaveLength(2)
  }))
