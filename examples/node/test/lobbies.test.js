import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setupMockmaker } from 'mockmaker/node'
import { findSeat, openLobbies } from '../src/lobbies.js'

const mock = setupMockmaker({ scenario: { game_modes: ['duel', 'ffa'] } })

before(() => mock.listen({ onUnhandledRequest: 'error' }))
afterEach(() => mock.reset())
after(() => mock.close())

test('lists the lobbies of a game mode', async () => {
  const { lobby_id } = await mock.world.lobbies.create({ game_mode_id: 'duel', region_id: 'lnd-fra' })

  assert.deepEqual(await openLobbies('duel'), [lobby_id])
  assert.deepEqual(await openLobbies('ffa'), [])
})

test('takes a seat in the lobby that is there', async () => {
  const { lobby_id } = await mock.world.lobbies.create({ game_mode_id: 'duel', region_id: 'lnd-fra' })

  assert.equal(await findSeat('duel'), lobby_id)
  assert.equal(mock.world.players.count(), 1)
  assert.deepEqual(mock.warnings.list(), [])
})

test('reports a matchmaker that is out of order', async () => {
  mock.faults.add({ operation: 'lobbies.list', effect: { error: { status: 503 } } })

  await assert.rejects(openLobbies('duel'), { message: 'the matchmaker answers 503' })
})

test('waits for a slow matchmaker', async () => {
  mock.delay('lobbies.list', '300ms')

  assert.deepEqual(await openLobbies('duel'), [])
})
