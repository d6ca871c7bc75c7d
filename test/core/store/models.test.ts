import { describe, expect, it } from 'vitest'
import { smallWorld } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'

describe('an update that changes the kind of a row', () => {
  it('removes the fields that only the former kind has', async () => {
    const { lobbies, deviceLinks } = smallWorld()
    await lobbies.create({ lobby_id: 'new', status: 'starting', ready_by: startAt + 1, stops_at: startAt + 2 })
    const assign = (columns: object) => ({ data: (draft: object) => void Object.assign(draft, columns) })

    const ready = await lobbies.update(q => q.where({ lobby_id: 'new' }), assign({ status: 'ready' }))
    const stopped = await lobbies.update(q => q.where({ lobby_id: 'new' }), assign({ status: 'stopped' }))
    const link = await deviceLinks.update(q => q.where({ device_link_id: 'sofa' }), {
      ...assign({ completes: { at: startAt, game_id: 'tanks' } }),
    })
    const complete = await deviceLinks.update(
      q => q.where({ device_link_id: 'sofa' }),
      assign({ status: 'complete', game_id: 'tanks', cloud_token: 'cloud.mock.tanks' }),
    )

    expect(ready).toMatchObject({ status: 'ready', stops_at: startAt + 2 })
    expect(ready).not.toHaveProperty('ready_by')
    expect(stopped).not.toHaveProperty('stops_at')
    expect([link, complete].map(row => row && 'completes' in row)).toEqual([true, false])
  })

  it('is refused if it sets a field of the former kind', async () => {
    const { lobbies } = smallWorld()

    const update = lobbies.update(q => q.where({ lobby_id: 'l0' }), {
      data: draft => void Object.assign(draft, { status: 'stopped', stops_at: startAt }),
    })

    await expect(update).rejects.toThrow('stops_at is an unknown key')
  })

  it('returns the whole row, with derived fields', async () => {
    const { lobbies, players } = smallWorld()
    await lobbies.create({ lobby_id: 'new' })
    await players.create({ lobby_id: 'new' })

    const stopped = await lobbies.update(q => q.where({ lobby_id: 'new' }), {
      data: draft => void Object.assign(draft, { status: 'stopped' }),
    })

    expect(stopped).toEqual(lobbies.get('new'))
    expect(stopped).toMatchObject({ total_player_count: 0 })
  })
})
