import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject, vi } from 'vitest'
import { type Story, StoryRecorder, type storyLimits } from '../../../src/core/control/stories/stories.js'
import type { StoryFact } from '../../../src/core/control/stories/story-kinds.js'
import { wholeSince } from '../../../src/core/control/stories/tell-story.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { step } from '../../../src/testing/arbitraries/step.js'
import { ask, json, post } from '../../support/http.js'
import { tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'

const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] }, tokens.public)

interface Seat {
  readonly token: string
  readonly lobby: string
}

async function seat(mock: Mockmaker): Promise<Seat> {
  const { player, lobby } = json(await ask(mock, find)) as { player: { token: string }; lobby: { lobby_id: string } }
  return { token: player.token, lobby: lobby.lobby_id }
}

/** Calls as the server of a player. */
function serverCall(path: string, { token, lobby }: Seat) {
  return post(`/matchmaker/players/${path}`, { player_token: token }, lobbyTokenOf(lobby))
}

const few: typeof storyLimits = { stories: 4, facts: 3 }
const endless: typeof storyLimits = { stories: Number.POSITIVE_INFINITY, facts: Number.POSITIVE_INFINITY }

/** Remembers the players of a mock twice more: within narrow limits, and without any. */
function observedTwice(scenario: typeof tanks, limits = few) {
  vi.restoreAllMocks()
  const mock = closedAfterTest(createMockmaker({ scenario }))
  const { tables, revision, clock } = mockOf(mock, 'test').default.world
  const begin = { revision, at: clock.now() }
  const [limited, whole] = [
    new StoryRecorder(tables, begin, limits),
    new StoryRecorder(tables, begin, endless),
  ] as const
  for (const name of ['addChange', 'addExchange'] as const) {
    const add = StoryRecorder.prototype[name] as (value: unknown) => void // of both
    vi.spyOn(StoryRecorder.prototype, name).mockImplementation(function (this: StoryRecorder, value: unknown) {
      add.call(this, value)
      if (this === limited || this === whole) return
      limited[name](value as never)
      whole[name](value as never)
    })
  }
  return { mock, limited, whole }
}

/** The parts of a story that do not depend on its limits. */
function standingOf({ token, isSimulated, address, seat, lobby, newest }: Story) {
  return { token, isSimulated, address, seat, lobby, newest }
}

/** Finds the facts that a story has lost. Throws unless it has all others. */
function lostFacts(story: Story, all: Story): StoryFact[] {
  const known = new Set(story.facts.map(fact => JSON.stringify(fact)))
  const lost = all.facts.filter(fact => !known.has(JSON.stringify(fact)))
  // A story that begins again with a late call has the row of the player as its first fact.
  const begins = story.lost === -1 && story.oldest.kind === 'present' ? 1 : 0
  expect(story.facts.length - begins).toBe(all.facts.length - lost.length)
  return lost
}

describe('the limits of stories', { tags: ['slow'] }, () => {
  it.prop([fc.nat()], { numRuns: Math.ceil(inject('runs') / 5) })(
    'hold after each step, and only make a world forget',
    async seed => {
      const { mock, limited, whole } = observedTwice(tanks)
      await mock.simulate({ concurrent: 2, session: '1m' })
      for (const one of fc.sample(step(mock), { seed, numRuns: 30 })) {
        await one.run()

        expect(limited.list().length).toBeLessThanOrEqual(few.stories)
        for (const story of limited.list()) {
          const all = whole.get(story.token)
          if (!all) throw new Error(`only a limited memory knows ${story.token}`)
          expect(story.facts.length).toBeLessThanOrEqual(few.facts)
          const lost = lostFacts(story, all)
          // The row of the player is gone, and its story has given way: a late call begins another one.
          if (story.seat !== 'unknown') expect(standingOf(story)).toEqual(standingOf(all))
          if (story.lost >= 0) expect([story.lost, story.state]).toEqual([lost.length, all.state])
          const since = wholeSince(story)
          if (lost.length > 0) expect(since).toBeGreaterThanOrEqual(Math.max(...lost.map(({ at }) => at)))
          else expect([undefined, story.oldest.at]).toContain(since)
        }
      }
    },
  )

  it('begin a story that gave way anew with a late call, and say that earlier facts are gone', async () => {
    const { mock, limited } = observedTwice(tanks, { ...endless, stories: 1 })
    const late = await seat(mock)
    await ask(mock, serverCall('disconnected', late))
    const other = await seat(mock)
    expect(limited.list()).toMatchObject([{ token: other.token }])

    await ask(mock, serverCall('disconnected', other))
    await ask(mock, serverCall('connected', late))
    const [known] = limited.list()
    await ask(mock, serverCall('connected', other))
    // The rows are deleted an hour after the end.
    await mock.clock.advance('2h')
    await ask(mock, serverCall('connected', late))
    const [unknown] = limited.list()

    expect(known).toMatchObject({ token: late.token, seat: 'ended', lost: -1 })
    expect(known?.facts.map(({ kind, seat, answer }) => [kind, seat ?? answer?.status])).toEqual([
      ['present', 'ended'],
      ['refused', 400],
    ])
    expect(unknown).toMatchObject({ token: late.token, seat: 'unknown', lost: -1, facts: [{ kind: 'refused' }] })
  })

  it('begin a dropped story with the seat that a call ends', async () => {
    const { mock, limited } = observedTwice(tanks, { ...endless, stories: 1 })
    const playing = await seat(mock)
    await ask(mock, serverCall('connected', playing))
    const other = await seat(mock)
    expect(limited.list()).toMatchObject([{ token: other.token }])

    await ask(mock, serverCall('disconnected', playing))
    const [story] = limited.list()

    expect(story).toMatchObject({ token: playing.token, seat: 'ended', state: 'left', lost: -1 })
    expect(story?.facts.map(({ kind, seat }) => [kind, seat])).toEqual([
      ['present', 'connected'],
      ['left', undefined],
    ])
  })

  it('begin no story when the row of a player that gave way is deleted', async () => {
    const { mock, limited } = observedTwice(tanks, { ...endless, stories: 1 })
    const late = await seat(mock)
    await ask(mock, serverCall('disconnected', late))
    const other = await seat(mock)
    await ask(mock, serverCall('connected', other))
    const { counts } = limited

    await mock.clock.advance('2h')

    expect(limited.counts).toEqual(counts)
    expect(limited.get(other.token)?.state).toBe('connected')
  })

  it('take no answer for a canned seat if the story of its player gave way meanwhile', async () => {
    const { mock, limited } = observedTwice({ ...tanks, servers: 'manual' }, { ...endless, stories: 1 })
    await mock.world.lobbies.deleteMany(q => q.where({ game_mode_id: 'duel' }))
    const waiting = ask(mock, find)
    await mock.blocked(1, 'lobbies.find')
    const { player_token } = await mock.player({ lobby_id: 'empty', status: 'connected' })
    expect(limited.list()).toMatchObject([{ token: player_token }])

    const [lobby] = mock.world.lobbies.findMany(q => q.where({ status: 'starting' }))
    await ask(mock, post('/matchmaker/lobbies/ready', {}, lobbyTokenOf(lobby?.lobby_id ?? '')))
    await waiting

    expect(limited.list()[0]?.facts.map(({ kind }) => kind)).toEqual(['present', 'lobby_ready'])
  })
})
