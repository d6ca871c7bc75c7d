import { fc } from '@fast-check/vitest'
import { describe, expect, inject, it } from 'vitest'
import { groupStories } from '../../src/dashboard/players/player-groups.js'
import { barParts, countStates, stateNames, stateOf } from '../../src/dashboard/world/player-state.js'
import { createMockmaker } from '../../src/index.js'
import { closedAfterTest } from '../support/worlds.js'

const find = '/matchmaker/lobbies/find'

/** What may happen to players. The number picks one. */
const steps = {
  find: mock => mock.answer({ method: 'POST', path: find, headers: {}, body: bodyOf('duel') }),
  refused: mock => mock.answer({ method: 'POST', path: find, headers: {}, body: bodyOf('none') }),
  player: mock => mock.player({ status: 'connected' }),
  reserved: mock => mock.player({ status: 'reserved' }),
  remove: (mock, pick) => mock.world.players.delete(mock.world.players.all()[pick]?.player_token ?? ''),
  stop: (mock, pick) =>
    mock.world.lobbies.update(mock.world.lobbies.all()[pick]?.lobby_id ?? '', { status: 'stopped' }),
  second: mock => mock.clock.advance('1s'),
  minutes: mock => mock.clock.advance('3m'),
} satisfies { readonly [name: string]: (mock: ReturnType<typeof createMockmaker>, pick: number) => unknown }

interface Step {
  readonly name: keyof typeof steps
  readonly pick: number
}

const bodyOf = (mode: string) => new TextEncoder().encode(JSON.stringify({ game_modes: [mode] }))

/** The stories of a world in which anything has happened. */
async function storiesAfter(all: readonly Step[]) {
  const scenario = { clock: 'frozen', game_modes: [{ game_mode_id: 'duel', max_players: 2 }] } as const
  const mock = closedAfterTest(createMockmaker({ seed: 1, scenario }))
  for (const { name, pick } of all)
    await Promise.resolve()
      .then(async () => void (await steps[name](mock, pick)))
      // The world may have no player or lobby for the step.
      .catch(() => {})
  return { stories: mock.stories.list({ limit: 200 }).stories, now: mock.clock.now() }
}

const anyStep = fc.record({
  name: fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])),
  pick: fc.nat(3),
})
const anySteps = fc.array(anyStep, { maxLength: 12 })

describe('the states of players', () => {
  it('add up to all stories, and agree with their outcomes and bars', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, async all => {
        const { stories, now } = await storiesAfter(all)

        const counts = countStates(stories)
        expect(counts.way + counts.plays + counts.never + counts.left).toBe(stories.length)
        for (const story of stories) {
          const state = stateOf(story)
          const { outcome, reserved_at, connected_at, ended_at } = story
          expect(state === 'plays').toBe(outcome === 'playing')
          expect(state === 'way').toBe(outcome === 'on_the_way')
          if (outcome === 'never_connected') expect(state).toBe('never')
          if (outcome === 'left') expect(state).toBe('left')
          const [reservedAt, connectedAt, endedAt] = [reserved_at, connected_at, ended_at].map(time =>
            time === undefined ? undefined : Date.parse(time),
          )
          const parts = barParts({ reservedAt, connectedAt, endedAt }, now)
          // Its bar has the colour of what it is now.
          if (parts.length > 0) expect(parts.at(-1)?.[0]).toBe(state)
        }
      }),
      { numRuns: inject('runs') },
    )
  })

  it('order the players of a group, the oldest first, and the groups have each player once', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, async all => {
        const { stories } = await storiesAfter(all)

        for (const by of ['lobby', 'time', 'state'] as const) {
          const rows = groupStories(stories, by)
          const ids = rows.flatMap(row => ('story' in row ? [row.story.id] : []))
          expect(ids.toSorted((a, b) => b - a)).toEqual(stories.map(({ id }) => id))
        }
        let group: (typeof stories)[number][] = []
        for (const row of groupStories(stories, 'lobby')) {
          if (!('story' in row)) {
            group = []
            continue
          }
          const before = group.at(-1)
          group.push(row.story)
          expect(row.story.lobby_id).toBe(group[0]?.lobby_id)
          if (!before) continue
          const [one, other] = [before, row.story].map(story => stateNames.indexOf(stateOf(story)))
          expect(one).toBeLessThanOrEqual(other ?? 0)
          if (one === other) expect(before.id).toBeLessThan(row.story.id)
        }
      }),
      { numRuns: inject('runs') },
    )
  })
})
