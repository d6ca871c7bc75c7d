import { expect, test } from 'mockmaker/playwright'

test.use({ matchmaker: 'https://matchmaker.test', scenario: { game_modes: ['duel'] } })

test('a page reaches the mock', async ({ page, mock }) => {
  await mock.lobbies(2)
  await page.route('http://localhost:3000/', route => route.fulfill({ contentType: 'text/html', body: '<p>' }))
  await page.goto('http://localhost:3000/')

  const { lobbies } = await page.evaluate(async () => {
    const response = await fetch('https://matchmaker.test/matchmaker/lobbies/list')
    return response.json() as Promise<{ lobbies: unknown[] }>
  })

  expect(lobbies).toHaveLength(2)
  await mock.clock.advance('1s')
  await expect(mock).toHaveAnswered('lobbies.list', {}, 1)
})
