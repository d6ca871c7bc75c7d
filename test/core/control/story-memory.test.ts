import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import {
  Story,
  type StoryLimits,
  type StoryLobby,
  StoryMemory,
} from '../../../src/core/control/stories/story-memory.js'
import { createMockmaker } from '../../../src/index.js'

const limits: StoryLimits = { stories: 6, bytes: 2_600, facts: 4, unanswered: 6 }

type Seat = 'connected' | 'ended'

const steps = fc.array(
  fc.record({
    player: fc.nat({ max: 11 }),
    isSimulated: fc.boolean(),
    seat: fc.constantFrom<Seat>('connected', 'ended'),
    kind: fc.constantFrom('connected' as const, 'refused' as const),
  }),
  { maxLength: 60 },
)

/** What the memory must have, kept in the plainest way. */
interface Expected {
  readonly story: Story
  /** The number of the step at which it got its seat, or lost it. */
  since: number
  /** How early it goes: 0 goes first. */
  group: number
}

function groupOf({ isSimulated, seat }: Story): number {
  return (seat === 'connected' ? 2 : 0) + (isSimulated ? 0 : 1)
}

function bytesOf(all: readonly Expected[]): number {
  return all.reduce((sum, { story }) => sum + story.bytes, 0)
}

/** Returns the story that gives way to the others. */
function firstToGo(all: readonly Expected[]): Expected {
  const [first] = all.toSorted((one, other) => one.group - other.group || one.since - other.since)
  if (!first) throw new Error('there is no story')
  return first
}

function addFact(story: Story, { kind, at }: { readonly kind: 'connected' | 'refused'; readonly at: number }): void {
  story.add({ kind, at, revision: at, cause: 'request' }, limits.facts)
}

describe('the facts about players', () => {
  property.prop([steps])('drops simulated players that ended, then the oldest that ended', taken => {
    const memory = new StoryMemory(limits)
    let all: Expected[] = []
    let dropped = 0
    for (const [i, { player, isSimulated, seat, kind }] of taken.entries()) {
      const token = `player.${player}`
      const story = memory.get(token) ?? new Story(token, { id: i + 1, isWhole: true, isSimulated })
      story.seat = seat
      addFact(story, { kind, at: i })
      memory.keep(story)

      const known = all.find(one => one.story === story)
      const group = groupOf(story)
      if (!known) all.push({ story, since: i, group })
      else if (known.group !== group) Object.assign(known, { since: i, group })
      while (all.length > 1 && (all.length > limits.stories || bytesOf(all) > limits.bytes)) {
        const gone = firstToGo(all)
        all = all.filter(one => one !== gone)
        dropped += 1
      }

      expect(memory.list()).toEqual(all.map(one => one.story).reverse())
      expect(memory).toMatchObject({ size: all.length, dropped, bytes: bytesOf(all) })
      expect(memory.simulated).toBe(all.filter(one => one.story.isSimulated).length)
    }
  })

  property.prop([fc.array(fc.constantFrom('connected' as const, 'refused' as const), { minLength: 1, maxLength: 40 })])(
    'keeps the newest facts of a player: those about calls go first, and it counts what it lost',
    kinds => {
      const story = new Story('player.one', { id: 1, isWhole: true, isSimulated: false })
      let kept: { at: number; kind: string }[] = []
      let lostUntil: number | undefined
      for (const [at, kind] of kinds.entries()) {
        addFact(story, { kind, at })
        kept.push({ at, kind })
        if (kept.length <= limits.facts) continue
        const gone = kept.slice(0, -1).find(fact => fact.kind === 'refused') ?? kept[0]
        kept = kept.filter(fact => fact !== gone)
        lostUntil = Math.max(gone?.at ?? 0, lostUntil ?? 0)
      }

      expect(story.facts.map(({ at, kind }) => ({ at, kind }))).toEqual(kept)
      expect([story.lost, story.lostUntil]).toEqual([kinds.length - kept.length, lostUntil])
    },
  )
})

