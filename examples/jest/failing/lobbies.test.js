const { setupMockmaker } = require('mockmaker/node')
const { openLobbies } = require('../src/lobbies')

const mock = setupMockmaker({ scenario: { game_modes: ['duel'] } })

beforeAll(() => mock.listen({ onUnhandledRequest: 'error' }))
afterEach(() => mock.reset())
afterAll(() => mock.close())

// These fail, to show what a failed test prints.
test('expects a lobby too many', async () => {
  await mock.lobby()

  expect(await openLobbies()).toHaveLength(2)
})

test('expects a lobby too many, in a world of its own', () =>
  mock.isolated(async own => {
    await own.lobby()

    expect(await openLobbies()).toHaveLength(2)
  }))

test('waits for a request that never comes', async () => {
  await openLobbies()

  await mock.next('lobbies.join')
}, 500)

test(
  'waits for a request that never comes, in a world of its own',
  () =>
    mock.isolated(async own => {
      await openLobbies()

      await own.next('lobbies.join')
    }),
  500,
)
