import { fc, it } from '@fast-check/vitest'
import { getResponse } from 'msw'
import { describe, expect } from 'vitest'
import { UsageError } from '../../../src/index.js'
import { StoryWorlds } from '../../../src/testing/storybook/story-worlds.js'

const origin = 'https://matchmaker.example'
const duel = { game_modes: ['duel'] }

/** Sends a request through the handlers of a page. */
async function listLobbies(worlds: StoryWorlds, base = origin) {
  const response = await getResponse(worlds.handlers, new Request(`${base}/matchmaker/lobbies/list`))
  if (!response) throw new Error('no handler matched')
  const { lobbies, message } = (await response.json()) as { lobbies?: unknown[]; message?: string }
  return { status: response.status, count: lobbies?.length, message }
}

describe('a page with one story', () => {
  it('answers each request in the world of the story', async () => {
    const worlds = new StoryWorlds()
    const { mock } = await worlds.open('a', {}, { scenario: duel })

    await mock.lobby()

    expect(await listLobbies(worlds)).toMatchObject({ status: 200, count: 1 })
  })

  it('keeps the world if Storybook renders the story again', async () => {
    const [worlds, element] = [new StoryWorlds(), {}]
    const first = await worlds.open('a', element, { scenario: duel, seed: 1 })

    expect(await worlds.open('a', element, { scenario: duel, seed: 1 })).toBe(first)
    expect(await worlds.open('a', element, { scenario: duel, seed: 2 })).not.toBe(first)
  })

  it('is outdated if its world was replaced, until it is mounted again', async () => {
    const [worlds, element] = [new StoryWorlds(), {}]
    const first = await worlds.open('a', element, { scenario: duel, seed: 1 })
    const second = await worlds.open('a', element, { scenario: duel, seed: 2 })
    await worlds.close(second)
    const third = await worlds.open('a', element, { scenario: duel, seed: 2 })
    const next = await worlds.open('b', element, { scenario: duel, seed: 2 })

    expect([first, second, third, next].map(({ isOutdated }) => isOutdated)).toEqual([false, true, false, false])
  })

  it('has one world if Storybook renders the story twice at once', async () => {
    const [worlds, element] = [new StoryWorlds(), {}]

    const [one, other] = await Promise.all([1, 2].map(() => worlds.open('a', element, { scenario: duel })))

    expect(one).toBe(other)
  })

  it('deletes the world with the story, and answers its blocked requests', async () => {
    const worlds = new StoryWorlds()
    const story = await worlds.open('a', {}, { scenario: duel })
    story.mock.hold('lobbies.list')
    const answer = listLobbies(worlds)
    await story.mock.blocked()

    await worlds.close(story)

    expect((await answer).status).toBeGreaterThanOrEqual(200)
    expect(() => story.mock.lobby()).toThrow('this mock belongs to the story a, which is no longer shown')
    expect(await listLobbies(worlds)).toMatchObject({ status: 404, message: expect.stringContaining('no story') })
  })

  it('answers only the base URL of the story', async () => {
    const worlds = new StoryWorlds()
    await worlds.open('a', {}, { scenario: duel, baseUrl: origin })

    expect(await listLobbies(worlds)).toMatchObject({ status: 200 })
    await expect(listLobbies(worlds, 'https://other.example')).rejects.toThrow('no handler matched')
  })

  it('shows no story whose parameters are wrong', async () => {
    const worlds = new StoryWorlds()

    await expect(worlds.open('a', {}, { scenario: 'fridaynight' })).rejects.toThrow(UsageError)
    await expect(worlds.open('a', {}, { faults: [{ operation: 'lobby.list', effect: {} }] as never })).rejects.toThrow(
      UsageError,
    )

    expect(worlds.shown).toEqual([])
  })
})

describe('a page with stories that share a world', () => {
  const shared = { sharesWorld: true }

  it('answers all their requests in it', async () => {
    const worlds = new StoryWorlds()
    const [a, b] = await Promise.all(['a', 'b'].map(id => worlds.open(id, { id }, {}, shared)))

    expect(b?.mock).toBe(a?.mock)
    expect(await listLobbies(worlds)).toMatchObject({ status: 200 })
    expect(a?.mock.journal.find()).toHaveLength(1)
  })

  it('answers a request there that names no world, beside a story with a world of its own', async () => {
    const worlds = new StoryWorlds()
    await worlds.open('a', {}, { scenario: 'empty' }, shared)
    const { mock } = await worlds.open('b', {}, { scenario: 'ghost-town' })

    expect(await listLobbies(worlds)).toMatchObject({ status: 200, count: 0 })
    expect(await listLobbies(worlds, mock.url)).toMatchObject({ status: 200, count: 3 })
  })

  it('answers in the newest one while the toolbar gives them another, one after the other', async () => {
    const [worlds, element] = [new StoryWorlds(), {}]
    await worlds.open('a', element, {}, shared)
    const b = await worlds.open('b', {}, {}, shared)

    await worlds.open('a', element, { scenario: 'ghost-town' }, shared)

    expect(await listLobbies(worlds)).toMatchObject({ count: 3 })
    expect(b.mock.journal.find()).toEqual([])
  })

  it('deletes it with the last of them', async () => {
    const worlds = new StoryWorlds()
    const [a, b] = [await worlds.open('a', {}, {}, shared), await worlds.open('b', {}, {}, shared)]

    await worlds.close(a)
    expect(await listLobbies(worlds)).toMatchObject({ status: 200 })

    await worlds.close(b)
    expect(() => b.mock.lobby()).toThrow('no longer shown')
  })
})

describe('a page with several stories', () => {
  it.prop([fc.array(fc.nat(4), { minLength: 2, maxLength: 4 })], { numRuns: 15 })(
    'answers a request in the world that it names',
    async counts => {
      const worlds = new StoryWorlds()
      const stories = await Promise.all(
        counts.map((count, at) =>
          worlds.open(
            `story-${at}`,
            { at },
            { scenario: { ...duel, lobbies: Array.from({ length: count }, () => ({})) } },
          ),
        ),
      )

      const answers = await Promise.all(stories.map(({ mock }) => listLobbies(worlds, mock.url)))

      expect(answers.map(({ count }) => count)).toEqual(counts)
    },
  )

  it('refuses a request that names none of them, and lists them', async () => {
    const worlds = new StoryWorlds()
    await worlds.open('lobbies--empty', {}, { scenario: duel })
    await worlds.open('lobbies--full', {}, { scenario: duel })

    const { status, message } = await listLobbies(worlds)

    expect(status).toBe(404)
    expect(message).toContain('any of the stories of this page (lobbies--empty, lobbies--full)')
  })

  it('answers a request of the one with that base URL', async () => {
    const worlds = new StoryWorlds()
    await worlds.open('a', {}, { scenario: duel, baseUrl: 'https://a.example' })
    await worlds.open('b', {}, { scenario: { ...duel, lobbies: [{}] }, baseUrl: 'https://b.example' })

    expect(await listLobbies(worlds, 'https://a.example')).toMatchObject({ count: 0 })
    expect(await listLobbies(worlds, 'https://b.example')).toMatchObject({ count: 1 })
  })
})
