const { setupMockmaker } = require('mockmaker/node')
const { openLobbies } = require('../src/lobbies')

const mock = setupMockmaker({ scenario: { game_modes: ['duel'] } })

beforeAll(() => mock.listen({ onUnhandledRequest: 'error' }))
afterAll(() => mock.close())

test.concurrent.each([1, 2, 3])('shows %d lobbies', count =>
  mock.isolated(async own => {
    await own.lobbies(count)

    expect(await openLobbies()).toHaveLength(count)
    expect(own).toHaveAnswered('lobbies.list', {}, 1)
  }),
)
