const { createMockmaker } = require('mockmaker')
const { createClient } = require('mockmaker/client')
const { listen } = require('mockmaker/express')

test('a server answers, and its client controls it', async () => {
  const { url, close } = await listen(createMockmaker({ scenario: { game_modes: ['duel'] } }), { port: 0 })
  const client = createClient(url)

  await client.lobbies(2)

  const { lobbies } = await (await fetch(`${url}/matchmaker/lobbies/list`)).json()
  expect(lobbies).toHaveLength(2)
  await expect(client).toHaveAnswered('lobbies.list', {}, 1)
  await expect(client).toHaveNoWarnings()
  await close()
})
