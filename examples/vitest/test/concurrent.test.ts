import { mockmaker } from 'mockmaker/vitest'
import { listLobbies } from '../src/matchmaker.js'

const test = mockmaker({ scenario: { game_modes: ['duel'] } })

test.concurrent.for([1, 2, 3])('lists %i lobbies', async (count, { mock, expect }) => {
  await mock.lobbies(count)

  expect(await listLobbies()).toHaveLength(count)
  expect(mock).toHaveAnswered('lobbies.list', {}, 1)
})
