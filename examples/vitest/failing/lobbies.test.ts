import { mockmaker } from 'mockmaker/vitest'
import { expect } from 'vitest'
import { listLobbies } from '../src/matchmaker.js'

const test = mockmaker({ scenario: { game_modes: ['duel'] } })

test('expects a lobby that nobody has created', async () => {
  expect(await listLobbies()).toHaveLength(1)
})
