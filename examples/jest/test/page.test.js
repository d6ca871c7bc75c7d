/** @jest-environment jsdom */
const { setupMockmaker } = require('mockmaker/node')
const { openLobbies } = require('../src/lobbies')

const mock = setupMockmaker({ scenario: { game_modes: ['duel'] } })

beforeAll(() => mock.listen({ onUnhandledRequest: 'error' }))
afterAll(() => mock.close())

test('shows the lobbies on the page', async () => {
  const { lobby_id } = await mock.lobby()

  for (const id of await openLobbies()) document.body.append(id)

  expect(document.body.textContent).toBe(lobby_id)
})
