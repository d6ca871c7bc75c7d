import { fc, it as prop } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { findLobby } from '../../src/behaviour/lobbies-find.js'
import { modesOf, placesOf } from '../../src/behaviour/places.js'
import { createMockmaker } from '../../src/index.js'
import type { ScenarioInput } from '../../src/scenario/schema.js'
import { live } from '../support/worlds.js'

const modeIds = ['duel', 'ffa', 'race'] as const
const regionIds = ['lnd-fra', 'lnd-syd', 'lnd-atl', 'lnd-tok'] as const
const scenario: ScenarioInput = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  regions: [...regionIds],
  // The scenario names a region twice; a place is one place all the same.
  game_modes: modeIds.map(game_mode_id => ({ game_mode_id, regions: [...regionIds, 'lnd-fra'] })),
}

function opened() {
  const mock = createMockmaker({ scenario })
  const { tables } = live(mock.world).view
  const namespaceId = tables.namespaces.all()[0]?.namespace_id ?? ''
  return { mock, tables, namespaceId }
}

/** How often a find looks up a game mode, a region, or the fullest lobby of a place. */
async function lookUps(game_modes: readonly string[], regions: readonly string[]): Promise<number> {
  const { mock, namespaceId } = opened()
  const world = live(mock.world)
  let count = 0
  await world.write((_, writes) => {
    const counting = <Table extends object>(table: Table): Table =>
      new Proxy(table, {
        get(target, name) {
          const member = Reflect.get(target, name)
          if (typeof member !== 'function') return member
          return (...args: unknown[]) => {
            count += 1
            return member.apply(target, args)
          }
        },
      })
    const { reads } = writes
    findLobby({
      caller: { kind: 'public', namespaceId },
      client: { address: '127.0.0.1', isLocal: true },
      input: { game_modes: [...game_modes], regions: [...regions] },
      reads: {
        ...world.view.tables,
        settings: reads.settings,
        namespaces: reads.namespaces,
        tokens: reads.tokens,
        deviceLinks: reads.deviceLinks,
        players: reads.players,
        gameModes: counting(reads.gameModes),
        regions: counting(reads.regions),
        lobbies: counting(reads.lobbies),
      },
      writes,
      hasPassed: world.view.hasPassed,
      seed: world.seed,
      random: world.random,
      now: world.clock.now(),
    })
  })
  await mock.close()
  return count
}

const repeated = <T>(items: readonly T[], times: number): T[] => Array.from({ length: times }, () => items).flat()

describe('the places that a find looks in', () => {
  prop.prop([fc.array(fc.constantFrom(...modeIds)), fc.array(fc.constantFrom(...regionIds), { minLength: 1 })])(
    'are those of the same lists without doubles, in the same order',
    (modes, regions) => {
      fc.pre(modes.length > 0)
      const { tables, namespaceId } = opened()
      const around = { namespaceId, tables }

      const places = placesOf(modesOf(modes, around), { regions, tables })

      const expected = [...new Set(modes)].flatMap(mode => [...new Set(regions)].map(region => `${mode}/${region}`))
      expect(places.map(({ mode, region_id }) => `${mode.game_mode_id}/${region_id}`)).toEqual(expected)
    },
  )

  it('are at most as many as the world has, however long the lists are', () => {
    const { tables, namespaceId } = opened()
    const modes = modesOf(repeated(modeIds, 20_000), { namespaceId, tables })

    expect(placesOf(modes, { regions: repeated(regionIds, 20_000), tables })).toHaveLength(12)
    expect(placesOf(modes, { regions: undefined, tables })).toHaveLength(12)
  })

  it('cost as many look-ups with doubled lists as with plain ones', async () => {
    const plain = await lookUps(modeIds, regionIds)

    expect(await lookUps(repeated(modeIds, 5_000), repeated(regionIds, 5_000))).toBe(plain)
  })
})
