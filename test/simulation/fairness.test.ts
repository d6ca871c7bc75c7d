import { describe, expect, it, vi } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import type { ScenarioInput } from '../../src/scenario/schema.js'

/** A world whose players settle in at the first step: some ms of work. */
const evening: ScenarioInput = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  regions: ['lnd-fra'],
  game_modes: [{ game_mode_id: 'duel', max_players: 8 }],
  lobbies: Array.from({ length: 100 }, () => ({ game_mode_id: 'duel', total_player_count: 8 })),
}

describe('what happens by itself in many worlds at once', () => {
  it('lets the event loop have its turn between worlds', async () => {
    const mock = createMockmaker({ scenario: evening, live: true })
    const worlds = await Promise.all(Array.from({ length: 20 }, (_, i) => mock.worlds.put(`world-${i}`)))
    const settled = () => worlds.filter(({ world }) => world.players.count() > 0).length
    /** How many worlds have settled in, as each turn of the loop sees it. */
    const seen = [0]
    const done = Promise.all(worlds.map(({ world }) => world.clock.advance('10s')))

    while (seen.at(-1) !== worlds.length) {
      await new Promise(resolve => setImmediate(resolve))
      seen.push(settled())
    }
    await done

    const mostAtOnce = Math.max(...seen.map((count, i) => count - (seen[i - 1] ?? 0)))
    expect(mostAtOnce).toBeLessThanOrEqual(worlds.length / 2)
    await mock.close()
  })
})

describe('a clock that is faster than what happens by itself', () => {
  it('ends an advance, and takes the next call', async () => {
    const mock = createMockmaker({ scenario: { ...evening, clock: 'running' }, live: true })
    const { clock } = mock.world
    await clock.set({ rate: 100_000 })
    // Each look at the time takes as long as many steps.
    let now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => {
      now += 1
      return now
    })

    await clock.advance('1m')
    await clock.set({ mode: 'frozen' })

    expect(clock.mode).toBe('frozen')
    await mock.close()
  })
})
