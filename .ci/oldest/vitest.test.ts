import { mockmaker } from 'mockmaker/vitest'
import { beforeEach, describe, expect } from 'vitest'

const test = mockmaker({ scenario: { game_modes: ['duel'] } })
const list = async () => {
  const response = await fetch('https://matchmaker.test/matchmaker/lobbies/list')
  return ((await response.json()) as { lobbies: unknown[] }).lobbies
}

describe('tests at once', () => {
  test.concurrent.for([1, 2, 3])('see %i lobbies', async (count, { mock, expect }) => {
    await mock.lobbies(count)
    await new Promise(resolve => setTimeout(resolve, 10))

    expect(await list()).toHaveLength(count)
    expect(mock).toHaveAnswered('lobbies.list', {}, 1)
  })
})

describe('a hook before a test', () => {
  beforeEach(async () => void (await list()))

  test('reaches its mock', ({ mock }) => expect(mock).toHaveAnswered('lobbies.list', {}, 1))
})
