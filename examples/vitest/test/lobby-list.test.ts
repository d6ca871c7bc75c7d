import { mockmaker } from 'mockmaker/vitest'
import { describe, expect, vi } from 'vitest'
import { showLobbies } from '../src/lobby-list.js'

const test = mockmaker({ scenario: { game_modes: ['duel'] }, onUnhandledRequest: 'error' })

test('shows the lobbies', async ({ mock }) => {
  await mock.lobby({ players: 1 })
  const element = document.createElement('div')

  await showLobbies(element)

  expect(element.textContent).toBe('duel: 1')
})

test('takes a seat', async ({ mock }) => {
  const { lobby_id } = await mock.lobby()
  const element = document.createElement('div')
  await showLobbies(element)

  const joined = mock.next('lobbies.join')
  element.querySelector('button')?.click()
  await joined

  expect(mock).toHaveAnswered('lobbies.join', { body: { lobby_id } }, 1)
})

test('shows a failure', async ({ mock }) => {
  mock.fail('lobbies.list', 503)
  const element = document.createElement('div')

  await showLobbies(element)

  expect(element.textContent).toBe('Error: The matchmaker answers 503.')
})

test('shows a new lobby after five seconds', async ({ mock }) => {
  vi.useFakeTimers()
  const element = document.createElement('div')
  const stop = await showLobbies(element)
  await mock.lobby()

  const polled = mock.next('lobbies.list')
  await vi.advanceTimersByTimeAsync(5000)
  await polled
  await vi.advanceTimersByTimeAsync(0)

  expect(element.textContent).toBe('duel: 0')
  stop()
  vi.useRealTimers()
})

describe('on a busy evening', () => {
  test.override('options', { scenario: 'friday-night' })

  test('shows many lobbies', async () => {
    const element = document.createElement('div')

    await showLobbies(element)

    expect(element.children.length).toBeGreaterThan(20)
  })
})
