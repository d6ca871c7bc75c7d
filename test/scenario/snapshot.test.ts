import { fc, it } from '@fast-check/vitest'
import { beforeEach, describe, expect, vi } from 'vitest'
import * as yaml from 'yaml'
import { readScenario } from '../../src/scenario/read.js'
import type { ScenarioInput } from '../../src/scenario/schema.js'
import { scenarios } from '../../src/scenario/shipped.js'
import { snapshotOf } from '../../src/scenario/snapshot.js'
import { beginningOf } from '../../src/scenario/world-state.js'
import { parseScenario } from '../../src/scenarios.js'
import { createWorld, type LiveWorld } from '../../src/store/world.js'
import { createState } from '../../src/store/world-state.js'
import { uuid } from '../support/http.js'
import { kinds, play, type RandomWorld, randomWorld } from '../support/random-world.js'
import { tanks } from '../support/tanks.js'
import { worldOf } from '../support/worlds.js'

const publicUrl = 'http://links.test'

/** The world of a scenario. Where its links lead belongs to the server, and is said here. */
const put = (scenario: ScenarioInput) => createWorld(createState(beginningOf(readScenario(scenario), { publicUrl })))

async function played({ scenario, steps }: RandomWorld): Promise<LiveWorld> {
  const world = put(scenario)
  for (const step of steps) await play(step, world)
  return world
}

/**
 * All records of a world as JSON. A scenario lists namespaces by game, and game modes and lobbies by namespace: of their
 * order, that is what it keeps, and all that an answer shows.
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

/** What else there is of a world. */
function ownState({ title, seed, clock, random }: LiveWorld) {
  return { title, seed, clock: clock.state, chance: random.save() }
}

/** The ways of a snapshot from one world to another. */
const ways: readonly (readonly [name: string, take: (snapshot: ScenarioInput) => ScenarioInput])[] = [
  ['as it is', snapshot => snapshot],
  ['through JSON', snapshot => parseScenario(JSON.stringify(snapshot))],
  ['through YAML', snapshot => parseScenario(yaml.stringify(snapshot))],
]

// A clock that runs follows these, and so stands still.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))

describe.each(ways)('a world that a snapshot is put back into, %s,', (_way, take) => {
  it.prop([randomWorld])('has equal records, title, seed, clock and chance, and a higher revision', async random => {
    const world = await played(random)

    const copy = put(take(snapshotOf(world)))

    expect(contents(copy)).toBe(contents(world))
    expect(ownState(copy)).toEqual(ownState(world))
    expect(copy.revision).toBeGreaterThan(world.revision)
  })

  it.each(Object.entries(scenarios))('has them when nothing has happened yet, for %s', (_name, scenario) => {
    const world = put(scenario)

    const copy = put(take(snapshotOf(world)))

    expect([contents(copy), ownState(copy)]).toEqual([contents(world), ownState(world)])
  })

  it.prop([randomWorld], { numRuns: 50 })('has an equal snapshot but for its revision', async random => {
    const snapshot = snapshotOf(await played(random))

    const copy = put(take(snapshot))

    expect(snapshotOf(copy)).toEqual({ ...snapshot, revision: copy.revision })
  })
})

describe('random worlds', () => {
  it('see every kind of step done', async () => {
    const done = new Set<string>()
    for (const { scenario, steps } of fc.sample(randomWorld, { numRuns: 100, seed: 1 })) {
      const world = put(scenario)
      for (const step of steps) if (await play(step, world)) done.add(step.does)
    }

    expect([...done].sort()).toEqual([...kinds].sort())
  })
})

describe('a snapshot', () => {
  it('says what a person would write, and leaves the defaults of lobbies, modes and regions out', () => {
    const world = worldOf({
      ...tanks,
      games: [
        {
          name_id: 'tanks',
          game_id: 'T',
          developer_group_id: 'G',
          namespaces: [{ namespace_id: 'P', version_id: 'V', game_modes: ['duel'], lobbies: [{ lobby_id: 'L' }] }],
        },
      ],
      regions: ['lnd-fra', { region_id: 'attic' }],
      device_links: [],
      bearer_tokens: [],
    })
    expect(JSON.parse(JSON.stringify(snapshotOf(world)))).toEqual({
      title: 'Tanks',
      seed: 7,
      revision: Date.UTC(2026, 10, 20, 20),
      now: '2026-11-20T20:00:00.000Z',
      clock: 'frozen',
      chance: { world: world.random.save() },
      cdn_domain: 'mock.localhost',
      default_namespace: 'tanks/prod',
      regions: [
        'lnd-fra',
        {
          region_id: 'attic',
          region_uuid: expect.stringMatching(uuid),
          provider_display_name: 'Own',
          region_display_name: 'attic',
          datacenter_coord: { latitude: 0, longitude: 0 },
        },
      ],
      games: [
        {
          name_id: 'tanks',
          display_name: 'tanks',
          game_id: 'T',
          created_at: '2026-11-20T20:00:00.000Z',
          developer_group_id: 'G',
          namespaces: [
            {
              name_id: 'prod',
              display_name: 'Production',
              namespace_id: 'P',
              version_id: 'V',
              created_at: '2026-11-20T20:00:00.000Z',
              tokenless: true,
              domains: [],
              matchmaker: { lobby_count_max: 128 },
              game_modes: [
                {
                  game_mode_id: 'duel',
                  max_players: { normal: 32, direct: 40, party: 40 },
                  regions: ['lnd-fra', 'attic'],
                },
              ],
              lobbies: [{ lobby_id: 'L', game_mode_id: 'duel', region_id: 'lnd-fra', total_player_count: 0 }],
            },
          ],
        },
      ],
      device_links: [],
      bearer_tokens: [],
    })
  })

  it('writes points in time as dates, and durations in the largest unit that divides them', () => {
    const world = worldOf({
      game_modes: ['duel'],
      players: { session: '720000ms' },
      lobbies: [{ stops_at: '2026-11-20T23:00:00+01:00' }],
      device_links: [{ completes_after: '90s' }],
    })

    const { games, device_links } = snapshotOf(world)
    const namespace = games?.[0]?.namespaces?.[0]

    expect(namespace?.players?.session).toBe('12m')
    expect(namespace?.lobbies?.[0]?.stops_at).toBe('2026-11-20T22:00:00.000Z')
    expect(device_links?.[0]?.completes_at).toBe('2026-11-20T20:01:30.000Z')
  })
})
