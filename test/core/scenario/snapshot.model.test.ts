import { fc, it } from '@fast-check/vitest'
import { beforeEach, describe, expect, inject, vi } from 'vitest'
import * as yaml from 'yaml'
import { parseScenario } from '../../../src/core/scenario/index.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { scenarios } from '../../../src/core/scenario/shipped.js'
import { defineWorld } from '../../../src/core/scenario/world.js'
import { encodeState } from '../../../src/core/storage/encoding.js'
import { LiveWorld } from '../../../src/core/store/world.js'
import { createState, type WorldState } from '../../../src/core/store/world-state.js'
import { snapshotOf } from '../../support/worlds.js'
import { kinds, play, type RandomWorld, randomWorld } from './random-world.js'

const publicUrl = 'http://links.test'

/** Creates the world of a scenario. The server would set the URL of its links. */
const put = (scenario: ScenarioInput) => new LiveWorld(createState(defineWorld(readScenario(scenario), { publicUrl })))

async function played({ scenario, steps }: RandomWorld): Promise<LiveWorld> {
  const world = put(scenario)
  for (const step of steps) await play(step, world)
  return world
}

/**
 * All records of a world as JSON. A scenario groups namespaces by game, and game modes and lobbies by namespace. So
 * it keeps only the order within a group, which is all that answers show.
 */
function contents({ tables }: LiveWorld): string {
  const { settings, games, regions, namespaces, gameModes, lobbies, players, simulations, deviceLinks, tokens } = tables
  const whole = [settings, games, regions, deviceLinks, tokens].map(table => table.all())
  const ofGames = games.all().map(({ game_id }) => namespaces.findMany(q => q.where({ game_id })))
  const ofNamespaces = [...namespaces.all()]
    .sort((a, b) => (a.namespace_id < b.namespace_id ? -1 : 1))
    .map(({ namespace_id }) => [
      gameModes.findMany(q => q.where({ namespace_id })),
      lobbies
        .findMany(q => q.where({ namespace_id }))
        .map(lobby => [lobby, players.findMany(q => q.where({ lobby_id: lobby.lobby_id }))]),
      simulations.get(namespace_id),
    ])
  return JSON.stringify([whole, ofGames, ofNamespaces])
}

/** All that a storage keeps of a state. */
function encoded(state: WorldState): string {
  return [...encodeState(state, { mode: 'frozen', rate: 1, now: state.startsAt, isReal: false })].join('')
}

/** The title, description, seed, clock and random state of a world. */
function ownState({ title, description, seed, clock, random }: LiveWorld) {
  return { title, description, seed, clock: clock.state, chance: random.save() }
}

/** Ways to pass a snapshot from one world to another. */
const ways: readonly (readonly [name: string, take: (snapshot: ScenarioInput) => ScenarioInput])[] = [
  ['as it is', snapshot => snapshot],
  ['through JSON', snapshot => parseScenario(JSON.stringify(snapshot))],
  ['through YAML', snapshot => parseScenario(yaml.stringify(snapshot))],
]

// A running clock follows these, so it does not move.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))

describe('a world from a snapshot', () => {
  it.prop([randomWorld], { numRuns: inject('runs') })(
    'has equal records, title, description, seed, clock and random state, a higher revision, and an equal snapshot',
    async random => {
      const world = await played(random)
      const snapshot = snapshotOf(world.state)

      for (const [way, take] of ways) {
        const copy = put(take(snapshot))

        expect(contents(copy), way).toBe(contents(world))
        expect(ownState(copy), way).toEqual(ownState(world))
        expect(copy.revision, way).toBeGreaterThan(world.revision)
        // As JSON: a state may have -0, which JSON does not.
        const expected = JSON.stringify({ ...snapshot, revision: copy.revision })
        expect(JSON.stringify(snapshotOf(copy.state)), way).toBe(expected)
      }
    },
  )

  it.prop([randomWorld], { numRuns: inject('runs') })(
    'has the same bytes if its rows need not be checked, as after a restart',
    async random => {
      const world = await played(random)
      const definition = defineWorld(readScenario(snapshotOf(world.state)), { publicUrl })

      const [first, again] = [createState(definition), createState({ ...definition, areRowsValid: true })]

      expect(encoded(again)).toBe(encoded(first))
    },
  )

  describe.each(ways)('%s', (_way, take) => {
    it.each(Object.entries(scenarios))('equals the original in the scenario %s', (_name, scenario) => {
      const world = put(scenario)

      const copy = put(take(snapshotOf(world.state)))

      expect([contents(copy), ownState(copy)]).toEqual([contents(world), ownState(world)])
    })
  })
})

describe('random worlds', () => {
  it('contain every kind of step', async () => {
    const done = new Set<string>()
    for (const { scenario, steps } of fc.sample(randomWorld, { numRuns: 40, seed: 1 })) {
      const world = put(scenario)
      for (const step of steps) if (await play(step, world)) done.add(step.does)
    }

    expect([...done].sort()).toEqual([...kinds].sort())
  })
})
