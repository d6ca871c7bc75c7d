import { describe, expect } from 'vitest'
import { readScenario } from '../../../src/core/scenario/read.js'
import { createMockmaker, type Mockmaker, type ScenarioInput } from '../../../src/index.js'
import { json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { closedAfterTest, problemLines } from '../../support/worlds.js'

const described = { title: 'Here', description: 'Two duels.', clock: 'frozen', game_modes: ['duel'] } as const
const bare: ScenarioInput = { title: 'There', clock: 'frozen' }

function mocked(scenario: ScenarioInput = described): Mockmaker {
  const mock = closedAfterTest(createMockmaker({ scenario }))
  return mock
}

describe('the description of a scenario', () => {
  it('is that of the world, and absent in a world without one', () => {
    expect([mocked().world.description, mocked(bare).world.description]).toEqual(['Two duels.', undefined])
  })

  it('goes with load, and comes back with an earlier revision', async () => {
    const mock = mocked()
    const { revision } = mock.world

    await mock.load(bare)

    const fork = await mock.worlds.put('fork', { fork: 'default', revision })
    expect([mock.world.description, fork.world.description]).toEqual([undefined, 'Two duels.'])
  })

  it('is in a fork, and there after a reset', async () => {
    const mock = mocked()

    const fork = await mock.worlds.put('fork', { fork: 'default' })
    await fork.reset()
    await mock.reset({ seed: 3 })

    expect([mock.world.description, fork.world.description]).toEqual(['Two duels.', 'Two duels.'])
  })

  it('changes with a reload, in a change set with the title and the seed', async () => {
    const mock = mocked()

    await mock.reload({ ...described, description: 'Three duels.' })

    expect(mock.history().change_sets.map(({ scenario }) => scenario)).toEqual([
      {
        before: { title: 'Here', description: 'Two duels.', seed: 1 },
        after: { title: 'Here', description: 'Three duels.', seed: 1 },
      },
    ])
  })

  it('is in a snapshot, after the title', async () => {
    const mock = mocked()

    const snapshot = mock.snapshot()
    await mock.load(bare)
    await mock.restore(snapshot)

    expect(Object.keys(snapshot).slice(0, 3)).toEqual(['title', 'description', 'seed'])
    expect(mock.world.description).toBe('Two duels.')
    expect(Object.keys(mocked(bare).snapshot())).not.toContain('description')
  })

  it('is in the description of a world', async ({ serve }) => {
    const { client, steer } = await serve({ scenario: described })

    expect(json(await steer('GET', '/__mock/world'))).toMatchObject({ title: 'Here', description: 'Two duels.' })
    await client.load(bare)
    expect(await client.world.describe()).not.toHaveProperty('description')
  })

  it.each(['title', 'description'])('is text of at most 300 characters, like the title: %s', key => {
    const problems = (text: unknown) => problemLines(() => readScenario({ [key]: text }))

    expect(problems('x'.repeat(300))).toEqual([])
    expect(problems('x'.repeat(301))).toEqual([
      expect.stringMatching(new RegExp(`^scenario: ${key} is "x+…: expected a length of at most 300$`)),
    ])
    expect(problems(['a'])).toEqual([expect.stringMatching(new RegExp(`^scenario: ${key} is .*: expected string$`))])
  })

  // The index of a folder holds it, and each second may write the index.
  it('cannot make the list of worlds long', async ({ serve }) => {
    const { steer } = await serve({ scenario: bare })
    const create = { scenario: { ...bare, title: 'x'.repeat(8_000_000) } }

    const refused = await steer('PUT', '/__mock/worlds/a', create)

    expect([refused.status, json(refused)]).toMatchObject([
      400,
      { code: 'API_BAD_BODY', message: expect.stringMatching(/^scenario: title is .{1,200}at most 300$/) },
    ])
    expect(json(await steer('GET', '/__mock/worlds'))).toMatchObject({ worlds: [{ id: 'default' }] })
  })
})
