import { expect, test } from './test.js'

test('shows the lobbies', async ({ page, mock, openApp }) => {
  await mock.lobbies(2, { game_mode_id: 'ffa', players: 3 })

  await openApp()

  await expect(page.getByRole('status')).toHaveText('2 lobbies')
  await expect(page.getByRole('listitem')).toContainText(['ffa: 3 of 32 players', 'ffa: 3 of 32 players'])
})

test('shows a lobby that opens later', async ({ page, mock, openApp }) => {
  await page.clock.install()
  await openApp()
  await expect(page.getByRole('status')).toHaveText('There are no lobbies.')
  await mock.lobby({ game_mode_id: 'duel' })
  const polled = mock.next('lobbies.list')

  await mock.clock.advance('2s')

  await polled
  await expect(page.getByRole('listitem')).toContainText(['duel: 0 of 2 players'])
})

test('takes a seat', async ({ page, mock, openApp }) => {
  const { lobby_id } = await mock.lobby({ game_mode_id: 'duel' })
  await openApp()

  await page.getByRole('button', { name: 'Join' }).click()

  await expect(page.getByRole('status')).toHaveText('You have a seat.')
  await expect(mock).toHaveAnswered('lobbies.join', { body: { lobby_id } }, 1)
  await expect(mock).toHaveNoWarnings()
  // No game server runs here.
  await expect(mock).toHaveServed(lobby_id, { ready: false, connected: 0 })
  expect(await mock.world.players.count()).toBe(1)
})

test('says why it gets no seat', async ({ page, mock, openApp }) => {
  await mock.lobby({ game_mode_id: 'duel', players: 2 })
  await openApp()

  await page.getByRole('button', { name: 'Join' }).click()

  await expect(page.getByRole('status')).toHaveText('No seat: MATCHMAKER_LOBBY_FULL.')
})

test('recovers from a broken matchmaker', async ({ page, mock, openApp }) => {
  await page.clock.install()
  await mock.fail('lobbies.list', 503, { times: 1 })
  await openApp()
  await expect(page.getByRole('status')).toHaveText('The matchmaker answers 503.')

  await mock.clock.advance('2s')

  await expect(page.getByRole('status')).toHaveText('There are no lobbies.')
})

test.describe('on a bad network', () => {
  test.use({ faults: [{ operation: 'lobbies.list', effect: { reset: true } }], strict: true })

  test('says that the matchmaker cannot be reached', async ({ page, openApp }) => {
    await openApp()

    await expect(page.getByRole('status')).toHaveText('The matchmaker cannot be reached.')
  })
})

test.describe('on a busy evening', () => {
  test.use({ scenario: 'friday-night' })

  test('shows many lobbies', async ({ page, openApp }) => {
    await openApp()

    await expect(page.getByRole('status')).toHaveText('330 lobbies')
  })
})
