import { describe, expect, it } from 'vitest'
import { startAt } from '../../support/tanks.js'
import { rowsOf, twoGames } from '../../support/worlds.js'

const dayMs = 86_400_000

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

  it('complete by themselves if the scenario says so', () => {
    const [link] = rowsOf({ ...twoGames, device_links: [{ game: 'karts', completes_after: '5s' }] }).deviceLinks

    expect(link).toMatchObject({ status: 'pending', completes: { at: startAt + 5000, game_id: 'K' } })
  })

  it('that are complete have a cloud token that is valid for their game', () => {
    const { deviceLinks, tokens } = rowsOf({ ...twoGames, device_links: [{ status: 'complete', game: 'karts' }] })

    const cloud_token = tokens.at(-1)?.token

    expect(deviceLinks[0]).toMatchObject({ status: 'complete', game_id: 'K', cloud_token })
    expect(tokens.at(-1)).toEqual({
      kind: 'cloud',
      token: cloud_token,
      game_id: 'K',
      expires_at: startAt + 365 * dayMs,
    })
    expect(cloud_token).toMatch(/^cloud\.mock\.\w{24}$/)
  })

  it('belong to the only game by default', () => {
    const { deviceLinks, games } = rowsOf({ device_links: [{ status: 'complete' }] })

    expect(deviceLinks[0]).toMatchObject({ game_id: games[0]?.game_id })
  })
})
