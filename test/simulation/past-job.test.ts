import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../src/index.js'

describe('a job whose time is in the past', () => {
  it('runs at the present time, and does not turn the clock back', async () => {
    const now = '2026-11-20T20:00:00.000Z'
    const mock = createMockmaker({ scenario: { now, clock: 'frozen' } })
    const { world } = mock
    const [game] = world.games.all()
    const ats: number[] = []
    world.subscribe(({ at }) => void ats.push(at))

    const link = await world.deviceLinks.create({ completes: { at: 1, game_id: game?.game_id ?? '' } })
    const before = world.clock.now()
    await world.clock.advance(0)

    expect(world.deviceLinks.get(link.device_link_token)?.status).toBe('complete')
    expect([before, world.clock.now(), ...ats]).toEqual([before, before, before, before])
    expect(before).toBe(Date.parse(now))
    await mock.close()
  })
})