describe('the memory of a story', () => {
  it('has room for the first 31 lobbies of a player, and for all its facts', () => {
    const story = new Story('player.one', { id: 1, isWhole: true, isSimulated: false })
    const ids = Array.from({ length: 40 }, (_, i) => `lobby-${i}`)
    for (const [at, lobby_id] of ids.entries()) {
      const lobby = { lobby_id, namespace_id: 'n', game_mode_id: 'm', region_id: 'r' }
      story.add({ kind: 'moved', at, revision: at, cause: 'control', status: 503, lobby }, 100)
    }

    expect(story.facts.map(({ lobby }) => lobby?.lobby_id)).toEqual(ids.map((id, i) => (i < 31 ? id : undefined)))
    expect(new Set(story.facts.map(({ kind, cause, status }) => `${kind} ${cause} ${status}`))).toEqual(
      new Set(['moved control 503']),
    )
  })

  it('counts the lobbies that its player was in, because it may be the last to know them', () => {
    const story = new Story('player.one', { id: 1, isWhole: true, isSimulated: false })
    const [one, two] = ['one', 'two'].map(lobby_id => ({
      lobby_id,
      namespace_id: 'n',
      game_mode_id: 'm',
      region_id: 'r',
    }))
    const bytesWith = (lobby: StoryLobby | undefined) => {
      story.add({ kind: 'moved', at: 1, revision: 1, cause: 'code', lobby }, 24)
      return story.bytes
    }

    const [first, second, third] = [bytesWith(one), bytesWith(two), bytesWith(one)]

    expect([second - first, third - second]).toEqual([32 + 130, 32])
  })
})

describe('the stories of a world', () => {
  /** A world with one player that has a seat, and many later ones that had one. `pad` fills the token. */
  async function worldOf(count: number, pad = '') {
    const mock = createMockmaker({ scenario: { game_modes: ['duel'] } })
    const { lobby_id } = await mock.lobby({ game_mode_id: 'duel' })
    const token = (i: number) => `player.${String(i).padStart(6, '0')}${pad}`
    await mock.world.players.create({ player_token: token(0), lobby_id, status: 'connected' })
    await mock.world.players.createMany(count, i => ({ player_token: token(i + 1), lobby_id, status: 'removed' }))
    return { stories: mock.stories, token }
  }

  it('are at most 20,000, and it says how many gave way', async () => {
    const { stories, token } = await worldOf(20_005)

    const { counts, total } = stories.list()

    expect([total, counts]).toEqual([20_000, { players: 20_000, simulated: 0, dropped: 6 }])
    // The one with a seat is the oldest, and stays.
    expect(stories.get(token(0))?.outcome).toBe('playing')
    expect(stories.get(token(6))).toBeUndefined()
    expect(stories.get(token(7))?.token).toBe(token(7))
  })

  it('are those of the last 20,000 players of a larger scenario, and the others count as dropped', async () => {
    const players = Array.from({ length: 20_005 }, (_, i) => ({ token: `player.${i + 10_000}` }))
    const mock = createMockmaker({
      scenario: { game_modes: ['duel'], lobbies: [{ game_mode_id: 'duel', max_players: 30_000, players }] },
    })

    const { counts, total, stories } = mock.stories.list({ limit: 1 })

    expect([total, counts]).toEqual([20_000, { players: 20_000, simulated: 0, dropped: 5 }])
    expect(stories).toMatchObject([{ id: 20_005, token: 'player.30004' }])
    expect([10_004, 10_005].map(i => mock.stories.get(`player.${i}`)?.id)).toEqual([undefined, 6])
  })

  it('take at most 8 MiB', async () => {
    const { stories, token } = await worldOf(12_000, '-'.repeat(499))

    const { counts, total } = stories.list()

    expect(counts.players + counts.dropped).toBe(12_001)
    // A story of one fact takes 260 + 32, its token 512, and its address 9.
    expect(total).toBe(Math.floor((8 * 1024 ** 2) / (260 + 32 + 512 + 9)))
    expect(stories.get(token(0))?.outcome).toBe('playing')
    expect(stories.get(token(counts.dropped))).toBeUndefined()
    expect(stories.get(token(counts.dropped + 1))?.token).toBe(token(counts.dropped + 1))
  })
})
