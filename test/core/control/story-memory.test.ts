import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { Story } from '../../../src/core/control/stories/stories.js'
import { createMockmaker } from '../../../src/index.js'

describe('the facts about a player', () => {
  property.prop([fc.array(fc.constantFrom('connected' as const, 'refused' as const), { minLength: 1, maxLength: 40 })])(
    'are the newest ones: those about calls go first, and the story counts what it lost',
    kinds => {
      const most = 4
      const story = new Story('player.one', { id: 1, isWhole: true, isSimulated: false })
      let kept: { at: number; kind: string }[] = []
      let lostUntil: number | undefined
      for (const [at, kind] of kinds.entries()) {
        const none = { lobby: undefined, operation: undefined, request: undefined }
        story.add({ kind, at, revision: at, cause: 'request', ...none }, most)
        kept.push({ at, kind })
        if (kept.length <= most) continue
        const gone = kept.slice(0, -1).find(fact => fact.kind === 'refused') ?? kept[0]
        kept = kept.filter(fact => fact !== gone)
        lostUntil = Math.max(gone?.at ?? 0, lostUntil ?? 0)
      }

      expect(story.facts.map(({ at, kind }) => ({ at, kind }))).toEqual(kept)
      expect([story.lost, story.lostUntil]).toEqual([kinds.length - kept.length, lostUntil])
    },
  )
})

describe('the stories of a world', () => {
  /** A world with players that had a seat, each with its own token. */
  async function worldOf(count: number) {
    const mock = createMockmaker({ scenario: { game_modes: ['duel'] } })
    const { lobby_id } = await mock.lobby({ game_mode_id: 'duel', max_players: 10_000 })
    const token = (i: number) => `player.${String(i).padStart(6, '0')}`
    await mock.world.players.createMany(count, i => ({ player_token: token(i), lobby_id, status: 'removed' }))
    return { mock, lobby_id, token }
  }

  it('are at most 5,000: the oldest give way, and it says how many', async () => {
    const { mock, token } = await worldOf(5_005)

    const { counts, total } = mock.stories.list()

    expect([total, counts]).toEqual([5_000, { players: 5_000, simulated: 0, dropped: 5 }])
    expect([4, 5].map(i => mock.stories.get(token(i))?.token)).toEqual([undefined, token(5)])
  })

  it('of simulated players give way first, the oldest of them before the others', async () => {
    const { mock, lobby_id, token } = await worldOf(10)
    const simulated = (i: number) => `player.simulated-${String(i).padStart(6, '0')}`
    const seat = { lobby_id, status: 'connected', session_ms: 60_000, leaves_at: mock.clock.now() + 60_000 } as const
    await mock.world.players.createMany(5_005, i => ({ ...seat, player_token: simulated(i) }))

    const crowded = mock.stories.list().counts
    await mock.world.players.createMany(3, i => ({ player_token: token(10 + i), lobby_id, status: 'connected' }))
    const { counts } = mock.stories.list()

    expect(crowded).toEqual({ players: 10, simulated: 4_990, dropped: 15 })
    expect(counts).toEqual({ players: 13, simulated: 4_987, dropped: 18 })
    expect(mock.stories.get(token(0))?.outcome).toBe('removed')
    expect([17, 18].map(i => mock.stories.get(simulated(i))?.token)).toEqual([undefined, simulated(18)])
  })

  it('of simulated players that gave way do not begin anew when they leave', async () => {
    const { mock, lobby_id } = await worldOf(0)
    const seat = { lobby_id, status: 'connected', session_ms: 60_000, leaves_at: mock.clock.now() + 60_000 } as const
    await mock.world.players.createMany(5_001, () => seat)

    await mock.clock.advance('2m')

    expect(mock.stories.list().counts).toEqual({ players: 0, simulated: 5_000, dropped: 1 })
  })

  it('are those of the last 5,000 players of a larger scenario, and the others count as dropped', async () => {
    const players = Array.from({ length: 5_005 }, (_, i) => ({ token: `player.${i + 10_000}` }))
    const mock = createMockmaker({
      scenario: { game_modes: ['duel'], lobbies: [{ game_mode_id: 'duel', max_players: 10_000, players }] },
    })

    const { counts, total, stories } = mock.stories.list({ limit: 1 })

    expect([total, counts]).toEqual([5_000, { players: 5_000, simulated: 0, dropped: 5 }])
    expect(stories).toMatchObject([{ id: 5_005, token: 'player.15004' }])
    expect([10_004, 10_005].map(i => mock.stories.get(`player.${i}`)?.id)).toEqual([undefined, 6])
  })
})
