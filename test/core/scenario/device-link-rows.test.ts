import { describe, expect, it } from 'vitest'
import { startAt } from '../../support/tanks.js'
import { rowsOf } from '../../support/worlds.js'

describe('device links', () => {
  it('are created at the start of the world, and expire only if the scenario says so', () => {
    const { deviceLinks, tokens } = rowsOf({
      device_links: [{ token: 'sofa', device_link_id: 'S' }, { expires_after: '1h' }],
    })

    expect(deviceLinks).toEqual([
      { device_link_token: 'sofa', device_link_id: 'S', status: 'pending' },
      {
        device_link_token: expect.stringMatching(/^device\.mock\.\w{24}$/),
        device_link_id: expect.any(String),
        status: 'pending',
        expires_at: startAt + 3_600_000,
      },
    ])
    expect(tokens).toHaveLength(3)
  })

  it('belong to the only game by default', () => {
    const { deviceLinks, games } = rowsOf({ device_links: [{ status: 'complete' }] })

    expect(deviceLinks[0]).toMatchObject({ game_id: games[0]?.game_id })
  })
})
